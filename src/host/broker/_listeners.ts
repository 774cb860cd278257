/** What listens on this machine's ports, whoever it is: as the kernel tells everybody (proc_pid_net(5)). */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { close } from "../kernel/pipes.ts";

/** A socket that connections can be made to. */
export interface Listener {
  /** As `addressKey` has it. */
  readonly address: string;
  /** The number that tells it from all others, as long as it is there. */
  readonly inode: number;
}

/**
 * `sl local_address rem_address st … uid timeout inode`: 0A is TCP_LISTEN (include/net/tcp_states.h). Those that listen
 * come first (tcp_get_idx, net/ipv4/tcp_ipv4.c).
 */
const LINE = /^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ ([0-9A-F]{2}) \S+ \S+ \S+ +\d+ +\d+ (\d+)/;
const LISTENING = "0A";
const PIECE = 32 * 1024;

/** An address as these files write it: words of 32 bits, of the lowest byte first on both of our architectures. */
export function addressKey(address: Uint8Array): string {
  let text = "";
  for (let word = 0; word < address.length; word += 4) {
    for (let byte = 3; byte >= 0; byte--) {
      text += address[word + byte]!.toString(16).padStart(2, "0");
    }
  }
  return text.toUpperCase();
}

/** All that listen at a port, or at any (null); null where that cannot be told. */
export function listenersAt(libc: Libc, port: number | null): readonly Listener[] | null {
  const four = read(libc, `/proc/${Deno.pid}/net/tcp`, port);
  // A kernel may have no IPv6.
  return four === null ? null : [...four, ...read(libc, `/proc/${Deno.pid}/net/tcp6`, port) ?? []];
}

function read(libc: Libc, path: string, port: number | null): readonly Listener[] | null {
  const { numbers } = libc;
  const file = libc.call(numbers.openat, AT_FDCWD, libc.path(path), OPEN.RDONLY | OPEN.CLOEXEC);
  if (file < 0) return null;
  const wanted = port?.toString(16).toUpperCase().padStart(4, "0");
  const found: Listener[] = [];
  const piece = new Uint8Array(PIECE);
  const decoder = new TextDecoder();
  let rest = "";
  let count = 0;
  for (let more = true; more;) {
    count = libc.transfer(numbers.read, file, piece, PIECE);
    if (count === -ERRNO.EINTR) continue;
    if (count <= 0) break;
    const lines = (rest + decoder.decode(piece.subarray(0, count))).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, address, at, state, inode] = LINE.exec(line) ?? [];
      if (address === undefined) continue;
      more = state === LISTENING;
      if (!more) break;
      if (wanted === undefined || at === wanted) found.push({ address, inode: Number(inode) });
    }
  }
  close(libc, file);
  return count < 0 ? null : found;
}
