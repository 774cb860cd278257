/** What a command would read, write and connect to by its arguments: the table of programs turned into capabilities. */

import type { Capability, Program, SpawnCapability } from "../../core/capability.ts";
import { clustered } from "../../programs/inspect.ts";
import { placeArguments, type PlacedArgument, placeFind } from "../../programs/arguments.ts";
import type { CommandSpec } from "../../programs/spec.ts";
import { addressOf } from "../../programs/address_argument.ts";
import { unwrap } from "../../programs/wrappers.ts";
import { baseName, baseNames, type CommandKnowledge } from "../../programs/risk.ts";
import type { Reach } from "../rulebook.ts";

/** Commands inside commands that are followed, as for their risk. */
const MAX_DEPTH = 8;

/** Paths that every program may use, and that lead to no file. */
const STREAMS: ReadonlySet<string> = new Set([
  "-",
  "",
  "/dev/null",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
]);

/** What the command would touch. `program`: what was found for its first word. */
export function reachOf(
  command: SpawnCapability,
  program: Program | null,
  knowledge: CommandKnowledge,
): Reach {
  // A shell that is not started touches nothing; what it stands for is judged beside it.
  if (command.opened === true) return { capabilities: [], probe: [] };
  const { argv, cwd, scripts = [] } = command;
  const open = new Set((command.open ?? []).map((index) => argv[index] ?? ""));
  const found: Found = { cwd, open, scripts, capabilities: [], probe: [] };
  const specs = baseNames(argv, program).map((name) => knowledge(name));
  // Under several names all count; one that is not known adds its doubt.
  for (const spec of specs) follow(argv, spec, found, knowledge, 0);
  return { capabilities: found.capabilities, probe: [...new Set(found.probe)] };
}

interface Found {
  readonly cwd: string;
  /** Words, as they are written, that are known only at run time. */
  readonly open: ReadonlySet<string>;
  readonly scripts: readonly string[];
  readonly capabilities: Capability[];
  readonly probe: string[];
}

function follow(
  argv: readonly string[],
  spec: CommandSpec | null,
  found: Found,
  knowledge: CommandKnowledge,
  depth: number,
): void {
  const unwrapped = unwrap(spec, argv, found.scripts);
  for (const name of unwrapped.variables) {
    found.capabilities.push({ kind: "env.read", name, change: true });
  }
  if (depth < MAX_DEPTH) {
    for (const inner of unwrapped.inner) {
      const command = inWords(inner, unwrapped.stands);
      follow(command, knowledge(baseName(command[0] ?? "")), found, knowledge, depth + 1);
      if (unwrapped.adds && unwrapped.stands === null) {
        added(command, knowledge(baseName(command[0] ?? "")), found);
      }
    }
  }
  const { own } = unwrapped;
  if (spec?.places !== undefined) touch(spec, own, found);
  else found.probe.push(...own.slice(1).filter((word) => !found.open.has(word)));
}

/** What stands for what is found (`{}` of find(1)) taken for where it is looked for. */
function inWords(
  inner: readonly string[],
  stands: { readonly word: string; readonly words: readonly string[] } | null,
): readonly string[] {
  if (stands === null) return inner;
  return inner.flatMap((word) => word === stands.word ? stands.words : [word]);
}

function touch(spec: CommandSpec, argv: readonly string[], found: Found): void {
  const { places } = spec;
  if (places === undefined) return;
  const read = spec.inspect === "find"
    ? placeFind(argv)
    : placeArguments(places, clustered(spec, argv));
  if (spec.inspect === "git") revisions(read.operands, found);
  for (const argument of [...read.operands, ...read.values]) place(argument, found);
  if (read.here) found.capabilities.push(file("fs.write", found.cwd, true));
  if (read.copies) copies(read.operands, read.values, found);
  // Texts alone are never files; else a value may hang on an option that is not known.
  if (places.operands !== "text...") {
    found.probe.push(...read.unknown.filter((word) => !found.open.has(word)));
  }
}

function place({ place, text }: PlacedArgument, found: Found): void {
  const { capabilities, probe, cwd } = found;
  if (found.open.has(text)) {
    const changes = place === "write" || place === "folder" || place === "into";
    if (changes) capabilities.push(file("fs.write", from(cwd, plainFolder(text)), true));
    return;
  }
  switch (place) {
    case "text":
    case "script":
    case "run":
      return;
    case "probe":
      probe.push(text);
      return;
    case "sent": {
      const path = /(?:^[\w-]*|=)[@<](.+?)(?:;|$)/.exec(text)?.[1];
      if (path !== undefined && !STREAMS.has(path)) {
        capabilities.push(file("fs.read", from(cwd, path), false));
      }
      return;
    }
    case "host":
      capabilities.push(...addressOf(text, cwd));
      return;
    case "read":
    case "script-file":
      if (!STREAMS.has(text)) capabilities.push(file("fs.read", from(cwd, text), false));
      return;
    case "write":
      if (!STREAMS.has(text)) capabilities.push(file("fs.write", from(cwd, text), false));
      return;
    case "folder":
    case "into":
      if (text !== "") capabilities.push(file("fs.write", from(cwd, text), true));
  }
}

/** git(1), gitrevisions(7): `HEAD:path` is that file's content. */
function revisions(operands: readonly PlacedArgument[], found: Found): void {
  for (const { text } of operands) {
    const path = /^[^:]+:(?:\.\/)?(.+)$/s.exec(text)?.[1];
    if (path === undefined || found.open.has(text) || /^[a-z+]+:\/\//.test(text)) continue;
    found.capabilities.push(file("fs.read", path, false));
  }
}

/** What comes to lie in the directory that is written to, under its own name. */
function copies(
  operands: readonly PlacedArgument[],
  values: readonly PlacedArgument[],
  found: Found,
): void {
  const into = values.find(({ place }) => place === "into")?.text;
  const target = into ?? operands[operands.length - 1]?.text;
  const sources = into === undefined ? operands.slice(0, -1) : operands;
  if (target === undefined || target === "" || found.open.has(target)) return;
  for (const { text } of sources) {
    const name = baseName(text.replace(/\/+$/, ""));
    if (found.open.has(text) || name === "" || name === "." || name === "..") continue;
    const path = from(found.cwd, `${target.replace(/\/+$/, "") || "/"}/${name}`);
    found.capabilities.push(file("fs.write", path, false));
  }
}

/** Words that are only read when it runs (xargs): what it would write may be anything below. */
function added(command: readonly string[], spec: CommandSpec | null, found: Found): void {
  const writes = /(?:write|folder)(?:\.\.\.)?$/.test(spec?.places?.operands ?? "");
  if (writes && command.length > 0) found.capabilities.push(file("fs.write", found.cwd, true));
}

function file(kind: "fs.read" | "fs.write", path: string, tree: boolean): Capability {
  return { kind, path, tree, by: "program" };
}

/** A path from a directory, left for the host to resolve part by part. */
function from(cwd: string, path: string): string {
  return path.startsWith("/") || cwd === "." ? path : `${cwd}/${path}`;
}

/** The folder before what is known only at run time. */
function plainFolder(text: string): string {
  const plain = text.slice(0, /[*?[$~]|$/.exec(text)?.index ?? 0);
  const slash = plain.lastIndexOf("/");
  return slash === -1 ? "." : plain.slice(0, slash) || "/";
}
