/**
 * Makes of a split bundle one script for what every start needs, which V8 can be handed already compiled, and leaves the
 * rest as modules that take from it. The script is run by `node:vm`, whose `Script` takes V8's code cache; modules of a
 * compiled binary have none that is not a file in a shared folder.
 */

import { basename, join } from "@std/path";
import * as esbuild from "esbuild";

/** The script, beside the modules of the bundle. */
export const HOT_SCRIPT = "hot.txt";
/** V8's code cache of it; empty where there is none. */
export const HOT_CACHE = "hot.cache";
/** The module that notes what V8 compiled of the script when the process ends: of the producer alone, not of what is built. */
const NOTE_MODULE = "note.js";
/** The module that runs the script and hands out what the other modules take from it. */
const HOT_MODULE = "hot.js";

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

/** Rewrites the bundle in `folder`. Throws Error as {@linkcode hotParts}, or where the script cannot be made. */
export async function joinHotPath(
  folder: string,
  entries: readonly string[],
  roots: readonly string[],
): Promise<void> {
  const parts = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".js")) parts.set(name, await Deno.readTextFile(join(folder, name)));
  }
  const hot = hotParts(parts, entries, roots);
  const { script, cold, node } = await scriptOf(folder, parts, hot);
  for (const name of hot) await Deno.remove(join(folder, name));
  for (const [name, text] of parts) {
    if (!hot.includes(name)) await Deno.writeTextFile(join(folder, name), rewritten(text, hot));
  }
  await Deno.writeTextFile(join(folder, HOT_SCRIPT), script);
  await Deno.writeFile(join(folder, HOT_CACHE), new Uint8Array());
  const exported = hot.map((name) => exportsOf(parts.get(name) ?? ""));
  await Deno.writeTextFile(join(folder, HOT_MODULE), hotModule(exported, cold, node));
}

/**
 * What has to be compiled in place of `entry` for a producer: a module that opens `output` for V8's code cache before
 * anything runs, since a thread may give up its right to open files, and writes it when the process ends.
 */
export async function writeProducer(
  folder: string,
  entry: string,
  output: string,
): Promise<string> {
  await Deno.writeTextFile(
    join(folder, NOTE_MODULE),
    `import { script } from "./${HOT_MODULE}";\n` +
      `const file = Deno.openSync(${JSON.stringify(output)}, ` +
      `{ write: true, create: true, truncate: true });\n` +
      `addEventListener("unload", () => {\n` +
      `  const cache = script.createCachedData();\n` +
      `  for (let at = 0; at < cache.length;) at += file.writeSync(cache.subarray(at));\n` +
      `});\n`,
  );
  const main = join(folder, "producer.js");
  await Deno.writeTextFile(main, `import "./${NOTE_MODULE}";\nimport "./${entry}";\n`);
  return main;
}

interface HotScript {
  readonly script: string;
  /** Parts outside it that it imports with `import()`. */
  readonly cold: readonly string[];
  /** Modules of Node that it uses. */
  readonly node: readonly string[];
}

/** One classic script: a function of what only modules have, which answers with the exports of each part by number. */
async function scriptOf(folder: string, parts: Parts, hot: readonly string[]): Promise<HotScript> {
  const cold = new Set<string>();
  const node = new Set<string>();
  const entry = hot.map((name, number) => `import * as p${number} from "./${name}";`).join("\n") +
    `\nexport const parts=[${hot.map((_, number) => `p${number}`).join(",")}];`;
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
        build.onResolve({ filter: /^\.\/.*\.js$/ }, ({ path }) => ({
          path: join(folder, basename(path)),
        }));
        build.onResolve({ filter: /^node:/ }, ({ path }) => {
          node.add(path);
          return { path, namespace: "node" };
        });
        build.onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({
          contents: `module.exports=$node[${JSON.stringify(path)}]`,
          loader: "js",
        }));
        build.onLoad({ filter: /\.js$/ }, ({ path }) => {
          const text = parts.get(basename(path)) ?? "";
          const reached = new Set<string>();
          const body = text.replaceAll(DYNAMIC, (_, name: string) => {
            if (hot.includes(name)) {
              reached.add(name);
              return `Promise.resolve($part${hot.indexOf(name)})`;
            }
            cold.add(name);
            return `$import(${JSON.stringify(name)})`;
          }).replaceAll("import.meta", "$meta");
          const imports = [...reached].map((name) =>
            `import * as $part${hot.indexOf(name)} from "./${name}";`
          );
          return { contents: imports.join("") + body, loader: "js" };
        });
      },
    }],
  });
  await esbuild.stop();
  const text = result.outputFiles?.[0]?.text.replace(/^"use strict";/, "") ?? "";
  const script = `(function($import,$meta,$node){"use strict";${text}return $hot.parts})`;
  return { script, cold: [...cold].sort(), node: [...node].sort() };
}

/** The module beside the script: all imports are literal, so that the compiler sees and embeds what they name. */
function hotModule(
  exported: readonly (readonly string[])[],
  cold: readonly string[],
  node: readonly string[],
): string {
  const lines = [
    ...node.map((name, i) => `import * as n${i} from ${JSON.stringify(name)};`),
    `import { Script } from "node:vm";`,
    `import text from "./${HOT_SCRIPT}" with { type: "text" };`,
    `import cachedData from "./${HOT_CACHE}" with { type: "bytes" };`,
    `const cold={${
      cold.map((name) => `${JSON.stringify(name)}:()=>import("./${name}")`).join(",")
    }};`,
    `const node={${node.map((name, i) => `${JSON.stringify(name)}:n${i}`).join(",")}};`,
    `export const script=new Script(text,{filename:"${HOT_SCRIPT}",...(cachedData.length>0?{cachedData}:{})});`,
    `const parts=script.runInThisContext()((name)=>cold[name](),import.meta,node);`,
    ...exported.flatMap((names, number) => [
      `export const p${number}=parts[${number}];`,
      ...names.map((name) => `export const p${number}_${name}=p${number}.${name};`),
    ]),
  ];
  return lines.join("\n") + "\n";
}

/** A part outside the script, which takes from `hot.js` what it took from parts that are in it. */
function rewritten(text: string, hot: readonly string[]): string {
  return text.replaceAll(NAMED_EXPORT, (whole, list: string, name: string) => {
    if (!hot.includes(name)) return whole;
    const number = hot.indexOf(name);
    const names = namesIn(list).map(([there, here]) => `p${number}_${there} as ${here}`);
    return `export{${names.join(",")}}from"./${HOT_MODULE}";`;
  }).replaceAll(
    NAMED_IMPORT,
    (whole, byDefault: string | undefined, list: string | undefined, name: string) => {
      if (!hot.includes(name)) return whole;
      const number = hot.indexOf(name);
      const names = namesIn(list ?? "").map(([there, here]) => `p${number}_${there} as ${here}`);
      if (byDefault !== undefined) names.push(`p${number}_default as ${byDefault}`);
      return names.length === 0
        ? `import"./${HOT_MODULE}";`
        : `import{${names.join(",")}}from"./${HOT_MODULE}";`;
    },
  ).replaceAll(
    DYNAMIC,
    (whole, name: string) =>
      hot.includes(name)
        ? `import("./${HOT_MODULE}").then((hot)=>hot.p${hot.indexOf(name)})`
        : whole,
  );
}
