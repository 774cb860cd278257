/** What find(1) would do with what it finds, by its words: the search alone, and what follows for each name. Pure. */

/** A search, and what is done with what it finds. */
export interface Search {
  /** Words that search for the same and print it, a NUL behind each name. */
  readonly argv: readonly string[];
  /** Where it begins, as it is written. */
  readonly starts: readonly string[];
  /** It deletes what it finds. */
  readonly deletes: boolean;
  /** Commands that it starts; `{}` in them stands for what it finds. */
  readonly commands: readonly (readonly string[])[];
}

const COMMANDS: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
/** What says or writes what was found, by the words that follow it. */
const SAYS: ReadonlyMap<string, number> = new Map([
  ...(["-print", "-print0", "-ls"] as const).map((word) => [word, 0] as const),
  ...(["-printf", "-fprint", "-fprint0", "-fls"] as const).map((word) => [word, 1] as const),
  ["-fprintf", 2] as const,
]);

/**
 * Null for what only looks; and for what goes on after a command, by whose status it then chooses: no search finds that out
 * without it.
 */
export function searchOf(words: readonly string[]): Search | null {
  const starts = startsOf(words);
  const argv: string[] = [];
  const commands: (readonly string[])[] = [];
  let deletes = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const said = SAYS.get(word);
    if (said !== undefined) {
      argv.push("-true");
      at += said;
    } else if (COMMANDS.has(word) || word === "-delete") {
      if (commands.length > 0) return null;
      // What is deleted goes before the folder that it lies in.
      argv.push(...(word === "-delete" ? ["-depth"] : []), "-print0");
      if (word === "-delete") {
        deletes = true;
        continue;
      }
      const from = at + 1;
      do at++; while (at < words.length && !endsCommand(words, at));
      commands.push(words.slice(from, at));
    } else argv.push(word);
  }
  return deletes || commands.length > 0 ? { argv, starts, deletes, commands } : null;
}

/** The operands before the first test. */
export function startsOf(argv: readonly string[]): readonly string[] {
  let at = 1;
  while (/^-(?:[HLP]|O[0-9]?|D)$/.test(argv[at] ?? "")) at += argv[at] === "-D" ? 2 : 1;
  const start = at;
  while (at < argv.length && !/^[-(),!]/.test(argv[at]!)) at++;
  return argv.slice(start, at);
}

/** `;` ends a command, and `+` right after `{}`. */
export function endsCommand(argv: readonly string[], at: number): boolean {
  return argv[at] === ";" || (argv[at] === "+" && argv[at - 1] === "{}");
}
