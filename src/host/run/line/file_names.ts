/** Pathname expansion (POSIX, 2.6.6): the names that a pattern stands for, as far as the policy lets them be seen. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { isEscapedName, nameBytes } from "../../../core/name_text.ts";
import { ToolError } from "../../../core/errors.ts";
import type { Rulebook } from "../../../policy/rulebook.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../../sandbox/kernel/open_without_links.ts";
import { close } from "../../kernel/pipes.ts";
import { readEntries } from "../../kernel/directory_entries.ts";
import { statAt } from "../../kernel/stat.ts";
import { compilePattern, isPattern, plainOf } from "./expand/pattern.ts";

/** How directories are looked through, and by which rules names are shown. */
export interface FileNamesOptions {
  readonly libc: Libc;
  readonly rulebook: Pick<Rulebook, "judgePath" | "mayDenyBelow">;
  /** Where a path leads; null where that cannot be found out. */
  readonly resolve: (directory: CanonicalPath, path: string) => CanonicalPath | null;
}

/** What of `shopt` patterns hang on. */
export interface FileNamesWish {
  /** Names that begin with a dot are meant, too (dotglob). */
  readonly dotted?: boolean;
  /** `**` goes into folders, and into those in them, but through no link (globstar). */
  readonly deep?: boolean;
}

/** Folders within each other that `**` goes into. */
const MOST_DEPTH = 100;
/** Names that one line may look at: what is more holds everything up, and fits into no argument list. */
const MOST_NAMES = 100_000;
const BUFFER_BYTES = 32 * 1024;

/**
 * A function from a pattern and the directory it starts in to the names that match, sorted by their bytes. Names
 * that the policy does not let the call read are not there for it; what is no UTF-8 is as `nameText` has it; a name that
 * begins with a dot takes a pattern that does. Throws RESOURCE_LIMIT where it would look at too many.
 */
export function createFileNames(
  options: FileNamesOptions,
): (pattern: string, directory: CanonicalPath, wish?: FileNamesWish) => readonly string[] {
  let looked = 0;
  const list = (directory: CanonicalPath, path: string): readonly Listed[] => {
    const listed = listDirectory(options, directory, path === "" ? "." : path);
    looked += listed.length;
    if (looked > MOST_NAMES) {
      throw new ToolError(
        "RESOURCE_LIMIT",
        `the patterns of the command look at more than ${MOST_NAMES} names; name the files, or a narrower pattern`,
      );
    }
    return listed;
  };
  /** What lies below, at any depth: paths that begin with `before`. */
  const below = (
    directory: CanonicalPath,
    before: string,
    wanted: (one: Listed) => boolean,
    depth = 0,
  ): readonly { readonly path: string; readonly folder: boolean }[] =>
    depth > MOST_DEPTH ? [] : list(directory, before).filter(wanted).flatMap((one) => {
      const path = before + one.name;
      const inner = one.folder && !one.link ? below(directory, `${path}/`, wanted, depth + 1) : [];
      return [{ path, folder: one.folder }, ...inner];
    });
  return (pattern, directory, { dotted: all = false, deep = false } = {}) => {
    // Parts with the slashes behind them, which stay as they were written.
    const parts = pattern.match(/[^/]*\/+|[^/]+$/g) ?? [];
    let found: readonly string[] = [""];
    parts.forEach((part, index) => {
      const slashes = /\/*$/.exec(part)?.[0] ?? "";
      const text = part.slice(0, part.length - slashes.length);
      const last = index === parts.length - 1;
      if (deep && text === "**") {
        const shown = ({ name }: Listed): boolean => all || !name.startsWith(".");
        // What bash makes of its own findings there is another thing with each number of slashes.
        if (last && parts.slice(0, -1).some(isPattern)) {
          throw new ToolError(
            "COMMAND_UNPARSABLE",
            `${pattern}: ** at the end of a pattern with others before it is not expanded; write **/* there`,
          );
        }
        const deeper = found.flatMap((before) => {
          // Itself, at no depth at all.
          const own = !last || (before !== "" && isThere(options, directory, before))
            ? [before]
            : [];
          return [
            ...own,
            ...below(directory, before, shown).flatMap(({ path, folder }) =>
              slashes === "" ? [path] : folder ? [path + slashes] : []
            ),
          ];
        });
        found = [...new Set(deeper)];
        return;
      }
      found = found.flatMap((before) => {
        if (!isPattern(text)) {
          const path = before + plainOf(text) + slashes;
          const sure = !last || text === "" || !parts.slice(0, -1).some(isPattern);
          return sure || isThere(options, directory, path) ? [path] : [];
        }
        const { matches, dotted } = compilePattern(text);
        return list(directory, before)
          .filter(({ name, folder }) =>
            (!name.startsWith(".") || dotted || all) && (slashes === "" || folder) && matches(name)
          )
          .map(({ name }) => before + name + slashes);
      });
    });
    return [...found].sort(byBytes);
  };
}

/** In the order of code points, which is that of UTF-8's bytes and not that of UTF-16. */
function byBytes(a: string, b: string): number {
  if (isEscapedName(a) || isEscapedName(b)) return compared(nameBytes(a), nameBytes(b));
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one === other) continue;
    const surrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;
    if (surrogate(one) !== surrogate(other)) return surrogate(one) ? 1 : -1;
    return one - other;
  }
  return a.length - b.length;
}

function compared(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at === -1 ? a.length - b.length : a[at]! - (b[at] ?? -1);
}

interface Listed {
  readonly name: string;
  /** A directory, or a link that leads to one. */
  readonly folder: boolean;
  /** A link, wherever it leads. */
  readonly link: boolean;
}

function listDirectory(
  { libc, rulebook, resolve }: FileNamesOptions,
  from: CanonicalPath,
  path: string,
): readonly Listed[] {
  const directory = resolve(from, path);
  if (directory === null || !mayRead(directory)) return [];
  const flags = OPEN.RDONLY | OPEN.NONBLOCK | libc.numbers.O_DIRECTORY;
  const descriptor = openWithoutLinks(libc, directory, flags);
  if (descriptor < 0) return [];
  try {
    const entries = readEntries(libc, descriptor, new Uint8Array(BUFFER_BYTES));
    if (typeof entries === "number") return [];
    const judges = rulebook.mayDenyBelow("read", directory) ||
      rulebook.judgePath("read", directory, "directory").effect !== "allow";
    return entries.flatMap(({ name, type }) => {
      const whole = `${directory === "/" ? "" : directory}/${name}` as CanonicalPath;
      const known = type ?? typeAt(libc, descriptor, name);
      const folder = known === "directory" ||
        (known === "symlink" && isFolder(libc, resolve(directory, name)));
      const kind = folder ? "directory" : "file";
      if (judges && rulebook.judgePath("read", whole, kind).effect !== "allow") return [];
      return [{ name, folder, link: known === "symlink" }];
    });
  } finally {
    close(libc, descriptor);
  }
}

/** The runtime's own permission set, which system calls would pass by. */
function mayRead(path: CanonicalPath): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}

function typeAt(libc: Libc, directory: number, name: string): string {
  const stat = statAt(libc, directory, name);
  return typeof stat === "number" ? "other" : stat.type;
}

function isFolder(libc: Libc, path: CanonicalPath | null): boolean {
  if (path === null) return false;
  const descriptor = openWithoutLinks(libc, path, OPEN.PATH | libc.numbers.O_DIRECTORY);
  if (descriptor < 0) return false;
  close(libc, descriptor);
  return true;
}

/** Whether the words lead to something that may be read; a link that leads nowhere is something, too. */
function isThere(
  { libc, rulebook, resolve }: FileNamesOptions,
  from: CanonicalPath,
  path: string,
): boolean {
  const name = path.replace(/\/+$/, "");
  const slash = name.lastIndexOf("/");
  const folder = resolve(from, slash === -1 ? "." : name.slice(0, slash) || "/");
  if (folder === null) return false;
  const whole = `${folder === "/" ? "" : folder}/${name.slice(slash + 1)}` as CanonicalPath;
  if (!mayRead(whole)) return false;
  const descriptor = openWithoutLinks(libc, whole, OPEN.PATH);
  if (descriptor < 0) return false;
  close(libc, descriptor);
  return rulebook.judgePath("read", whole).effect === "allow";
}
