/** The C library for all tests of a file: opened once, outside of tests, which would take it for a leak. */

import { assert } from "@std/assert";
import { probeLandlock } from "../../../src/sandbox/landlock.ts";
import { openLibc } from "../../../src/sandbox/kernel/libc.ts";

const opened = openLibc();
assert(opened !== null, "these tests need glibc on Linux, as Toolgate's Linux build does");

export const LIBC = opened;

/** The Landlock ABI of this machine. */
export const ABI = probeLandlock(opened);
