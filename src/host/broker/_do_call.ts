/** A call that was handed over, by its words: what each of them means, and what is done for it. */

import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import type { HandedCall } from "../../sandbox/handed_calls.ts";
import {
  link,
  makeDirectory,
  makeLink,
  makeNode,
  type NameWord,
  remove,
  rename,
  truncate,
} from "./_changing.ts";
import type { CallParts, CallResult } from "./_call_result.ts";
import { LEAVE } from "./_names.ts";
import { openFor } from "./_opening.ts";
import { startFor } from "./_starting.ts";

/** O_CREAT | O_WRONLY | O_TRUNC: creat(2). */
const CREATE = OPEN.CREAT | OPEN.WRONLY | 0o1000;
/** AT_REMOVEDIR (include/uapi/linux/fcntl.h) */
const REMOVE_DIRECTORY = 0x200;

/** Does the call for the program, as far as it may. */
export function doCall(
  parts: CallParts,
  name: HandedCall | "execve",
  call: HandedOver,
): CallResult {
  const { words } = call;
  const int = (index: number): number => words.int(index);
  const here = (index: number): NameWord => ({ directory: AT_FDCWD, address: words.at(index) });
  const at = (index: number): NameWord => ({ directory: int(index), address: words.at(index + 1) });
  switch (name) {
    case "open":
      return openFor(parts, call, { ...here(0), flags: int(1), mode: int(2) });
    case "creat":
      return openFor(parts, call, { ...here(0), flags: CREATE, mode: int(1) });
    case "openat":
      return openFor(parts, call, { ...at(0), flags: int(2), mode: int(3) });
    case "mkdir":
      return makeDirectory(parts, call, here(0), int(1));
    case "mkdirat":
      return makeDirectory(parts, call, at(0), int(2));
    case "mknod":
      return makeNode(parts, call, here(0), int(1));
    case "mknodat":
      return makeNode(parts, call, at(0), int(2));
    case "symlink":
      return makeLink(parts, call, words.at(0), here(1));
    case "symlinkat":
      return makeLink(parts, call, words.at(0), at(1));
    case "rmdir":
      return remove(parts, call, here(0), REMOVE_DIRECTORY);
    case "unlink":
      return remove(parts, call, here(0), 0);
    case "unlinkat":
      return remove(parts, call, at(0), int(2));
    case "rename":
      return rename(parts, call, [here(0), here(1)], 0);
    case "renameat":
      return rename(parts, call, [at(0), at(2)], 0);
    case "renameat2":
      return rename(parts, call, [at(0), at(2)], int(4));
    case "link":
      return link(parts, call, [here(0), here(1)], 0);
    case "linkat":
      return link(parts, call, [at(0), at(2)], int(4));
    case "truncate":
      return truncate(parts, call, here(0), words.wide(1));
    case "execve":
      return startFor(parts, call, words.at(0));
    case "umask":
      parts.masks.change();
      return LEAVE;
  }
}
