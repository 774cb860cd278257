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
  /** Stems of parts (`read_file` of `read_file-0A1B2C3D.js`): it has them, and all that they import statically. */
  readonly roots: readonly string[];
}

/** The files of a script beside the modules of the bundle. */
export interface ScriptFiles {
  readonly text: string;
  /** V8's code cache of it; empty where there is none. */
  readonly cache: string;
  /** The module that runs the script and hands out what other modules take from it. */
  readonly module: string;
}

/** How the files of a script of this name are called. */
export function scriptFiles(name: string): ScriptFiles {
  return { text: `${name}.txt`, cache: `${name}.cache`, module: `${name}.js` };
}

/** The module that notes what V8 compiled of a script when the process ends: of the producer alone, not of what is built. */
const NOTE_MODULE = "note.js";
/** Where in a code cache V8 says what its flags were (`SerializedCodeData::kFlagHashOffset`). */
const FLAG_HASH = [12, 16] as const;

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

/** A script with its parts, in the order of their numbers. */
interface Script extends ScriptFiles {
  readonly parts: readonly string[];
}

/**
 * The parts of each script: of its roots with all that they import statically, but what an earlier one has. The first has
 * what the `entries` import as well; the entries themselves stay modules.
 * Throws Error where a stem names no part.
 */
export function scriptParts(
  parts: Parts,
  entries: readonly string[],
  plans: readonly ScriptPlan[],
): readonly (readonly string[])[] {
  const taken = new Set<string>(entries);
  return plans.map(({ roots }, index) => {
    const own = new Set<string>();
    const visit = (name: string) => {
      if (taken.has(name)) return;
      taken.add(name);
      own.add(name);
      importsOf(name).forEach(visit);
    };
    const importsOf = (name: string) =>
      [...(parts.get(name) ?? "").matchAll(STATIC)].map(([, imported = ""]) => imported);
    if (index === 0) entries.flatMap(importsOf).forEach(visit);
    for (const root of roots) {
      const found = [...parts.keys()].filter((name) =>
        name.replace(/-[0-9A-F]{8}\.js$/, "") === root
      );
      if (found.length === 0) throw new Error(`no part of the bundle is named ${root}`);
      found.forEach(visit);
    }
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
    const text = scriptModule(script, made[index]!, parts, places);
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

/**
 * What has to be compiled in place of `entry` for a producer of the cache of a script: a module that opens `output` for it
 * before anything runs, since a thread may give up its right to open files, and writes it when the process ends. The
 * producer takes both from its arguments: the name of the script, and the path. With the path of a cache behind them it
 * runs nothing, and writes that cache as V8 does which has read it and done nothing else: V8 numbers functions in the order
 * in which they are made, which hangs on which of two threads is quicker (`SharedFunctionInfo::unique_id`). Such a cache may
 * come from the same binary with other flags of V8: it is written with its own.
 */
export async function writeProducer(
  folder: string,
  entry: string,
  plans: readonly ScriptPlan[],
): Promise<string> {
  const names = plans.map(({ name }) => name);
  await Deno.writeTextFile(
    join(folder, NOTE_MODULE),
    names.map((name, at) => `import { script as s${at} } from "./${scriptFiles(name).module}";\n`)
      .join("") +
      `const [name, output] = Deno.args;\n` +
      `const script = { ${names.map((name, at) => `${name}: s${at}`).join(", ")} }[name];\n` +
      `const file = Deno.openSync(output, { write: true, create: true, truncate: true });\n` +
      `addEventListener("unload", () => {\n` +
      `  const cache = script.createCachedData();\n` +
      `  for (let at = 0; at < cache.length;) at += file.writeSync(cache.subarray(at));\n` +
      `});\n`,
  );
  const rehearsing = "rehearsing.js";
  await Deno.writeTextFile(
    join(folder, rehearsing),
    `import "./${NOTE_MODULE}";\nimport "./${entry}";\n`,
  );
  const main = join(folder, "producer.js");
  await Deno.writeTextFile(
    main,
    `import { Script } from "node:vm";\n` +
      names.map((name, at) =>
        `import t${at} from "./${scriptFiles(name).text}" with { type: "text" };\n`
      ).join("") +
      `const [name, output, cache] = Deno.args;\n` +
      `if (cache === undefined) await import("./${rehearsing}");\n` +
      `else {\n` +
      `  const text = { ${names.map((name, at) => `${name}: t${at}`).join(", ")} }[name];\n` +
      `  const cachedData = Deno.readFileSync(cache);\n` +
      `  const own = new Uint8Array(new Script("").createCachedData());\n` +
      `  const [from, to] = ${JSON.stringify(FLAG_HASH)};\n` +
      `  cachedData.set(own.subarray(from, to), from);\n` +
      `  const script = new Script(text, { filename: \`\${name}.txt\`, cachedData });\n` +
      `  if (script.cachedDataRejected) throw new Error("V8 does not take its own cache");\n` +
      `  Deno.writeFileSync(output, script.createCachedData());\n` +
      `}\n`,
  );
  return main;
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
  const node = new Set<string>();
  const given = new Set<string>();
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
        build.onResolve({ filter: /^node:/ }, ({ path }) => {
          node.add(path);
          return { path, namespace: "node" };
        });
        build.onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({
          contents: `module.exports=$node[${JSON.stringify(path)}]`,
          loader: "js",
        }));
        build.onLoad({ filter: /.*/, namespace: "given" }, ({ path }) => {
          const place = places.get(path)!;
          given.add(place.script.module);
          return { contents: takenFrom(parts.get(path) ?? "", place), loader: "js" };
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
    node: [...node].sort(),
    given: [...given].sort(),
  };
}

/** The exports of a part of an earlier script, as a module of a later one: nothing changes them once that has run. */
function takenFrom(text: string, { script, number }: Place): string {
  const from = `$given[${JSON.stringify(script.module)}][${number}]`;
  return exportsOf(text).map((name) =>
    name === "default" ? `export default ${from}.default;` : `export const ${name}=${from}.${name};`
  ).join("");
}

/** The module beside a script: all imports are literal, so that the compiler sees and embeds what they name. */
function scriptModule(
  { text, cache, parts: own }: Script,
  { cold, node, given }: MadeScript,
  parts: Parts,
  places: Places,
): string {
  const lines = [
    ...node.map((name, i) => `import * as n${i} from ${JSON.stringify(name)};`),
    ...given.map((name, i) => `import {parts as g${i}} from "./${name}";`),
    `import { Script } from "node:vm";`,
    `import text from "./${text}" with { type: "text" };`,
    `import cachedData from "./${cache}" with { type: "bytes" };`,
    `const cold={${
      cold.map((name) => `${JSON.stringify(name)}:()=>${imported(name, places)}`).join(",")
    }};`,
    `const node={${node.map((name, i) => `${JSON.stringify(name)}:n${i}`).join(",")}};`,
    `const given={${given.map((name, i) => `${JSON.stringify(name)}:g${i}`).join(",")}};`,
    `export const script=new Script(text,{filename:"${text}",...(cachedData.length>0?{cachedData}:{})});`,
    `export const parts=script.runInThisContext()((name)=>cold[name](),import.meta,node,given);`,
    ...own.flatMap((name, number) => [
      `export const p${number}=parts[${number}];`,
      ...exportsOf(parts.get(name) ?? "").map((export_) =>
        `export const p${number}_${export_}=p${number}.${export_};`
      ),
    ]),
  ];
  return lines.join("\n") + "\n";
}

/** The expression that imports a part, wherever it is. */
function imported(name: string, places: Places): string {
  const place = places.get(name);
  if (place === undefined) return `import("./${name}")`;
  return `import("./${place.script.module}").then((script)=>script.p${place.number})`;
}

/**
 * A part outside the scripts, which takes from their modules what it took from parts that are in them: from each module
 * once, where the first of them stood, since dozens of parts are one module then.
 */
function rewritten(text: string, places: Places): string {
  const names = new Map<string, string[]>();
  for (const [, byDefault, list, name = ""] of text.matchAll(NAMED_IMPORT)) {
    const place = places.get(name);
    if (place === undefined) continue;
    const all = names.get(place.script.module) ?? [];
    names.set(place.script.module, all);
    all.push(...taken(list ?? "", place));
    if (byDefault !== undefined) all.push(`p${place.number}_default as ${byDefault}`);
  }
  const written = new Set<string>();
  return text.replaceAll(NAMED_EXPORT, (whole, list: string, name: string) => {
    const place = places.get(name);
    if (place === undefined) return whole;
    return `export{${taken(list, place).join(",")}}from"./${place.script.module}";`;
  }).replaceAll(NAMED_IMPORT, (whole, _default, _list, name: string) => {
    const place = places.get(name);
    if (place === undefined) return whole;
    const { module } = place.script;
    if (written.has(module)) return "";
    written.add(module);
    const all = names.get(module) ?? [];
    return all.length === 0 ? `import"./${module}";` : `import{${all.join(",")}}from"./${module}";`;
  }).replaceAll(DYNAMIC, (_, name: string) => imported(name, places));
}

/** What stands in an import or export of a part, by the names that the module of its script has for it. */
function taken(list: string, { number }: Place): string[] {
  return namesIn(list).map(([there, here]) => `p${number}_${there} as ${here}`);
}
