/** What find(1) would do with what it finds, by its words: the searches alone, and what follows for each name. Pure. */

/** Searches, and what is done with what they find. */
export interface Search {
  /**
   * Words that search for the same and print it, of each name first the number of what is done with it and a blank, and a
   * NUL behind: one for each way in which the commands before the last may end, since what follows hangs on that.
   */
  readonly looks: readonly (readonly string[])[];
  /** Where it begins, as it is written. */
  readonly starts: readonly string[];
  /** What is done, by its number: a command, in which `{}` stands for what is found, or null for deleting it. */
  readonly does: readonly ((readonly string[]) | null)[];
}

const COMMANDS: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
/** What says or writes what was found, by the words that follow it. */
const SAYS: ReadonlyMap<string, number> = new Map([
  ...(["-print", "-print0", "-ls"] as const).map((word) => [word, 0] as const),
  ...(["-printf", "-fprint", "-fprint0", "-fls"] as const).map((word) => [word, 1] as const),
  ["-fprintf", 2] as const,
]);

/** Commands whose ends are told apart: of each further one there are twice as many looks. */
const MOST_COMMANDS = 4;

/** Null for what only looks; "too many" for more commands than can be told apart. */
export function searchOf(words: readonly string[]): Search | "too many" | null {
  const does: ((readonly string[]) | null)[] = [];
  /** Words, and where they hang on how a command ended its number among those. */
  const parts: (string | number)[] = [];
  let ends = 0;
  /** The last thing that is done is such a command: how that ends is asked by nothing more that would be done. */
  let endsLast = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const said = SAYS.get(word);
    if (said !== undefined) {
      parts.push("-true");
      at += said;
    } else if (word === "-delete") {
      // What is deleted goes before the folder that it lies in.
      parts.push("(", "-depth", "-printf", `${does.length} %p\\0`, ")");
      does.push(null);
      endsLast = false;
    } else if (COMMANDS.has(word)) {
      const from = at + 1;
      do at++; while (at < words.length && !endsCommand(words, at));
      const printing = ["-printf", `${does.length} %p\\0`];
      does.push(words.slice(from, at));
      // What takes many at once is true whatever comes of it.
      endsLast = words[at] !== "+";
      parts.push("(", ...printing, ...(endsLast ? [",", ends++] : []), ")");
    } else parts.push(word);
  }
  if (does.length === 0) return null;
  if (ends > MOST_COMMANDS) return "too many";
  const ways = 2 ** (ends - (endsLast ? 1 : 0));
  const looks = Array.from(
    { length: ways },
    (_, way) =>
      parts.map((part) =>
        typeof part === "string" ? part : (way >> part) % 2 === 0 ? "-true" : "-false"
      ),
  );
  return { looks, starts: startsOf(words), does };
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
