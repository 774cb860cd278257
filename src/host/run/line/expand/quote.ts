/** Text quoted so that a shell reads it as it is. */

/** As `${x@Q}` has it. */
export function shellQuoted(text: string): string {
  // deno-lint-ignore no-control-regex
  return /[\x00-\x1f\x7f]/.test(text) ? ansiQuoted(text) : `'${text.replaceAll("'", "'\\''")}'`;
}

/** As `printf %q` has it. */
export function printfQuoted(text: string): string {
  if (text === "") return "''";
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(text)) return ansiQuoted(text);
  return text.replace(/[^\w@%+=:./\-\u0080-\u{10ffff}]/gu, "\\$&").replace(/^~/, "\\~");
}

const LETTERS: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\x1b": "\\E",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  "'": "\\'",
};

function ansiQuoted(text: string): string {
  const shown = [...text].map((one) => {
    const known = LETTERS[one];
    if (known !== undefined) return known;
    const code = one.charCodeAt(0);
    return code < 0x20 || code === 0x7f ? `\\${code.toString(8).padStart(3, "0")}` : one;
  });
  return `$'${shown.join("")}'`;
}
