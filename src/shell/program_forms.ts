/** Commands that bash does itself and that run here as the programs of coreutils: the forms in which the two differ. */

type Words = readonly (string | null)[];

/** By name, of the words behind it, those that are not known yet as null: whether the two would do something else. */
const DIFFERS: Readonly<Record<string, (words: Words) => boolean>> = {
  // bash takes every first word with a dash for options; -v, %q, %(…)T, %n, \E and \' are its own, \c and \x otherwise.
  printf(words) {
    const [first] = words;
    if (first === undefined || /^-./.test(first ?? "") && first !== "--") return true;
    const format = (first === "--" ? words[1] : first) ?? "";
    const plain = format.replaceAll("%%", "").replaceAll("\\\\", "");
    return /%[^%\sa-zA-Z(]*[qQn(]/.test(plain) || /\\(?:[Ec']|x(?![0-9A-Fa-f]))/.test(plain);
  },
  echo(words) {
    if (words.length === 1 && /^--(?:help|version)$/.test(words[0] ?? "")) return true;
    const end = words.findIndex((word) => !/^-[neE]+$/.test(word ?? ""));
    const options = end === -1 ? words : words.slice(0, end);
    if (!options.some((word) => word?.includes("e"))) return false;
    return words.slice(options.length).some((word) =>
      /\\[E1-7]/.test((word ?? "").replaceAll("\\\\", ""))
    );
  },
  test: differsAsTest,
  "[": (words) => differsAsTest(words.at(-1) === "]" ? words.slice(0, -1) : words),
  kill: (words) =>
    words.length === 0 || /^(?:-[lL]|%)/.test(words[0] ?? "") ||
    words.some((word) => word?.startsWith("%")),
  pwd: (words) => words.some((word) => /^-/.test(word ?? "") && !/^-(?:[LP]+|-)$/.test(word ?? "")),
};

/** `-v`, `-R`, `-o` and `-a` with one operand, `<` and `>`, and numbers beyond 64 bits (bash(1), CONDITIONAL EXPRESSIONS). */
function differsAsTest(words: Words): boolean {
  const [first, second, third] = words[0] === "!" && words.length > 1 ? words.slice(1) : words;
  const count = words.length - (words[0] === "!" && words.length > 1 ? 1 : 0);
  if (count === 2 && /^-[vRoal]$/.test(first ?? "")) return true;
  if (count === 3 && /^[<>]$/.test(second ?? "")) return true;
  if (count > 3 && words.some((word) => /^(?:-[vRl]|[<>])$/.test(word ?? ""))) return true;
  const numbers = /^-(?:eq|ne|lt|le|gt|ge)$/.test(second ?? "");
  return count === 3 && numbers && [first, third].some((word) => /[0-9]{19}/.test(word ?? ""));
}

/** Whether bash's own command of that name would do something else than the program. */
export function differsFromShell([name, ...words]: Words): boolean {
  return typeof name === "string" && Object.hasOwn(DIFFERS, name) && DIFFERS[name]!(words);
}
