/** Lets threads read what the build carries, which their boundaries do not name. */

import { fromFileUrl } from "@std/path";
import type { CanonicalPath } from "../../core/capability.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { type CarriedFiles, embeddedFolder } from "./carried_layout.ts";

/** uapi/asm-generic/fcntl.h */
const O_CLOEXEC = 0o2000000;
const AT_FDCWD = -100;

/** Reads a part. Throws EXECUTION_ERROR where there is nothing to read. */
export type ReadCarried = (name: string) => Uint8Array;

/**
 * How a thread reads what the build carries. To be called before the thread's boundary closes: the executable is opened
 * here, in some microseconds, and read when asked for. `source`: what a build would carry, where Toolgate runs from source:
 * these files are read at once; null in a build.
 */
export function openCarried(
  libc: Libc | null,
  source: CarriedFiles | null,
): () => Promise<ReadCarried> {
  if (source !== null) {
    const files = new Map(
      [...source].map(([name, file]) => [name, Deno.readFileSync(pathOf(file))]),
    );
    return () => Promise.resolve((name) => files.get(name) ?? new Uint8Array());
  }
  const program = libc === null ? null : openProgram(libc);
  return async () => {
    const { readCarried } = await import("./_read_carried.ts");
    return (name) => readCarried(name, libc, program);
  };
}

/** The link leads to the file that runs, wherever it was moved to since. */
function openProgram(libc: Libc): number | null {
  const path = libc.path("/proc/self/exe");
  const descriptor = libc.call(libc.numbers.openat, AT_FDCWD, path, O_CLOEXEC);
  return descriptor < 0 ? null : descriptor;
}

/** Where a package's file lies when Toolgate runs from source. */
function pathOf(file: string): string {
  return fromFileUrl(import.meta.resolve(file));
}

/**
 * The boundary with what is embedded to read, for the permission set of a thread: the runtime asks for read
 * permission there as for any file, and lets the program have it. On Linux nothing is embedded; from source they
 * are files, which are read before the kernel's rules close. `source`: as {@linkcode openCarried} has it.
 */
export function withEmbedded(boundary: Boundary, source: CarriedFiles | null): Boundary {
  if (source === null && Deno.build.os === "linux") return boundary;
  const paths = source === null ? [embeddedFolder()] : [...source.values()].map(pathOf);
  return { ...boundary, read: [...boundary.read, ...paths as CanonicalPath[]] };
}
