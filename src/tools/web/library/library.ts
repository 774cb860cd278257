/** What a registry is asked for, and what of a library comes back. */

/** Where libraries come from. */
export const ECOSYSTEMS = ["npm", "pypi", "crates", "go"] as const;
/** One of {@linkcode ECOSYSTEMS}. */
export type Ecosystem = (typeof ECOSYSTEMS)[number];

/** What was asked for. */
export interface Wanted {
  /** As the ecosystem writes it: with a scope, or a path behind the package's own. */
  readonly name: string;
  /** As the caller or a lock file has it; null for the newest. */
  readonly version: string | null;
}

/** Something that a library offers. */
export interface LibrarySymbol {
  /** With what it lies in, as its language writes that: `Client.get`, `sync::Mutex`. */
  readonly name: string;
  /** In the words of its language: `function`, `class`, `trait`. */
  readonly kind: string;
  /** On one line; "" where there is none to show. */
  readonly signature: string;
  /** The first paragraph of what is written at it; "" where there is none. */
  readonly summary: string;
}

/** What the symbols were read from; `metadata` where there are none. */
export const SOURCES = [
  "type declarations",
  "DefinitelyTyped",
  "stubs",
  "docstrings",
  "rustdoc",
  "source",
  "metadata",
] as const;
/** One of {@linkcode SOURCES}. */
export type Source = (typeof SOURCES)[number];

/** One version of a library. */
export interface Library {
  readonly name: string;
  readonly version: string;
  /** What it says of itself; "" where it says nothing. */
  readonly summary: string;
  readonly symbols: readonly LibrarySymbol[];
  /** "" where there is none. */
  readonly documentationUrl: string;
  readonly repository: string;
  readonly source: Source;
  /** What is missing, and why. */
  readonly notes: readonly string[];
}

/** More symbols than that are no interface that anybody reads. */
export const MOST_SYMBOLS = 20_000;

/** An address of the web as it is written, `git+https:` and the like made plain; "" for any other. */
export function webAddress(written: unknown): string {
  if (typeof written !== "string") return "";
  const text = written.trim()
    .replace(/^git\+/, "")
    .replace(/^(?:git|ssh):\/\/(?:[^/@]*@)?/, "https://")
    .replace(/^[\w.-]+@([\w.-]+):/, "https://$1/")
    .replace(/^(?:github:)?([\w.-]+\/[\w.-]+)$/, "https://github.com/$1")
    .replace(/\.git(?=$|#)/, "");
  return /^https?:\/\/[^\s<>"]{1,2000}$/.test(text) && URL.canParse(text) ? text : "";
}
