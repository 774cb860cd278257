/**
 * Queries in tree-sitter's own language, run by the library, with the predicates on texts that it leaves to whoever
 * calls it (tree-sitter, docs, "Predicates and Directives").
 */

import { ToolError } from "../../core/errors.ts";
import type { Capture } from "../../core/syntax_tree.ts";
import { quoted } from "../../core/printable.ts";
import type { Language } from "./_language.ts";
import type { Asked, Library } from "./_library.ts";

/** `TSQueryError`, lib/include/tree_sitter/api.h */
const ERRORS: Readonly<Record<number, string>> = {
  1: "the syntax of queries is broken",
  2: "no such kind of node",
  3: "no such field",
  4: "no such capture",
  5: "no node can have this structure",
  6: "the grammar cannot be queried",
};

/** `TSQueryPredicateStepType`, of which the first ends a predicate. */
const CAPTURE = 1;
const STRING = 2;

/** Words of a match, of a capture in it, and of `TSQueryPredicateStep`. */
const MATCH_WORDS = 2;
const CAPTURE_WORDS = 6;
const STEP_WORDS = 2;

/** Matches under way at once that the library keeps: a query that has more open at a place loses the oldest. */
const MOST_UNDER_WAY = 256;

type Word = { readonly capture: number } | { readonly text: string };

/** Whether a match is one, by the texts of its captures. */
type Test = (textsOf: (capture: number) => readonly string[]) => boolean;

/** A query, in the library in which it is asked for: compiled anew in another one. */
export class CompiledQuery {
  readonly #source: string;
  #on: { readonly library: Library; readonly query: RunningQuery } | null = null;

  constructor(source: string) {
    this.#source = source;
  }

  on(library: Library, language: Language): RunningQuery {
    if (this.#on?.library !== library) {
      this.#on = { library, query: new RunningQuery(library, language, this.#source) };
    }
    return this.#on.query;
  }
}

class RunningQuery {
  readonly #library: Library;
  readonly #address: number;
  readonly #tests: readonly (readonly Test[])[];
  readonly #names = new Map<number, string>();

  constructor(library: Library, language: Language, source: string) {
    const { exports, transfer } = library;
    const bytes = new TextEncoder().encode(source);
    const text = exports.malloc(bytes.length + 1);
    library.bytes.set(bytes, text);
    this.#library = library;
    this.#address = exports.ts_query_new(
      language.address,
      text,
      bytes.length,
      transfer,
      transfer + 4,
    );
    exports.free(text);
    if (this.#address === 0) {
      const at = library.word(transfer);
      const what = ERRORS[library.word(transfer + 4)] ?? "it is no query";
      const rest = new TextDecoder().decode(bytes.subarray(at, at + 40));
      throw invalid(language, `${what} at ${rest === "" ? "its end" : quoted(rest, 30)}`);
    }
    if (exports.ts_query_capture_count(this.#address) === 0) {
      throw invalid(language, "nothing in it has a name: put @NAME behind what is looked for");
    }
    const count = exports.ts_query_pattern_count(this.#address);
    this.#tests = Array.from({ length: count }, (_, at) => this.#testsOf(at, language));
  }

  /** The captures of each match in a tree that the library has. */
  matches(tree: number, text: string, asked: Asked): readonly (readonly Capture[])[] {
    const library = this.#library;
    const { exports, transfer } = library;
    exports.ts_tree_root_node_wasm(tree);
    const everywhere = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] as const;
    library.whileAsked(asked, () =>
      exports.ts_query_matches_wasm(
        this.#address,
        tree,
        ...everywhere,
        MOST_UNDER_WAY,
        0xffffffff,
      ));
    const count = library.word(transfer);
    const start = library.word(transfer + 4);
    const found: (readonly Capture[])[] = [];
    let at = start >>> 2;
    for (let match = 0; match < count; match++) {
      const { words } = library;
      const pattern = words[at] as number;
      const captures = words[at + 1] as number;
      at += MATCH_WORDS;
      const taken = Array.from(
        { length: captures },
        (_, index) => this.#captureAt(words, at + index * CAPTURE_WORDS),
      );
      at += captures * CAPTURE_WORDS;
      const textsOf = (id: number) =>
        taken.filter((each) => each.id === id).map((each) => text.slice(each.start, each.end));
      if (!(this.#tests[pattern] ?? []).every((test) => test(textsOf))) continue;
      found.push(taken.map(({ id, start, end }) => ({ name: this.#nameOf(id), start, end })));
    }
    exports.free(start);
    return found;
  }

  /** Its number, and where the node begins and ends: its size stands in the tree, at the address that is its identity. */
  #captureAt(words: Uint32Array, at: number): { id: number; start: number; end: number } {
    const subtree = (words[at + 1] as number) >>> 2;
    const head = words[subtree] as number;
    const size = (head & 1) === 1
      ? (words[subtree + 1] as number) >>> 24
      : words[(head >>> 2) + 4] as number;
    const start = words[at + 2] as number;
    return { id: words[at] as number, start, end: start + (size >>> 1) };
  }

  #nameOf(id: number): string {
    let name = this.#names.get(id);
    if (name === undefined) {
      const { exports, transfer } = this.#library;
      name = this.#text(exports.ts_query_capture_name_for_id(this.#address, id, transfer));
      this.#names.set(id, name);
    }
    return name;
  }

  /** At an address, as long as the buffer for results says. */
  #text(address: number): string {
    const length = this.#library.word(this.#library.transfer);
    return new TextDecoder().decode(this.#library.bytes.slice(address, address + length));
  }

  #testsOf(pattern: number, language: Language): readonly Test[] {
    const { exports, transfer } = this.#library;
    const address = exports.ts_query_predicates_for_pattern(this.#address, pattern, transfer);
    const count = this.#library.word(transfer);
    const steps = Array.from({ length: count }, (_, at) => {
      const step = (address >>> 2) + at * STEP_WORDS;
      return [
        this.#library.words[step] as number,
        this.#library.words[step + 1] as number,
      ] as const;
    });
    const tests: Test[] = [];
    let words: Word[] = [];
    for (const [kind, id] of steps) {
      if (kind === CAPTURE) words.push({ capture: id });
      else if (kind === STRING) {
        const text = this.#text(exports.ts_query_string_value_for_id(this.#address, id, transfer));
        words.push({ text });
      } else {
        const test = testOf(words, language);
        if (test !== null) tests.push(test);
        words = [];
      }
    }
    return tests;
  }
}

function testOf(words: readonly Word[], language: Language): Test | null {
  const [operator, subject, ...rest] = words;
  const name = operator !== undefined && "text" in operator ? operator.text : "";
  // Directives say what to do with a match, not whether it is one.
  if (name.endsWith("!")) return null;
  const negated = name.startsWith("not-");
  const base = negated ? name.slice("not-".length) : name;
  if (subject === undefined || !("capture" in subject) || rest.length === 0) {
    throw invalid(language, `#${name} takes a capture, and what to compare it with`);
  }
  const each = (is: (text: string) => boolean): Test => (textsOf) =>
    textsOf(subject.capture).every((text) => is(text) !== negated);
  const texts = rest.flatMap((word) => "text" in word ? [word.text] : []);
  const [other] = rest;
  switch (base) {
    case "eq?": {
      if (other === undefined || "text" in other) return each((text) => text === texts[0]);
      return (textsOf) => {
        const [one, two] = [textsOf(subject.capture), textsOf(other.capture)];
        return one.every((text, at) => (text === two[at]) !== negated);
      };
    }
    case "match?": {
      const expression = expressionOf(texts[0] ?? "", language);
      return each((text) => expression.test(text));
    }
    case "any-of?":
      return each((text) => texts.includes(text));
  }
  throw invalid(
    language,
    `#${name} is no predicate known; there are #eq?, #match? and #any-of?, with not- before`,
  );
}

function expressionOf(source: string, language: Language): RegExp {
  try {
    return new RegExp(source, "u");
  } catch {
    throw invalid(language, `${quoted(source, 60)} is no regular expression`);
  }
}

function invalid({ grammar }: Language, what: string): ToolError {
  return new ToolError("INVALID_PATTERN", `pattern: as a query of ${grammar.name}: ${what}`);
}
