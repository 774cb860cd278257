/** Scans of a real directory, by every backend. */

import { assert } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import type { ScanFilter, ScanOptions, ScanRoom } from "../../../../src/core/scan.ts";
import { createFiles } from "../../../../src/host/files/files.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { createPortableFiles } from "../../../../src/host/files/portable/files.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { grantOf, rulebookOf } from "../_rulebook.ts";

const QUICK = openLibc({ quickFiles: true });
assert(QUICK !== null);
/** With the calls that threads have which search. */
export const quick = QUICK;

const ALL: Partial<Policy> = { paths: [pathRule("allow", ["**"])] };

export const EVERYTHING: ScanFilter = {
  takes: () => true,
  enters: () => true,
  below: () => EVERYTHING,
};

/** Room that grows from next to nothing, so that the ways of growing are gone. */
export function createRoom(first = 8): ScanRoom {
  let bytes = new Uint8Array(first);
  return {
    get bytes() {
      return bytes;
    },
    grow(length) {
      const larger = new Uint8Array(length);
      larger.set(bytes);
      bytes = larger;
    },
  };
}

/** `visit` is called when a file is there, before it is read from the room. */
export type Scan = (
  options?: Partial<ScanOptions> & { readonly path?: string; readonly policy?: Partial<Policy> },
  visit?: (path: string) => void,
) => readonly string[];

/** A scan of a tree by one of the backends: `path=contents` for each file, `path` where it has none. */
export function scanOf(root: CanonicalPath, backend: ReturnType<typeof createLinuxFiles>): Scan {
  return ({ path = ".", policy = ALL, ...options } = {}, visit = () => {}) => {
    const rulebook = rulebookOf(root, policy);
    const tree = { requested: ".", path: root, tree: true };
    const files = createFiles(grantOf(root, { read: [tree] }), rulebook, backend, () => {});
    const found: string[] = [];
    const room = options.room === undefined ? createRoom() : options.room;
    const scan: ScanOptions = { filter: () => EVERYTHING, limit: 1000, ...options, room };
    files.scan(path, scan, (file) => {
      visit(file.path);
      const contents = file.length === null || room === null
        ? ""
        : `=${new TextDecoder().decode(room.bytes.slice(0, file.length))}`;
      found.push(file.path + contents);
    });
    return found;
  };
}

export const backends: readonly (readonly [string, () => ReturnType<typeof createLinuxFiles>])[] = [
  ["quick calls", () => createLinuxFiles(quick)],
  ["calls", () => createLinuxFiles(LIBC)],
  ["the runtime", createPortableFiles],
];

/** Files with their directories. */
export function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    Deno.mkdirSync(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${root}/${path}`, text);
  }
}
