/** What understanding a simple command takes beside its words. */

import type { assessCommand } from "../programs/risk.ts";
import type { Script } from "./_script.ts";

/** Where in the script the words of a command stand. */
export interface CommandSource {
  /** Where each word begins. */
  readonly indexes: readonly number[];
  /** The text from the first word on. */
  readonly source: string;
  /**
   * Understands a script that stands in a word; `positional` null: in the shell of the line, with what that has; `open`: in one
   * of its own, with what is known when it runs.
   */
  readonly nested: (
    source: string,
    positional: readonly string[] | "open" | null,
    index: number,
  ) => Script;
  /** As `nested`, by itself: for looking at it, whatever becomes of it; with whether every POSIX shell reads it so. */
  readonly alone: (
    source: string,
    positional: readonly string[],
    index: number,
  ) => Script & { readonly posix: boolean };
  /** Loops around it in its shell. */
  readonly loops: number;
  readonly inFunction: boolean;
  /** Whether it stands in the list of a shell of its own. */
  readonly listed: boolean;
  /** Names that are functions'. */
  readonly functions: ReadonlySet<string>;
  /** Whether it is of the line as that is judged, and no shell that is started reads it. */
  readonly byLine: boolean;
  readonly onDialect: () => void;
  /** Null where nothing in the script asks for it. */
  readonly assess: typeof assessCommand | null;
}
