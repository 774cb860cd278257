/** Hooks that git starts in a line: what it starts stands in for them, and they are run elsewhere, held by themselves. */

import type { CanonicalPath } from "../../core/capability.ts";
import { baseName, parentOf } from "../../core/path_text.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import { close } from "../kernel/pipes.ts";
import { textAt } from "../kernel/read_text.ts";
import type { CallParts, CallResult } from "./_call_result.ts";
import { copyOf } from "./_descriptors.ts";
import type { HookStarts } from "./handed_rules.ts";
import { linkTarget } from "./_names.ts";

/** ARG_MAX is what both together may have (execve(2)); a line's are shorter. */
const MOST_TEXT = 1 << 20;

/** Has the hook run that the caller stands in for, and answers with its status; null where the caller is none of them. */
export function startHook(
  parts: CallParts,
  call: HandedOver,
  { standIns, run }: HookStarts,
): CallResult | null {
  const { libc, notifications } = parts;
  const { thread } = call;
  const executable = linkTarget(libc, `/proc/${thread}/exe`);
  if (executable === null || parentOf(executable) !== standIns) return null;
  const directory = linkTarget(libc, `/proc/${thread}/cwd`);
  const words = textAt(libc, `/proc/${thread}/cmdline`, MOST_TEXT);
  const variables = textAt(libc, `/proc/${thread}/environ`, MOST_TEXT);
  // What is no UTF-8 cannot be handed on: git is told that it failed.
  if (directory === null || words === null || variables === null) return -ERRNO.EACCES;
  const copies = [0, 1, 2].map((number) => copyOf(parts, call, number));
  const [input = -1, output = -1, error = -1] = copies;
  if (copies.some((copy) => copy < 0) || !notifications.isWaiting(call)) {
    for (const copy of copies) if (copy >= 0) close(libc, copy);
    return -ERRNO.EACCES;
  }
  const status = run({
    name: baseName(executable),
    words: partsOf(words).slice(1),
    directory: directory as CanonicalPath,
    variables: partsOf(variables),
    descriptors: [input, output, error],
  });
  // The call ends with it as with an error, and what made it ends with that.
  return { later: status.then((code) => -code) };
}

/** Each ends with a NUL (proc(5)). */
function partsOf(text: string): readonly string[] {
  return text.replace(/\0$/, "").split("\0");
}
