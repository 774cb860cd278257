/** The file handles on Linux: all over the system calls of this thread. */

import type { Durability } from "../../../core/files.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { createChanging } from "../change/changing.ts";
import type { FileBackend } from "../file_backend.ts";
import { createLinuxPrimitives } from "./primitives.ts";
import { createLinuxReading } from "./reading.ts";

/** The files of this thread, through its system calls. */
export function createLinuxFiles(libc: Libc, durability: Durability = "full"): FileBackend {
  const primitives = createLinuxPrimitives(libc, durability);
  return { ...createLinuxReading(libc), ...createChanging(primitives) };
}
