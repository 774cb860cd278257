/** Lets threads read what the build carries, which their boundaries do not name. */

import { fromFileUrl } from "@std/path";
import type { CanonicalPath } from "../../core/capability.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { embeddedPath } from "./carried_layout.ts";

/** uapi/asm-generic/fcntl.h */
const O_CLOEXEC = 0o2000000;
const AT_FDCWD = -100;

/**
 * How a thread reads the WebAssembly of the parser for Python. To be called before the thread's boundary closes:
 * the executable is opened here, in some microseconds, and read when asked for. From source the file is read
 * at once. What is answered throws EXECUTION_ERROR where there is nothing to read.
 */
export function openCarried(libc: Libc | null): () => Promise<Uint8Array> {
  if (!Deno.build.standalone) {
    const bytes = Deno.readFileSync(sourceFile());
    return () => Promise.resolve(bytes);
  }
  const program = libc === null ? null : openProgram(libc);
  return async () => {
    const { readCarried } = await import("./_read_carried.ts");
    return readCarried(libc, program);
  };
}

/** The link leads to the file that runs, wherever it was moved to since. */
function openProgram(libc: Libc): number | null {
  const path = libc.path("/proc/self/exe");
  const descriptor = libc.call(libc.numbers.openat, AT_FDCWD, path, O_CLOEXEC);
  return descriptor < 0 ? null : descriptor;
}

/** Where the parser lies when Toolgate runs from source. */
function sourceFile(): string {
  return fromFileUrl(import.meta.resolve("@astral-sh/ruff-wasm-web/ruff_wasm_bg.wasm"));
}

/**
 * The boundary with what is embedded to read, for the permission set of a thread: the runtime asks for read
 * permission there as for any file, and lets the program have it. On Linux nothing is embedded; from source it is a
 * file, which is read before the kernel's rules close.
 */
export function withEmbedded(boundary: Boundary): Boundary {
  if (Deno.build.standalone && Deno.build.os === "linux") return boundary;
  const path = Deno.build.standalone ? embeddedPath() : sourceFile();
  return { ...boundary, read: [...boundary.read, path as CanonicalPath] };
}
