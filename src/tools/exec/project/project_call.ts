/** What the tools that run a project's own programs have in common: a choice, its power, and places in answers. */

import { PATH_SCHEMA } from "../../../toolkit/path_schema.ts";
import type { Capability } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import type { ReadFiles } from "../../../core/tool.ts";
import { printable } from "../../../core/printable.ts";
import { createFacts, factFiles, type Facts, inFolder, type Start } from "./facts.ts";
import type { Survey } from "../../../core/survey.ts";
import { survivesShell, typed } from "../../../toolkit/words.ts";

/** What a survey writes into the input. `tool` names what is run, `argv` the commands in their order. */
export interface Way {
  readonly tool: string;
  readonly commands: readonly (readonly string[])[];
}

/** What a survey adds to the input of its tool. */
export interface Chosen<W extends Way = Way> {
  /** Never in a request: the schema does not know it. */
  readonly way?: W;
}

/** What all tools of a project take. */
export interface ProjectInput<W extends Way = Way> extends Chosen<W> {
  readonly cwd?: string;
}

/** The `cwd` argument. */
export const CWD_SCHEMA = {
  ...PATH_SCHEMA,
  description: "The project's folder; the workspace unless given.",
} as const;

/** The way that the survey chose. */
export function wayOf<W extends Way>({ way }: ProjectInput<W>): W {
  if (way === undefined) throw new Error("asked before the survey");
  return way;
}

/** A survey of the project by its facts. `choose` throws COMMAND_NOT_FOUND where nothing fits. */
export function surveyOf<W extends Way, I extends ProjectInput<W>>(
  choose: (input: I, facts: Facts) => readonly W[],
): Survey<I> {
  return {
    folder: ({ cwd = "." }) => cwd,
    files: ({ cwd = "." }) => factFiles(cwd),
    ways(input, project) {
      const facts = createFacts(project, input.cwd ?? ".");
      const [first, ...rest] = choose(input, facts).map((way) => ({ ...input, way }));
      if (first === undefined) throw new Error("a survey that finds nothing must say so");
      return [first, ...rest];
    },
  };
}

/** The starts completed by arguments, without those whose shell would take an argument for something else. */
export function completed(
  starts: readonly Start[],
  args: readonly string[],
): readonly (readonly string[])[] {
  return starts
    .filter(({ shell }) => shell !== true || survivesShell(args))
    .map(({ argv }) => [...argv, ...args]);
}

/** To start the commands, in the project's folder. */
export function spawns({ way, cwd = "." }: ProjectInput): readonly Capability[] {
  return (way?.commands ?? []).map((argv) => ({ kind: "process.spawn", argv, cwd }));
}

/** "Run tests: python3 -m pytest tests", "Run tests" before the survey. */
export function describeWay(what: string, { way, cwd }: ProjectInput): string {
  const command = way?.commands.at(-1);
  const where = cwd === undefined ? "" : ` in ${cwd}`;
  return printable(what + (command === undefined ? "" : `: ${typed(command)}`) + where, 300);
}

/** What the call would run. */
export function previewOf(what: string, input: ProjectInput): Readonly<Record<string, unknown>> {
  return {
    description: describeWay(what, input),
    tool: input.way?.tool ?? null,
    commands: input.way?.commands ?? [],
    cwd: input.cwd ?? ".",
  };
}

/** Nothing fits the project: what was looked for, and how to say it. */
export function nothingFits(what: string, looked: readonly string[], hint: string): ToolError {
  return new ToolError(
    "COMMAND_NOT_FOUND",
    `nothing in this folder says which ${what} it uses; looked for ${looked.join(", ")}. ${hint}`,
    { details: { looked_for: looked } },
  );
}

/** A path that a program printed, as results show paths. */
export function shownPath(files: ReadFiles, cwd: string, path: string): string {
  const plain = path.startsWith("file://") ? fromFileUrl(path) : path;
  if (plain === "") return plain;
  return files.display(plain.startsWith("/") ? plain : normal(inFolder(cwd, plain)));
}

function fromFileUrl(url: string): string {
  const path = url.slice("file://".length);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Without `.` and, as far as there is something before it, `..`. */
function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + parts.join("/") || ".";
}
