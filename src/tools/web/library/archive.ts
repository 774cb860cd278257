/**
 * Packages as registries send them: tar with gzip, and zip. They are read in memory and nothing of them is ever written;
 * a name that leads out of the package, a link or a device is passed over.
 */

import { gunzipSync, inflateRawSync } from "node:zlib";
import { ToolError } from "../../../core/errors.ts";

/** Bytes that an archive may have unpacked, all in all: packages that people use have a tenth of it. */
export const UNPACKED_LIMIT = 64 * 1024 * 1024;
/** Entries that are looked at. */
const MOST_ENTRIES = 50_000;
/** Bytes of one file: larger ones are no text that anybody wrote. */
const LARGEST = 4 * 1024 * 1024;
const LONGEST_NAME = 1000;

/** Files by their path in the archive, with slashes. */
export type PackageFiles = ReadonlyMap<string, Uint8Array>;

/** Throws SYNTAX_INVALID for what is none, RESOURCE_LIMIT for one that is too much. */
export function readTar(packed: Uint8Array, wanted: (path: string) => boolean): PackageFiles {
  const bytes = gunzip(packed, UNPACKED_LIMIT);
  const files = new Map<string, Uint8Array>();
  let longName: string | null = null;
  for (let at = 0, entries = 0; at + BLOCK <= bytes.length; entries++) {
    const head = bytes.subarray(at, at + BLOCK);
    if (head.every((byte) => byte === 0)) break;
    if (entries >= MOST_ENTRIES) throw tooMuch(`over ${MOST_ENTRIES} entries`);
    const size = octal(head.subarray(124, 136));
    if (size === null || !hasChecksum(head)) {
      throw damaged("tar", "an entry of it has no valid head");
    }
    const start = at + BLOCK;
    if (start + size > bytes.length) throw damaged("tar", "it ends within a file");
    const body = bytes.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(head[156] ?? 0);
    if (type === "x" || type === "L") {
      longName = type === "L" ? text(body) : paxPath(body) ?? longName;
      continue;
    }
    const prefix = text(head.subarray(257, 262)) === "ustar" ? text(head.subarray(345, 500)) : "";
    const own = text(head.subarray(0, 100));
    const path = cleanPath(longName ?? (prefix === "" ? own : `${prefix}/${own}`));
    longName = null;
    const isFile = type === "0" || type === "\0";
    if (isFile && path !== null && size <= LARGEST && wanted(path)) files.set(path, body);
  }
  return files;
}

/** As {@linkcode readTar}, of a zip (APPNOTE 6.3; no zip64, no encryption). */
export function readZip(packed: Uint8Array, wanted: (path: string) => boolean): PackageFiles {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const end = endOfDirectory(view);
  if (end === null) throw damaged("zip", "it has no directory");
  const count = view.getUint16(end + 10, true);
  if (count > MOST_ENTRIES) throw tooMuch(`over ${MOST_ENTRIES} entries`);
  const files = new Map<string, Uint8Array>();
  let total = 0;
  let at = view.getUint32(end + 16, true);
  for (let entry = 0; entry < count; entry++) {
    if (at + 46 > packed.length || view.getUint32(at, true) !== 0x02014b50) {
      throw damaged("zip", "its directory is broken");
    }
    const method = view.getUint16(at + 10, true);
    const inside = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    const name = view.getUint16(at + 28, true);
    const more = view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    const local = view.getUint32(at + 42, true);
    const path = cleanPath(new TextDecoder().decode(packed.subarray(at + 46, at + 46 + name)));
    at += 46 + name + more;
    if (path === null || size > LARGEST || !wanted(path)) continue;
    total += size;
    if (total > UNPACKED_LIMIT) throw tooMuch(`over ${UNPACKED_LIMIT} bytes unpacked`);
    if (local + 30 > packed.length || view.getUint32(local, true) !== 0x04034b50) {
      throw damaged("zip", "a file of it is not where it should be");
    }
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    if (start + inside > packed.length) throw damaged("zip", "it ends within a file");
    files.set(path, inflated(packed.subarray(start, start + inside), method, size));
  }
  return files;
}

/** Throws as {@linkcode readTar}. */
export function gunzip(packed: Uint8Array, limit: number): Uint8Array {
  try {
    return gunzipSync(packed, { maxOutputLength: limit });
  } catch (error) {
    if (error instanceof RangeError) throw tooMuch(`over ${limit} bytes unpacked`);
    throw damaged("gzip", "what it holds cannot be unpacked");
  }
}

function inflated(data: Uint8Array, method: number, size: number): Uint8Array {
  if (method !== 0 && method !== 8) throw damaged("zip", "a file of it is packed in another way");
  try {
    // One byte more shows a file that is longer than it says.
    const bytes = method === 0 ? data : inflateRawSync(data, { maxOutputLength: size + 1 });
    if (bytes.length === size) return bytes;
  } catch {
    // It is none.
  }
  throw damaged("zip", "a file of it is not what its directory says");
}

const BLOCK = 512;
const DECODER = new TextDecoder();

function text(field: Uint8Array): string {
  const end = field.indexOf(0);
  return DECODER.decode(end === -1 ? field : field.subarray(0, end));
}

function octal(field: Uint8Array): number | null {
  const digits = text(field).trim();
  return /^[0-7]{1,11}$/.test(digits) ? parseInt(digits, 8) : null;
}

/** Its own field counts as blanks (POSIX, ustar). */
function hasChecksum(head: Uint8Array): boolean {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 32 : head[at] ?? 0;
  return octal(head.subarray(148, 156)) === sum;
}

/** `LENGTH path=NAME\n` among the records of a pax header. */
function paxPath(body: Uint8Array): string | null {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(DECODER.decode(body.subarray(0, 65_536)))?.[1] ?? null;
}

/** Null for one that leads out, or is none. */
function cleanPath(name: string): string | null {
  const path = name.replace(/^\.\//, "");
  const isOdd = path === "" || path.length > LONGEST_NAME || path.startsWith("/") ||
    path.endsWith("/") || /[\\\0]|^[A-Za-z]:/.test(path) ||
    path.split("/").some((part) => part === ".." || part === "." || part === "");
  return isOdd ? null : path;
}

/** From the end on: a comment may follow it. */
function endOfDirectory(view: DataView): number | null {
  const first = Math.max(0, view.byteLength - 22 - 0xffff);
  for (let at = view.byteLength - 22; at >= first; at--) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  return null;
}

function damaged(format: string, why: string): ToolError {
  return new ToolError("SYNTAX_INVALID", `the package is sent as ${format}, but ${why}`);
}

function tooMuch(what: string): ToolError {
  return new ToolError("RESOURCE_LIMIT", `the package has ${what}; it is not read`);
}
