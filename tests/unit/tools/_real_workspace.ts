/** A temporary workspace in which tools run over the real handles, judged by a small policy. */

import type { CanonicalPath, Capability } from "../../../src/core/capability.ts";
import { invalidArguments, parseArguments } from "../../../src/core/parse_arguments.ts";
import { ToolError } from "../../../src/core/errors.ts";
import type { Tool, ToolContext } from "../../../src/core/tool.ts";
import { atOnce } from "../../../src/engine/turns.ts";
import { withoutRefusedOptions } from "../../../src/engine/judge/_optional_capabilities.ts";
import { needsOf } from "../../../src/engine/judge/needs.ts";
import { createResolver } from "../../../src/engine/judge/resolve.ts";
import { createProgramSupport } from "../../../src/engine/programs/program_support.ts";
import { ALONE, STARTER } from "../host/run/_starter.ts";
import { createContext, createFileBackend } from "../../../src/host/context.ts";
import { compileRulebook } from "../../../src/policy/compile_rulebook.ts";
import { grantOf } from "../../../src/policy/grant.ts";
import type { Policy } from "../../../src/policy/model.ts";
import type { Rulebook } from "../../../src/policy/rulebook.ts";
import { type Libc, openLibc } from "../../../src/sandbox/kernel/libc.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { ACTIONS, commandRule, pathRule, policy } from "../policy/_fixtures.ts";
import { SYNTAX } from "../syntax/_syntax.ts";

const SYSTEM = ["/usr", "/bin", "/lib", "/lib64"];
const registry = createRegistry();
/** Opened once: a library stays loaded until the process ends. */
const LIBC = openLibc();

const SECTIONS: Partial<Policy> = {
  risk: { allow: "dangerous", ask: "dangerous" },
  paths: [
    pathRule("allow", ["**"]),
    pathRule("deny", ["secret.txt", "closed/**"], ["read"]),
  ],
  commands: [commandRule("allow", ["*"])],
};

export interface World {
  readonly root: string;
  call(name: string, args: unknown, preview?: boolean): Promise<Record<string, unknown>>;
  /** What else is done with the handles of such a call. */
  during<T>(name: string, args: unknown, work: (context: ToolContext) => Promise<T>): Promise<T>;
}

/**
 * The test once with the files by system calls, once with those over the runtime alone. `sections` stand in for those
 * of the small policy.
 */
export async function inWorkspace(
  test: (world: World) => Promise<void>,
  sections: Partial<Policy> = {},
): Promise<void> {
  for (const libc of [LIBC, null]) {
    const root = Deno.realPathSync(Deno.makeTempDirSync());
    const scratch = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      const workspace = root as CanonicalPath;
      const placed = { source: "test", policy: policy({ ...SECTIONS, ...sections }), workspace };
      const rulebook = compileRulebook([placed], { system: SYSTEM, actions: ACTIONS });
      await test({
        root,
        call: (name, args, preview = false) =>
          callIn(rulebook, { libc, scratch }, name, args, preview),
        during: async (name, args, work) => {
          const tool: Tool = await registry.get(name);
          const parsed = parseArguments(tool.input, args);
          if ("problems" in parsed) throw invalidArguments(name, parsed.problems);
          const needs = await needsOf(tool, parsed.value, false, rulebook.settings);
          return await work(await contextOf(rulebook, { libc, scratch }, needs));
        },
      });
      // What tools put aside while they work is gone.
      Deno.removeSync(scratch);
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  }
}

/**
 * Which of the two takes a case of many, 0 or 1: git is told the same whichever way it is started, and the one that takes
 * twice the time has a quarter of all.
 */
export function wayOf(index: number): number {
  return index % 4 === 3 ? 1 : 0;
}

interface Surroundings {
  readonly libc: Libc | null;
  readonly scratch: string;
}

async function callIn(
  rulebook: Rulebook,
  surroundings: Surroundings,
  name: string,
  args: unknown,
  asked: boolean,
): Promise<Record<string, unknown>> {
  const tool: Tool = await registry.get(name);
  const parsed = parseArguments(tool.input, args);
  if ("problems" in parsed) throw invalidArguments(name, parsed.problems);
  tool.check?.(parsed.value);
  const meant = tool.standsFor?.call(parsed.value);
  if (meant !== undefined) {
    return await callIn(rulebook, surroundings, meant.tool, meant.args, asked);
  }
  const completed = await tool.complete?.(parsed.value) ?? parsed.value;
  const dryRun = asked ? tool.dryRun : undefined;
  const input = dryRun === undefined ? completed : dryRun(completed);
  const preview = asked && dryRun === undefined;
  const needs = await needsOf(tool, input, preview, rulebook.settings);
  const resolved = resolvedOf(rulebook, needs);
  const { risk, permission, riskOfPrograms = false } = tool;
  const subject = { tool: name, agent: "root", risk, permission, riskOfPrograms };
  const decision = rulebook.decide(subject, resolved);
  if (decision.effect !== "allow") {
    throw new ToolError(decision.code ?? "TOOL_DENIED", decision.reason);
  }
  const context = await contextOf(rulebook, surroundings, needs);
  const output = preview ? await tool.preview?.(input, context) : await tool.run(input, context);
  return output as Record<string, unknown>;
}

async function contextOf(
  rulebook: Rulebook,
  { libc, scratch }: Surroundings,
  needs: readonly Capability[],
): Promise<ToolContext> {
  const resolved = resolvedOf(rulebook, needs);
  return createContext({
    grant: grantOf(resolved, rulebook.settings, 30_000),
    rulebook,
    programs: { ...ALONE, temporaryRoot: scratch, starter: libc === null ? null : STARTER },
    catalogue: registry.catalogue,
    signal: () => new AbortController().signal,
    checkpoint: () => {},
    left: () => 30_000,
    count: () => {},
    progress: () => {},
    files: await createFileBackend(libc),
    syntax: SYNTAX,
  });
}

/** What the call needs as the machine has it. Programs that it starts are given a folder of the test, not this one's. */
function resolvedOf(rulebook: Rulebook, needs: readonly Capability[]) {
  const support = createProgramSupport(rulebook, null);
  try {
    const { resolve } = createResolver(rulebook.settings.workspace, () => support);
    return atOnce(withoutRefusedOptions(rulebook, "root", resolve(needs)));
  } finally {
    support.close();
  }
}
