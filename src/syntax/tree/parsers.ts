/** Parsers of the languages that a build carries the grammars of, each loaded with the first text that it is for. */

import type {
  ParseOptions,
  Parsers,
  SyntaxTree,
  TreeParser,
  Unparsed,
} from "../../core/syntax_tree.ts";
import { type Language, readLanguage } from "./_language.ts";
import { createTables, layOut } from "./_layout.ts";
import { type Asked, type Given, type GrammarModule, Library, LibraryFailed } from "./_library.ts";
import { CompiledQuery } from "./_query.ts";
import { widen, wideSize } from "./_wide_table.ts";

/** The library, beside which there are grammars. */
const LIBRARY = "tree-sitter";

/** Units of text in a grammar after which its wide table has paid for itself, and bytes that such tables take at most. */
const WIDE_AFTER = 512 * 1024;
const MOST_WIDE = 8 * 1024 * 1024;

/** A broken text costs a second parse, a whole one saves a sixteenth of its own by the byte; units that may be lost at first. */
const SAVED = 1 / 16;
const RISKED = 64 * 1024;

/** Bytes of texts that there is room kept for. */
const USUAL = 256 * 1024;

const UTF_8 = new TextEncoder();

/** Questions in the midst of a text that one answer is for, at most; and milliseconds up to which there may be more. */
const MOST_PASSED = 16;
const BRIEF_MS = 0.5;

/**
 * Parsers for one thread, which keeps them. `read`: a WebAssembly module by its name, which is `tree-sitter` for the
 * library or that of a grammar. `clock`: how many milliseconds that has worked. */
export function createParsers(
  read: (name: string) => Uint8Array,
  clock: () => number = () => performance.now(),
): Parsers {
  const compiled = new Map<string, WebAssembly.Module>();
  const moduleOf = (name: string): WebAssembly.Module => {
    let module = compiled.get(name);
    if (module === undefined) {
      module = new WebAssembly.Module(read(name) as Uint8Array<ArrayBuffer>);
      compiled.set(name, module);
    }
    return module;
  };
  const bench = new Bench(() => new Library(moduleOf(LIBRARY)), clock);
  const parsers = new Map<string, TreeParser>();
  return {
    of(name) {
      let parser = parsers.get(name);
      if (parser === undefined) {
        parser = createParser({ name, module: moduleOf(name) }, bench);
        parsers.set(name, parser);
      }
      return parser;
    },
  };
}

/** The library as it is, and what was loaded into it. */
class Bench {
  readonly #create: () => Library;
  readonly tables = createTables();
  #library: Library | null = null;
  #languages = new Map<string, Language>();
  /** Units of text that were parsed in each, until that was enough; and bytes that are left for wide tables. */
  #parsed = new Map<Language, number>();
  #room = MOST_WIDE;
  readonly #bytes = new Uint8Array(USUAL);
  readonly clock: () => number;
  /** Set while it works: still set where that was ended from without. */
  #isBusy = false;

  constructor(create: () => Library, clock: () => number) {
    this.#create = create;
    this.clock = clock;
  }

  /** Does work with the library, which is not used again where that throws. */
  use<T>(module: GrammarModule, work: (library: Library, language: Language) => T): T {
    if (this.#isBusy || this.#library?.hasGrown === true) this.#drop();
    this.#isBusy = true;
    const library = this.#library ??= this.#create();
    let language = this.#languages.get(module.name);
    if (language === undefined) {
      language = readLanguage(module.name, library.link(module), library);
      this.#languages.set(module.name, language);
    }
    const result = work(library, language);
    this.#isBusy = false;
    return result;
  }

  /** Much text in a language is worth a table that is looked things up in at once. */
  count(library: Library, language: Language, length: number): void {
    const before = this.#parsed.get(language) ?? 0;
    this.#parsed.set(language, before + length);
    if (before >= WIDE_AFTER || before + length < WIDE_AFTER) return;
    const size = wideSize(language.address, library);
    if (size > this.#room) return;
    this.#room -= size;
    widen(language.address, library);
  }

  /** The text by the byte, where it is ASCII alone; valid until the next text. */
  asciiOf(text: string): Uint8Array | null {
    const fits = text.length <= this.#bytes.length;
    const bytes = fits ? this.#bytes : new Uint8Array(text.length);
    // Any other sign takes more bytes than it has units.
    const { read, written } = UTF_8.encodeInto(text, bytes);
    return read === text.length && written === read ? bytes.subarray(0, written) : null;
  }

  #drop(): void {
    this.#library = null;
    this.#languages = new Map();
    this.#parsed = new Map();
    this.#room = MOST_WIDE;
  }
}

function createParser(module: GrammarModule, bench: Bench): TreeParser {
  const { grammar } = bench.use(module, (_, language) => language);
  const parse = <T>(
    given: Given,
    watch: Watch,
    take: (tree: number, library: Library, language: Language) => T | null,
  ): T | Unparsed => {
    try {
      const result = bench.use(module, (library, language) => {
        bench.count(library, language, given.text.length);
        const tree = library.parse(language.address, given, watch);
        if (tree === 0) return null;
        const taken = take(tree, library, language);
        library.exports.ts_tree_delete(tree);
        return taken === null ? null : { taken };
      });
      if (result !== null) {
        watch.rethrow();
        return result.taken;
      }
    } catch (error) {
      return failureOf(error);
    }
    watch.rethrow();
    return "slow";
  };
  const treeOf = (given: Given, watch: Watch): SyntaxTree | Unparsed =>
    parse(given, watch, (tree, library, language) => {
      const { text, isNarrow } = given;
      return layOut(library.words, tree, text, isNarrow, language, bench.tables, watch.isOver);
    });
  const texts = { whole: 0, broken: 0 };
  return {
    grammar,
    query(source) {
      const compiled = new CompiledQuery(source);
      bench.use(module, (library, language) => compiled.on(library, language));
      return {
        matches(text, options) {
          const watch = new Watch(options, bench.clock);
          const given = { text, ascii: bench.asciiOf(text), isNarrow: false };
          return parse(
            given,
            watch,
            (tree, library, language) => compiled.on(library, language).matches(tree, text, watch),
          );
        },
      };
    },
    /**
     * What is broken is mended by what that costs, and errors cost by the bytes they take: of ASCII by the byte half of
     * what they do beside other signs, and in queries. So only whole texts, where that decides nothing, are taken so.
     */
    parse(text, options): SyntaxTree | Unparsed {
      const watch = new Watch(options, bench.clock);
      const ascii = bench.asciiOf(text);
      const isNarrow = texts.broken <= RISKED + texts.whole * SAVED && ascii !== null;
      const tree = treeOf({ text, ascii, isNarrow }, watch);
      if (typeof tree === "string") return tree;
      if (tree.errors === 0) {
        texts.whole += text.length;
        return tree;
      }
      texts.broken += text.length;
      return isNarrow ? treeOf({ text, ascii, isNarrow: false }, watch) : tree;
    },
  };
}

/** Whether the library is to stop, and why. What is thrown may not pass through it. */
class Watch implements Asked {
  readonly #options: ParseOptions;
  readonly #clock: () => number;
  readonly #began: number;
  /** When the time may be over, on the wall's clock: asking that costs a tenth. */
  #asks: number;
  /** When it was looked at last; how many questions that answer is for, and how many of them are to come. */
  #looked: number;
  #stride = 1;
  #left = 1;
  #thrown: { readonly error: unknown } | null = null;

  constructor(options: ParseOptions, clock: () => number) {
    this.#options = options;
    this.#clock = clock;
    this.#began = clock();
    this.#looked = performance.now();
    this.#asks = this.#looked + options.timeMs;
  }

  /** A hundred steps of the library are some hundredths of a millisecond, or a second: then each is asked about. */
  readonly isOverAmid = (): boolean => --this.#left <= 0 && this.isOver();

  readonly isOver = (): boolean => {
    try {
      this.#options.pause();
    } catch (error) {
      this.#thrown = { error };
      return true;
    }
    const now = performance.now();
    this.#stride = now - this.#looked < BRIEF_MS ? Math.min(2 * this.#stride, MOST_PASSED) : 1;
    this.#left = this.#stride;
    this.#looked = now;
    if (now < this.#asks) return false;
    const left = this.#options.timeMs - (this.#clock() - this.#began);
    this.#asks = now + left;
    return left <= 0;
  };

  rethrow(): void {
    if (this.#thrown !== null) throw this.#thrown.error;
  }
}

/** Anything that the module throws is of its making; what ends work from without is no such thing, and goes on. */
function failureOf(error: unknown): Unparsed {
  if (error instanceof WebAssembly.RuntimeError) return "failed";
  if (error instanceof RangeError || error instanceof LibraryFailed) return "large";
  throw error;
}
