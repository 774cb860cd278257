/**
 * Makes of a split bundle scripts for what every start needs, and for what the first of some calls needs, which V8 can be
 * handed already compiled, and leaves the rest as modules that take from them. A script is run by `node:vm`, whose
 * `Script` takes V8's code cache; modules of a compiled binary have none that is not a file in a shared folder.
 */

import { basename, join } from "@std/path";
import * as esbuild from "esbuild";

/** A script to be made: what it is for, and the stems of the parts that it holds with all that they import. */
export interface ScriptPlan {
  /** Names its files, see {@linkcode scriptFile} and {@linkcode cacheFile}. */
  readonly name: string;
  /** `read_file` for `read_file-0A1B2C3D.js`. */
  readonly roots: readonly string[];
}

/** The script of that name, beside the modules of the bundle. */
export function scriptFile(name: string): string {
  return `${name}.txt`;
}

/** V8's code cache of it; empty where there is none. */
export function cacheFile(name: string): string {
  return `${name}.cache`;
}

/** The module that runs the script and hands out what other modules take from it. */
function moduleFile(name: string): string {
  return `${name}.js`;
}

/** The module that notes what V8 compiled of the scripts when the process ends: of the producer alone, not of what is built. */
const NOTE_MODULE = "note.js";

/** A static import or export of another part, as the bundler writes them. */
const STATIC = /(?:from|import)\s*"\.\/([^"]+\.js)"/g;
const DYNAMIC = /import\("\.\/([^"]+\.js)"\)/g;
const NAMED_IMPORT =
  /import\s*(?:([\w$]+)\s*,?)?\s*(?:\{([^}]*)\})?\s*(?:from)?\s*"\.\/([^"]+\.js)";?/g;
const NAMED_EXPORT = /export\s*\{([^}]*)\}\s*from\s*"\.\/([^"]+\.js)";?/g;
const EXPORTS = /export\s*\{([^}]*)\}/g;

/** The parts of a bundle by file name. */
type Parts = ReadonlyMap<string, string>;

/** What stands in `a as b,c` of an import or export: the name there, and the name here. */
function namesIn(list: string): readonly (readonly [there: string, here: string])[] {
  return list.split(",").map((name) => name.trim()).filter((name) => name !== "").map((name) => {
    const [there = "", here = there] = name.split(/\s+as\s+/);
    return [there, here];
  });
}

/** The names that a part exports. */
function exportsOf(text: string): readonly string[] {
  return [...text.matchAll(EXPORTS)].flatMap(([, list = ""]) =>
    namesIn(list).map(([, here]) => here)
  );
}

/**
 * The parts that belong into the script: those of the stems in `roots` (`read_file` of `read_file-0A1B2C3D.js`) and of
 * `entries`, with all that they import statically; the entries themselves stay modules.
 * Throws Error where a stem names no part.
 */
export function hotParts(
  parts: Parts,
  entries: readonly string[],
  roots: readonly string[],
): readonly string[] {
  const hot = new Set<string>();
  const visit = (name: string) => {
    if (hot.has(name)) return;
    hot.add(name);
    for (const [, imported = ""] of (parts.get(name) ?? "").matchAll(STATIC)) visit(imported);
  };
  for (const entry of entries) visit(entry);
  for (const root of roots) {
    const found = [...parts.keys()].filter((name) =>
      name.replace(/-[0-9A-F]{8}\.js$/, "") === root
    );
    if (found.length === 0) throw new Error(`no part of the bundle is named ${root}`);
    found.forEach(visit);
  }
  for (const entry of entries) hot.delete(entry);
  return [...hot].sort();
}

/** A script with the parts that it holds, in their order there. */
interface Script {
  readonly name: string;
  readonly parts: readonly string[];
}

/** Where a part stands. */
interface Place {
  readonly script: string;
  readonly number: number;
}

/** Which script holds a part; undefined for one that stays a module. */
type Places = ReadonlyMap<string, Place>;

/**
 * Rewrites the bundle in `folder`. The first script holds what `entries` import, too; no script holds what an earlier one
 * does. Throws Error as {@linkcode hotParts}, or where a script cannot be made.
 */
export async function joinHotPath(
  folder: string,
  entries: readonly string[],
  plans: readonly ScriptPlan[],
): Promise<void> {
  const parts = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".js")) parts.set(name, await Deno.readTextFile(join(folder, name)));
  }
  const places = new Map<string, Place>();
  const scripts: Script[] = [];
  for (const { name, roots } of plans) {
    const held = hotParts(parts, entries, roots).filter((part) => !places.has(part));
    held.forEach((part, number) => places.set(part, { script: name, number }));
    scripts.push({ name, parts: held });
  }
  const made = await Promise.all(
    scripts.map((script) => scriptOf(folder, parts, script, places)),
  );
  await esbuild.stop();
  for (const name of places.keys()) await Deno.remove(join(folder, name));
  for (const [name, text] of parts) {
    if (!places.has(name)) await Deno.writeTextFile(join(folder, name), rewritten(text, places));
  }
  for (const [index, { name, parts: held }] of scripts.entries()) {
    const exported = held.map((part) => exportsOf(parts.get(part) ?? ""));
    await Deno.writeTextFile(join(folder, scriptFile(name)), made[index]!.script);
    await Deno.writeFile(join(folder, cacheFile(name)), new Uint8Array());
    await Deno.writeTextFile(
      join(folder, moduleFile(name)),
      scriptModule(name, exported, made[index]!, places),
    );
  }
}

/**
 * What has to be compiled in place of `entry` for a producer: a module that opens a file in `output` for V8's code cache
 * of each script before anything runs, since a thread may give up its right to open files, and writes them when the
 * process ends.
 */
export async function writeProducer(
  folder: string,
  entry: string,
  names: readonly string[],
  output: string,
): Promise<string> {
  const lines = names.map((name, i) =>
    `import { script as s${i} } from "./${moduleFile(name)}";\n` +
    `const f${i} = Deno.openSync(${JSON.stringify(join(output, cacheFile(name)))}, ` +
    `{ write: true, create: true, truncate: true });\n`
  );
  await Deno.writeTextFile(
    join(folder, NOTE_MODULE),
    lines.join("") +
      `addEventListener("unload", () => {\n` +
      `  for (const [script, file] of [${names.map((_, i) => `[s${i},f${i}]`).join(",")}]) {\n` +
      `    const cache = script.createCachedData();\n` +
      `    for (let at = 0; at < cache.length;) at += file.writeSync(cache.subarray(at));\n` +
      `  }\n` +
      `});\n`,
  );
  const main = join(folder, "producer.js");
  await Deno.writeTextFile(main, `import "./${NOTE_MODULE}";\nimport "./${entry}";\n`);
  return main;
}

interface MadeScript {
  readonly script: string;
  /** Parts outside it that it imports with `import()`. */
  readonly outside: readonly string[];
  /** Parts of other scripts that it imports, as `script.number`. */
  readonly taken: readonly string[];
  /** Modules of Node that it uses. */
  readonly node: readonly string[];
}

/** One classic script: a function of what only modules have, which answers with the exports of each part by number. */
async function scriptOf(
  folder: string,
  parts: Parts,
  script: Script,
  places: Places,
): Promise<MadeScript> {
  const outside = new Set<string>();
  const taken = new Set<string>();
  const node = new Set<string>();
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
          const name = basename(path);
          return places.get(name)?.script === script.name
            ? { path: join(folder, name) }
            : { path: name, namespace: "taken" };
        });
        build.onResolve({ filter: /^node:/ }, ({ path }) => {
          node.add(path);
          return { path, namespace: "node" };
        });
        build.onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({
          contents: `module.exports=$node[${JSON.stringify(path)}]`,
          loader: "js",
        }));
        // Of a script that has run before this one: what static imports reach is never in a later one.
        build.onLoad({ filter: /.*/, namespace: "taken" }, ({ path }) => {
          const { script: from, number } = places.get(path)!;
          taken.add(`${from}.${number}`);
          const names = exportsOf(parts.get(path) ?? "");
          return {
            contents: `const part=$taken[${JSON.stringify(`${from}.${number}`)}];` +
              names.map((name) => `export const ${name}=part.${name};`).join(""),
            loader: "js",
          };
        });
        build.onLoad({ filter: /\.js$/ }, ({ path }) => {
          const text = parts.get(basename(path)) ?? "";
          const reached = new Set<string>();
          const body = text.replaceAll(DYNAMIC, (_, name: string) => {
            const place = places.get(name);
            if (place?.script === script.name) {
              reached.add(name);
              return `Promise.resolve($part${place.number})`;
            }
            outside.add(name);
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
  const text = result.outputFiles?.[0]?.text.replace(/^"use strict";/, "") ?? "";
  return {
    script: `(function($import,$meta,$node,$taken){"use strict";${text}return $hot.parts})`,
    outside: [...outside].sort(),
    taken: [...taken].sort(),
    node: [...node].sort(),
  };
}

/** What imports the part at run time. */
function importOf(name: string, places: Places): string {
  const place = places.get(name);
  return place === undefined
    ? `import("./${name}")`
    : `import("./${moduleFile(place.script)}").then((script)=>script.p${place.number})`;
}

/** The module beside a script: all imports are literal, so that the compiler sees and embeds what they name. */
function scriptModule(
  name: string,
  exported: readonly (readonly string[])[],
  { outside, taken, node }: MadeScript,
  places: Places,
): string {
  const numberOf = (path: string) => path.slice(path.indexOf(".") + 1);
  const froms = [...new Set(taken.map((path) => path.slice(0, path.indexOf("."))))];
  const lines = [
    ...node.map((module, i) => `import * as n${i} from ${JSON.stringify(module)};`),
    ...froms.map((from) => {
      const numbers = taken.filter((path) => path.startsWith(`${from}.`)).map(numberOf);
      const list = numbers.map((number) => `p${number} as ${from}_${number}`);
      return `import {${list.join(",")}} from "./${moduleFile(from)}";`;
    }),
    `import { Script } from "node:vm";`,
    `import text from "./${scriptFile(name)}" with { type: "text" };`,
    `import cachedData from "./${cacheFile(name)}" with { type: "bytes" };`,
    `const outside={${
      outside.map((part) => `${JSON.stringify(part)}:()=>${importOf(part, places)}`).join(",")
    }};`,
    `const node={${node.map((module, i) => `${JSON.stringify(module)}:n${i}`).join(",")}};`,
    `const taken={${
      taken.map((path) => `${JSON.stringify(path)}:${path.replace(".", "_")}`).join(",")
    }};`,
    `export const script=new Script(text,{filename:"${
      scriptFile(name)
    }",...(cachedData.length>0?{cachedData}:{})});`,
    `const parts=script.runInThisContext()((name)=>outside[name](),import.meta,node,taken);`,
    ...exported.flatMap((names, number) => [
      `export const p${number}=parts[${number}];`,
      ...names.map((one) => `export const p${number}_${one}=p${number}.${one};`),
    ]),
  ];
  return lines.join("\n") + "\n";
}

/** A part outside the scripts, which takes from their modules what it took from parts that are in them. */
function rewritten(text: string, places: Places): string {
  const list = (place: Place, names: string) =>
    namesIn(names).map(([there, here]) => `p${place.number}_${there} as ${here}`);
  return text.replaceAll(NAMED_EXPORT, (whole, names: string, name: string) => {
    const place = places.get(name);
    if (place === undefined) return whole;
    return `export{${list(place, names).join(",")}}from"./${moduleFile(place.script)}";`;
  }).replaceAll(
    NAMED_IMPORT,
    (whole, byDefault: string | undefined, names: string | undefined, name: string) => {
      const place = places.get(name);
      if (place === undefined) return whole;
      const all = list(place, names ?? "");
      if (byDefault !== undefined) all.push(`p${place.number}_default as ${byDefault}`);
      const from = `"./${moduleFile(place.script)}"`;
      return all.length === 0 ? `import${from};` : `import{${all.join(",")}}from${from};`;
    },
  ).replaceAll(
    DYNAMIC,
    (whole, name: string) => places.has(name) ? importOf(name, places) : whole,
  );
}
