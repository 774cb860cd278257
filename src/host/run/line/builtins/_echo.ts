/** `echo` as bash has it (bash(1), SHELL BUILTIN COMMANDS). */

import { Bytes, readEscape } from "./_escapes.ts";

/** What it writes. */
export function echo(words: readonly string[]): Uint8Array {
  let [at, newline, escapes] = [0, true, false];
  for (; /^-[neE]+$/.test(words[at] ?? ""); at++) {
    for (const letter of words[at]!.slice(1)) {
      if (letter === "n") newline = false;
      else escapes = letter === "e";
    }
  }
  const text = words.slice(at).join(" ");
  const bytes = new Bytes();
  if (!escapes) bytes.text(text);
  else if (addEscaped(bytes, text)) return bytes.done();
  if (newline) bytes.text("\n");
  return bytes.done();
}

/** True where `\c` ended it. */
function addEscaped(bytes: Bytes, text: string): boolean {
  for (let at = 0; at < text.length;) {
    const next = text.indexOf("\\", at);
    const plain = next === -1 ? text.length : next;
    bytes.text(text.slice(at, plain));
    if (next === -1) break;
    const found = readEscape(text, next, "echo");
    if (found === "end") return true;
    if (found === null) bytes.text("\\");
    else bytes.add(found.value);
    at = found === null ? next + 1 : found.end;
  }
  return false;
}
