/** From the text of a patch to the changes that it asks for: unified diffs, plain or Git's, with anything around them. */

import { ToolError } from "../../../core/errors.ts";
import { printable, quoted } from "../../../core/printable.ts";
import { isEnvelope, parseEnvelope } from "./_envelope.ts";
import { patchError } from "./_error.ts";
import { isFileHeader, isHunkHeader, readHunk } from "./_hunk.ts";
import { isGitHeader, readGitHeader } from "./_git.ts";
import type { FilePatch, Hunk } from "./_model.ts";
import { type HeaderName, meantName, readHeaderName } from "./_names.ts";

/** Files of one patch: 200,000 empty parts in 4 MB kept everybody waiting for 1.2 s. */
const MOST_FILES = 5_000;

/** Lines of one patch: 3,750,000 in 15 MB kept everybody waiting for 2 s. */
const MOST_LINES = 200_000;

/** Throws PATCH_FAILED that names the line of the patch, for what is no patch and for what cannot be done. */
export function parsePatch(text: string): readonly FilePatch[] {
  const lines = linesOf(text);
  if (isEnvelope(lines)) return parseEnvelope(lines);
  const patches: FilePatch[] = [];
  let stage = 0;
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    if (isGitHeader(line) || isFileHeader(lines, at)) {
      const { patch, next } = readFilePatch(lines, at);
      patches.push({ ...patch, stage });
      if (patches.length > MOST_FILES) {
        throw patchError(at + 1, `more than ${MOST_FILES} files; send it in several patches`);
      }
      at = next;
      continue;
    }
    refuseOtherForms(lines, at);
    // The head of a mail that `git format-patch` made: what follows builds on what came before.
    if (/^From [0-9a-f]{40,64} /.test(line)) stage++;
    at++;
  }
  if (patches.length > 0) return patches;
  throw new ToolError(
    "PATCH_FAILED",
    "there is no diff in the patch; write it as `diff -u` or `git diff` do: --- a/file, +++ b/file, " +
      "@@ -line,count +line,count @@, and lines that begin with a space, - or +",
  );
}

/** Without line ends. A patch whose headers end in CR LF was carried so as a whole. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n", MOST_LINES + 2);
  if (lines.length > MOST_LINES + 1) {
    throw new ToolError(
      "PATCH_FAILED",
      `the patch has more than ${MOST_LINES} lines; send it in several, and whole files with write_file`,
    );
  }
  if (lines.at(-1) === "") lines.pop();
  const header = lines.find((line) => /^(?:diff --git |--- .|\*\*\* Begin Patch)/.test(line));
  const carried = header?.endsWith("\r") ?? false;
  return carried ? lines.map((line) => line.replace(/\r$/, "")) : lines;
}

/** Throws for what `patch` may know but this tool does not: leaving it out unseen would lose changes. */
function refuseOtherForms(lines: readonly string[], at: number): void {
  const line = lines[at] ?? "";
  if (isHunkHeader(line)) {
    throw patchError(at + 1, "a hunk without a file; write --- a/file and +++ b/file before it");
  }
  if (/^@@@+ /.test(line)) {
    throw patchError(at + 1, "a combined diff of a merge; make one against a single parent");
  }
  if (/^Binary files .* differ$/.test(line) || line === "GIT binary patch") {
    throw patchError(at + 1, "changes of binary files cannot be applied; write_file takes base64");
  }
  if (/^\*\*\* .+/.test(line) && /^--- .+/.test(lines[at + 1] ?? "")) {
    throw patchError(at + 1, "a context diff; make it with diff -u");
  }
}

type Read = { readonly patch: Omit<FilePatch, "stage">; readonly next: number };

/** One file's headers and hunks. */
function readFilePatch(lines: readonly string[], from: number): Read {
  const git = isGitHeader(lines[from] ?? "") ? readGitHeader(lines, from) : null;
  let at = git?.next ?? from;
  const names = isFileHeader(lines, at) ? readNames(lines, at) : null;
  if (names !== null) at += 2;
  const hunks: Hunk[] = [];
  while (isHunkHeader(lines[at])) {
    const { hunk, next } = readHunk(lines, at);
    hunks.push(hunk);
    at = next;
  }
  refuseOtherForms(lines, at);
  if (hunks.length === 0 && (names !== null || git === null)) {
    throw patchError(
      at + 1,
      "expected a hunk, @@ -line,count +line,count @@, behind the file's names",
    );
  }
  const patch = git === null || git.kind === null
    ? plainPatch(names, hunks, git?.name ?? null, from)
    : gitPatch(git.kind, git, names);
  for (const path of [patch.from, patch.to]) {
    if (path.endsWith("/")) throw patchError(from + 1, `${quoted(path)} is no name of a file`);
  }
  const { executable } = git ?? {};
  return {
    patch: { ...patch, hunks, ...(executable === undefined ? {} : { executable }) },
    next: at,
  };
}

interface Names {
  readonly old: HeaderName;
  readonly now: HeaderName;
  readonly at: number;
}

function readNames(lines: readonly string[], at: number): Names {
  const [old, now] = [0, 1].map((offset) => {
    const name = readHeaderName((lines[at + offset] ?? "").slice(4));
    if (name === null) {
      throw patchError(at + offset + 1, "there is no name of a file here, or one that is no UTF-8");
    }
    return name;
  });
  if (old === undefined || now === undefined || (old.name === null && now.name === null)) {
    throw patchError(at + 1, "both names are /dev/null");
  }
  return { old, now, at };
}

type Change = Pick<FilePatch, "kind" | "from" | "to">;

/** What Git's extended headers say; the names of `---` and `+++` may only agree. */
function gitPatch(
  kind: "add" | "delete" | "move" | "copy",
  { name, from, to, line }: ReturnType<typeof readGitHeader>,
  names: Names | null,
): Change {
  if (kind === "move" || kind === "copy") {
    if (from === null || to === null) {
      throw patchError(
        line,
        `a ${kind === "move" ? "rename" : "copy"} needs both its from and its to`,
      );
    }
    return { kind, from, to };
  }
  const path = name ?? (names === null ? null : meantName(names.old.name, names.now.name));
  if (path === null) throw patchError(line, "cannot tell which file is meant");
  return { kind, from: path, to: path };
}

function plainPatch(
  names: Names | null,
  hunks: readonly Hunk[],
  gitName: string | null,
  at: number,
): Change {
  if (names === null) {
    if (gitName === null) throw patchError(at + 1, "cannot tell which file is meant");
    return { kind: "modify", from: gitName, to: gitName };
  }
  const { old, now } = names;
  const path = gitName ?? meantName(old.name, now.name);
  if (path === null) {
    throw patchError(
      names.at + 1,
      `${quoted(old.name ?? "")} or ${quoted(now.name ?? "")}? Name one file in both lines, ` +
        "as a/ and b/ and its path",
    );
  }
  const isAdded = old.name === null || (old.epoch && oldLines(hunks) === 0);
  const isDeleted = now.name === null || (now.epoch && newLines(hunks) === 0);
  if (isAdded && isDeleted) {
    throw patchError(names.at + 1, `${printable(path)} would be neither before nor after`);
  }
  return { kind: isAdded ? "add" : isDeleted ? "delete" : "modify", from: path, to: path };
}

function oldLines(hunks: readonly Hunk[]): number {
  return hunks.flatMap(({ lines }) => lines).filter(({ sign }) => sign !== "+").length;
}

function newLines(hunks: readonly Hunk[]): number {
  return hunks.flatMap(({ lines }) => lines).filter(({ sign }) => sign !== "-").length;
}
