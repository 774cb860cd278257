/** What a shell line can hold beyond what Toolgate runs itself, by name, with what to do instead. */

const SCRIPT =
  "write it as a file and run that with an interpreter, or send its commands one by one";
const VARIABLES =
  "a line may set NAME=value and export it; anything else needs the value written out";

/** Kind → its name in messages, and what to do instead. */
export const CONSTRUCTS = {
  background: ["a coprocess", "use a pipe, or a background command with &"],
  compound: [
    "a compound command that is not run here",
    "for, while, until, if, case, (( )), [[ ]] and functions are",
  ],
  select: [
    "select, which asks whoever sits at a terminal",
    "use for, or case with the word itself",
  ],
  extended: [
    "a pattern of extglob",
    "[[ $NAME == @(a|b) ]] is; for files and in case write the alternatives one by one, or use find with ! -name",
  ],
  attribute: [
    "an attribute of variables that is not known",
    "x=$((…)) does what declare -i does, ${x,,} and ${x^^} what -l and -u do, ${!NAME} and printf -v what -n does",
  ],
  read: [
    "read in a form that is not run here",
    "read -r NAME… is, with IFS=… before it, and with -a, -d, -n, -N, -t, -u",
  ],
  function: [
    "a function whose name is that of a command, or no plain name",
    "give it another name",
  ],
  reserved: ["a reserved word of the shell", SCRIPT],
  time: [
    "time in a form that is not known",
    "time COMMAND and time -p COMMAND are; duration_ms is in the result anyhow",
  ],
  builtin: [
    "a command of the shell itself that is not run here",
    "leave it out, or write what it does with the commands that are",
  ],
  let: ["let in a form that is not known", "write ((…))"],
  limit: [
    "ulimit in a form that is not run here",
    "ulimit -s, -n, -t and -v with a number or unlimited are, and -s, -n and -v alone; the policy limits files and memory",
  ],
  mask: [
    "umask in a form that is not known",
    "umask 022, umask u=rwx,go=rx, umask, umask -S and umask -p are",
  ],
  getopts: ["getopts in a form that is not known", "getopts OPTIONS NAME is"],
  trap: ["trap in a form that is not known", "trap 'COMMANDS' EXIT and ERR are"],
  evaluation: ["a command that reads text as commands", "write those commands themselves"],
  set: [
    "set or shopt in a form that is not known",
    "set -a, -e, -E, -u, -f, -x, -o pipefail, set -- WORDS, and shopt -s nullglob, dotglob, failglob, globstar, nocasematch are",
  ],
  exec: [
    "exec where it would replace the shell, or its redirections would not reach to the shell's end",
    "leave out the word exec, or write { …; } >FILE",
  ],
  directory: [
    "cd, pushd, popd or dirs with options, or with more than one directory",
    "name one directory",
  ],
  declaration: ["a declaration of variables", VARIABLES],
  array: ["an array in a form that is not known", "NAME=(…), NAME+=(…), NAME[i]=…, ${NAME[@]} are"],
  special: ["a variable that belongs to the shell", "write the value itself"],
  process: ["a process substitution", "write the output to a file first, or use a pipe"],
  given: [
    "a program that is given a descriptor above 2",
    "leave it out, or write { COMMAND; } 3>FILE, where the line itself can use it",
  ],
  descriptor: ["a descriptor above 9, or one that a variable names", "use 3 to 9"],
  redirection: [
    "a redirection of a form that is not known",
    "use <, >, >>, 2>&1, &> or a here-document",
  ],
  heredoc: ["a here-document without a delimiter", "name one"],
  backquote: ["backquotes with backslashes in them", "use $(…)"],
  parameter: [
    "a parameter expansion of a form that is not known",
    "${NAME:-word}, ${#NAME}, ${NAME#pattern}, ${NAME/pattern/text}, ${NAME:0:3}, ${NAME^^} and ${NAME[0]} are; quote what stands in them from outside",
  ],
  arithmetic: [
    "an arithmetic expression of a form that is not known",
    "numbers in digits, names, $NAME, $(…) and the operators of C are",
  ],
  glob: ["a glob of a form that is not known", "*, ? and [a-z] are; or put it in single quotes"],
  brace: [
    "a brace expansion of a form that is not known",
    "write out the words, or put it in single quotes",
  ],
  tilde: [
    "a home directory (~) that is not the own one at the start of a word",
    "write the path out, or put it in single quotes",
  ],
  quote: ["a quote that is not closed", "close it, or give argv"],
  escape: ["a backslash with nothing behind it", "leave it out, or put it in single quotes"],
  dialect: ["something that shells do not read alike", "put it in single quotes, or give argv"],
  control: ["a control character", "give argv"],
  empty: ["no program", "name one"],
  many: ["more than 500 commands", "send them in several calls"],
  long: [
    "more than 10,000 words and signs",
    "send it in several calls, or hand long text over as stdin or in a file",
  ],
  deep: ["more than 8 levels of commands within commands", "send the inner ones first"],
  syntax: ["something that is no shell syntax", "give argv"],
} as const satisfies Readonly<Record<string, readonly [name: string, instead: string]>>;

/** A construct that is known, whether or not it can be run without a shell. */
export type ConstructKind = keyof typeof CONSTRUCTS;

/** A construct that is not run, and its index in the text, in UTF-16 code units. Never leaves `src/shell/`. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly kind: ConstructKind;
  readonly index: number;

  constructor(kind: ConstructKind, index: number) {
    super(kind);
    this.kind = kind;
    this.index = index;
  }
}
