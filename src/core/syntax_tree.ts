/** Source code: judged as text, and as a tree laid out in tables, which analyses of code are made of. */

/** The words of a grammar. A node's kind and field are numbers that stand for these. */
export interface Grammar {
  readonly name: string;
  /** By kind: `function_declaration`, `&&`. Several kinds may share a name. The last is `ERROR`: what fits no rule. */
  readonly kinds: readonly string[];
  /** By kind: whether it is a rule of the grammar, and not a word or sign that stands in one. */
  readonly named: readonly boolean[];
  /** By field; the first, of number 0, is that of nodes that have none. */
  readonly fields: readonly string[];
}

/** Bits of {@linkcode SyntaxTree.flags}. */
export const NODE = {
  named: 1,
  /** Stands where the grammar allows it anywhere: a comment. */
  extra: 2,
  /** Not in the text: what the parser put there to go on. It is empty. */
  missing: 4,
} as const;

/**
 * A text's tree: its nodes in the order in which they begin, parents before their children, number 0 the root. A node's
 * facts stand at its number in each table. Valid until the parser that made it parses again.
 */
export interface SyntaxTree {
  readonly grammar: Grammar;
  readonly text: string;
  /** How many nodes there are. Tables may be longer. */
  readonly count: number;
  readonly kinds: Uint16Array;
  /** What it is to its parent. */
  readonly fields: Uint16Array;
  readonly flags: Uint8Array;
  /** Where its text begins and ends, in UTF-16 code units. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** -1 of the root. */
  readonly parents: Int32Array;
  /** The first node behind it and all that lies in it. */
  readonly nexts: Uint32Array;
  /** How many nodes are errors, or missing. */
  readonly errors: number;
}

/** Why a text has no tree. */
export type Unparsed =
  /** It takes longer than the time it was given. */
  | "slow"
  /** Its tree takes more memory than a parser may have. */
  | "large"
  /** The parser failed in its midst. */
  | "failed";

/** How long a parse may take, and who may end it. */
export interface ParseOptions {
  /** Called every few milliseconds: what it throws ends the parse, and is thrown. */
  readonly pause: () => void;
  /** Milliseconds that the text may take of a processor: others that want one do not make it slow. */
  readonly timeMs: number;
}

/** A node that a query captured: where it begins and ends, in UTF-16 code units. */
export interface Capture {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A query of tree-sitter's own language, compiled for one grammar. */
export interface TreeQuery {
  /** The captures of each match in a text, as they are found; {@linkcode Unparsed} as `parse` answers it. */
  matches(text: string, options: ParseOptions): readonly (readonly Capture[])[] | Unparsed;
}

/** Parses texts of one language, one after the other. */
export interface TreeParser {
  readonly grammar: Grammar;
  parse(text: string, options: ParseOptions): SyntaxTree | Unparsed;
  /** Throws INVALID_PATTERN with the place of what is wrong. */
  query(source: string): TreeQuery;
}

/** The parsers of a thread, which keeps what it loaded. */
export interface Parsers {
  /** By the grammar's name. Loads it on first use: some milliseconds. Throws EXECUTION_ERROR where there is none to load. */
  of(grammar: string): TreeParser;
}

/** Judging text before it is written, and taking code apart. */
export interface Syntax {
  /**
   * Throws SYNTAX_INVALID where the text is not valid for the ending of the path, which is shown as it is given.
   * Passes what no validator is for.
   */
  check(path: string, text: string): Promise<void>;
  /** Parsers of code, each loaded on first use and kept by the thread. */
  parsers(): Promise<Parsers>;
}
