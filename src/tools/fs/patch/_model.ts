/** What a patch says, once read: which files it changes, and how. */

/** A line of a hunk: context, taken away, or added. `text` without its line end. */
export interface PatchLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** False: the last line of a file that does not end with a line end. */
  readonly ended: boolean;
}

/** One contiguous change. */
export interface Hunk {
  /** Its header as the patch has it. */
  readonly header: string;
  /** Line of the header in the patch, from 1. */
  readonly patchLine: number;
  /** Where the old lines begin, from 1, as the header says; null where only their content tells. */
  readonly oldStart: number | null;
  /** Lines to be found one after the other before it, where `oldStart` is null. */
  readonly anchors: readonly string[];
  /** It ends where the file ends, where `oldStart` is null. */
  readonly atEnd: boolean;
  /** Its header gave other counts than it has lines. */
  readonly recounted: boolean;
  readonly lines: readonly PatchLine[];
}

/** `delete`: of a file that holds nothing once the hunks are applied; `remove`: whatever it holds. */
export type PatchKind = "modify" | "add" | "delete" | "move" | "copy" | "remove";

/** The change of one file. */
export interface FilePatch {
  readonly kind: PatchKind;
  /** The file that is read: the same as `to` but for `move` and `copy`. */
  readonly from: string;
  readonly to: string;
  readonly hunks: readonly Hunk[];
  /** Set where the patch says whether the file may be executed. */
  readonly executable?: boolean;
  /** Which of several patches, one after the other, it belongs to. */
  readonly stage: number;
}
