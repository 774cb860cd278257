/** The module that makes V8's code caches of scripts, to be compiled in place of the entry of what they are for. */

import { join } from "@std/path";
import { scriptFiles, type ScriptPlan } from "./_compiled_scripts.ts";

/** The module that notes what V8 compiled of the scripts when the process ends. */
const NOTE_MODULE = "note.js";
/** Where in a code cache V8 says what its flags were (`SerializedCodeData::kFlagHashOffset`). */
const FLAG_HASH = [12, 16] as const;

/**
 * What has to be compiled in place of `entry` for a producer of the caches of scripts: a module that opens files for them
 * before anything runs, since a thread may give up its right to open some, and writes them when the process ends. The
 * producer takes from its arguments what `entry` looks at, and the path of a folder, where the caches get the names of
 * their scripts. With a name behind them it runs nothing. With `compiled` behind that, it writes what V8 gives that compiles
 * the script by the producer's flags. Without, it reads the script's cache there and writes it once more,
 * behind `.plain`, as V8 does which has read it and done nothing else. V8 numbers functions in the order in which they are
 * made, which hangs on which of two threads is quicker (`SharedFunctionInfo::unique_id`). Such a cache may come from the
 * same binary with other flags of V8: it is written with its own.
 */
export async function writeProducer(
  folder: string,
  entry: string,
  plans: readonly ScriptPlan[],
): Promise<string> {
  const files = plans.map(({ name }) => ({ name, ...scriptFiles(name) }));
  const imports = (line: (file: (typeof files)[number], at: number) => string) =>
    files.map((file, at) => `${line(file, at)}\n`).join("");
  await Deno.writeTextFile(
    join(folder, NOTE_MODULE),
    imports(({ module }, at) => `import { script as s${at} } from "./${module}";`) +
      `const [, output] = Deno.args;\n` +
      `const scripts = [${files.map(({ cache }, at) => `["${cache}", s${at}]`).join(", ")}];\n` +
      `const opened = scripts.map(([cache, script]) => ({\n` +
      `  script,\n` +
      `  file: Deno.openSync(\`\${output}/\${cache}\`, { write: true, create: true, truncate: true }),\n` +
      `}));\n` +
      `addEventListener("unload", () => {\n` +
      `  for (const { script, file } of opened) {\n` +
      `    const cache = script.createCachedData();\n` +
      `    for (let at = 0; at < cache.length;) at += file.writeSync(cache.subarray(at));\n` +
      `  }\n` +
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
      imports(({ text }, at) => `import t${at} from "./${text}" with { type: "text" };`) +
      `const [, output, name, compiled] = Deno.args;\n` +
      `if (name === undefined) await import("./${rehearsing}");\n` +
      `else {\n` +
      `  const texts = { ${files.map(({ name }, at) => `${name}: t${at}`).join(", ")} };\n` +
      `  const path = \`\${output}/\${name}.cache\`;\n` +
      `  const filename = \`\${name}.txt\`;\n` +
      `  if (compiled !== undefined) {\n` +
      `    Deno.writeFileSync(path, new Script(texts[name], { filename }).createCachedData());\n` +
      `    Deno.exit();\n` +
      `  }\n` +
      `  const cachedData = Deno.readFileSync(path);\n` +
      `  const own = new Uint8Array(new Script("").createCachedData());\n` +
      `  const [from, to] = ${JSON.stringify(FLAG_HASH)};\n` +
      `  cachedData.set(own.subarray(from, to), from);\n` +
      `  const script = new Script(texts[name], { filename, cachedData });\n` +
      `  if (script.cachedDataRejected) throw new Error("V8 does not take its own cache");\n` +
      `  Deno.writeFileSync(\`\${path}.plain\`, script.createCachedData());\n` +
      `}\n`,
  );
  return main;
}
