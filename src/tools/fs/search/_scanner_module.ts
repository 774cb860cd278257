/** The WebAssembly module of the scanner, put together from its instructions. */

/** LEB128, as the binary format writes whole numbers: unsigned. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

function section(id: number, ...content: number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function name(text: string): number[] {
  return [...unsigned(text.length), ...new TextEncoder().encode(text)];
}

// Types and instructions by their codes (WebAssembly Core Specification 2.0, chapter 5).
const I32 = 0x7f;
const V128 = 0x7b;
const NO_RESULT = 0x40;
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const tee = (local: number) => [0x22, local];
/** From -64 to 63. */
const constant = (value: number) => [0x41, value & 0x7f];
const block = (...body: number[]) => [0x02, NO_RESULT, ...body, 0x0b];
const loop = (...body: number[]) => [0x03, NO_RESULT, ...body, 0x0b];
const when = (...body: number[]) => [0x04, NO_RESULT, ...body, 0x0b];
const branch = (depth: number) => [0x0c, depth];
const branchIf = (depth: number) => [0x0d, depth];
const RETURN = 0x0f;
const LOAD_BYTE = [0x2d, 0, 0];
const IS_ZERO = 0x45;
const EQUAL = 0x46;
const NOT_EQUAL = 0x47;
const GREATER = 0x4a;
const TRAILING_ZEROS = 0x68;
const ADD = 0x6a;
const SUBTRACT = 0x6b;
const AND = 0x71;
const OR = 0x72;
const vector = (code: number, ...more: number[]) => [0xfd, ...unsigned(code), ...more];
const LOAD_VECTOR = vector(0, 0, 0);
const loadVectorAt = (offset: number) => vector(0, 0, offset);
const SPLAT = vector(15);
const EQUAL_BYTES = vector(35);
const LEAST_BYTES = vector(119);
const ALL_TRUE = vector(99);
const AND_VECTORS = vector(78);
const OR_VECTORS = vector(80);
const BIT_MASK = vector(100);

// The parameters of `find`, of which `hasNul` has the first two, and its variables.
const AT = 0;
const END = 1;
const TABLE = 2;
const LENGTH = 3;
const FIRST = 4;
const SECOND = 5;
/** The last place where the literal could begin. */
const LAST = 6;
const MASK = 7;
const PLACE = 8;
const INDEX = 9;
const FIRST_BYTE = 10;
const FIRST_FOLD = 11;
const SECOND_BYTE = 12;
const SECOND_FOLD = 13;

/** Sixteen times the byte of the table at `offset`, in `local`. */
const spread = (offset: readonly number[], local: number) => [
  ...get(TABLE),
  ...offset,
  ADD,
  ...LOAD_BYTE,
  ...SPLAT,
  ...set(local),
];

/** Which of the sixteen bytes from `AT + offset` on are the wanted one, folded. */
const compare = (offset: number, fold: number, byte: number) => [
  ...get(AT),
  ...get(offset),
  ADD,
  ...LOAD_VECTOR,
  ...get(fold),
  ...OR_VECTORS,
  ...get(byte),
  ...EQUAL_BYTES,
];

const byteAt = (base: number) => [...get(base), ...get(INDEX), ADD, ...LOAD_BYTE];

/** Compares the whole literal at `PLACE` and returns it where it stands there. */
const VERIFY = [
  ...constant(0),
  ...set(INDEX),
  ...block(...loop(
    ...get(INDEX),
    ...get(LENGTH),
    EQUAL,
    ...when(...get(PLACE), RETURN),
    ...byteAt(PLACE),
    // The fold of a byte lies behind the literal.
    ...get(TABLE),
    ...get(LENGTH),
    ADD,
    ...get(INDEX),
    ADD,
    ...LOAD_BYTE,
    OR,
    ...byteAt(TABLE),
    NOT_EQUAL,
    ...branchIf(1),
    ...get(INDEX),
    ...constant(1),
    ADD,
    ...set(INDEX),
    ...branch(0),
  )),
];

const FIND = [
  ...get(END),
  ...get(LENGTH),
  SUBTRACT,
  ...set(LAST),
  ...spread(get(FIRST), FIRST_BYTE),
  ...spread([...get(LENGTH), ADD, ...get(FIRST)], FIRST_FOLD),
  ...spread(get(SECOND), SECOND_BYTE),
  ...spread([...get(LENGTH), ADD, ...get(SECOND)], SECOND_FOLD),
  ...block(...loop(
    ...get(AT),
    ...get(LAST),
    GREATER,
    ...branchIf(1),
    // Where both bytes stand at their places, a bit is set.
    ...compare(FIRST, FIRST_FOLD, FIRST_BYTE),
    ...compare(SECOND, SECOND_FOLD, SECOND_BYTE),
    ...AND_VECTORS,
    ...BIT_MASK,
    ...set(MASK),
    ...block(...loop(
      ...get(MASK),
      IS_ZERO,
      ...branchIf(1),
      ...get(AT),
      ...get(MASK),
      TRAILING_ZEROS,
      ADD,
      ...tee(PLACE),
      ...get(LAST),
      GREATER,
      ...branchIf(3),
      ...VERIFY,
      // The lowest bit is done with.
      ...get(MASK),
      ...get(MASK),
      ...constant(1),
      SUBTRACT,
      AND,
      ...set(MASK),
      ...branch(0),
    )),
    ...get(AT),
    ...constant(16),
    ADD,
    ...set(AT),
    ...branch(0),
  )),
  ...constant(-1),
  0x0b,
];

const FIND_LOCALS = [2, 4, I32, 4, V128];

/** Goes on by `size` bytes while there are so many before `END`, and returns 1 where `test` gives 0. */
const eachBlock = (size: number, test: readonly number[]) =>
  block(...loop(
    ...get(AT),
    ...constant(size),
    ADD,
    ...get(END),
    GREATER,
    ...branchIf(1),
    ...test,
    IS_ZERO,
    ...when(...constant(1), RETURN),
    ...get(AT),
    ...constant(size),
    ADD,
    ...set(AT),
    ...branch(0),
  ));

/** The least of each sixteen bytes is 0 where one of them is: all are true where none is. */
const HAS_NUL = [
  ...eachBlock(48, [
    ...get(AT),
    ...loadVectorAt(0),
    ...get(AT),
    ...loadVectorAt(16),
    ...LEAST_BYTES,
    ...get(AT),
    ...loadVectorAt(32),
    ...LEAST_BYTES,
    ...ALL_TRUE,
  ]),
  ...eachBlock(1, [...get(AT), ...LOAD_BYTE]),
  ...constant(0),
  0x0b,
];
const NO_LOCALS = [0];

const MEMORY = 2;
const FUNCTION = 0;

function body(locals: readonly number[], code: readonly number[]): number[] {
  return [...unsigned(locals.length + code.length), ...locals, ...code];
}

/** Imports `scanner.memory`; exports `find` and `hasNul`: see `Instance` in `_search_scanner.ts`. */
export const SCANNER_MODULE = new WebAssembly.Module(Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, 2, 0x60, 6, I32, I32, I32, I32, I32, I32, 1, I32, 0x60, 2, I32, I32, 1, I32),
  ...section(2, 1, ...name("scanner"), ...name("memory"), MEMORY, 0, 1),
  ...section(3, 2, 0, 1),
  ...section(7, 2, ...name("find"), FUNCTION, 0, ...name("hasNul"), FUNCTION, 1),
  ...section(10, 2, ...body(FIND_LOCALS, FIND), ...body(NO_LOCALS, HAS_NUL)),
]));
