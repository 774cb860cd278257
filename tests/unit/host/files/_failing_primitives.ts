/** Primitives whose callers fail, or die, at a chosen one: what `_failing_libc.ts` is to system calls. */

import type { FilePrimitives, Handle } from "../../../../src/host/files/primitives.ts";
import { Crash } from "./_failing_libc.ts";

export interface FailingPrimitives {
  readonly primitives: FilePrimitives;
  readonly calls: () => number;
  /** Closes what a dead writer had open, as the system does, and with it lets its locks go. */
  readonly bury: () => void;
}

type Call = (...args: unknown[]) => unknown;

/** The `n`th primitive that closes nothing fails with `errno`, or, without one, ends the writer there. */
export function failingPrimitivesAt(
  n: number,
  errno: number | null,
  base: FilePrimitives,
): FailingPrimitives {
  const open = new Set<Handle>();
  let calls = 0;
  const wrap = (name: keyof FilePrimitives, call: Call): Call => (...args) => {
    if (name === "settle") return call();
    if (name === "close" || name === "closeLater") {
      open.delete(args[0] as Handle);
      return call(...args);
    }
    // A dead writer calls nothing any more; the system closes its files.
    if (calls >= n && errno === null) throw new Crash();
    if (++calls === n) {
      if (errno !== null) return name === "sizeAt" ? null : -errno;
      if (name === "write") {
        // Half of it was written.
        const [handle, bytes] = args as [Handle, Uint8Array];
        call(handle, bytes.subarray(0, bytes.length >> 1));
      }
      throw new Crash();
    }
    const result = call(...args);
    if (name === "openAt" || name === "openPath") {
      if ((result as number) >= 0) open.add(result as Handle);
    }
    return result;
  };
  const wrapped = Object.entries(base).map(([name, call]) => [
    name,
    typeof call === "function"
      ? wrap(name as keyof FilePrimitives, (call as Call).bind(base))
      : call,
  ]);
  return {
    primitives: Object.fromEntries(wrapped),
    calls: () => calls,
    bury: () => open.forEach((handle) => base.close(handle)),
  };
}
