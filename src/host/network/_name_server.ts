/** Questions of name servers (RFC 1035) from programs, over TCP, and answers that are made here. */

/** What a name comes to: an address of IPv4, none (there is no such name), or no answer. */
export type Named = readonly number[] | "none" | "failed";

/** A question that can be answered. */
export interface NameQuestion {
  /** In lower case, without a final dot. */
  readonly name: string;
  readonly isAddress: boolean;
}

/** RFC 1035, 4.1.1: QR, Opcode, RD; RA and the codes of answers. */
const IS_ANSWER = 0x8000;
const OPCODE = 0x7800;
const WANTS_RECURSION = 0x0100;
const HAS_RECURSION = 0x0080;
const CODES = { fine: 0, malformed: 1, failed: 2, none: 3, notDone: 4 } as const;
/** RFC 1035, 3.2.2, 3.2.4 */
const TYPE_A = 1;
const CLASS_IN = 1;
const HEAD = 12;
/** RFC 1035, 2.3.4: of a label, and of a name with its dots. */
const LONGEST_LABEL = 63;
const LONGEST_NAME = 253;
/** Seconds: what stands for a name does so as long as its program runs. */
const LIFETIME = 60;
/** Labels of hosts as programs write them; with anything else in them they name none. */
const LABEL = /^[A-Za-z0-9_-]+$/;

/** Null where it is to be answered with {@linkcode malformed}. */
export function questionOf(query: Uint8Array): NameQuestion | null {
  if (query.length < HEAD) return null;
  const view = viewOf(query);
  const flags = view.getUint16(2);
  if ((flags & (IS_ANSWER | OPCODE)) !== 0 || view.getUint16(4) !== 1) return null;
  const labels: string[] = [];
  let at = HEAD;
  for (;;) {
    const length = query[at];
    if (length === undefined || length > LONGEST_LABEL) return null;
    at++;
    if (length === 0) break;
    const label = new TextDecoder("latin1").decode(query.subarray(at, at + length));
    if (label.length !== length || !LABEL.test(label)) return null;
    labels.push(label);
    at += length;
  }
  const name = labels.join(".").toLowerCase();
  if (at + 4 > query.length || name.length > LONGEST_NAME) return null;
  const isAddress = view.getUint16(at) === TYPE_A && view.getUint16(at + 2) === CLASS_IN;
  return { name, isAddress };
}

/** The answer to a question that was read. There are addresses of IPv4, and nothing else of any name. */
export function answerTo(query: Uint8Array, { isAddress }: NameQuestion, named: Named): Uint8Array {
  const code = named === "none" ? CODES.none : named === "failed" ? CODES.failed : CODES.fine;
  const address = isAddress && typeof named === "object" ? named : null;
  const question = query.subarray(HEAD, endOfQuestion(query));
  // Its name is that of the question, by a pointer to it (4.1.4).
  const record = address === null
    ? []
    : [0xc0, HEAD, 0, TYPE_A, 0, CLASS_IN, 0, 0, 0, LIFETIME, 0, address.length, ...address];
  return Uint8Array.of(...headOf(query, code, 1, address === null ? 0 : 1), ...question, ...record);
}

/** To what cannot be read; null where it is not even that of a question. */
export function malformed(query: Uint8Array): Uint8Array | null {
  if (query.length < HEAD) return null;
  const isOther = (viewOf(query).getUint16(2) & OPCODE) !== 0;
  return Uint8Array.from(headOf(query, isOther ? CODES.notDone : CODES.malformed, 0, 0));
}

function headOf(query: Uint8Array, code: number, questions: number, answers: number): number[] {
  const flags = IS_ANSWER | HAS_RECURSION | code |
    (viewOf(query).getUint16(2) & WANTS_RECURSION);
  const words = [viewOf(query).getUint16(0), flags, questions, answers, 0, 0];
  return words.flatMap((word) => [word >> 8, word & 0xff]);
}

function endOfQuestion(query: Uint8Array): number {
  let at = HEAD;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) at += length + 1;
  return at + 5;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
