/** Declarations of a package's files, by the parsers that analyse code. */

import type { Parsers, SyntaxTree } from "../../../core/syntax_tree.ts";
import { CodeReader } from "../../../toolkit/code/code_file.ts";
import { kindOf, textOf } from "../../../toolkit/code/kinds.ts";
import { type CodeSymbol, symbolsOf } from "../../../toolkit/code/symbols.ts";
import { summaryOf } from "../documentation/documentation.ts";
import type { LibrarySymbol } from "./library.ts";

/** A file as it was read. */
export interface Outline {
  readonly symbols: readonly CodeSymbol[];
  /** What stands at the top of the file, in its order. */
  readonly statements: readonly { readonly kind: string; readonly text: string }[];
}

/** Longest statement that is looked at: lists of exports have a few KB. */
const LONGEST_STATEMENT = 200_000;

/** Reads files of one call. */
export class Outliner {
  readonly #reader: CodeReader;

  /** `pause`: called now and then; what it throws ends the work. */
  constructor(parsers: Parsers, pause: () => void) {
    this.#reader = new CodeReader(parsers, pause);
    this.pause = pause;
  }

  readonly pause: () => void;

  /** Null for a file that cannot be parsed. */
  read(path: string, bytes: Uint8Array): Outline | null {
    this.pause();
    const code = this.#reader.read(path, bytes)?.code ?? null;
    if (code === null) return null;
    return { symbols: symbolsOf(code), statements: statementsOf(code.tree) };
  }
}

function statementsOf(tree: SyntaxTree): Outline["statements"] {
  const found: { kind: string; text: string }[] = [];
  for (let node = 1; node < tree.count; node = tree.nexts[node] as number) {
    const length = (tree.ends[node] as number) - (tree.starts[node] as number);
    if (length > LONGEST_STATEMENT) continue;
    found.push({ kind: kindOf(tree, node), text: textOf(tree, node) });
  }
  return found;
}

/** A symbol under the name that users of the library write. */
export function librarySymbol(
  { kind, signature, doc = "" }: Pick<CodeSymbol, "kind" | "signature" | "doc">,
  name: string,
): LibrarySymbol {
  return { name, kind, signature, summary: summaryOf(doc).summary ?? "" };
}
