/** The file backends, and small things that their tests share. */

import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type {
  BackUpOptions,
  FileBackend,
  Target,
  TransferOptions,
  TreeTarget,
} from "../../../../src/host/files/file_backend.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { createPortableFiles } from "../../../../src/host/files/portable/files.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { LIBC } from "../../sandbox/_libc.ts";

/** A kernel, or a container's filter, that knows no openat2(2). */
const withoutOpenat2: Libc = {
  ...LIBC,
  call: (number, ...rest) =>
    number === LIBC.numbers.openat2 ? -ERRNO.ENOSYS : LIBC.call(number, ...rest),
};

/** include/uapi/linux/fs.h: RENAME_NOREPLACE | RENAME_EXCHANGE */
const RENAME_FLAGS = 3;

/** A network file system: no flags of rename, no copying in the kernel, no holes. */
const withoutFlags: Libc = {
  ...LIBC,
  call: (number, ...rest) =>
    number === LIBC.numbers.renameat2 && (Number(rest[4]) & RENAME_FLAGS) !== 0
      ? -ERRNO.EINVAL
      : LIBC.call(number, ...rest),
  callWide: (number, ...rest) =>
    number === LIBC.numbers.copyFileRange ||
      number === LIBC.numbers.lseek && Number(rest[2]) !== 0
      ? -ERRNO.EINVAL
      : LIBC.callWide(number, ...rest),
};

export const backends: readonly (readonly [string, () => FileBackend])[] = [
  ["descriptors", () => createLinuxFiles(LIBC)],
  ["descriptors without openat2", () => createLinuxFiles(withoutOpenat2)],
  ["descriptors without flags", () => createLinuxFiles(withoutFlags)],
  ["the runtime", createPortableFiles],
];

export function at(path: string): Target {
  return { path: path as CanonicalPath, shown: path.slice(path.lastIndexOf("/") + 1) };
}

/** With all below it, of which the paths that end with one of `refused` are denied. */
export function tree(path: string, ...refused: readonly string[]): TreeTarget {
  return {
    ...at(path),
    require: () => {},
    admit: () =>
      refused.length === 0 ? null : (entry) => !refused.some((one) => entry.endsWith(one)),
  };
}

/** Refuses, by its kind, what is found at the path itself. */
export function refusing(target: TreeTarget, kind: "file" | "directory"): TreeTarget {
  return {
    ...target,
    require(found) {
      if (found === kind) throw new ToolError("EXTENSION_DENIED", `no ${kind}`);
    },
  };
}

export const LONG = { checkpoint: () => {} };
export const KEEPING: TransferOptions = { ...LONG, overwrite: false };
export const OVERWRITING: TransferOptions = { ...LONG, overwrite: true };
export const ALONE = { createParents: false, expect: "anything" } as const;

/** All backups are kept, and every name may be used. */
export function keeping(limits: Partial<BackUpOptions> = {}): BackUpOptions {
  return { ...LONG, keep: null, ageMs: null, now: Date.now(), require: () => {}, ...limits };
}

/** The code of what the action throws; its message must not tell where the tests are. */
export function code(action: () => unknown): string {
  try {
    action();
    return "nothing thrown";
  } catch (error) {
    if (error instanceof ToolError) {
      assert(!error.message.includes("toolgate-test-"), `a path in: ${error.message}`);
      return error.code;
    }
    throw error;
  }
}

export function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

export function bytes(words: string): Uint8Array {
  return new TextEncoder().encode(words);
}

export function pipe(path: string): void {
  const { success } = new Deno.Command("mkfifo", { args: [path] }).outputSync();
  assert(success);
}

export function names(path: string): readonly string[] {
  return [...Deno.readDirSync(path)].map(({ name }) => name).sort();
}

/** All below a directory: `path type contents`, sorted; of links where they lead, of directories nothing. */
export function picture(root: string, below = ""): readonly string[] {
  return names(root + below).flatMap((name) => {
    const path = `${below}/${name}`;
    const info = Deno.lstatSync(root + path);
    if (info.isDirectory) return [`${path.slice(1)}/`, ...picture(root, path)];
    if (info.isSymlink) return [`${path.slice(1)} -> ${Deno.readLinkSync(root + path)}`];
    return [`${path.slice(1)} = ${info.isFile ? Deno.readTextFileSync(root + path) : "?"}`];
  });
}

/** Makes what `picture` shows. */
export function paint(root: string, entries: readonly string[]): void {
  for (const entry of entries) {
    const [path = "", rest = ""] = entry.split(/ (?:=|->) /, 2);
    if (entry.endsWith("/")) Deno.mkdirSync(`${root}/${entry}`, { recursive: true });
    else if (entry.includes(" -> ")) Deno.symlinkSync(rest, `${root}/${path}`);
    else if (rest === "?") pipe(`${root}/${path}`);
    else Deno.writeTextFileSync(`${root}/${path}`, rest);
  }
  assertEquals(picture(root).length >= entries.length, true);
}

export function modeOf(path: string): number {
  return (Deno.lstatSync(path).mode ?? 0) & 0o7777;
}
