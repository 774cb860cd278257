/** What a shell says of a name that leads to no program, and the status that it gives (POSIX, 2.8.2). */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../../sandbox/kernel/open_without_links.ts";
import { close } from "../../kernel/pipes.ts";
import { statOf } from "../../kernel/stat.ts";
import type { ProcessesOptions } from "../program_options.ts";
import type { LineHost, NotStarted } from "./line_host.ts";
import { messageOf } from "./redirect.ts";

/**
 * Of a name that was looked for, and not found as a program: a bare one is not there, a path may lead to something
 * that is none. What the policy does not let be read is not told apart from what is not there.
 */
export function notStarted(
  name: string,
  directory: CanonicalPath,
  { libc, resolve, judgePath }: Pick<LineHost, "libc" | "resolve"> & {
    readonly judgePath: ProcessesOptions["rulebook"]["judgePath"];
  },
): NotStarted {
  if (!name.includes("/")) return { status: 127, name, message: "command not found" };
  const missing: NotStarted = { status: 127, name, message: "No such file or directory" };
  // A file where a folder would have to be stands in the way of what lies below.
  let [path, inTheWay] = [resolve(directory, name), false];
  for (let above = name; path === null && above.includes("/"); inTheWay = true) {
    above = above.slice(0, above.lastIndexOf("/"));
    path = resolve(directory, above === "" ? "/" : above);
  }
  if (path === null || judgePath("read", path, "file").effect === "deny") return missing;
  const errno = inTheWay ? ERRNO.ENOTDIR : failureOf(libc, path);
  return errno === ERRNO.ENOENT ? missing : { status: 126, name, message: messageOf(errno) };
}

/** The error that starting it would meet. */
function failureOf(libc: Libc, path: CanonicalPath): number {
  const descriptor = openWithoutLinks(libc, path, OPEN.PATH);
  if (descriptor < 0) return -descriptor;
  const stat = statOf(libc, descriptor);
  close(libc, descriptor);
  const directory = typeof stat !== "number" && stat.type === "directory";
  return directory ? ERRNO.EISDIR : ERRNO.EACCES;
}
