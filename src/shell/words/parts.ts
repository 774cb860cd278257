/** What words are read into, and what reading one takes from around it. */

import type { PlanNode, Subscript, Word, WordPart } from "../../core/plan.ts";
import type { Scanner } from "./scanner.ts";

/** What reading a word takes from around it. */
export interface WordContext {
  /** What stands at `index` as `$(…)` or backquotes, understood whole; `end` is just past it. */
  substitution(index: number): { readonly body: PlanNode; readonly end: number };
  /** As {@linkcode substitution}, for `<(…)` and `>(…)`. */
  process(index: number): { readonly body: PlanNode; readonly end: number };
  /** Where the `$((…))` that stands at `index` ends. Throws where none does. */
  arithmeticEnd(index: number): number;
  /** `$0`, `$1`, … of a script that was given its arguments; null where there are none. */
  readonly positional: readonly string[] | null;
  /** Whether `declare -A` makes one of that name. */
  isTable(name: string): boolean;
  /** Called for what not every POSIX shell reads alike. */
  onDialect(): void;
  /** `$…` at the scanner, as one quoted word. */
  parameter(scanner: Scanner): Word;
  /** What stands in brackets behind a name, at the scanner. */
  subscript(scanner: Scanner, name: string): Subscript;
}

/** What a word goes through where it is not quoted. */
export interface WordKind {
  readonly globs: boolean;
  /** Whether what is expanded is split at blanks, and its patterns expanded. */
  readonly splits: boolean;
  /** Whether `~` at its start is a home directory. */
  readonly tilde: boolean;
}

/** How a plain argument expands: in all ways. */
export const ARGUMENT: WordKind = { globs: true, splits: true, tilde: true };
/** The value of an assignment, a here-string. */
export const VALUE: WordKind = { globs: false, splits: false, tilde: true };

/** Parts as they come, neighbours of the same kind made one. */
export class Parts {
  readonly #parts: WordPart[] = [];

  text(text: string): void {
    const last = this.#parts[this.#parts.length - 1];
    if (last?.kind === "text") {
      this.#parts[this.#parts.length - 1] = { kind: "text", text: last.text + text };
    } else this.#parts.push({ kind: "text", text });
  }

  push(part: WordPart): void {
    this.#parts.push(part);
  }

  done(): Word {
    const [first, second] = this.#parts;
    const empty = first?.kind === "text" && first.text === "" && second === undefined;
    return empty ? [] : this.#parts;
  }
}
