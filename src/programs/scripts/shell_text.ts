/**
 * The commands in a shell line that stands in an argument (`tar --to-command`, awk's `system`), as far as its text says.
 * Only for rules that speak of programs: whatever is not seen here is held by the risk of the option that it stands in,
 * and by what the program may start at all.
 */

import { unescaped } from "./awk.ts";

/** Commands inside commands inside commands that are looked for. */
const MAX_DEPTH = 4;

/** Words before a command that are none (POSIX, 2.4; bash(1)), and builtins that start what follows. */
const BEFORE: ReadonlySet<string> = new Set(
  "! { } if then elif else fi do done while until for in case esac function select time coproc exec command builtin"
    .split(" "),
);

const SHELLS = /^(?:[\w./-]*\/)?(?:ba|da|z|k|mk|a|fi|c|tc)?sh$/;

/** Each command with its words, quotes taken away; what is put in at run time stands as it is written. */
export function commandsInText(text: string, depth = 0): readonly (readonly string[])[] {
  if (depth > MAX_DEPTH) return [];
  const commands: (readonly string[])[] = [];
  const nested = (inner: string) => commands.push(...commandsInText(inner, depth + 1));
  for (const words of simpleCommands(text, nested)) {
    const command = withoutPrelude(words);
    if (command.length === 0) continue;
    if (command[0] === "eval") nested(command.slice(1).join(" "));
    else if (command[0] === "trap") nested(command[1] ?? "");
    else commands.push(...commandsInWords(command, depth));
  }
  return commands;
}

/** Whether a shell is given its script there, so that what is in it is looked through. */
export function hasScript(words: readonly string[]): boolean {
  return scriptOf(words) !== null;
}

/** Why it cannot be said what a command of a text would start: its name is made at run time, or it reads a file. */
export function isOpenCommand([name = ""]: readonly string[]): boolean {
  return name !== "[" && (/[$`*?[{~]/.test(name) || name === "." || name === "source");
}

/** A command, and what a shell would start that it is. */
export function commandsInWords(
  words: readonly string[],
  depth = 0,
): readonly (readonly string[])[] {
  const script = scriptOf(words);
  return [words, ...(script === null ? [] : commandsInText(script, depth + 1))];
}

/** Without reserved words and assignments at its beginning. */
function withoutPrelude(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !BEFORE.has(word) && !/^[A-Za-z_]\w*\+?=/.test(word));
  return start === -1 ? [] : words.slice(start);
}

/** What a shell is given with `-c`. */
function scriptOf(command: readonly string[]): string | null {
  if (!SHELLS.test(command[0] ?? "")) return null;
  const option = command.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word));
  return option === -1 ? null : command[option + 1] ?? null;
}

function simpleCommands(
  text: string,
  nested: (inner: string) => void,
): readonly (readonly string[])[] {
  const commands: (readonly string[])[] = [];
  let words: string[] = [];
  let word: string | null = null;
  let target = false;
  const endWord = () => {
    if (word !== null && !target) words.push(word);
    if (word !== null) target = false;
    word = null;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  let at = 0;
  while (at < text.length) {
    const letter = text[at]!;
    const substitutes = /^(?:[$<>]\(|`)/.test(text.slice(at, at + 2));
    if (letter === "\\") {
      if (text[at + 1] !== "\n") word = (word ?? "") + (text[at + 1] ?? "");
      at += 2;
    } else if (letter === "$" && text[at + 1] === "'") {
      const end = endOfEscaped(text, at + 2);
      word = (word ?? "") + unescaped(text.slice(at + 2, end));
      at = end + 1;
    } else if (letter === "$" && text[at + 1] === '"') at++;
    else if (letter === "'") {
      const end = closing(text, at + 1, "'");
      word = (word ?? "") + text.slice(at + 1, end);
      at = end + 1;
    } else if (letter === '"') {
      const end = endOfQuoted(text, at + 1, nested);
      word = (word ?? "") + text.slice(at + 1, end).replaceAll(/\\([\\"$`\n])/g, "$1");
      at = end + 1;
    } else if (substitutes) {
      const end = letter === "`" ? closing(text, at + 1, "`") : closingParenthesis(text, at + 2);
      nested(text.slice(at + (letter === "`" ? 1 : 2), end));
      word = (word ?? "") + text.slice(at, end + 1);
      at = end + 1;
    } else if (letter === "#" && word === null) at = closing(text, at, "\n");
    else if (letter === "<" || letter === ">") {
      if (word !== null && /^[0-9]+$/.test(word)) word = null;
      endWord();
      target = true;
      while (/[<>&|]/.test(text[at] ?? "")) at++;
    } else if (/[;&|()\n]/.test(letter)) {
      endCommand();
      target = false;
      at++;
    } else if (/\s/.test(letter)) {
      endWord();
      at++;
    } else {
      word = (word ?? "") + letter;
      at++;
    }
  }
  endCommand();
  return commands;
}

function closing(text: string, start: number, letter: string): number {
  const end = text.indexOf(letter, start);
  return end === -1 ? text.length : end;
}

function endOfEscaped(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== "'") at += text[at] === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

function endOfQuoted(text: string, start: number, nested: (inner: string) => void): number {
  let at = start;
  while (at < text.length && text[at] !== '"') {
    if (text[at] === "\\") at += 2;
    else if (text[at] === "`" || text.startsWith("$(", at)) {
      const tick = text[at] === "`";
      const end = tick ? closing(text, at + 1, "`") : closingParenthesis(text, at + 2);
      nested(text.slice(at + (tick ? 1 : 2), end));
      at = end + 1;
    } else at++;
  }
  return Math.min(at, text.length);
}

/** Quotes within count as letters: what is cut wrongly is read as more commands, not fewer. */
function closingParenthesis(text: string, start: number): number {
  let open = 1;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "(") open++;
    if (text[at] === ")" && --open === 0) return at;
  }
  return text.length;
}
