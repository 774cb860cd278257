/** Reading on Linux: what the primitives give, and scans, which only system calls make quick. */

import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { scanTree } from "../../scan/linux/scan.ts";
import { helpScan } from "../../scan/linux/scan_run.ts";
import type { FileBackend } from "../file_backend.ts";
import { createReading, type Reading } from "../read/reading.ts";
import { createLinuxReadPrimitives } from "./reading_primitives.ts";

/** What may be looked at through the system calls of this thread. */
export function createLinuxReading(
  libc: Libc,
): Reading & Required<Pick<FileBackend, "scan" | "help">> {
  return {
    ...createReading(createLinuxReadPrimitives(libc)),
    scan: (target, options, visit) => scanTree(libc, target, options, visit),
    help: (target, options, answer) => helpScan(libc, target, options, answer),
  };
}
