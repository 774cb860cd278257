/**
 * Writes `src/tools/fs/search/_scanner_module.ts` from the text beside it, `scanner.wat`.
 *
 *     deno run -A scripts/assemble_scanner.ts
 *
 * A unit test tells where it was forgotten.
 */

import { fromFileUrl, join } from "@std/path";
import { assemble } from "./_wat.ts";

const FOLDER = fromFileUrl(new URL("../src/tools/fs/search", import.meta.url));

/** The text it is made from, and the module that is made. */
export const SOURCE = join(FOLDER, "scanner.wat");
export const TARGET = join(FOLDER, "_scanner_module.ts");

/** Characters of base64 a line. */
const WIDTH = 92;

/** The TypeScript module that holds what the text comes to. Throws as `assemble`. */
export function scannerModule(text: string): string {
  const lines = assemble(text).toBase64().match(new RegExp(`.{1,${WIDTH}}`, "g")) ?? [];
  return `/** The WebAssembly module of the scanner. Not written by hand: \`scripts/assemble_scanner.ts\` makes it of \`scanner.wat\`. */

/** In base64. */
const MODULE = [
${lines.map((line) => `  "${line}",\n`).join("")}].join("");

/** Imports \`scanner.memory\`; exports \`find\` and \`hasNul\`: see \`Instance\` in \`scanner.ts\`. */
export const SCANNER_MODULE = new WebAssembly.Module(Uint8Array.fromBase64(MODULE));
`;
}

if (import.meta.main) {
  await Deno.writeTextFile(TARGET, scannerModule(await Deno.readTextFile(SOURCE)));
}
