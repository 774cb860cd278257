/** What documentation is read as, whatever it was written in. */

/** A block of code; `language` "" where it is not said. */
export interface Code {
  readonly language: string;
  readonly text: string;
}

/** A heading and what stands below it, up to the next heading. What comes before the first has `level` 0. */
export interface Section {
  /** Without marks. */
  readonly heading: string;
  /** 1 to 6; 0 for what stands before all headings. */
  readonly level: number;
  /** What follows `#` in its address; "" where there is none. */
  readonly anchor: string;
  /** Markdown, its blocks of code left out. */
  readonly text: string;
  readonly code: readonly Code[];
}

/** Something that has a name there: a function, a class, an option; in a list of pages, a page. */
export interface DocumentedSymbol {
  readonly name: string;
  /** In the words of whoever wrote it: `function`, `method`, `cmdoption`, `page`. */
  readonly kind: string;
  readonly signature?: string;
  readonly summary?: string;
  /** Absolute. */
  readonly url: string;
}

/** One address, read. */
export interface Documentation {
  /** "" where it has none. */
  readonly title: string;
  /** "" where it does not say. */
  readonly version: string;
  readonly sections: readonly Section[];
  readonly symbols: readonly DocumentedSymbol[];
}

/** What a summary may have. */
const LONGEST_SUMMARY = 300;

/** The first paragraph of a text as one line. */
export function summaryOf(text: string): { readonly summary?: string } {
  const start = text.trimStart().slice(0, 4 * LONGEST_SUMMARY);
  const end = start.indexOf("\n\n");
  const line = start.slice(0, end === -1 ? undefined : end).replace(/\s+/g, " ").trim();
  if (line === "") return {};
  return {
    summary: line.length <= LONGEST_SUMMARY
      ? line
      : `${line.slice(0, LONGEST_SUMMARY - 1).toWellFormed()}…`,
  };
}

/** Absolute, or the page's own where it is no address. */
export function absolute(address: string, base: string): string {
  return URL.canParse(address, base) ? new URL(address, base).href : base;
}
