/** Names that programs make themselves of those that they are given: backups, packed and unpacked files, pieces. */

import type { PlacedArguments } from "./arguments.ts";
import { hasOption } from "./_options.ts";
import { names } from "./option_table.ts";
import type { ResultName } from "./spec.ts";
import type { ProgramSpec } from "./table.ts";

/** A file that is written under a name that no word is. */
export interface ResultFile {
  readonly path: string;
  /** What the path starts from: where the command runs, the folder that it writes into, or the workspace itself. */
  readonly from: "cwd" | "folder" | "workspace";
  /** The program adds an ending that no word names. */
  readonly implied?: true;
}

/** Of the words as they were read; `copied`: the paths, from the workspace, under which sources come to lie in a folder. */
export function resultNames(
  spec: ProgramSpec,
  argv: readonly string[],
  read: PlacedArguments,
  copied: readonly string[],
): readonly ResultFile[] {
  const suffix = read.values.find(({ place }) => place === "suffix")?.text;
  const changed = read.operands.filter(({ place }) => place === "write" || place === "delete");
  if (spec.results !== undefined) {
    const { results } = spec;
    const unpacks = results.unpacks === "always" ||
      names(results.unpacks).some((option) => hasOption(argv, option));
    return changed.flatMap(({ text }) =>
      unpacks ? unpacked(results, text, suffix) : packed(results, text, suffix)
    );
  }
  const members = read.members ? memberNames(spec, read) : [];
  return [
    ...members,
    ...(suffix === undefined ? [] : suffixed(spec, read, members, copied, suffix)),
  ];
}

/** What is unpacked under its own name: the operands behind the archive. */
function memberNames(spec: ProgramSpec, { operands }: PlacedArguments): readonly ResultFile[] {
  const named = spec.operands === "text..." ? operands : operands.slice(1);
  return named.map(({ text }) => ({ path: text.replace(/^\/+/, ""), from: "folder" }));
}

/** Backups and pieces: an ending behind what is written (`cp -S .exe`, `sed -i.exe`, `split --additional-suffix`). */
function suffixed(
  { stem = "x" }: ProgramSpec,
  { operands, copies }: PlacedArguments,
  members: readonly ResultFile[],
  copied: readonly string[],
  suffix: string,
): readonly ResultFile[] {
  const targets = operands.filter(({ place }) => place === "write").slice(copies ? -1 : 0);
  const written: readonly ResultFile[] = [
    ...targets.map(({ text }) => ({ path: text, from: "cwd" }) as const),
    ...copied.map((path) => ({ path, from: "workspace" }) as const),
    ...members,
  ];
  const all = written.length > 0 ? written : [{ path: stem, from: "folder" } as const];
  return all.map((file) => ({ ...file, path: behind(file.path, suffix) }));
}

/** GNU sed(1): `*` in the ending stands for the name, and a slash then leads to another folder. */
function behind(path: string, suffix: string): string {
  if (!suffix.includes("*")) return `${path}${suffix}`;
  const slash = path.lastIndexOf("/") + 1;
  const name = suffix.replaceAll("*", path.slice(slash));
  return name.includes("/") ? name : `${path.slice(0, slash)}${name}`;
}

function packed(
  { adds }: ResultName,
  name: string,
  suffix: string | undefined,
): readonly ResultFile[] {
  const implied = suffix === undefined ? { implied: true } as const : {};
  return [{ path: `${name}${suffix ?? adds}`, from: "cwd", ...implied }];
}

function unpacked(
  { endings }: ResultName,
  name: string,
  suffix: string | undefined,
): readonly ResultFile[] {
  for (const ending of [...(suffix === undefined ? [] : [suffix]), ...names(endings)]) {
    const [old = "", replacement = ""] = ending.split("=");
    if (old === "" || !name.endsWith(old)) continue;
    return [{ path: `${name.slice(0, -old.length)}${replacement}`, from: "cwd" }];
  }
  return [];
}
