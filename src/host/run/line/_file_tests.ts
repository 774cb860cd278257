/** Looking at files for `test`: what stat(2) and access(2) say of a path that was judged. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { AT_FDCWD } from "../../../sandbox/kernel/open_without_links.ts";
import { isSameFile, type Stat, statAt } from "../../kernel/stat.ts";
import type { LineHost } from "./line_host.ts";

/** S_IFMT, S_IFIFO, S_IFSOCK, S_IFBLK, S_IFCHR (include/uapi/linux/stat.h) */
const TYPE_BITS = 0o170000;
const TYPES: Readonly<Record<string, number>> = {
  "-p": 0o010000,
  "-S": 0o140000,
  "-b": 0o060000,
  "-c": 0o020000,
  "-f": 0o100000,
  "-d": 0o040000,
};
/** S_ISUID, S_ISGID, S_ISVTX */
const MODES: Readonly<Record<string, number>> = { "-u": 0o4000, "-g": 0o2000, "-k": 0o1000 };
/** R_OK, W_OK, X_OK (access(2)) */
const ACCESS: Readonly<Record<string, number>> = { "-r": 4, "-w": 2, "-x": 1 };

type Machine = Pick<LineHost, "libc" | "resolve">;

/** Whether what the path leads to is as the operator says. */
export function isSo(
  { libc, resolve }: Machine,
  directory: CanonicalPath,
  operator: string,
  path: string,
): boolean {
  if (operator === "-L" || operator === "-h") {
    const name = path.replace(/(.)\/+$/, "$1");
    const slash = name.lastIndexOf("/");
    const folder = resolve(directory, slash === -1 ? "." : name.slice(0, slash) || "/");
    if (folder === null || path.endsWith("/")) return false;
    const stat = statAt(libc, AT_FDCWD, below(folder, name.slice(slash + 1)));
    return typeof stat !== "number" && stat.type === "symlink";
  }
  const target = resolve(directory, path);
  if (target === null) return false;
  const stat = statAt(libc, AT_FDCWD, target);
  if (typeof stat === "number") return false;
  const type = libc.struct.getUint16(28, true) & TYPE_BITS;
  const wanted = TYPES[operator];
  if (path.endsWith("/") && stat.type !== "directory") return false;
  if (wanted !== undefined) return type === wanted;
  const mode = MODES[operator];
  if (mode !== undefined) return (stat.mode & mode) !== 0;
  const access = ACCESS[operator];
  if (access !== undefined) {
    return libc.call(libc.numbers.faccessat, AT_FDCWD, libc.path(target), access) === 0;
  }
  switch (operator) {
    case "-e":
    case "-a":
      return true;
    case "-s":
      return stat.size > 0;
    case "-O":
      return stat.user === libc.call(libc.numbers.geteuid);
    default:
      throw new ToolError(
        "COMMAND_UNPARSABLE",
        `a test was not made: ${operator} is not known here`,
      );
  }
}

/** `-nt`, `-ot`, `-ef` */
export function isComparedSo(
  machine: Machine,
  directory: CanonicalPath,
  operator: string,
  [left, right]: readonly [string, string],
): boolean {
  const [one, other] = [lookAt(machine, directory, left), lookAt(machine, directory, right)];
  if (operator === "-ef") return one !== null && other !== null && isSameFile(one, other);
  const [newer, older] = operator === "-nt" ? [one, other] : [other, one];
  return newer !== null && (older === null || newer.modified > older.modified);
}

function lookAt({ libc, resolve }: Machine, directory: CanonicalPath, path: string): Stat | null {
  const target = path === "" ? null : resolve(directory, path);
  const stat = target === null ? -1 : statAt(libc, AT_FDCWD, target);
  return typeof stat === "number" ? null : stat;
}

function below(folder: string, name: string): string {
  return `${folder === "/" ? "" : folder}/${name}`;
}
