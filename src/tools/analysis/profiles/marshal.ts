/**
 * Python's marshal format as data: CPython's Python/marshal.c, versions 0 to 5. Nothing in it is run: code objects
 * are refused, and so is all else that a table of statistics has no use for.
 */

/** A key or an entry; dictionaries are pairs, for their keys are tuples. */
export type MarshalValue =
  | string
  | number
  | boolean
  | null
  | readonly MarshalValue[]
  | MarshalDictionary;

/** A dictionary, in the order it was written. */
export interface MarshalDictionary {
  readonly entries: readonly (readonly [MarshalValue, MarshalValue])[];
}

/** Whether a value is a dictionary; a list is none. */
export function isDictionary(value: MarshalValue | undefined): value is MarshalDictionary {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Bytes that are no such data. */
export class MarshalError extends Error {
  override readonly name = "MarshalError";
}

/** The table of cProfile is four deep. */
const DEEPEST = 16;
/** A function takes some twenty, and ten more for each that calls it. */
const MOST_VALUES = 2_000_000;
/** `FLAG_REF`: the value can be referred to later. */
const FLAG_REF = 0x80;
/** A long of more digits than that is beyond any double: 15 bits a digit. */
const MOST_DIGITS = 80;

/** Reads the one value that bytes hold. `checkpoint` is called now and then. Throws MarshalError. */
export function readMarshal(bytes: Uint8Array, checkpoint: () => void): MarshalValue {
  return new Reader(bytes, checkpoint).read(0);
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #checkpoint: () => void;
  readonly #refs: (MarshalValue | undefined)[] = [];
  readonly #utf8 = new TextDecoder();
  readonly #latin1 = new TextDecoder("latin1");
  #at = 0;
  #steps = 0;

  constructor(bytes: Uint8Array, checkpoint: () => void) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#checkpoint = checkpoint;
  }

  read(depth: number): MarshalValue {
    const value = this.#readOrEnd(depth);
    if (value === undefined) throw new MarshalError("a dictionary ends where none is open");
    return value;
  }

  /** Undefined for the mark that ends a dictionary. */
  #readOrEnd(depth: number): MarshalValue | undefined {
    if ((this.#steps++ & 0xfff) === 0) this.#checkpoint();
    if (this.#steps > MOST_VALUES) throw new MarshalError(`it has over ${MOST_VALUES} values`);
    if (depth > DEEPEST) throw new MarshalError(`it is more than ${DEEPEST} deep`);
    const type = this.#byte();
    const kind = String.fromCharCode(type & ~FLAG_REF);
    if (kind === "0") return undefined;
    if (kind === "r") return this.#reference();
    if ((type & FLAG_REF) === 0) return this.#value(kind, depth);
    // The place is taken before what is inside is read, as CPython does.
    const place = this.#refs.push(undefined) - 1;
    const value = this.#value(kind, depth);
    this.#refs[place] = value;
    return value;
  }

  #value(kind: string, depth: number): MarshalValue {
    switch (kind) {
      case "N":
        return null;
      case "T":
        return true;
      case "F":
        return false;
      case "i":
        return this.#int32();
      case "I": {
        const at = this.#take(8);
        return Number(this.#view.getBigInt64(at, true));
      }
      case "l":
        return this.#long();
      case "g":
        return this.#view.getFloat64(this.#take(8), true);
      case "f":
        return Number(this.#text(this.#byte(), this.#latin1));
      case "z":
      case "Z":
        return this.#text(this.#byte(), this.#latin1);
      case "a":
      case "A":
        return this.#text(this.#size(), this.#latin1);
      case "u":
      case "t":
        return this.#text(this.#size(), this.#utf8);
      // Bytes: the texts of Python 2.
      case "s":
        return this.#text(this.#size(), this.#utf8);
      case ")":
        return this.#list(this.#byte(), depth);
      case "(":
      case "[":
        return this.#list(this.#size(), depth);
      case "{":
        return this.#dictionary(depth);
      default:
        throw new MarshalError(`it holds a value of kind 0x${kind.charCodeAt(0).toString(16)}`);
    }
  }

  #list(size: number, depth: number): readonly MarshalValue[] {
    // Every entry takes a byte at least: a false size ends here and takes no memory.
    if (size > this.#bytes.length - this.#at) throw new MarshalError("it is cut off");
    const values: MarshalValue[] = [];
    for (let index = 0; index < size; index++) values.push(this.read(depth + 1));
    return values;
  }

  #dictionary(depth: number): MarshalDictionary {
    const entries: (readonly [MarshalValue, MarshalValue])[] = [];
    for (;;) {
      const key = this.#readOrEnd(depth + 1);
      if (key === undefined) return { entries };
      entries.push([key, this.read(depth + 1)]);
    }
  }

  #reference(): MarshalValue {
    const value = this.#refs[this.#int32()];
    if (value === undefined) throw new MarshalError("it refers to what is not there");
    return value;
  }

  /** Digits of 15 bits, the lowest first; the sign is that of their number. */
  #long(): number {
    const count = this.#int32();
    const digits = Math.abs(count);
    const at = this.#take(digits * 2);
    if (digits > MOST_DIGITS) return count < 0 ? -Infinity : Infinity;
    let value = 0;
    for (let index = digits - 1; index >= 0; index--) {
      value = value * 0x8000 + this.#view.getUint16(at + index * 2, true);
    }
    return count < 0 ? -value : value;
  }

  #text(size: number, decoder: TextDecoder): string {
    const at = this.#take(size);
    return decoder.decode(this.#bytes.subarray(at, at + size));
  }

  #size(): number {
    const size = this.#int32();
    if (size < 0) throw new MarshalError("a size is below zero");
    return size;
  }

  #int32(): number {
    return this.#view.getInt32(this.#take(4), true);
  }

  #byte(): number {
    return this.#bytes[this.#take(1)] ?? 0;
  }

  /** Where the next bytes lie, and past them. */
  #take(count: number): number {
    const at = this.#at;
    if (count > this.#bytes.length - at) throw new MarshalError("it is cut off");
    this.#at = at + count;
    return at;
  }
}
