/** The manifests that policies name: found, read, and refused whole where one of them has a mistake. */

import { dirname, join } from "@std/path";
import type { CanonicalPath } from "../../core/capability.ts";
import { DEEP } from "../../core/glob.ts";
import { quoted } from "../../core/printable.ts";
import {
  GlobError,
  matchesPathGlob,
  parsePathGlob,
  type PathGlob,
  rootedSegments,
} from "../../policy/match/path.ts";
import type { PluginRule } from "../../policy/model.ts";
import { type PolicyProblem, renderProblems } from "../../policy/parse/parse.ts";
import {
  aliasOf,
  isModule,
  type ModuleManifest,
  type PluginManifest,
} from "../../plugins/manifest.ts";
import { LONGEST_MODULE } from "../../plugins/module_source.ts";
import { languageOf, parseManifest } from "../../plugins/parse_manifest.ts";
import { isCasesFile } from "../../plugins/scaffold.ts";
import { createRegistry } from "../../tools/registry.ts";
import { plainGlob } from "../../engine/guard.ts";
import { linksTo } from "../../host/paths/links_to.ts";
import type { LoadedPlugins } from "./loaded_plugins.ts";
import { UsageError } from "../usage_error.ts";

/** A policy, by what is asked of it here. */
export interface PluginSource {
  readonly source: string;
  readonly rule: PluginRule | null;
  /** Where its file lies, as it really is; null for one that is built in. */
  readonly folder: CanonicalPath | null;
}

/** Entries of folders that are looked at for one glob. */
const MOST_ENTRIES = 10_000;
/** Custom tools of one policy: models are told of each. */
const MOST_MANIFESTS = 1_000;

/**
 * The custom tools of the first policy, less those that a further one which speaks of custom tools does not name, too.
 * `builtIn`: those that a build carries for its own policy. Throws a UsageError with all that is wrong.
 */
export function loadPlugins(
  [first, ...further]: readonly PluginSource[],
  builtIn: readonly PluginManifest[],
  read: (file: string) => string,
): LoadedPlugins {
  const base = first === undefined ? [] : manifestsOf(first, builtIn, read);
  const others = further.filter(({ rule }) => rule !== null)
    .map((source) => manifestsOf(source, [], read));
  const kept = others.map((found) => new Set(found.map(({ manifest: { name } }) => name)));
  return {
    manifests: base.map(({ manifest }) => manifest)
      .filter(({ name }) => kept.every((names) => names.has(name))),
    governing: [
      ...[first, ...further].flatMap((source) => source === undefined ? [] : governingOf(source)),
      ...[base, ...others].flat().flatMap(governingModule),
    ],
  };
}

/** A manifest with its file; null for one that a build carries. */
interface FoundManifest {
  readonly file: string | null;
  readonly manifest: PluginManifest;
}

/** The manifests of these files with their modules, in order. Throws a UsageError with all mistakes in all of them. */
export function readManifests(
  files: readonly string[],
  read: (file: string) => string,
): readonly PluginManifest[] {
  const found = files.map((file) => ({ file, parsed: parseManifest(read(file), file) }));
  const problems = found.flatMap(({ parsed }) => "problems" in parsed ? parsed.problems : []);
  const manifests = found.flatMap(({ file, parsed }) =>
    "manifest" in parsed ? [{ file, manifest: parsed.manifest }] : []
  );
  problems.push(...takenNames(manifests));
  if (problems.length > 0) {
    throw new UsageError(
      `the custom tools cannot be used; nothing runs\n${renderProblems(problems)}`,
    );
  }
  return manifests.map(({ file, manifest }) => withSource(file, manifest, read));
}

/** With the text of its module, where it has one. Throws a UsageError where that cannot be read. */
export function withSource(
  file: string,
  manifest: PluginManifest,
  read: (file: string) => string,
): PluginManifest {
  if (!isModule(manifest)) return manifest;
  const { module } = manifest;
  const text = read(moduleFile(file, manifest));
  if (text.length > LONGEST_MODULE) {
    throw new UsageError(
      `plugin ${file}: module: ${module} has ${text.length} characters; at most ${LONGEST_MODULE}`,
    );
  }
  return { ...manifest, source: { language: languageOf(module) ?? "javascript", text } };
}

/** Where the module of a manifest lies. */
function moduleFile(file: string, { module }: ModuleManifest): string {
  return join(dirname(file), module);
}

/** Manifests that claim the name of a built-in tool, or of one another. */
export function takenNames(
  manifests: readonly {
    readonly file: string;
    readonly manifest: Pick<PluginManifest, "name">;
  }[],
): readonly PolicyProblem[] {
  const builtIn = createRegistry();
  const owners = new Map<string, string>();
  return manifests.flatMap(({ file, manifest: { name } }): PolicyProblem[] => {
    const problem = (message: string) => [{ source: file, key: "name", message }];
    const tool = [name, aliasOf(name)].map((claimed) => builtIn.canonicalName(claimed))
      .find((owner) => owner !== null);
    if (tool !== undefined) {
      return problem(`${quoted(name)} is a name of the built-in tool ${tool}; choose another`);
    }
    const owner = owners.get(name);
    if (owner !== undefined) return problem(`${quoted(name)} is the name of the tool in ${owner}`);
    owners.set(name, file);
    return [];
  });
}

function manifestsOf(
  { source, rule, folder }: PluginSource,
  builtIn: readonly PluginManifest[],
  read: (file: string) => string,
): readonly FoundManifest[] {
  if (rule === null || rule.manifests.length === 0) return [];
  if (folder === null) return builtIn.map((manifest) => ({ file: null, manifest }));
  const files = new Map<string, string>();
  rule.manifests.forEach((pattern, index) => {
    const place = `${source}: plugins[${index}]`;
    for (const file of filesOf(globOf(pattern, place), folder, place)) {
      files.set(realPath(file, place), file);
    }
  });
  if (files.size > MOST_MANIFESTS) {
    throw new UsageError(
      `${source}: plugins: ${files.size} manifests are named; at most ${MOST_MANIFESTS} are read`,
    );
  }
  const named = [...files.values()].sort();
  return readManifests(named, read)
    .map((manifest, index) => ({ file: named[index] ?? null, manifest }));
}

/** The same glob syntax as that of the policy's paths, so that what is read is what is kept from being written. */
function globOf(pattern: string, place: string): PathGlob {
  try {
    return parsePathGlob(pattern);
  } catch (error) {
    if (!(error instanceof GlobError)) throw error;
    throw new UsageError(`${place}: ${quoted(pattern)} ${error.message}`);
  }
}

/** The files that a glob names. One without wildcards must be there; with them, cases beside a manifest are none. */
function filesOf(glob: PathGlob, folder: CanonicalPath, place: string): readonly string[] {
  const found: string[] = [];
  for (const path of glob.paths) {
    const segments = rootedSegments(path, folder);
    const wild = segments.findIndex((segment) => typeof segment !== "string");
    if (wild === -1) {
      found.push(`/${segments.join("/")}`);
      continue;
    }
    const depth = segments.includes(DEEP) ? Infinity : segments.length - wild;
    const start = `/${segments.slice(0, wild).join("/")}`;
    const below = entriesBelow(start, depth, { left: MOST_ENTRIES }, place);
    found.push(
      ...below.filter((file) => !isCasesFile(file) && matchesPathGlob(glob, folder, file)),
    );
  }
  return found;
}

/** Files and links below a folder, up to a depth; nothing where there is no such folder. Links to folders are not followed. */
function entriesBelow(
  folder: string,
  depth: number,
  budget: { left: number },
  place: string,
): readonly string[] {
  const found: string[] = [];
  for (const entry of entriesOf(folder, place)) {
    if (--budget.left < 0) {
      throw new UsageError(
        `${place}: more than ${MOST_ENTRIES} entries lie below; name the folder more closely`,
      );
    }
    const path = join(folder, entry.name);
    if (!entry.isDirectory) found.push(path);
    else if (depth > 1) found.push(...entriesBelow(path, depth - 1, budget, place));
  }
  return found;
}

function entriesOf(folder: string, place: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    const why = error instanceof Error ? error.name : "?";
    throw new UsageError(`${place}: the folder cannot be read (${why})`);
  }
}

function realPath(file: string, place: string): string {
  try {
    return Deno.realPathSync(file);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound ? "no such file" : "cannot be read";
    throw new UsageError(`${place}: ${why}`);
  }
}

/**
 * What must not be written: all that a glob names, there already or not, and what the files there are links to. A
 * folder of its own that a glob begins with is kept whole.
 */
function governingOf({ source, rule, folder }: PluginSource): LoadedPlugins["governing"] {
  if (rule === null || folder === null) return [];
  return rule.manifests.flatMap((pattern, index) => {
    const place = `${source}: plugins[${index}]`;
    const glob = globOf(pattern, place);
    const absolute = pattern.startsWith("/") ? pattern : `${plainGlob(folder)}/${pattern}`;
    const prefixes = glob.paths.map((path) => {
      const segments = rootedSegments(path, folder);
      const wild = segments.findIndex((segment) => typeof segment !== "string");
      return `/${segments.slice(0, wild === -1 ? -1 : wild).join("/")}` as CanonicalPath;
    });
    const named = filesOf(glob, folder, place);
    const files = named.map((file) => realPath(file, place));
    const links = new Set([...prefixes, ...named].flatMap(linksTo));
    // What lies in a folder that a link leads to has another name there.
    const led = prefixes.filter((below) => linksTo(below).length > 0).flatMap(realFolder);
    return [
      ...prefixes.map((below) => ({ glob: absolute, below })),
      ...prefixes.filter((below) => below !== folder && !folder.startsWith(`${below}/`))
        .filter((below) => below !== "/")
        .map((below) => ({ glob: `${plainGlob(below)}/**`, below })),
      ...led.map((below) => ({ glob: `${plainGlob(below)}/**`, below })),
      ...[...links, ...files].map((file) => ({
        glob: plainGlob(file),
        below: file as CanonicalPath,
      })),
    ];
  });
}

/** None where it is not there: what it would be is guarded by its name. */
function realFolder(folder: string): readonly CanonicalPath[] {
  try {
    return [Deno.realPathSync(folder) as CanonicalPath];
  } catch {
    return [];
  }
}

/** The module of a manifest: what it is called by there, and what that is a link to. */
function governingModule({ file, manifest }: FoundManifest): LoadedPlugins["governing"] {
  if (file === null || !isModule(manifest)) return [];
  const named = moduleFile(file, manifest);
  return [named, realPath(named, file), ...linksTo(named)].map((path) => ({
    glob: plainGlob(path),
    below: path as CanonicalPath,
  }));
}
