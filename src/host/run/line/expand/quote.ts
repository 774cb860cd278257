/** Text quoted so that a shell reads it as it is. */

/** As `${x@Q}` has it. */
export function shellQuoted(text: string): string {
  // deno-lint-ignore no-control-regex
  return /[\x00-\x1f\x7f]/.test(text) ? ansiQuoted(text) : `'${text.replaceAll("'", "'\\''")}'`;
}

/** As `set -x` shows a word. */
export function traceQuoted(text: string): string {
  return text === "" || SIGNIFICANT.test(text) ? shellQuoted(text) : text;
}

/** As it shows a value that is assigned. */
export function traceAssigned(text: string): string {
  return SIGNIFICANT.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : text;
}

/** What a shell would not read as it is. */
// deno-lint-ignore no-control-regex
const SIGNIFICANT = /[\x00-\x20\x7f'"\\|&;()<>!{}*[\]?^$`]|^[~#]/;

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
