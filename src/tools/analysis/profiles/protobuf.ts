/** The wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding/), read where it lies. */

/** A field of a message: a number, or where its bytes lie. */
export interface Field {
  readonly number: number;
  readonly wire: number;
  /** Of wire type 0, as unsigned: a bigint where a number cannot hold it. 0 for others. */
  readonly value: number | bigint;
  /** Of wire type 2: where its contents begin and end. */
  readonly from: number;
  readonly to: number;
}

/** Bytes that are no message. */
export class WireError extends Error {
  override readonly name = "WireError";
}

/** The largest number of a field. */
const LAST_NUMBER = 2 ** 29 - 1;

/** Where a varint ended, and what it was. */
interface Varint {
  readonly value: number | bigint;
  readonly end: number;
}

/** Numbers of seven bits a byte, the lowest first, at most ten bytes. */
function readVarint(bytes: Uint8Array, from: number, to: number): Varint {
  let value = 0;
  let scale = 1;
  for (let at = from; at < to && at < from + 7; at++) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, end: at + 1 };
    scale *= 128;
  }
  let large = BigInt(value);
  let shift = 49n;
  for (let at = from + 7; at < to && at < from + 10; at++) {
    const byte = bytes[at] ?? 0;
    large |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) {
      const whole = BigInt.asUintN(64, large);
      const value = whole <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(whole) : whole;
      return { value, end: at + 1 };
    }
    shift += 7n;
  }
  throw new WireError("a number does not end");
}

/** The fields of a message, in order. Throws WireError. */
export function* fieldsOf(bytes: Uint8Array, from: number, to: number): Generator<Field> {
  let at = from;
  while (at < to) {
    const key = readVarint(bytes, at, to);
    const number = Math.floor(Number(key.value) / 8);
    if (number < 1 || number > LAST_NUMBER) throw new WireError("a field has no number");
    const wire = Number(key.value) % 8;
    at = key.end;
    switch (wire) {
      case 0: {
        const { value, end } = readVarint(bytes, at, to);
        at = end;
        yield { number, wire, value, from: at, to: at };
        break;
      }
      case 1:
      case 5:
        at += wire === 1 ? 8 : 4;
        if (at > to) throw new WireError("a number is cut off");
        yield { number, wire, value: 0, from: at, to: at };
        break;
      case 2: {
        const { value, end } = readVarint(bytes, at, to);
        const stop = end + Number(value);
        if (stop > to) throw new WireError("a field is cut off");
        at = stop;
        yield { number, wire, value: 0, from: end, to: stop };
        break;
      }
      default:
        throw new WireError(`a field is of kind ${wire}`);
    }
  }
}

/** The numbers of a repeated field, packed (many in one field) or not. Throws WireError. */
export function* numbersOf(bytes: Uint8Array, field: Field): Generator<number | bigint> {
  if (field.wire === 0) yield field.value;
  if (field.wire !== 2) return;
  for (let at = field.from; at < field.to;) {
    const { value, end } = readVarint(bytes, at, field.to);
    at = end;
    yield value;
  }
}

/** An `int64` from what a varint holds. */
export function signed(value: number | bigint): number {
  return typeof value === "number" ? value : Number(BigInt.asIntN(64, value));
}
