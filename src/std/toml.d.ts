/** Types of `@std/toml`. It takes duplicate keys: read manifests with it, judge nothing by it. */

/** How a document is written. */
export interface FormatOptions {
  /** Aligns the `=` of the keys. Default: false. */
  keyAlignment?: boolean;
}

/** The document as an object. Throws SyntaxError, with the position in its message. */
export function parse(tomlString: string): Record<string, unknown>;
/** The TOML text of an object. Throws Error for a value that has no TOML form. */
export function stringify(obj: Record<string, unknown>, options?: FormatOptions): string;
