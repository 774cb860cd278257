/** The words of find(1). */

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
