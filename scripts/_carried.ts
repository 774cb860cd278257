/** Puts what a binary carries unread at its start where `src/host/carried/carried_layout.ts` looks for it. */

import { constants, zstdCompressSync } from "node:zlib";
import { join } from "@std/path";
import {
  EMBEDDED_FOLDER,
  embeddedName,
  footerOf,
  indexOf,
} from "../src/host/carried/carried_layout.ts";
import { carriedFiles } from "../src/engine/pool/carried_files.ts";
import { appendedAt } from "../src/cli/seal/compiled_binary.ts";
import type { Target } from "./target.ts";

/** A higher level takes seconds for a tenth less. */
const LEVEL = 9;

/** A part of what is carried. */
export interface Part {
  readonly name: string;
  readonly data: Uint8Array;
}

/** Compressed, with a checksum of its own. */
export function compressed(data: Uint8Array): Uint8Array {
  return zstdCompressSync(data, {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

async function allParts(): Promise<readonly Part[]> {
  return [...await carriedFiles()].map(([name, file]) => ({
    name,
    data: compressed(Deno.readFileSync(new URL(import.meta.resolve(file)))),
  }));
}

/** `binary`, for Linux, in pieces, with the data of all parts and a footer before what `deno compile` appended. */
export function carry(binary: Uint8Array, parts: readonly Part[]): readonly Uint8Array[] {
  const at = appendedAt(binary);
  const index = indexOf(parts.map(({ name, data }) => [name, data.length]));
  const data = [...parts.map((part) => part.data), index];
  const length = data.reduce((sum, part) => sum + part.length, 0);
  return [binary.subarray(0, at), ...data, footerOf(length), binary.subarray(at)];
}

/** What to embed, for targets whose executables cannot be added to: paths for `--include`. */
export async function embedCarried(target: Target, bundle: string): Promise<readonly string[]> {
  if (target.includes("linux")) return [];
  await Deno.mkdir(join(bundle, EMBEDDED_FOLDER));
  const parts = await allParts();
  return await Promise.all(parts.map(async ({ name, data }) => {
    const path = join(bundle, embeddedName(name));
    await Deno.writeFile(path, data);
    return path;
  }));
}

/** Adds it to the executable `output`, for the other targets. */
export async function addCarried(target: Target, output: string): Promise<void> {
  if (!target.includes("linux")) return;
  const pieces = carry(await Deno.readFile(output), await allParts());
  await Deno.writeFile(output, ReadableStream.from(pieces));
}
