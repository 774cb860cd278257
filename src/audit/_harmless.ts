/** A quick look that tells texts in which no secret can stand, so that most are spared the close one. */

/**
 * Characters in a row, of those that tokens are made of, which any of the formats of `secrets.ts` has at the least: ten
 * and more after a prefix of five (Slack), or the first two parts of a JSON Web Token.
 */
const SHORTEST_TOKEN = 15;
const SHORTEST_TOKEN_PART = 11;
/** Letters of `Bearer`, which a space and then the secret follow. */
const BEARER = 6;
/** The name that an assignment leads with (`withoutAssigned`), its dashes included. */
const LONGEST_NAME = 63;

/** What a character means to the look, by its code. */
const OTHER = 0;
const TOKEN = 1;
const SPACE = 2;
const COLON = 3;
const EQUALS = 4;
const DOT = 5;

const MEANINGS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[\w-]/.test(character)) return TOKEN;
  if (/\s/.test(character)) return SPACE;
  return { ":": COLON, "=": EQUALS, ".": DOT }[character] ?? OTHER;
});

const CODE_OF = (character: string): number => character.charCodeAt(0);
const [DASH, SLASH, QUOTE, DOUBLE_QUOTE] = ["-", "/", "'", '"'].map(CODE_OF);
const [LOWER_B, LOWER_E, LOWER_S] = ["b", "e", "s"].map(CODE_OF);
/** ArrivalOrder an ASCII letter into its lower case. */
const LOWER = 0x20;

/**
 * True only where redacting a text would leave it as it is: no format of a well-known secret can match, and nothing in
 * it is led by a name that `isSecret` knows. False where that takes a close look.
 */
export function isHarmless(text: string, isSecret: (name: string) => boolean): boolean {
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    switch (code < 128 ? MEANINGS[code] : SPACE) {
      case TOKEN:
        if (++run >= SHORTEST_TOKEN) return false;
        // An option (`--password x`), a private key (`-----BEGIN`): not a dash between two letters.
        if (code === DASH && (run === 1 || text.charCodeAt(at + 1) === DASH)) return false;
        continue;
      case SPACE:
        if (run >= BEARER && (text.charCodeAt(at - BEARER) | LOWER) === LOWER_B) return false;
        break;
      case DOT: {
        const next = text.charCodeAt(at + 1);
        // `eyJ….eyJ….…`, and `hooks.slack.com`.
        if (run >= SHORTEST_TOKEN_PART && next === LOWER_E) return false;
        if (next === LOWER_S && text.charCodeAt(at - 1) === LOWER_S) return false;
        break;
      }
      case COLON:
        if (text.charCodeAt(at + 1) === SLASH) return false;
        if (isLedBySecret(text, at, isSecret)) return false;
        break;
      case EQUALS:
        if (isLedBySecret(text, at, isSecret)) return false;
        break;
    }
    run = 0;
  }
  return true;
}

/** Whether the name before an `=` or `:` is a secret's, or cannot be told from here. */
function isLedBySecret(text: string, at: number, isSecret: (name: string) => boolean): boolean {
  let end = at;
  while (end > 0 && at - end < 3 && meaning(text, end - 1) === SPACE) end--;
  const before = text.charCodeAt(end - 1);
  if (before === QUOTE || before === DOUBLE_QUOTE) end--;
  let start = end;
  while (start > 0 && isOfName(text, start - 1)) start--;
  if (end - start > LONGEST_NAME) return true;
  return end > start && isSecret(text.slice(start, end).replace(/^-{1,2}/, ""));
}

function isOfName(text: string, at: number): boolean {
  const found = meaning(text, at);
  return found === TOKEN || found === DOT;
}

/** What is not ASCII may be a space, and is no part of a name. */
function meaning(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? MEANINGS[code] ?? OTHER : SPACE;
}
