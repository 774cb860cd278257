/** Leases (fcntl(2)), by which it is found out who has a file open. */

import type { Libc } from "../../sandbox/kernel/libc.ts";

/** F_SETLEASE, F_RDLCK, F_UNLCK (include/uapi/linux/fcntl.h, asm-generic/fcntl.h) */
const SET_LEASE = 1024;
const READ_LEASE = 0;
const NO_LEASE = 2;

/** Whether nobody has the file open for writing: else nobody could be given this lease. `file`: open for reading. */
export function isWrittenByNobody({ call, numbers }: Libc, file: number): boolean {
  if (call(numbers.fcntl, file, SET_LEASE, READ_LEASE) < 0) return false;
  call(numbers.fcntl, file, SET_LEASE, NO_LEASE);
  return true;
}
