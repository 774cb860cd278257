/** Surveys: a tool looks at the project with the agent's own rights, and each way it then offers is judged. */

import type { ResolvedCapability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { CallRequest } from "../../core/request.ts";
import type { Project } from "../../core/survey.ts";
import type { ReadFiles } from "../../core/tool.ts";
import { createFiles } from "../../host/files/files.ts";
import { grantOf } from "../../policy/grant.ts";
import type { DecidedCall, DecideInput, DecisionParts } from "./decided_call.ts";
import { needsOf } from "./needs.ts";
import { withoutRefusedOptions } from "./_optional_capabilities.ts";
import { inTurns } from "../turns.ts";

/** Settings of projects are a few KB; a lock file that is asked for may be more. */
const MAX_TEXT_BYTES = 1 << 20;
/** Of a folder with more entries the rest is not looked at: what names a project is near the top of few. */
const MAX_NAMES = 10_000;

/** The decision on the way that is taken: see {@linkcode Survey}. Throws as `decideCall` does. */
export async function decideWays(
  engine: DecisionParts,
  request: CallRequest,
  { tool, input }: Pick<DecidedCall, "tool" | "input">,
  decide: DecideInput,
): Promise<DecidedCall> {
  const survey = tool.survey;
  if (survey === undefined) throw new Error(`${tool.name} has no survey`);
  const folder = survey.folder(input);
  const project = await look(engine, request, folder, survey.files(input));
  const judged: DecidedCall[] = [];
  for (const way of survey.ways(input, project)) {
    const capabilities = await needsOf(tool, way, request.preview, engine.rulebook.settings);
    judged.push(await decide(engine, request, { tool, input: way }, capabilities));
  }
  const there = judged.filter(({ decision }) => !decision.verdicts.some(isMissing));
  const taken = there.find(({ decision }) => decision.effect === "allow") ??
    there.find(({ decision }) => decision.effect === "ask") ??
    there[0] ?? judged[0];
  if (taken === undefined) throw new Error(`${tool.name} offers no way`);
  return { ...taken, sought: [...new Set(judged.flatMap(programsOf))] };
}

function isMissing({ capability }: { readonly capability: ResolvedCapability }): boolean {
  return capability.kind === "process.spawn" && capability.program === null;
}

function programsOf({ decision }: DecidedCall): readonly string[] {
  return decision.verdicts.flatMap(({ capability }) =>
    capability.kind === "process.spawn" ? [printable(capability.argv[0] ?? "", 80)] : []
  );
}

async function look(
  engine: DecisionParts,
  { agent }: CallRequest,
  folder: string,
  files: readonly string[],
): Promise<Project> {
  const { rulebook, resolver } = engine;
  const read = { kind: "fs.read", optional: true } as const;
  const wanted = resolver.resolve([
    { ...read, path: folder, tree: true },
    ...files.map((path) => ({ ...read, path, tree: false })),
  ]);
  const granted = await inTurns(withoutRefusedOptions(rulebook, agent, wanted));
  const grant = grantOf(granted, rulebook.settings, rulebook.settings.timeoutMs);
  const handles = createFiles(grant, rulebook, await engine.files(), () => {});
  const spawns = (name: string) => [{ kind: "process.spawn", argv: [name], cwd: folder }] as const;
  await engine.prepare(spawns(""));
  // Each is asked for more than once, and is to say the same each time.
  const texts = new Map<string, string | null>();
  return {
    text(path) {
      const known = texts.get(path);
      if (known !== undefined) return known;
      const text = orNothing(() => textOf(handles, path), null);
      texts.set(path, text);
      return text;
    },
    names: orNothing(() => namesIn(handles, folder), new Set()),
    program: (name) =>
      resolver.resolve(spawns(name)).some((found) => !isMissing({ capability: found })),
  };
}

/** What cannot be seen is not there. */
function orNothing<T>(see: () => T, nothing: T): T {
  try {
    return see();
  } catch (error) {
    if (error instanceof ToolError) return nothing;
    throw error;
  }
}

function textOf(files: ReadFiles, path: string): string {
  return new TextDecoder().decode(files.read(path, MAX_TEXT_BYTES).bytes);
}

function namesIn(files: ReadFiles, folder: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { name } of files.walk(folder, { maxDepth: 1, sizes: false })) {
    if (names.size >= MAX_NAMES) break;
    names.add(name);
  }
  return names;
}
