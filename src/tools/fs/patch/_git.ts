/** The extended headers that `git diff` writes before a file's hunks (git-diff(1), "Generating patch text with -p"). */

import { patchError } from "./_error.ts";
import { readGitNames, readHeaderName, unquote } from "./_names.ts";

/** What the headers of one file say. */
export interface GitHeader {
  /** Of the `diff --git` line, from 1. */
  readonly line: number;
  /** The name that both sides share; null where they do not, or where they cannot be told apart. */
  readonly name: string | null;
  /** Null where the file stays where it is. */
  readonly kind: "add" | "delete" | "move" | "copy" | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly executable?: boolean;
  /** Index of the line behind the headers. */
  readonly next: number;
}

const START = "diff --git ";

const HEADER =
  /^(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|rename old|rename new|similarity index|dissimilarity index|index) (.*)$/;

/** Types of entries in Git's modes (git-fast-import(1), "filemodify"): no regular files. */
const LINK = "120000";
const SUBMODULE = "160000";

/** Whether a line begins Git's part about one file. */
export function isGitHeader(line: string): boolean {
  return line.startsWith(START);
}

/** Throws PATCH_FAILED for links, submodules and modes that no file has. */
export function readGitHeader(lines: readonly string[], from: number): GitHeader {
  const said = new Map<string, string>();
  let at = from + 1;
  for (
    let found = HEADER.exec(lines[at] ?? "");
    found !== null;
    found = HEADER.exec(lines[++at] ?? "")
  ) {
    const [, key = "", value = ""] = found;
    said.set(key, value);
    if (/mode$|^index$/.test(key)) refuseSpecial(value.split(" ").at(-1) ?? "", at + 1);
  }
  const nameOf = (...keys: readonly string[]) => {
    const value = keys.map((key) => said.get(key)).find((found) => found !== undefined);
    if (value === undefined) return null;
    return value.startsWith('"') ? unquote(value) : readHeaderName(value)?.name ?? null;
  };
  const kind = said.has("new file mode")
    ? "add"
    : said.has("deleted file mode")
    ? "delete"
    : said.has("rename from") || said.has("rename to") || said.has("rename old")
    ? "move"
    : said.has("copy from") || said.has("copy to")
    ? "copy"
    : null;
  const mode = said.get("new mode") ?? said.get("new file mode");
  // A new file is not for executing unless told so: that needs no word.
  const isSaid = mode !== undefined && (said.has("new mode") || isExecutable(mode));
  return {
    line: from + 1,
    name: readGitNames((lines[from] ?? "").slice(START.length).trimEnd()),
    kind,
    from: nameOf("rename from", "copy from", "rename old"),
    to: nameOf("rename to", "copy to", "rename new"),
    ...(isSaid ? { executable: isExecutable(mode) } : {}),
    next: at,
  };
}

/** Git keeps no more of a file's mode than whether its owner may execute it. */
function isExecutable(mode: string): boolean {
  return (parseInt(mode, 8) & 0o100) !== 0;
}

function refuseSpecial(mode: string, line: number): void {
  if (mode === LINK) throw patchError(line, "symbolic links cannot be patched");
  if (mode === SUBMODULE) throw patchError(line, "submodules cannot be patched");
}
