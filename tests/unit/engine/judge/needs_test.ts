import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { ToolError } from "../../../../src/core/errors.ts";
import type { CallRequest } from "../../../../src/core/request.ts";
import { createEngine } from "../../../../src/engine/create_engine.ts";
import { decideCall } from "../../../../src/engine/judge/decide_call.ts";
import { previewGrantOf } from "../../../../src/engine/judge/needs.ts";
import { createFileBackend } from "../../../../src/host/context.ts";
import { createFiles } from "../../../../src/host/files/files.ts";
import type { Grant } from "../../../../src/policy/grant.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { createRegistry } from "../../../../src/tools/registry.ts";
import { noLog } from "../_stand_ins.ts";
import { canonical, pathRule, policy } from "../../policy/_fixtures.ts";

const SECTIONS: Partial<Policy> = {
  risk: { allow: "dangerous", ask: "dangerous" },
  paths: [
    pathRule("allow", ["**"], ["read", "write"]),
    pathRule("deny", ["secret.txt"], ["read"]),
    pathRule("ask", ["asked.txt"], ["write"]),
  ],
  agents: {
    root: { permissions: ["all"] },
    writer: { permissions: ["file_write"] },
  },
};

/** Judges one call in a workspace of its own; `grants`: of the call, and of the preview that an approver would see. */
async function judged(
  request: Pick<CallRequest, "tool" | "args"> & Partial<CallRequest>,
  look: (grants: { readonly own: Grant; readonly preview: Grant }) => void | Promise<void>,
): Promise<void> {
  const root = canonical(Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" })));
  for (const name of ["a.txt", "asked.txt", "secret.txt"]) {
    Deno.writeTextFileSync(join(root, name), name);
  }
  const engine = createEngine({
    policies: [{ source: "p.yaml", policy: policy(SECTIONS), workspace: root }],
    workspace: root,
    sealed: false,
    audit: noLog,
  }, { registry: createRegistry() });
  try {
    const rest = { id: "1", agent: "root", timeoutMs: null, preview: false, stream: false };
    const whole: CallRequest = { ...rest, ...request };
    const judgement = await decideCall(engine, whole);
    const preview = previewGrantOf(engine, whole.agent, judgement);
    await look({ own: judgement.grant, preview });
  } finally {
    await engine.runner.close();
    Deno.removeSync(root, { recursive: true });
  }
}

const names = (granted: Grant["read"]): readonly string[] =>
  granted.map(({ requested }) => requested);

Deno.test("a call is granted no read that only its preview needs", async () => {
  const content = "new";
  const cases: readonly (readonly [
    tool: string,
    args: Record<string, unknown>,
    own: readonly string[],
    preview: readonly string[],
  ])[] = [
    ["write_file", { path: "a.txt", content }, [], ["a.txt"]],
    ["write_file", { path: "new.txt", content }, [], ["new.txt"]],
    ["write_file", { path: "asked.txt", content }, [], ["asked.txt"]],
    ["create_file", { path: "a.txt", content }, [], ["a.txt"]],
    ["create_directory", { path: "new" }, [], ["new"]],
    ["copy_file", { src: "a.txt", dst: "b.txt" }, ["a.txt"], ["a.txt", "b.txt"]],
    ["move_file", { src: "a.txt", dst: "b.txt" }, ["a.txt"], ["a.txt", "b.txt"]],
    // What may not be read by a tool of its own is no more to be seen in a preview.
    ["write_file", { path: "secret.txt", content }, [], []],
    // These read what they change, or need its encoding.
    ["append_file", { path: "a.txt", content }, ["a.txt"], ["a.txt"]],
    ["edit_file", { path: "a.txt", content }, ["a.txt"], ["a.txt"]],
  ];
  for (const [tool, args, own, preview] of cases) {
    const place = JSON.stringify([tool, args]);
    await judged({ tool, args }, (grants) => {
      assertEquals(names(grants.own.read), own, place);
      assertEquals(names(grants.preview.read), preview, place);
      assertEquals(grants.preview.write, grants.own.write, place);
    });
    await judged({ tool, args, preview: true }, (grants) => {
      assertEquals(names(grants.own.read), preview, `${place} as a preview`);
    });
  }
});

Deno.test("who may not read sees nothing in a preview either", async () => {
  const args = { path: "a.txt", content: "new" };
  for (const preview of [false, true]) {
    await judged({ tool: "write_file", args, agent: "writer", preview }, (grants) => {
      assertEquals([grants.own.read, grants.preview.read], [[], []]);
    });
  }
});

Deno.test("the handles of a write do not read what it replaces; those of its preview do", () =>
  judged({ tool: "write_file", args: { path: "a.txt", content: "new" } }, async (grants) => {
    const { rulebook } = createEngine({
      policies: [{ source: "p.yaml", policy: policy(SECTIONS), workspace: grants.own.workspace }],
      workspace: grants.own.workspace,
      sealed: false,
      audit: noLog,
    });
    const backend = await createFileBackend(null);
    const filesOf = (grant: Grant) => createFiles(grant, rulebook, backend, () => {});
    const refused = assertThrows(() => filesOf(grants.own).read("a.txt", 100), ToolError);
    assertEquals(refused.code, "PATH_DENIED");
    const { bytes } = filesOf(grants.preview).read("a.txt", 100);
    assert(new TextDecoder().decode(bytes) === "a.txt");
  }));
