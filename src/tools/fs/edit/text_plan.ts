/** What a writing tool is about to do to one text file: planned here, then either shown or done. */

import { ToolError } from "../../../core/errors.ts";
import { sha256 } from "../../../core/sha256.ts";
import type { Syntax } from "../../../core/syntax_tree.ts";
import type { Preview, ReadContext, ToolContext } from "../../../core/tool.ts";
import type { Edit } from "./edit_arguments.ts";
import { applyEdits, type Replaced, replaceWhole } from "./_replacements.ts";
import { openText, requireValid, type TextFile, withBody } from "./text_file.ts";
import { describeChange } from "../../../toolkit/unified_diff.ts";

/** A change of a file that is there, which nothing speaks against. */
export interface TextPlan {
  /** As requested. */
  readonly path: string;
  /** As results show it. */
  readonly shown: string;
  /** The whole new contents, and their hash. */
  readonly bytes: Uint8Array;
  readonly sha256: string;
  /** Of what was read and must still be there. */
  readonly expected: string;
  /** Both texts, U+FFFD for bytes that are none. */
  readonly before: string;
  readonly after: string;
  readonly replacements: number;
  /** On which lines the first places of the last edit begin. */
  readonly lines: readonly number[];
}

/** One file that is to be edited, and how. */
export interface TextEdit {
  readonly path: string;
  readonly encoding?: string | undefined;
  readonly expected_sha256?: string | undefined;
  readonly validate_syntax: boolean;
  /** The whole text, or replacements in order, named in errors as `prefix` says. */
  readonly change:
    | { readonly content: string }
    | { readonly edits: readonly Edit[]; readonly prefix: (index: number) => string };
}

/**
 * Reads the file and plans its change. A file up to the policy's limit on writing can be changed: what may be
 * written may be edited. Throws STALE_FILE, FILE_TOO_LARGE, SYNTAX_INVALID, and what reading, decoding and
 * replacing throw.
 */
export async function planText(edit: TextEdit, context: ReadContext): Promise<TextPlan> {
  const { path, change } = edit;
  const shown = context.files.display(path);
  // Whatever the bytes are needed for comes before the first pause: the next read may overwrite them.
  const bytes = readExisting(path, context);
  const expected = sha256(bytes);
  if ((edit.expected_sha256 ?? expected).toLowerCase() !== expected) throw staleFile(shown);
  const file = openText(shown, bytes, edit.encoding);
  const before = file.codec.decode(file.body);
  const { body, replacements, lines } = "content" in change
    ? replaceAll(shown, file, change.content)
    : applyEdits(file, change.edits, {
      path: shown,
      limit: context.limits.write - file.mark.length,
      checkpoint: context.checkpoint,
      prefix: change.prefix,
    });
  const written = withBody(file, body);
  const hash = sha256(written);
  requireSize(written.length, context);
  const after = file.codec.decode(body);
  if (edit.validate_syntax && hash !== expected) {
    await requireSyntax(context.syntax, shown, before, after);
  }
  return {
    path,
    shown,
    bytes: written,
    sha256: hash,
    expected,
    before,
    after,
    replacements,
    lines,
  };
}

/** Writes what was planned, if what was read is still there. True where there was anything to write. */
export function writeText(plan: TextPlan, context: ToolContext): boolean {
  if (plan.sha256 === plan.expected) return false;
  const expect = { sha256: plan.expected };
  context.files.write(plan.path, plan.bytes, { createParents: false, expect });
  context.count("bytes_written", plan.bytes.length);
  return true;
}

/** As {@linkcode writeText}; the path of the backup that is made then, else null. */
export function writeTextKeeping(plan: TextPlan, context: ToolContext): string | null {
  if (plan.sha256 === plan.expected) return null;
  const expect = { sha256: plan.expected };
  const { backup } = context.files.writeKeeping(plan.path, plan.bytes, { expect });
  context.count("bytes_written", plan.bytes.length);
  return backup;
}

/** What a preview says of a file. `before` null: nothing is there; undefined: it may not be known, or is no text. */
export interface Outlook {
  readonly path: string;
  /** Null: that may not be known. */
  readonly exists: boolean | null;
  /** What `bytes_written` would be. */
  readonly bytes: number;
  /** Whether not a byte would change. */
  readonly same: boolean;
  readonly before: string | null | undefined;
  /** Null for what is no text. */
  readonly after: string | null;
}

/** The members that all previews of written files have. */
export async function previewOf(outlook: Outlook): Promise<Preview> {
  const { path, exists, bytes, same, before, after } = outlook;
  const known = before === undefined || after === null
    ? { added_lines: null, removed_lines: null, diff: null }
    : await describeChange(path, before, after);
  const change = exists === null ? null : !exists ? "added" : same ? "unchanged" : "modified";
  return { path, change, exists, bytes, ...known };
}

/** The preview of a plan, with what its tool says beside. */
export async function previewText(plan: TextPlan): Promise<Preview> {
  const { shown, bytes, before, after } = plan;
  const same = plan.sha256 === plan.expected;
  return await previewOf({ path: shown, exists: true, bytes: bytes.length, same, before, after });
}

/** Throws FILE_TOO_LARGE for what the policy lets nobody write. */
export function requireSize(size: number, { limits }: ReadContext): void {
  if (size <= limits.write) return;
  throw new ToolError(
    "FILE_TOO_LARGE",
    `the content has ${size} bytes; the policy lets ${limits.write} be written at once`,
    { details: { size, limit: limits.write } },
  );
}

/** STALE_FILE: what was read before is no longer what is there. */
export function staleFile(shown: string, what = "has changed"): ToolError {
  return new ToolError("STALE_FILE", `${shown} ${what}; read it again before writing`);
}

function replaceAll(shown: string, file: TextFile, content: string): Replaced {
  // Into what else than its encoding the file is to be written is not known.
  requireValid(shown, file);
  // read_file leaves the mark out; whoever puts it back means the one that is there.
  const text = file.mark.length > 0 && content.startsWith("\ufeff") ? content.slice(1) : content;
  return { body: replaceWhole(file, text), replacements: 0, lines: [] };
}

function readExisting(path: string, context: ReadContext): Uint8Array {
  try {
    return context.files.read(path, context.limits.write).bytes;
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "FILE_NOT_FOUND") throw error;
    throw new ToolError(error.code, `${error.message}; create_file makes new files`, {
      details: error.details ?? {},
    });
  }
}

async function requireSyntax(
  syntax: Syntax,
  shown: string,
  before: string,
  after: string,
): Promise<void> {
  const failure = await syntaxFailure(syntax, shown, after);
  if (failure === null) return;
  if (await syntaxFailure(syntax, shown, before) === null) throw failure;
  throw new ToolError(failure.code, `${failure.message} (the file was not valid before either)`, {
    details: failure.details ?? {},
  });
}

async function syntaxFailure(
  syntax: Syntax,
  shown: string,
  text: string,
): Promise<ToolError | null> {
  try {
    await syntax.check(shown, text);
    return null;
  } catch (error) {
    if (error instanceof ToolError && error.code === "SYNTAX_INVALID") return error;
    throw error;
  }
}
