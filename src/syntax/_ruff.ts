/** Ruff's Python parser in WebAssembly: one instance, and the few functions of the host that it calls. */

/** What the parser says first of a text that it refuses; `offset` counts UTF-8 bytes from 0. */
export interface ParseFailure {
  readonly message: string;
  readonly offset: number;
}

/**
 * What may be asked of it; each parses, and throws the first error of the parser alone. `comments` does least beside,
 * but panics where it is to show a piece of some texts with other letters than ASCII's; `format` takes twice as
 * long. (`check` lints, with errors that only Python's compiler raises; `parse` and `tokens` never throw.)
 */
export type Entry = "comments" | "format";

/** The parser of Python in its own memory. One text at a time. */
export interface Ruff {
  /**
   * Null where the text parses. Throws `WebAssembly.RuntimeError` or `RangeError` where the stack does not suffice,
   * and {@linkcode Panic}.
   */
  parse(text: Uint8Array, entry: Entry): ParseFailure | null;
  /** Bytes of memory that it holds. They never become fewer. */
  readonly memory: number;
  /** Something threw in its midst: its stack and heap are no longer what it takes them for. */
  readonly isBroken: boolean;
}

/** A defect that it noticed itself. The message begins with where. */
export class Panic extends Error {}

/** A `WebAssembly.Table` of any values, which its type takes for one of functions. */
interface ExternalValues {
  get(index: number): unknown;
  set(index: number, value: unknown): void;
  grow(by: number): number;
}

/** The exports in use, as wasm-bindgen shapes them: pointers are offsets in memory, results lists of words. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly __wbindgen_externrefs: ExternalValues;
  __wbindgen_start(): void;
  __wbindgen_malloc(size: number, align: number): number;
  __wbindgen_free(pointer: number, size: number, align: number): void;
  __externref_table_dealloc(index: number): void;
  /** → workspace, index of an error, whether there is one. */
  workspace_new(options: unknown, encoding: number): [number, number, number];
  workspace_comments: Judging;
  workspace_format: Judging;
}

/** Takes the text over. → pointer, length, index of an error, whether there is one. */
type Judging = (
  workspace: number,
  text: number,
  length: number,
) => [number, number, number, number];

/** The module that a wasm-bindgen build imports its functions from. */
const IMPORTS = "./ruff_wasm_bg.js";

/** `PositionEncoding.Utf8`. */
const UTF8 = 0;

/** How errors of the parser end: "… at byte range 4..9". */
const PLACE = /^([^]*) at byte range (\d+)\.\.\d+$/;

/**
 * An instance, for the grammar of all versions. Throws `WebAssembly.LinkError` for a module that is not that of the
 * version pinned.
 */
export function createRuff(module: WebAssembly.Module): Ruff {
  const instance = new WebAssembly.Instance(module, {
    [IMPORTS]: importsOf(module, () => exports),
  });
  const exports = instance.exports as unknown as Exports;
  const judgings: Readonly<Record<Entry, Judging>> = {
    comments: exports.workspace_comments,
    format: exports.workspace_format,
  };
  const takeError = (index: number): Error => {
    const error: unknown = exports.__wbindgen_externrefs.get(index);
    exports.__externref_table_dealloc(index);
    return error instanceof Error ? error : new Error("the parser threw no error");
  };

  exports.__wbindgen_start();
  const [workspace, refusal, isRefused] = exports.workspace_new({}, UTF8);
  if (isRefused) throw takeError(refusal);

  const parse = (text: Uint8Array, entry: Entry): ParseFailure | null => {
    const pointer = exports.__wbindgen_malloc(text.length, 1) >>> 0;
    new Uint8Array(exports.memory.buffer, pointer, text.length).set(text);
    const [result, length, index, hasFailed] = judgings[entry](workspace, pointer, text.length);
    if (!hasFailed) {
      exports.__wbindgen_free(result, length, 1);
      return null;
    }
    const error = takeError(index);
    const [, message, offset] = PLACE.exec(error.message) ?? [];
    // Any other error is of what is done with a text once it has parsed.
    return message === undefined ? null : { message, offset: Number(offset) };
  };

  let isBroken = false;
  return {
    parse(text, entry) {
      try {
        return parse(text, entry);
      } catch (error) {
        isBroken = true;
        throw error;
      }
    },
    get isBroken() {
      return isBroken;
    },
    get memory() {
      return exports.memory.buffer.byteLength;
    },
  };
}

/**
 * What making a workspace of `{}` and reporting an error take; wasm-bindgen names them with a hash behind. All
 * else that the module names is for work that it is never asked to do.
 */
function importsOf(
  module: WebAssembly.Module,
  exports: () => Exports,
): Record<string, WebAssembly.ImportValue> {
  const text = (pointer: number, length: number): string =>
    new TextDecoder().decode(
      new Uint8Array(exports().memory.buffer, pointer >>> 0, length >>> 0),
    );
  const known: Readonly<Record<string, WebAssembly.ImportValue>> = {
    /** The first four places behind those in use hold the values that need no making. */
    __wbindgen_init_externref_table() {
      const table = exports().__wbindgen_externrefs;
      const offset = table.grow(4);
      table.set(0, undefined);
      [undefined, null, true, false].forEach((value, index) => table.set(offset + index, value));
    },
    __wbg_iterator_9b36cebf3be7b7cd: () => Symbol.iterator,
    __wbg_get_44e98e27bda25b5b: (from: object, key: PropertyKey) => Reflect.get(from, key),
    __wbg___wbindgen_is_function_147961669f068cd4: (value: unknown) => typeof value === "function",
    __wbg___wbindgen_is_object_3a2c414391dbf751: (value: unknown) =>
      typeof value === "object" && value !== null,
    __wbg_entries_5a6a7e7e0df09fe5: (from: object) => Object.entries(from),
    __wbg_length_fb04d16d7bdf6d4c: (list: { readonly length: number }) => list.length,
    __wbg_new_5fae30e6b23db8df: (pointer: number, length: number) =>
      new Error(text(pointer, length)),
    __wbg_Error_9dc85fe1bc224456: (pointer: number, length: number) => Error(text(pointer, length)),
    __wbg___wbindgen_throw_bbadd78c1bac3a77(pointer: number, length: number) {
      throw new Error(text(pointer, length));
    },
    // A panic asks for a stack trace, of which it gets an empty one, then reports itself.
    __wbg_new_227d7c05414eb861: () => null,
    __wbg_stack_3b0d974bbf31e44f(result: number) {
      new DataView(exports().memory.buffer).setUint32(result, 1, true);
      new DataView(exports().memory.buffer).setUint32(result + 4, 0, true);
    },
    __wbg_error_a6fa202b58aa1cd3(pointer: number, length: number) {
      throw new Panic(text(pointer, length));
    },
  };
  return Object.fromEntries(
    WebAssembly.Module.imports(module).map(({ name }) => [name, known[name] ?? refuse(name)]),
  );
}

function refuse(name: string): () => never {
  return () => {
    throw new Error(`the parser asked for ${name}, which parsing has no use for`);
  };
}
