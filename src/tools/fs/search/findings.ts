/** What a search has found: in some files that follow one another, and in all of them in the order of paths. */

import type { LineMatch } from "./_text.ts";

/** A match and its file, as results name it. */
export interface Match extends LineMatch {
  readonly file: string;
}

/** What was found in some of the files. As JSON it may come from another thread. */
export interface SearchPart {
  readonly matches: readonly Match[];
  readonly total: number;
  readonly searched: number;
  readonly skipped: number;
  readonly bytes: number;
}

/** Characters of lines in one answer, about: matches beyond them are counted and not shown. */
const MOST_SHOWN = 256 * 1024;

/** Of files that follow one another, as they are looked at. */
export class Findings implements SearchPart {
  readonly matches: Match[] = [];
  total = 0;
  searched = 0;
  skipped = 0;
  bytes = 0;
  readonly #most: number;
  #shown = 0;

  /** Matches beyond `most` are counted and not kept. */
  constructor(most: number) {
    this.#most = most;
  }

  /** How many more matches are kept. */
  get wanted(): number {
    return this.#shown < MOST_SHOWN ? this.#most - this.matches.length : 0;
  }

  /** Matching lines of one file, the first of them as far as they were wanted, and how many there are. */
  add(file: string, matches: readonly LineMatch[], total: number): void {
    this.total += total;
    for (const found of matches) this.put({ file, ...found });
  }

  put(match: Match): void {
    if (this.wanted <= 0) return;
    this.#shown += sizeOf(match);
    this.matches.push(match);
  }

  /** Takes in what was found in files behind those so far. */
  append({ matches, total, searched, skipped, bytes }: SearchPart): void {
    for (const match of matches) this.put(match);
    this.total += total;
    this.searched += searched;
    this.skipped += skipped;
    this.bytes += bytes;
  }
}

/** Puts together what was found here and there, whichever came first. */
export class Tally {
  readonly #most: number;
  readonly #known: { readonly place: number; readonly found: SearchPart }[] = [];
  /** All but the matches. */
  readonly #counts = new Findings(0);
  #open: { readonly place: number; readonly findings: Findings } | null = null;

  /** `most`: the matches that are wanted in all. */
  constructor(most: number) {
    this.#most = most;
  }

  get searched(): number {
    return this.#counts.searched + (this.#open?.findings.searched ?? 0);
  }

  /** To be added to until another place is asked for. */
  at(place: number): Findings {
    if (this.#open?.place !== place) {
      const findings = new Findings(this.wanted(place));
      this.#open = { place, findings };
    }
    return this.#open.findings;
  }

  /** How many of the matches at a place can still be among the first. */
  wanted(place: number): number {
    this.#close();
    const before = new Findings(this.#most);
    for (const known of this.#known) if (known.place < place) before.append(known.found);
    return Math.max(0, before.wanted);
  }

  put(place: number, found: SearchPart): void {
    this.#counts.append(found);
    // Few have any: the others leave nothing to be kept in order.
    if (found.matches.length > 0) this.#known.push({ place, found });
  }

  /** The first matches in the order of paths, and how many there are in all. */
  result(): SearchPart {
    this.#close();
    const first = new Findings(this.#most);
    for (const { found } of this.#known.toSorted((a, b) => a.place - b.place)) first.append(found);
    const { total, searched, skipped, bytes } = this.#counts;
    return { matches: first.matches, total, searched, skipped, bytes };
  }

  #close(): void {
    if (this.#open !== null) this.put(this.#open.place, this.#open.findings);
    this.#open = null;
  }
}

/** Characters of a match, about. */
function sizeOf({ file, content, before = [], after = [] }: Match): number {
  return [file, content, ...before, ...after].reduce((sum, text) => sum + text.length, 0);
}
