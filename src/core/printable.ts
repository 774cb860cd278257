/** Text of the request made fit for one line of a message, an approval or the audit log. */

/**
 * Unicode categories of what could move a cursor, break a line, turn the direction or stay unseen: controls,
 * formats (zero width, direction overrides), line and paragraph separators, lone surrogates.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Texts that have none of them, as nearly all are: a class without Unicode is looked through far faster. */
const SAFE = /^[\x20-\x7e]*$/;

/** Escapes what is unsafe to show (`\n`, `\x1b`, `\u202e`) and cuts after `limit` characters with `…`. */
export function printable(text: string, limit = 200): string {
  const cut = text.length > limit
    ? `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…`
    : text;
  return SAFE.test(cut) ? cut : cut.replace(UNSAFE, escapeCharacter);
}

/** {@linkcode printable} in double quotes, inner ones escaped. */
export function quoted(text: string, limit = 60): string {
  return `"${printable(text, limit).replaceAll('"', '\\"')}"`;
}

function escapeCharacter(character: string): string {
  switch (character) {
    case "\n":
      return "\\n";
    case "\r":
      return "\\r";
    case "\t":
      return "\\t";
  }
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}
