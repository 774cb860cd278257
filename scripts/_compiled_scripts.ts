/**
 * Makes of a split bundle a script for what every start needs, and others for what some need, which V8 can be handed
 * already compiled, and leaves the rest as modules that take from them. A script is run by `node:vm`, whose `Script` takes
 * V8's code cache; modules of a compiled binary have none that is not a file in a shared folder.
 */

import { basename, join } from "@std/path";
import * as esbuild from "esbuild";

/** A script and what it is made of. */
export interface ScriptPlan {
  /** The stem of its files. */
  readonly name: string;
  /**
   * Stems of parts (`read_file` of `read_file-0A1B2C3D.js`): it has them, and all that they import statically. Of an entry
   * (`main` of `main.js`) it has what that imports.
   */
  readonly roots: readonly string[];
  /** Stems as well: of all that, the script has only what these have too. */
  readonly within?: readonly string[];
}

/** The files of a script beside the modules of the bundle. */
export interface ScriptFiles {
  readonly text: string;
  /** V8's code cache of it; empty where there is none. */
  readonly cache: string;
  /** The module that runs the script and hands its parts out, all as one name. */
  readonly module: string;
}

/** How the files of a script of this name are called. */
export function scriptFiles(name: string): ScriptFiles {
  return { text: `${name}.txt`, cache: `${name}.cache`, module: `${name}.js` };
}

/** A static import or export of another part, as the bundler writes them. */
const STATIC = /(?:from|import)\s*"\.\/([^"]+\.js)"/g;
const DYNAMIC = /import\("\.\/([^"]+\.js)"\)/g;
const NAMED_IMPORT =
  /import\s*(?:([\w$]+)\s*,?)?\s*(?:\{([^}]*)\})?\s*(?:from)?\s*"\.\/([^"]+\.js)";?/g;
const NODE_IMPORT =
  /import\s*(?:([\w$]+)\s*,?)?\s*(?:\{([^}]*)\})?\s*(?:from)?\s*"(node:[^"]+)";?/g;
const NAMED_EXPORT = /export\s*\{([^}]*)\}\s*from\s*"\.\/([^"]+\.js)";?/g;

/** The parts of a bundle by file name. */
type Parts = ReadonlyMap<string, string>;

/** What stands in `a as b,c` of an import or export: the name there, and the name here. */
function namesIn(list: string): readonly (readonly [there: string, here: string])[] {
  return list.split(",").map((name) => name.trim()).filter((name) => name !== "").map((name) => {
    const [there = "", here = there] = name.split(/\s+as\s+/);
    return [there, here];
  });
}

/** A script with its parts, in the order of their numbers. */
interface Script extends ScriptFiles {
  readonly parts: readonly string[];
}

/**
 * The parts of each script: of its roots with all that they import statically, but what an earlier one has. The `entries`
 * themselves stay modules. Throws Error where a stem names no part.
 */
export function scriptParts(
  parts: Parts,
  entries: readonly string[],
  plans: readonly ScriptPlan[],
): readonly (readonly string[])[] {
  const importsOf = (name: string) =>
    [...(parts.get(name) ?? "").matchAll(STATIC)].map(([, imported = ""]) => imported);
  const reachedFrom = (roots: readonly string[]): ReadonlySet<string> => {
    const reached = new Set<string>();
    const visit = (name: string) => {
      if (reached.has(name)) return;
      reached.add(name);
      importsOf(name).forEach(visit);
    };
    for (const root of roots) {
      const found = [...parts.keys()].filter((name) =>
        name.replace(/(?:-[0-9A-F]{8})?\.js$/, "") === root
      );
      if (found.length === 0) throw new Error(`no part of the bundle is named ${root}`);
      found.forEach(visit);
    }
    return reached;
  };
  const taken = new Set<string>(entries);
  return plans.map(({ roots, within }) => {
    const reached = reachedFrom(roots);
    const both = within === undefined ? reached : reached.intersection(reachedFrom(within));
    const own = both.difference(taken);
    for (const name of own) taken.add(name);
    return [...own].sort();
  });
}

/** Rewrites the bundle in `folder`. Throws Error as {@linkcode scriptParts}, or where a script cannot be made. */
export async function joinScripts(
  folder: string,
  entries: readonly string[],
  plans: readonly ScriptPlan[],
): Promise<void> {
  const parts = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".js")) parts.set(name, await Deno.readTextFile(join(folder, name)));
  }
  const scripts = scriptParts(parts, entries, plans).map((own, index): Script => ({
    ...scriptFiles(plans[index]!.name),
    parts: own,
  }));
  const places = placesIn(scripts);
  const made = [];
  for (const script of scripts) made.push(await scriptOf(folder, parts, script, places));
  for (const [name, text] of parts) {
    if (places.has(name)) await Deno.remove(join(folder, name));
    else await Deno.writeTextFile(join(folder, name), rewritten(text, places));
  }
  for (const [index, script] of scripts.entries()) {
    await Deno.writeTextFile(join(folder, script.text), made[index]!.text);
    await Deno.writeFile(join(folder, script.cache), new Uint8Array());
    const text = scriptModule(script, made[index]!, places);
    await Deno.writeTextFile(join(folder, script.module), text);
  }
}

/**
 * Makes `entry` of the bundle in `folder` a module that imports nothing at its start: it has all that it takes itself, once
 * more. So nothing that is its own may be looked at by what it imports later, classes least of all.
 */
export async function standAlone(folder: string, entry: string): Promise<void> {
  const path = join(folder, entry);
  const result = await esbuild.build({
    entryPoints: [path],
    external: ["node:*"],
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
    target: "esnext",
    legalComments: "none",
    logLevel: "silent",
    plugins: [{
      name: "later",
      setup(build) {
        build.onResolve(
          { filter: /^\.\/.*\.js$/ },
          ({ path, kind }) => kind === "dynamic-import" ? { path, external: true } : null,
        );
      },
    }],
  });
  await esbuild.stop();
  await Deno.writeTextFile(path, result.outputFiles?.[0]?.text ?? "");
}

/** Where a part is: in which script, and as which of its parts. */
interface Place {
  readonly script: Script;
  readonly number: number;
}

/** Places by part. */
type Places = ReadonlyMap<string, Place>;

function placesIn(scripts: readonly Script[]): Places {
  return new Map(
    scripts.flatMap((script) =>
      script.parts.map((name, number) => [name, { script, number }] as const)
    ),
  );
}

interface MadeScript {
  readonly text: string;
  /** Parts outside it that it imports with `import()`. */
  readonly cold: readonly string[];
  /** Modules of Node that it uses. */
  readonly node: readonly string[];
  /** Modules of the earlier scripts that it takes from. */
  readonly given: readonly string[];
}

/** One classic script: a function of what only modules have, which answers with the exports of each part by number. */
async function scriptOf(
  folder: string,
  parts: Parts,
  script: Script,
  places: Places,
): Promise<MadeScript> {
  const cold = new Set<string>();
  const own = script.parts.map((name) => parts.get(name) ?? "");
  const node = namesOfNode(own);
  const given = new Set<string>();
  const names = namesTaken(own, places);
  const entry =
    script.parts.map((name, number) => `import * as p${number} from "./${name}";`).join("\n") +
    `\nexport const parts=[${script.parts.map((_, number) => `p${number}`).join(",")}];`;
  const result = await esbuild.build({
    stdin: { contents: entry, resolveDir: folder, loader: "js" },
    bundle: true,
    format: "iife",
    globalName: "$hot",
    minify: true,
    write: false,
    target: "esnext",
    legalComments: "none",
    logLevel: "silent",
    plugins: [{
      name: "parts",
      setup(build) {
        build.onResolve({ filter: /^\.\/.*\.js$/ }, ({ path }) => {
          const place = places.get(basename(path));
          return place === undefined || place.script === script
            ? { path: join(folder, basename(path)) }
            : { path: basename(path), namespace: "given" };
        });
        build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "node" }));
        build.onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({
          contents: exportsOf(node.get(path) ?? [], `$node[${JSON.stringify(path)}]`),
          loader: "js",
        }));
        build.onLoad({ filter: /.*/, namespace: "given" }, ({ path }) => {
          const place = places.get(path)!;
          given.add(place.script.module);
          const from = `$given[${JSON.stringify(place.script.module)}][${place.number}]`;
          return { contents: exportsOf(names.get(path) ?? [], from), loader: "js" };
        });
        build.onLoad({ filter: /\.js$/ }, ({ path }) => {
          const text = parts.get(basename(path)) ?? "";
          const reached = new Set<string>();
          const body = text.replaceAll(DYNAMIC, (_, name: string) => {
            const place = places.get(name);
            if (place?.script === script) {
              reached.add(name);
              return `Promise.resolve($part${place.number})`;
            }
            cold.add(name);
            return `$import(${JSON.stringify(name)})`;
          }).replaceAll("import.meta", "$meta");
          const imports = [...reached].map((name) =>
            `import * as $part${places.get(name)!.number} from "./${name}";`
          );
          return { contents: imports.join("") + body, loader: "js" };
        });
      },
    }],
  });
  await esbuild.stop();
  const text = result.outputFiles?.[0]?.text.replace(/^"use strict";/, "") ?? "";
  return {
    text: `(function($import,$meta,$node,$given){"use strict";${text}return $hot.parts})`,
    cold: [...cold].sort(),
    node: [...node.keys()].sort(),
    given: [...given].sort(),
  };
}

/** What is taken of a part of an earlier script, or of Node, as a module: nothing changes it once that has run. */
function exportsOf(names: Iterable<string>, from: string): string {
  return [...names].sort().map((name) =>
    name === "default" ? `export default ${from}.default;` : `export const ${name}=${from}.${name};`
  ).join("");
}

/**
 * What these parts import of Node's modules, by module: all that a module has, copied with a getter for each name, took a start
 * a quarter of a millisecond for each of them. Throws Error where a part takes a module whole.
 */
function namesOfNode(texts: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const taken = new Map<string, Set<string>>();
  for (const text of texts) {
    const whole = /import\s*(?:[\w$]+\s*,\s*)?\*[^"]*"node:[^"]+"/.exec(text);
    if (whole !== null) throw new Error(`a script takes a module of Node's by names: ${whole[0]}`);
    for (const [, byDefault, list = "", name = ""] of text.matchAll(NODE_IMPORT)) {
      const names = taken.get(name) ?? new Set();
      taken.set(name, names);
      for (const [there] of namesIn(list)) names.add(there);
      if (byDefault !== undefined) names.add("default");
    }
  }
  return taken;
}

/** What these parts import statically of those that are in scripts, by part: each name that is handed out costs a start. */
function namesTaken(
  texts: readonly string[],
  places: Places,
): ReadonlyMap<string, ReadonlySet<string>> {
  const taken = new Map<string, Set<string>>();
  const take = (name: string, names: readonly string[]) => {
    if (!places.has(name)) return;
    const all = taken.get(name) ?? new Set();
    taken.set(name, all);
    for (const one of names) all.add(one);
  };
  const there = (list: string) => namesIn(list).map(([name]) => name);
  for (const text of texts) {
    for (const [, byDefault, list, name = ""] of text.matchAll(NAMED_IMPORT)) {
      take(name, [...there(list ?? ""), ...(byDefault === undefined ? [] : ["default"])]);
    }
    for (const [, list = "", name = ""] of text.matchAll(NAMED_EXPORT)) take(name, there(list));
  }
  return taken;
}

/** How the module of a script comes by the two: as bytes, since the runtime takes three times as long for a module of text. */
export function readingLines({ text, cache }: ScriptFiles): string {
  return `import bytes from "./${text}" with { type: "bytes" };\n` +
    `import cachedData from "./${cache}" with { type: "bytes" };`;
}

/**
 * The module beside a script: all imports are literal, so that the compiler sees and embeds what they name. It exports no
 * more than it must: four hundred names of the parts, as exports, took each start three milliseconds.
 */
function scriptModule(
  files: ScriptFiles,
  { cold, node, given }: MadeScript,
  places: Places,
): string {
  const lines = [
    ...node.map((name, i) => `import * as n${i} from ${JSON.stringify(name)};`),
    ...given.map((name, i) => `import {parts as g${i}} from "./${name}";`),
    `import { Script } from "node:vm";`,
    readingLines(files),
    `const cold={${
      cold.map((name) => `${JSON.stringify(name)}:()=>${imported(name, places)}`).join(",")
    }};`,
    `const node={${node.map((name, i) => `${JSON.stringify(name)}:n${i}`).join(",")}};`,
    `const given={${given.map((name, i) => `${JSON.stringify(name)}:g${i}`).join(",")}};`,
    `export const script=new Script(new TextDecoder().decode(bytes),{filename:"${files.text}",...(cachedData.length>0?{cachedData}:{})});`,
    `export const parts=script.runInThisContext()((name)=>cold[name](),import.meta,node,given);`,
  ];
  return lines.join("\n") + "\n";
}

/** The expression that imports a part, wherever it is. */
function imported(name: string, places: Places): string {
  const place = places.get(name);
  if (place === undefined) return `import("./${name}")`;
  return `import("./${place.script.module}").then((script)=>script.parts[${place.number}])`;
}

/**
 * A part outside the scripts, which takes from their modules what it took from parts that are in them: from each module
 * once, where the first of them stood, since dozens of parts are one module then.
 */
function rewritten(text: string, places: Places): string {
  const names = new Map<string, string[]>();
  const take = (name: string, list: readonly string[]): void => {
    const place = places.get(name);
    if (place === undefined) return;
    const { script: { module }, number } = place;
    const all = names.get(module) ?? [];
    names.set(module, all);
    if (list.length > 0) all.push(`{${list.join(",")}}=${partsOf(module)}[${number}]`);
  };
  for (const [, byDefault, list, name = ""] of text.matchAll(NAMED_IMPORT)) {
    take(name, [
      ...namesIn(list ?? "").map(([there, here]) => `${there}:${here}`),
      ...(byDefault === undefined ? [] : [`default:${byDefault}`]),
    ]);
  }
  for (const [, list = "", name = ""] of text.matchAll(NAMED_EXPORT)) {
    take(name, namesIn(list).map(([there]) => `${there}:${handedOn(there, places.get(name))}`));
  }
  const written = new Set<string>();
  const opened = (module: string): string => {
    if (written.has(module)) return "";
    written.add(module);
    const all = names.get(module) ?? [];
    return all.length === 0
      ? `import"./${module}";`
      : `import{parts as ${partsOf(module)}}from"./${module}";const ${all.join(",")};`;
  };
  return text.replaceAll(NAMED_EXPORT, (whole, list: string, name: string) => {
    const place = places.get(name);
    if (place === undefined) return whole;
    const own = namesIn(list).map(([there, here]) => `${handedOn(there, place)} as ${here}`);
    return `${opened(place.script.module)}export{${own.join(",")}};`;
  }).replaceAll(NAMED_IMPORT, (whole, _default, _list, name: string) => {
    const place = places.get(name);
    return place === undefined ? whole : opened(place.script.module);
  }).replaceAll(DYNAMIC, (_, name: string) => imported(name, places));
}

/** What the parts of a script's module are called where they are taken from: longer than the names of the bundler. */
function partsOf(module: string): string {
  return `$${basename(module, ".js")}`;
}

/** What a name of a part is called that is exported once more. */
function handedOn(name: string, place: Place | undefined): string {
  return `$${place?.number}_${name}`;
}
