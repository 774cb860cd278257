/** Going through the code of a tree: each file read and looked at, by two threads where there are two. */

import { baseName } from "../../core/path_text.ts";
import { compileGlob } from "../../core/glob.ts";
import { ToolError } from "../../core/errors.ts";
import type { ScanFilter, ScannedFile, ScanRoom, SharedScan } from "../../core/scan.ts";
import type { Parsers } from "../../core/syntax_tree.ts";
import type { ReadContext } from "../../core/tool.ts";
import { createFilter } from "../../toolkit/file_filter.ts";
import { withPartial } from "../../toolkit/partial.ts";
import { scanOrVisit } from "../../toolkit/scan_or_visit.ts";
import { type CodeFile, CodeReader, LARGEST_FILE, nameOf } from "../../toolkit/code/code_file.ts";
import { languageOf, LANGUAGES } from "../../toolkit/code/languages/languages.ts";

/** Files between two events on progress. */
const PROGRESS = 100;
/** What small files fit into. */
const ROOM = 256 * 1024;

/** What results may cost, as their tool counts it, before they are trimmed. */
const TRIMMED = 10_000;

/** What goes to the other thread as a number of 32 bits. */
const MOST_WANTED = 2 ** 31 - 1;

/**
 * In a tree of more files in languages with macros these are not read once more: that takes as long again as reading them,
 * and a tree of 20,000 files is promised in 20 s.
 */
const MOST_AGAIN = 800;

/** What is looked for. `R` goes from thread to thread as JSON. */
export interface Walk<R> {
  /** In the words of the request: directories and files. */
  readonly paths: readonly string[];
  /** Files of these names alone; all whose language has a name, unless given. */
  readonly takes?: (name: string) => boolean;
  /** Files that are taken for what their text is, in whatever language. */
  readonly plain?: {
    readonly takes: (name: string) => boolean;
    readonly look: (path: string, text: string) => R;
  };
  /** What keeps code from being understood is read once more without it. */
  readonly again?: true;
  /** What a file gives. `wanted`: how much of it there is still room for in the answer. */
  readonly look: (file: CodeFile, wanted: number) => R;
  /** How much of that room a result takes, and how much there is; no end of it unless given. */
  readonly cost?: (result: R) => number;
  readonly room?: number;
  /** What of results, in the order of paths, may still come into the answer: as many, each with less in it. */
  readonly trim?: (results: readonly R[]) => readonly R[];
}

/** A file that was come to. */
export interface Seen<R> {
  readonly path: string;
  readonly language: string;
  readonly bytes: number;
  /** Lines of a file whose language is not analysed. */
  readonly plain?: { readonly filled: number; readonly blank: number };
  readonly note?: string;
  /** Of a file whose code was looked at. */
  readonly result?: R;
}

/**
 * What is to be said of all files, which come in the order of their paths; where time runs out, of those that were come
 * to. A path that names a file in no language known throws UNSUPPORTED_LANGUAGE.
 */
export async function walkCode<R, O>(
  walk: Walk<R>,
  context: ReadContext,
  answer: (seen: readonly Seen<R>[], pause: () => void) => O,
): Promise<O> {
  const looker = createLooker(await settled(walk, context), context);
  const heap = new Heap(walk);
  let told = 0;
  const tell = () => {
    for (; heap.files >= told + PROGRESS; told += PROGRESS) {
      context.progress(told + PROGRESS, null, "files");
    }
  };
  // Of what was gone through before: each scan counts its places from 0.
  let base = 0;
  const visit = (file: ScannedFile): void => {
    const place = base + file.place;
    const seen = looker.into(file, heap.wanted(place));
    heap.add(place, seen === null ? [] : [unbound(seen)]);
    tell();
  };
  const shared: SharedScan = {
    wanted: (place) => Math.min(heap.wanted(place), MOST_WANTED),
    take(place, findings) {
      heap.add(place, JSON.parse(findings) as Seen<R>[]);
      tell();
    },
  };
  const through = (path: string) => {
    scanOrVisit(path, context, () => {
      const options = { path, glob: ALL, hidden: false };
      const filter = only(looker.takes, createFilter(options, context));
      const sharing = walk.paths.length === 1 ? { shared } : {};
      context.files.scan(
        path,
        { filter, room: looker.room, limit: LARGEST_FILE, ...sharing },
        visit,
      );
    }, (shown) => {
      requireLanguage(shown, context, path);
      const length = looker.read(path, context);
      context.timed(() => visit({ path: shown, length, place: 0 }));
    });
    base = heap.end + 1;
  };
  try {
    walk.paths.forEach(through);
  } catch (error) {
    // Its time is over already: nothing would be said of what was found.
    throw withPartial(error, () => answer(heap.result(), () => {}));
  }
  return answer(heap.result(), context.checkpoint);
}

/** The same, with strings of its own: those cut out of a text hold all of it, and what was found outlives its text. */
function unbound<R>(seen: Seen<R>): Seen<R> {
  return JSON.parse(JSON.stringify(seen)) as Seen<R>;
}

/** Looks at some of the files in another thread's stead. */
export async function helpWalk<R>(walk: Walk<R>, context: ReadContext): Promise<void> {
  const [path] = walk.paths;
  if (walk.paths.length !== 1 || path === undefined) return;
  const looker = createLooker(await settled(walk, context), context);
  const reading = { room: looker.room, limit: LARGEST_FILE };
  context.files.help(path, reading, (wanted, scan) => {
    const found: Seen<R>[] = [];
    let left = wanted;
    scan((file) => {
      const seen = looker.into(file, left);
      if (seen === null) return;
      found.push(seen);
      if (seen.result !== undefined) left -= walk.cost?.(seen.result) ?? 0;
    });
    return JSON.stringify(found);
  });
}

const ALL = compileGlob("**");

const TEXT = new TextDecoder();

/** A named file is to be what can be looked at. */
function requireLanguage(shown: string, { files }: ReadContext, path: string): void {
  const found = languageOf(shown);
  if (found !== null && "language" in found) return;
  const { bytes } = files.readStart(path, 2);
  if (found === null && bytes[0] === 0x23 && bytes[1] === 0x21) return;
  const what = found === null ? "in no language known by its name" : `in ${nameOf(found)}`;
  throw unsupported(`"${shown}" is ${what}`);
}

/** UNSUPPORTED_LANGUAGE, with the languages that are analysed. */
export function unsupported(what: string): ToolError {
  const known = [...new Set(LANGUAGES.map(({ name }) => name))].join(", ");
  return new ToolError("UNSUPPORTED_LANGUAGE", `${what}; analysed are ${known}`);
}

interface Looker<R> {
  readonly room: ScanRoom;
  readonly takes: (name: string) => boolean;
  into(file: ScannedFile, wanted: number): Seen<R> | null;
  /** Puts a named file into the room: its length; null where it is too large. */
  read(path: string, context: ReadContext): number | null;
}

/** A walk, and what is known before it begins. Both threads come to the same. */
interface Settled<R> {
  readonly walk: Walk<R>;
  readonly parsers: Parsers;
  /** Whether code with macros is read once more. */
  readonly isAgain: boolean;
}

async function settled<R>(walk: Walk<R>, context: ReadContext): Promise<Settled<R>> {
  const parsers = await context.syntax.parsers();
  if (walk.again === undefined) return { walk, parsers, isAgain: false };
  let count = 0;
  const add = () => {
    count++;
  };
  for (const path of walk.paths) {
    scanOrVisit(path, context, () => {
      const filter = only(hasMacros, createFilter({ path, glob: ALL, hidden: false }, context));
      context.files.scan(path, { filter, room: null, limit: 0 }, add);
    }, add);
  }
  return { walk, parsers, isAgain: count <= MOST_AGAIN };
}

/** Whether a preprocessor goes through files of the name. */
function hasMacros(name: string): boolean {
  const found = languageOf(name);
  return found !== null && "language" in found && found.language.macros !== undefined;
}

function createLooker<R>(
  { walk, parsers, isAgain }: Settled<R>,
  context: ReadContext,
): Looker<R> {
  const reader = new CodeReader(parsers, context.checkpoint);
  const room = createRoom();
  return {
    room,
    takes: (name) => (walk.takes ?? isNamed)(name) || walk.plain?.takes(name) === true,
    into({ path, length }, wanted) {
      if (length === null) {
        const found = languageOf(path);
        const note = `it has more than ${LARGEST_FILE} bytes, or cannot be read`;
        return found === null ? null : { path, language: nameOf(found), bytes: 0, note };
      }
      if (walk.plain?.takes(baseName(path)) === true) {
        const text = TEXT.decode(room.bytes.subarray(0, length));
        return { path, language: "", bytes: length, result: walk.plain.look(path, text) };
      }
      const again = walk.again === undefined ? "never" : isAgain ? "macros" : "respelled";
      const read = reader.read(path, room.bytes.subarray(0, length), again);
      if (read === null) return null;
      const isOnce = walk.again === true && !isAgain && read.code !== null && hasMacros(path);
      const hint = isOnce ? `; a smaller folder, or the file, is read without its macros` : "";
      return {
        path,
        language: read.name,
        bytes: length,
        ...(read.plain === null ? {} : { plain: read.plain }),
        ...(read.note === null ? {} : { note: `${read.note}${hint}` }),
        ...(read.code === null ? {} : { result: walk.look(read.code, wanted) }),
      };
    },
    read(path, { files }) {
      try {
        const { bytes } = files.read(path, LARGEST_FILE);
        room.grow(bytes.length);
        room.bytes.set(bytes);
        return bytes.length;
      } catch (error) {
        if (error instanceof ToolError && error.code === "FILE_TOO_LARGE") return null;
        throw error;
      }
    },
  };
}

/** A name without an ending may have its language in its first line. */
function isNamed(name: string): boolean {
  return languageOf(name) !== null || !name.includes(".");
}

/** Names in languages that are analysed, and those that may be. */
export function isCode(name: string): boolean {
  const found = languageOf(name);
  return found === null ? !name.includes(".") : "language" in found;
}

function only(
  takes: (name: string) => boolean,
  filterOf: ReturnType<typeof createFilter>,
): ReturnType<typeof createFilter> {
  const narrowed = (filter: ScanFilter): ScanFilter => ({
    takes: (name) => takes(name) && filter.takes(name),
    enters: (name) => filter.enters(name),
    below(directory) {
      const below = filter.below(directory);
      return below === filter ? this : narrowed(below);
    },
  });
  return (start) => narrowed(filterOf(start));
}

function createRoom(): ScanRoom {
  let bytes = new Uint8Array(ROOM);
  return {
    get bytes() {
      return bytes;
    },
    grow(length) {
      if (length <= bytes.length) return;
      const larger = new Uint8Array(Math.max(length, 2 * bytes.length));
      larger.set(bytes);
      bytes = larger;
    },
  };
}

/** What was found, by place: results come in no order, and each is told how much room those before it leave. */
class Heap<R> {
  readonly #walk: Walk<R>;
  #trimAt = TRIMMED;
  #parts: {
    readonly place: number;
    readonly seen: readonly Seen<R>[];
    readonly cost: number;
  }[] = [];
  #cost = 0;
  end = 0;
  files = 0;

  constructor(walk: Walk<R>) {
    this.#walk = walk;
  }

  add(place: number, seen: readonly Seen<R>[]): void {
    this.files += seen.length;
    if (seen.length === 0) return;
    const { cost: costOf } = this.#walk;
    const cost = costOf === undefined ? 0 : seen.reduce(
      (sum, { result }) => sum + (result === undefined ? 0 : costOf(result)),
      0,
    );
    this.#cost += cost;
    this.end = Math.max(this.end, place);
    this.#parts.push({ place, seen, cost });
    if (this.#cost >= this.#trimAt) this.#trim();
  }

  /** Each time that there is twice as much as the last one left. */
  #trim(): void {
    const { trim, cost: costOf = () => 0 } = this.#walk;
    if (trim === undefined) return;
    this.#parts.sort((a, b) => a.place - b.place);
    const results = this.#parts.flatMap(({ seen }) => seen).filter(({ result }) =>
      result !== undefined
    )
      .map(({ result }) => result as R);
    const kept = trim(results);
    let at = 0;
    this.#cost = 0;
    this.#parts = this.#parts.map(({ place, seen }) => {
      const trimmed = seen.map((each) =>
        each.result === undefined ? each : { ...each, result: kept[at++] as R }
      );
      const cost = trimmed.reduce(
        (sum, { result }) => sum + (result === undefined ? 0 : costOf(result)),
        0,
      );
      this.#cost += cost;
      return { place, seen: trimmed, cost };
    });
    this.#trimAt = Math.max(TRIMMED, 2 * this.#cost);
  }

  wanted(place: number): number {
    const { room } = this.#walk;
    if (room === undefined) return Infinity;
    if (place >= this.end) return Math.max(0, room - this.#cost);
    const before = this.#parts.filter((part) => part.place < place);
    return Math.max(0, room - before.reduce((sum, { cost }) => sum + cost, 0));
  }

  result(): readonly Seen<R>[] {
    return this.#parts.sort((a, b) => a.place - b.place).flatMap(({ seen }) => seen);
  }
}
