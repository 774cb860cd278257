/**
 * tree-sitter in WebAssembly, without the script that comes with it: an instance, with grammars linked into its memory.
 * That script keeps one instance for a whole program, whose memory never shrinks; here one that grew too large, or that
 * failed in the midst of a parse, is let go.
 */

import { linkingOf } from "./_linking.ts";

/** Bytes that an instance starts with, and may have: what a text of some megabytes takes, beside wide tables. */
const PAGE = 64 * 1024;
const INITIAL_PAGES = 640;
const MOST_PAGES = 4096;
/** The most that the module lets its memory have: it is declared so. */
const DECLARED_PAGES = 32_768;

/**
 * Where the module's own data, its stack and its heap lie, and how many functions its table has: as the script of
 * `web-tree-sitter` 0.27.1 has them, into which they were linked.
 */
const DATA_BASE = 1024;
const STACK_LOW = 16_704;
const STACK_HIGH = 82_240;
const TABLE_BASE = 1;
const TABLE_SIZE = 31;

/** Bytes of a parser's input buffer (tree-sitter, lib/binding_web/lib/tree-sitter.c, INPUT_BUFFER_SIZE), less the last unit. */
const MOST_BYTES = 10 * 1024 - 2;
const MOST_UNITS = MOST_BYTES / 2;

/**
 * Words of the `Lexer` that a parser begins with (tree-sitter 0.26, lib/src/lexer.h), of `TSRange` where its text ends, and
 * the encoding (`TSInputEncodingUTF8`) that the lexer is quickest in.
 */
const LEXER = { ranges: 17, encoding: 21, chunkStart: 27 } as const;
const RANGE_END = 5;
const UTF_8 = 0;

/** The exports in use: pointers are offsets in memory. */
interface Exports {
  __wasm_apply_data_relocs?(): void;
  __wasm_call_ctors(): void;
  malloc(size: number): number;
  calloc(count: number, size: number): number;
  free(pointer: number): void;
  /** Gives the buffer through which results come. */
  ts_init(): number;
  ts_parser_new_wasm(): void;
  ts_parser_set_language(parser: number, language: number): number;
  ts_parser_reset(parser: number): void;
  /** 0 where it was ended. */
  ts_parser_parse_wasm(
    parser: number,
    input: number,
    old: number,
    ranges: number,
    count: number,
  ): number;
  ts_tree_delete(tree: number): void;
  ts_tree_root_node_wasm(tree: number): void;
  ts_query_new(
    language: number,
    source: number,
    length: number,
    errorOffset: number,
    errorKind: number,
  ): number;
  ts_query_pattern_count(query: number): number;
  ts_query_capture_count(query: number): number;
  ts_query_capture_name_for_id(query: number, id: number, length: number): number;
  ts_query_string_value_for_id(query: number, id: number, length: number): number;
  ts_query_predicates_for_pattern(query: number, pattern: number, steps: number): number;
  ts_query_matches_wasm(query: number, tree: number, ...range: readonly number[]): void;
}

/** Whether work is to end: asked where it may take long, and in the midst of it, which is often. */
export interface Asked {
  readonly isOver: () => boolean;
  readonly isOverAmid: () => boolean;
}

/** A text that is to be parsed. */
export interface Given {
  readonly text: string;
  /** The same by the byte, where it is ASCII alone: moved as one, where its signs are asked for one by one. */
  readonly ascii: Uint8Array | null;
  /** Whether it is handed over so. */
  readonly isNarrow: boolean;
}

/** What the module calls while it parses or looks for matches. */
interface Work extends Given, Asked {
  /** Its text was ended where it was no more than come to. */
  isCut: boolean;
}

const NOTHING: Given = { text: "", ascii: null, isNarrow: false };

/** A grammar's module, and the function that gives its table. */
export interface GrammarModule {
  readonly name: string;
  readonly module: WebAssembly.Module;
}

/** One instance of the library. After anything throws in its midst it must not be used any more. */
export class Library {
  readonly #memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: DECLARED_PAGES });
  readonly #table = new WebAssembly.Table({ initial: TABLE_SIZE, element: "anyfunc" });
  readonly exports: Exports;
  readonly #parser: number;
  readonly #input: number;
  /** Where the module puts results that are more than one word. */
  readonly transfer: number;
  #work: Work | null = null;
  #bytes: Uint8Array;
  #words: Uint32Array;

  constructor(module: WebAssembly.Module) {
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#words = new Uint32Array(this.#memory.buffer);
    const { exports } = new WebAssembly.Instance(module, this.#imports());
    this.exports = exports as unknown as Exports;
    this.exports.__wasm_apply_data_relocs?.();
    this.exports.__wasm_call_ctors();
    this.transfer = this.exports.ts_init();
    this.exports.ts_parser_new_wasm();
    this.#parser = this.word(this.transfer);
    this.#input = this.word(this.transfer + 4);
  }

  /** The memory as it is now: larger after the next call, perhaps. */
  get bytes(): Uint8Array {
    if (this.#bytes.buffer !== this.#memory.buffer) {
      this.#bytes = new Uint8Array(this.#memory.buffer);
    }
    return this.#bytes;
  }

  get words(): Uint32Array {
    if (this.#words.buffer !== this.#memory.buffer) {
      this.#words = new Uint32Array(this.#memory.buffer);
    }
    return this.#words;
  }

  word(address: number): number {
    return this.words[address >>> 2] as number;
  }

  /** Whether it holds more memory than it began with, which it never gives back. */
  get hasGrown(): boolean {
    return this.#memory.buffer.byteLength > INITIAL_PAGES * PAGE;
  }

  /** Links a grammar in: the address of its tables. */
  link({ name, module }: GrammarModule): number {
    const { memorySize, memoryAlign, tableSize } = linkingOf(module);
    const room = this.exports.calloc(memorySize + memoryAlign, 1);
    const base = Math.ceil(room / memoryAlign) * memoryAlign;
    const tableBase = this.#table.length;
    this.#table.grow(tableSize);
    const instance = new WebAssembly.Instance(module, {
      env: {
        ...(this.exports as unknown as Record<string, WebAssembly.ImportValue>),
        ...this.#shared,
        __memory_base: constant(base),
        __table_base: constant(tableBase),
        __assert_fail: fail,
      },
    });
    const grammar = instance.exports as unknown as Record<string, () => number>;
    grammar["__wasm_apply_data_relocs"]?.();
    grammar["__wasm_call_ctors"]?.();
    const language = grammar[`tree_sitter_${name}`];
    if (language === undefined) throw new Error(`the grammar for ${name} is another one`);
    return language();
  }

  /**
   * The address of the text's tree, which counts in bytes of UTF-16, or where `isNarrow` says that the text is ASCII, of that;
   * 0 where it was ended.
   */
  parse(language: number, given: Given, asked: Asked): number {
    const { isOver, isOverAmid } = asked;
    const work: Work = this.#work = { ...given, isOver, isOverAmid, isCut: false };
    const { exports } = this;
    exports.ts_parser_set_language(this.#parser, language);
    const tree = exports.ts_parser_parse_wasm(this.#parser, this.#input, 0, 0, 0);
    if (tree === 0) exports.ts_parser_reset(this.#parser);
    this.#work = null;
    if (!work.isCut) return tree;
    if (tree !== 0) exports.ts_tree_delete(tree);
    return 0;
  }

  /** Does what may ask whether it is over. */
  whileAsked<T>({ isOver, isOverAmid }: Asked, work: () => T): T {
    this.#work = { ...NOTHING, isOver, isOverAmid, isCut: false };
    const result = work();
    this.#work = null;
    return result;
  }

  readonly #stack = new WebAssembly.Global({ value: "i32", mutable: true }, STACK_HIGH);

  get #shared(): Record<string, WebAssembly.ImportValue> {
    return {
      memory: this.#memory,
      __indirect_function_table: this.#table,
      __stack_pointer: this.#stack,
    };
  }

  #imports(): WebAssembly.Imports {
    return {
      env: {
        ...this.#shared,
        __memory_base: constant(DATA_BASE),
        __table_base: constant(TABLE_BASE),
        emscripten_resize_heap: (size: number) => this.#grow(size >>> 0),
        _abort_js: fail,
        tree_sitter_parse_callback: (
          buffer: number,
          at: number,
          _row: number,
          _column: number,
          length: number,
        ) => this.#read(buffer, at, length),
        tree_sitter_progress_callback: () => this.#isOverAmid(),
        tree_sitter_query_progress_callback: () => this.#isOverAmid(),
        tree_sitter_log_callback: () => {},
      },
      "GOT.mem": {
        __stack_low: address(STACK_LOW),
        __stack_high: address(STACK_HIGH),
        __heap_base: address(STACK_HIGH),
      },
      wasi_snapshot_preview1: { fd_write: () => 0, fd_seek: () => 0, fd_close: () => 0 },
    };
  }

  /**
   * The text from a unit on, as much of it as the buffer takes. What looks ahead to the end of the text for each word of it
   * is asked nowhere else whether it is over: then there is no more text.
   */
  #read(buffer: number, at: number, length: number): void {
    if (this.#work?.isOver() === true) this.#work.isCut = true;
    const { text, ascii, isNarrow } = this.#work?.isCut === false ? this.#work : NOTHING;
    if (isNarrow && ascii !== null) {
      this.#readNarrow(ascii, buffer, length);
      return;
    }
    const count = Math.max(0, Math.min(text.length - at, MOST_UNITS));
    const units = new Uint16Array(this.#memory.buffer, buffer, count);
    if (ascii !== null) units.set(ascii.subarray(at, at + count));
    else for (let index = 0; index < count; index++) units[index] = text.charCodeAt(at + index);
    this.words[length >>> 2] = count;
  }

  /**
   * The same by the byte. The module takes all texts for UTF-16, in which each sign goes a longer way: the encoding is put
   * right as the text is begun. It also counts what it gets in pairs of bytes, so that the place of the last byte is said
   * as the end of the range that is to be parsed.
   */
  #readNarrow(ascii: Uint8Array, buffer: number, length: number): void {
    const { bytes, words } = this;
    const lexer = this.#parser >>> 2;
    const at = words[lexer + LEXER.chunkStart] as number;
    if (at === 0) {
      words[lexer + LEXER.encoding] = UTF_8;
      const range = (words[lexer + LEXER.ranges] as number) >>> 2;
      words[range + RANGE_END] = ascii.length;
    }
    const count = Math.max(0, Math.min(ascii.length - at, MOST_BYTES));
    bytes.set(ascii.subarray(at, at + count), buffer);
    words[length >>> 2] = (count + 1) >>> 1;
  }

  #isOverAmid(): number {
    return this.#work?.isOverAmid() === true ? 1 : 0;
  }

  /** By a fifth at least, as the script does; what asks for too much gets none, and fails. */
  #grow(size: number): number {
    const has = this.#memory.buffer.byteLength / PAGE;
    const wants = Math.ceil(size / PAGE);
    if (wants > MOST_PAGES) return 0;
    this.#memory.grow(Math.min(MOST_PAGES, Math.max(wants, Math.ceil(has * 1.2))) - has);
    return 1;
  }
}

/** Where its memory is at an end, it says so by this. */
export class LibraryFailed extends Error {}

function fail(): never {
  throw new LibraryFailed("tree-sitter gave up");
}

function constant(value: number): WebAssembly.Global {
  return new WebAssembly.Global({ value: "i32", mutable: false }, value);
}

function address(value: number): WebAssembly.Global {
  return new WebAssembly.Global({ value: "i32", mutable: true }, value);
}
