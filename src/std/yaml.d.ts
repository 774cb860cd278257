/** Types of `@std/yaml`: YAML 1.2 text to values and back. */

/** `default` is `core` with timestamps, binary, sets and merges; `extended` adds regular expressions. */
export type SchemaType = "failsafe" | "json" | "core" | "default" | "extended";

/** How a text is read. */
export interface ParseOptions {
  schema?: SchemaType;
  /** Lets a later key replace an earlier one of the same name; else that is an error. Default: false. */
  allowDuplicateKeys?: boolean;
  /** Called for what is odd but no error. */
  onWarning?(error: Error): void;
}

/** How a value of a tag is written. */
export type StyleVariant =
  | "lowercase"
  | "uppercase"
  | "camelcase"
  | "decimal"
  | "binary"
  | "octal"
  | "hexadecimal";

/** How a value is written. */
export interface StringifyOptions {
  /** Blanks a level. Default: 2. */
  indent?: number;
  /** Whether the entries of a list stand further in than its key. Default: true. */
  arrayIndent?: boolean;
  /** Leaves out what has no YAML form instead of throwing. Default: false. */
  skipInvalid?: boolean;
  /** Depth from which the flow style is used; -1: never. Default: -1. */
  flowLevel?: number;
  /** Tag → style, as in `{ "!!null": "lowercase" }`. */
  styles?: Record<string, StyleVariant>;
  schema?: SchemaType;
  /** Default: false. */
  sortKeys?: boolean | ((a: string, b: string) => number);
  /** Where long texts are folded; -1: never. Default: 80. */
  lineWidth?: number;
  /** Writes a repeated object once, with references to it. Default: true. */
  useAnchors?: boolean;
  /** Quotes what YAML 1.1 would read as a boolean (`yes`, `no`). Default: true. */
  compatMode?: boolean;
  /** Leaves out blanks in the flow style. Default: false. */
  condenseFlow?: boolean;
  /** Default: `'`. */
  quoteStyle?: "'" | '"';
}

/** Text that is no YAML. The message holds the position and a snippet. */
export class YamlSyntaxError extends SyntaxError {
  constructor(
    message: string,
    position: { line: number; column: number; offset: number },
    snippet?: string,
  );
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** Characters, from 0. */
  readonly offset: number;
  /** The lines around the position with a caret; undefined where the source is empty. */
  readonly snippet?: string;
}

/** The one document of the text; null where it is empty. Throws {@linkcode YamlSyntaxError}. */
export function parse(content: string, options?: ParseOptions): unknown;
/** All documents of the text. Throws {@linkcode YamlSyntaxError}. */
export function parseAll(content: string, options?: ParseOptions): unknown[];
/** The YAML text of a value. Throws TypeError for a value that has none. */
export function stringify(data: unknown, options?: StringifyOptions): string;
