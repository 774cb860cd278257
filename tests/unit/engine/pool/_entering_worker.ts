/** A thread that binds itself, as a test tells it, and tells what it can still do. */

import type { Tool } from "../../../../src/core/tool.ts";
import { createInlineRunner } from "../../../../src/engine/pool/inline_runner.ts";
import { beginParts, enterThread } from "../../../../src/engine/pool/thread_parts.ts";
import { NO_PROGRAM_ENVIRONMENT } from "../../../../src/engine/programs/no_program_environment.ts";
import { DEFAULTS } from "../../../../src/policy/model.ts";
import type { JsonText } from "../../../../src/core/result.ts";
import type { Boundary } from "../../../../src/sandbox/boundary.ts";
import { createRegistry } from "../../../../src/tools/registry.ts";
import { grantOf, rulebookOf } from "../../host/_rulebook.ts";
import { canonical, pathRule } from "../../policy/_fixtures.ts";

/** What the thread is asked to do. */
export interface Entering {
  readonly how: "inline" | "parts" | "begun";
  readonly root: string;
  readonly outside: string;
  readonly boundary: Boundary;
  /** The answer of what runs the call where the kernel does not hold it; null: its permissions are the policy's. */
  readonly wide: string | null;
}

/** Whether a file can be read, past all handles. */
function canRead(path: string): boolean {
  try {
    Deno.readTextFileSync(path);
    return true;
  } catch {
    return false;
  }
}

async function inline({ root, boundary, outside, wide }: Entering): Promise<unknown> {
  const registry = createRegistry();
  await registry.loadAll();
  const tool = await registry.get("read_file") as Tool;
  const workspace = canonical(root);
  const rulebook = rulebookOf(workspace, { paths: [pathRule("allow", ["**"])] });
  const runner = createInlineRunner({
    rulebook,
    registry,
    boundaryOf: () => boundary,
    libc: null,
    wide: wide === null ? null : () => {
      const outcome = Promise.resolve({ output: wide as JsonText, error: null, usage: {} });
      return Promise.resolve({
        run: () => ({ outcome, cancel: () => {} }),
        close: () => Promise.resolve(),
      });
    },
  });
  const run = (path: string, parts: { readonly cancelled?: boolean } = {}) => {
    const read = [{ requested: path, path: canonical(`${root}/${path}`), tree: false }];
    const running = runner.run({
      tool,
      input: { path, encoding: "utf-8" },
      grant: grantOf(workspace, { read }),
      preview: false,
      stream: false,
      subject: {
        tool: "read_file",
        agent: "root",
        risk: "safe",
        permission: null,
        riskOfPrograms: false,
      },
    }, () => {});
    if (parts.cancelled === true) running.cancel();
    return running.outcome;
  };
  const before = canRead(outside);
  const first = await run("a.txt");
  return { before, first, after: canRead(outside), second: await run("a.txt") };
}

async function parts({ how, boundary, root, outside }: Entering): Promise<unknown> {
  const before = canRead(outside);
  const begun = how === "begun" ? await beginParts() : null;
  const { held, parts } = await enterThread(boundary, DEFAULTS.sandbox, NO_PROGRAM_ENVIRONMENT, {
    durability: "full",
    begun,
  });
  let syntax: string | null = null;
  try {
    await parts.syntax.check("x.json", "{");
  } catch (error) {
    syntax = (error as Error).message;
  }
  return {
    layers: held.layers,
    before,
    after: canRead(outside),
    inside: canRead(`${root}/a.txt`),
    programs: parts.programs !== null,
    libc: parts.libc !== null,
    isOfBegun: begun !== null && held.libc === begun.calls.libc &&
      held.spawner === begun.calls.spawner,
    syntax,
  };
}

const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent<Entering>) => void;
  postMessage(message: unknown): void;
};
scope.onmessage = async ({ data }) => {
  // From source what is imported later would be out of sight.
  await import("../../../../src/syntax/validators.ts");
  await import("../../../../src/syntax/json.ts");
  await import("../../../../src/host/run/starter.ts");
  await import("../../../../src/host/run/processes.ts");
  await import("../../../../src/host/run/program_holds.ts");
  await import("../../../../src/engine/programs/program_holds.ts");
  scope.postMessage(await (data.how === "inline" ? inline(data) : parts(data)));
};
