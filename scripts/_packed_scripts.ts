/**
 * Compresses scripts that few starts run: the runtime reads all that is embedded at each start, twice over, which takes a
 * millisecond for each megabyte; unpacking them takes about that once they are asked for.
 */

import { join } from "@std/path";
import { compressed } from "./_carried.ts";
import { readingLines, type ScriptFiles, scriptFiles } from "./_compiled_scripts.ts";

/**
 * Lets the script of this name in `folder` be embedded compressed, with its cache. The files that it was made of stay, and
 * nothing of the build names them any more.
 */
export async function packScript(folder: string, name: string): Promise<void> {
  const files = scriptFiles(name);
  const packed: Packed[] = [];
  for (const file of ["text", "cache"] as const) {
    const data = await Deno.readFile(join(folder, files[file]));
    if (data.length === 0) continue;
    packed.push({ file, length: data.length });
    await Deno.writeFile(join(folder, packedName(files[file])), compressed(data));
  }
  const path = join(folder, files.module);
  const module = await Deno.readTextFile(path);
  const lines = readingLines(files);
  if (!module.includes(lines)) throw new Error(`${files.module} reads its script in another way`);
  await Deno.writeTextFile(path, module.replace(lines, () => unpackingLines(files, packed)));
}

/** A file of a script, and how long it is when it is unpacked. */
interface Packed {
  readonly file: "text" | "cache";
  readonly length: number;
}

const VARIABLES = { text: "bytes", cache: "cachedData" } as const;

function unpackingLines(files: ScriptFiles, packed: readonly Packed[]): string {
  const names = new Map(packed.map(({ file }) => [file, packedName(files[file])]));
  const imports = (["text", "cache"] as const).map((file) => {
    const name = names.get(file);
    return name === undefined
      ? `import ${VARIABLES[file]} from "./${files[file]}" with { type: "bytes" };`
      : `import ${file}Packed from "./${name}" with { type: "bytes" };`;
  });
  // In one piece of the size that it has, since pieces would be copied together.
  const unpacked = packed.map(({ file, length }) =>
    `const ${VARIABLES[file]}=zstdDecompressSync(${file}Packed,{chunkSize:${
      Math.max(length, 64)
    }});`
  );
  return [`import { zstdDecompressSync } from "node:zlib";`, ...imports, ...unpacked].join("\n");
}

function packedName(name: string): string {
  return `${name}.zst`;
}
