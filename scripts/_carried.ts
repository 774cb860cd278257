/** Puts what a binary carries unread at its start where `src/host/carried/carried_layout.ts` looks for it. */

import { constants, zstdCompressSync } from "node:zlib";
import { join } from "@std/path";
import { EMBEDDED_NAME, footerOf } from "../src/host/carried/carried_layout.ts";
import { appendedAt } from "./_denort_trailer.ts";
import type { Target } from "./target.ts";

/** A higher level takes seconds for a tenth less. */
const LEVEL = 9;

/** The parser for Python, compressed, with a checksum of its own. */
function compressedParser(): Uint8Array {
  const url = new URL(import.meta.resolve("@astral-sh/ruff-wasm-web/ruff_wasm_bg.wasm"));
  return zstdCompressSync(Deno.readFileSync(url), {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

/** `binary`, for Linux, in parts, with `data` and its footer before what `deno compile` appended. */
export function carry(binary: Uint8Array, data: Uint8Array): readonly Uint8Array[] {
  const at = appendedAt(binary);
  return [binary.subarray(0, at), data, footerOf(data.length), binary.subarray(at)];
}

/** What to embed, for targets whose executables cannot be added to: paths for `--include`. */
export async function embedCarried(target: Target, bundle: string): Promise<readonly string[]> {
  if (target.includes("linux")) return [];
  const path = join(bundle, EMBEDDED_NAME);
  await Deno.writeFile(path, compressedParser());
  return [path];
}

/** Adds it to the executable `output`, for the other targets. */
export async function addCarried(target: Target, output: string): Promise<void> {
  if (!target.includes("linux")) return;
  const parts = carry(await Deno.readFile(output), compressedParser());
  await Deno.writeFile(output, ReadableStream.from(parts));
}
