/** The files and hosts that the words of one program name. */

import { baseName } from "../core/path_text.ts";
import { PIPE_WORD } from "../core/plan.ts";
import { addressOf } from "./address_argument.ts";
import { placeArguments, type PlacedArgument, type PlacedArguments } from "./arguments.ts";
import type { Effect } from "./effect.ts";
import { hasOption } from "./_options.ts";
import { resultNames } from "./_results.ts";
import { names } from "./option_table.ts";
import type { Beyond, LeadingLiteral } from "./spec.ts";
import type { ProgramSpec } from "./table.ts";

/** What was found so far, of a command and those that it starts. */
export interface Touched {
  readonly cwd: string;
  /** Words, as they are written, that are known only at run time. */
  readonly open: ReadonlySet<string>;
  readonly effects: Effect[];
  readonly probes: string[];
  /** See {@linkcode Beyond}. */
  beyond: Beyond;
}

/** Paths that every program may use, and that lead to no file. */
const STREAMS: ReadonlySet<string> = new Set([
  "-",
  "",
  "/dev/null",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
  PIPE_WORD,
]);

/** Adds what `argv`, words of the program alone, name. */
export function touch(spec: ProgramSpec, argv: readonly string[], found: Touched): void {
  const read = placeArguments(spec, argv);
  if (spec.subcommands.size > 0) revisions(read.operands, found);
  const before = found.effects.length;
  for (const argument of read.operands) {
    if (read.leads === null || argument.place !== "read") place(argument, found);
    else lead(argument, { leads: read.leads, read, argv }, found);
  }
  const goes = spec.through.some((one) => one === "always" || hasOption(argv, one));
  if (goes) goThrough(read, found, before);
  for (const argument of read.values) place(argument, found);
  if (spec.links.some((one) => one === "always" || hasOption(argv, one))) {
    const streams = read.operands.filter(({ text }) => text.startsWith("/") && STREAMS.has(text));
    for (const { text } of streams) found.effects.push(file("read", text, false));
  }
  if (read.values.some(({ option }) => option?.lists === true)) found.beyond = "workspace";
  if (read.here) found.effects.push(file("write", found.cwd, true));
  const named = read.operands.filter(({ place }) => place !== "probe");
  const copied = read.copies ? copies(named, read.values, found) : [];
  for (const path of copied) found.effects.push(file("write", path, false));
  results(spec, argv, { read, copied }, found);
  const operands = read.operands.filter(({ place }) => place === "read" || place === "write");
  const reads = spec.alone?.some((one) => one === "always" || hasOption(argv, one)) === true;
  if (reads && operands.length === 0) {
    found.effects.push({ kind: "read", file: { path: found.cwd, tree: true, implied: true } });
  }
  // Texts alone are never files; else a value may hang on an option that is not known.
  if (spec.operands !== "text...") {
    found.probes.push(...read.unknown.filter((word) => !found.open.has(word)));
  }
}

/** Says of what it takes from, else of what it changes, from there on that it is all that lies below. */
function goThrough(
  { operands, values, copies }: PlacedArguments,
  { effects, cwd, open }: Touched,
  before: number,
): void {
  const target = copies ? targetOf(operands, values) : undefined;
  const into = target === undefined || open.has(target) ? null : pathFrom(cwd, target);
  const own = effects.splice(before);
  const takes = own.some(({ kind }) => kind === "read" || kind === "delete");
  for (const effect of own) {
    const is = takes ? effect.kind === "read" || effect.kind === "delete" : effect.kind === "write";
    effects.push(
      is && "file" in effect ? { ...effect, file: { ...effect.file, through: { into } } } : effect,
    );
  }
}

/** Where a symbolic link leads, from where it comes to lie. */
function lead(
  { text }: PlacedArgument,
  { leads, read, argv }: {
    readonly leads: LeadingLiteral;
    readonly read: PlacedArguments;
    readonly argv: readonly string[];
  },
  found: Touched,
): void {
  const { cwd, open, effects } = found;
  if (open.has(text) || STREAMS.has(text)) return;
  const has = (options: string): boolean =>
    names(options).some((option) => hasOption(argv, option));
  const { lies, folder } = placeOfLink(read, found);
  const path = pathFrom(pathFrom(cwd, lies), text);
  const inFolder = folder === null || text.startsWith("/") || has(leads.never)
    ? null
    : { folder: pathFrom(cwd, folder), path: pathFrom(pathFrom(cwd, folder), text) };
  const effect = file("read", path, false);
  if (inFolder === null || !("file" in effect)) effects.push(effect);
  else if (has(leads.unlessLink)) effects.push(effect, file("read", inFolder.path, false));
  else effects.push({ ...effect, file: { ...effect.file, within: inFolder } });
}

/**
 * Where a symbolic link comes to lie, as far as its words say. `folder`: a name without a slash behind it, which is that
 * of the link unless a folder lies there.
 */
function placeOfLink(
  { operands, values }: PlacedArguments,
  { open }: Touched,
): { readonly lies: string; readonly folder: string | null } {
  const into = values.find(({ place }) => place === "into")?.text;
  const last = into ?? operands.at(-1)?.text ?? "";
  // Alone it is made where it stands.
  if (last === "" || open.has(last) || (into === undefined && operands.length < 2)) {
    return { lies: ".", folder: null };
  }
  // Several of them lie in a folder, or nowhere.
  if (into !== undefined || operands.length > 2 || /(?:^|\/)(?:\.{1,2})?$/.test(last)) {
    return { lies: last.replace(/\/+$/, "") || "/", folder: null };
  }
  const cut = last.lastIndexOf("/");
  return { lies: cut === -1 ? "." : last.slice(0, cut) || "/", folder: last };
}

/** The directory that is written into, or what the last operand is called there. */
function targetOf(
  operands: readonly PlacedArgument[],
  values: readonly PlacedArgument[],
): string | undefined {
  return values.find(({ place }) => place === "into")?.text ?? operands.at(-1)?.text;
}

/** Files that it names itself, by what it is given. */
function results(
  spec: ProgramSpec,
  argv: readonly string[],
  { read, copied }: { readonly read: PlacedArguments; readonly copied: readonly string[] },
  found: Touched,
): void {
  const into = read.values.find(({ place }) => place === "into" || place === "folder")?.text;
  const within = pathFrom(found.cwd, into ?? ".");
  const folder = into === undefined || found.open.has(into) ? found.cwd : within;
  for (const { path, implied, from: below } of resultNames(spec, argv, read, copied)) {
    if (found.open.has(path)) continue;
    const whole = below === "folder" && folder !== "." ? pathFrom(folder, path) : path;
    const placed = below === "workspace"
      ? path
      : below === "cwd"
      ? pathFrom(found.cwd, path)
      : whole;
    found.effects.push({
      kind: "write",
      file: { path: placed, tree: false, ...(implied ? { implied } : {}) },
    });
  }
}

function place({ place, text }: PlacedArgument, found: Touched): void {
  const { effects, probes, cwd } = found;
  if (found.open.has(text)) {
    const changes = place === "write" || (place === "named" && text.startsWith("of=")) ||
      place === "delete" || place === "folder" ||
      place === "into";
    if (changes) {
      effects.push(
        file("write", pathFrom(cwd, plainFolder(place === "named" ? text.slice(3) : text)), true),
      );
    }
    return;
  }
  switch (place) {
    case "flag":
    case "text":
    case "script":
    case "suffix":
    case "prefix":
    case "command":
    case "code":
    case "module":
      return;
    case "probe":
      probes.push(text);
      return;
    case "named": {
      const [, name, path = ""] = /^(if|of)=(.*)$/s.exec(text) ?? [];
      if (name === undefined || STREAMS.has(path)) return;
      effects.push(file(name === "of" ? "write" : "read", pathFrom(cwd, path), false));
      return;
    }
    case "sent": {
      const path = /(?:^[\w-]*|=)[@<](.+?)(?:;|$)/.exec(text)?.[1];
      if (path !== undefined && !STREAMS.has(path)) {
        effects.push(file("read", pathFrom(cwd, path), false));
      }
      return;
    }
    case "host":
      effects.push(addressOf(text, cwd));
      return;
    case "delete":
      if (!STREAMS.has(text)) {
        effects.push({ kind: "delete", file: { path: pathFrom(cwd, text), tree: false } });
      }
      return;
    case "read":
    case "from":
    case "input":
    case "library":
    case "script-file":
      if (!STREAMS.has(text)) effects.push(file("read", pathFrom(cwd, text), false));
      return;
    case "write":
      if (!STREAMS.has(text)) effects.push(file("write", pathFrom(cwd, text), false));
      return;
    case "folder":
    case "into":
      if (text !== "") effects.push(file("write", pathFrom(cwd, text), true));
  }
}

/** git(1), gitrevisions(7): `HEAD:path` is that file's content. */
function revisions(operands: readonly PlacedArgument[], found: Touched): void {
  for (const { text } of operands) {
    const path = /^[^:]+:(?:\.\/)?(.+)$/s.exec(text)?.[1];
    if (path === undefined || found.open.has(text) || /^[a-z+]+:\/\//.test(text)) continue;
    found.effects.push(file("read", path, false));
  }
}

/** What comes to lie in the directory that is written to, under its own name. */
function copies(
  operands: readonly PlacedArgument[],
  values: readonly PlacedArgument[],
  found: Touched,
): readonly string[] {
  const target = targetOf(operands, values);
  const sources = !values.some(({ place }) => place === "into") ? operands.slice(0, -1) : operands;
  if (target === undefined || target === "" || found.open.has(target)) return [];
  return sources.flatMap(({ text }) => {
    const name = baseName(text.replace(/\/+$/, ""));
    if (found.open.has(text) || name === "" || name === "." || name === "..") return [];
    return [pathFrom(found.cwd, `${target.replace(/\/+$/, "") || "/"}/${name}`)];
  });
}

/** One file, or with `tree` all below a folder. */
export function file(kind: "read" | "write", path: string, tree: boolean): Effect {
  return { kind, file: { path, tree } };
}

/** A path from a directory, left for the host to resolve part by part. */
export function pathFrom(cwd: string, path: string): string {
  return path.startsWith("/") || cwd === "." ? path : `${cwd}/${path}`;
}

/** The folder before what is known only at run time. */
function plainFolder(text: string): string {
  const plain = text.slice(0, /[*?[$~]|$/.exec(text)?.index ?? 0);
  const slash = plain.lastIndexOf("/");
  return slash === -1 ? "." : plain.slice(0, slash) || "/";
}
