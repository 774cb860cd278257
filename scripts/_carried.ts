/** Puts what a binary carries unread at its start where `src/host/carried/carried_layout.ts` looks for it. */

import { constants, zstdCompressSync } from "node:zlib";
import { join } from "@std/path";
import {
  CARRIED,
  CARRIED_NAMES,
  type CarriedName,
  embeddedName,
  footerOf,
  indexOf,
} from "../src/host/carried/carried_layout.ts";
import { appendedAt } from "../src/cli/seal/compiled_binary.ts";
import type { Target } from "./target.ts";

/** A higher level takes seconds for a tenth less. */
const LEVEL = 9;

/** Compressed, with a checksum of its own. */
export function compressed(data: Uint8Array): Uint8Array {
  return zstdCompressSync(data, {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

function partOf(name: CarriedName): Uint8Array {
  return compressed(Deno.readFileSync(new URL(import.meta.resolve(CARRIED[name]))));
}

/**
 * `binary`, for Linux, in pieces, with the data of all parts, in the order of their names, and a footer before what
 * `deno compile` appended.
 */
export function carry(binary: Uint8Array, parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const at = appendedAt(binary);
  const data = [...parts, indexOf(parts.map(({ length }) => length))];
  const length = data.reduce((sum, part) => sum + part.length, 0);
  return [binary.subarray(0, at), ...data, footerOf(length), binary.subarray(at)];
}

/** What to embed, for targets whose executables cannot be added to: paths for `--include`. */
export async function embedCarried(target: Target, bundle: string): Promise<readonly string[]> {
  if (target.includes("linux")) return [];
  return await Promise.all(CARRIED_NAMES.map(async (name) => {
    const path = join(bundle, embeddedName(name));
    await Deno.writeFile(path, partOf(name));
    return path;
  }));
}

/** Adds it to the executable `output`, for the other targets. */
export async function addCarried(target: Target, output: string): Promise<void> {
  if (!target.includes("linux")) return;
  const pieces = carry(await Deno.readFile(output), CARRIED_NAMES.map(partOf));
  await Deno.writeFile(output, ReadableStream.from(pieces));
}
