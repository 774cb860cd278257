/**
 * How a key may be written in what comes back from whoever was sent it: as it is, escaped letter by letter for addresses,
 * JSON or HTML, in hexadecimal digits, or as a part of something in base64.
 */

/** One way to write a part of it. `folded`: in lower case, and meant in either. */
interface Way {
  readonly bytes: Uint8Array;
  readonly folded: boolean;
}

/** Parts in their order, each written in one of its ways. */
type Form = readonly (readonly Way[])[];

/** What was found at a place: the bytes that it takes; "begun" where all that is there fits, and more has to come. */
export type Found = number | "begun" | null;

/** Shorter keys are met by chance among digits and letters. */
const SHORTEST_ENCODED = 8;

/** The forms of one key. */
export class KeyForms {
  /** By the byte that they begin with. */
  readonly #beginning: readonly (readonly Form[])[];

  /** Of characters up to U+00FF. */
  constructor(key: string) {
    const forms: Form[] = [escaped(key)];
    if (key.length >= SHORTEST_ENCODED) forms.push(hexadecimal(key), ...inBase64(key));
    const beginning: Form[][] = Array.from({ length: 256 }, () => []);
    for (const form of forms) {
      const firsts = (form[0] ?? []).flatMap(({ bytes: [first = 0], folded }) =>
        folded && isLetter(first) ? [first, first & ~CASE] : [first]
      );
      for (const first of new Set(firsts)) beginning[first]?.push(form);
    }
    this.#beginning = beginning;
  }

  /** Whether the key is written at this place of the bytes. `last`: nothing comes behind them. */
  at(bytes: Uint8Array, at: number, last: boolean): Found {
    let longest: number | null = null;
    for (const form of this.#beginning[bytes[at] ?? 0] ?? []) {
      const { begun, length } = match(form, bytes, at);
      if (begun && !last) return "begun";
      longest = length === null ? longest : Math.max(length, longest ?? 0);
    }
    return longest;
  }
}

/** All ways are followed at once: a key may itself have what escapes are made of. */
function match(
  form: Form,
  bytes: Uint8Array,
  start: number,
): { readonly begun: boolean; readonly length: number | null } {
  let ends: readonly number[] = [start];
  let begun = false;
  for (const ways of form) {
    const next: number[] = [];
    for (const at of ends) {
      for (const way of ways) {
        const fits = fitting(way, bytes, at);
        if (fits === "begun") begun = true;
        else if (fits && !next.includes(at + way.bytes.length)) next.push(at + way.bytes.length);
      }
    }
    if (next.length === 0) return { begun, length: null };
    ends = next;
  }
  return { begun, length: Math.max(...ends) - start };
}

function fitting({ bytes: way, folded }: Way, bytes: Uint8Array, at: number): boolean | "begun" {
  for (let index = 0; index < way.length; index++) {
    if (at + index >= bytes.length) return "begun";
    const byte = bytes[at + index]!;
    const read = folded && isLetter(byte) ? byte | CASE : byte;
    if (read !== way[index]) return false;
  }
  return true;
}

const CASE = 0x20;

function isLetter(byte: number): boolean {
  const lower = byte | CASE;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Latin-1. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (one) => one.charCodeAt(0));
}

const asIs = (text: string): Way => ({ bytes: bytesOf(text), folded: false });
const inEitherCase = (text: string): Way => ({ bytes: bytesOf(text), folded: true });

/** HTML, 13.5: those that every writer of HTML escapes. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
]);
/** RFC 8259, 7. */
const ESCAPED_IN_JSON = '"\\/';

/** Each letter by itself: few escape all of them. */
function escaped(key: string): Form {
  return Array.from(key, (letter) => {
    const code = letter.charCodeAt(0);
    const hex = code.toString(16).padStart(2, "0");
    const entity = ENTITIES.get(letter);
    return [
      asIs(letter),
      inEitherCase(`%${hex}`),
      inEitherCase(`\\u00${hex}`),
      inEitherCase(`\\x${hex}`),
      ...(ESCAPED_IN_JSON.includes(letter) ? [asIs(`\\${letter}`)] : []),
      asIs(`&#${code};`),
      inEitherCase(`&#x${hex};`),
      ...(entity === undefined ? [] : [asIs(entity)]),
    ];
  });
}

function hexadecimal(key: string): Form {
  return Array.from(
    key,
    (letter) => [inEitherCase(letter.charCodeAt(0).toString(16).padStart(2, "0"))],
  );
}

/**
 * RFC 4648, both alphabets: three forms, by how many bytes before the key share its first group (`Bearer KEY`,
 * `user:KEY`). Digits that have bits of something else too are left out of them.
 */
function inBase64(key: string): readonly Form[] {
  return [0, 1, 2].map((before) => {
    const digits = new Uint8Array([...new Uint8Array(before), ...bytesOf(key)]).toBase64({
      omitPadding: true,
    });
    const first = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + key.length) * 8) / 6);
    return Array.from(
      digits.slice(first, end),
      (digit) =>
        digit === "+"
          ? [asIs("+"), asIs("-"), inEitherCase("%2b")]
          : digit === "/"
          ? [asIs("/"), asIs("_"), asIs("\\/"), inEitherCase("%2f")]
          : [asIs(digit)],
    );
  });
}
