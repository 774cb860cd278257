/** What a shell line can hold beyond one program and its words, by name, with what to do instead. */

const SEPARATE = "send one program a call";
const LITERAL =
  "write the value itself, or put the characters in single quotes to mean them plainly";

/** Kind → its name in messages, and what to do instead. */
export const CONSTRUCTS = {
  pipeline: ["a pipeline", SEPARATE],
  list: ["a list of commands", SEPARATE],
  background: ["a background command", "every program is waited for; leave out the &"],
  redirection: [
    "a redirection",
    "stdout and stderr come back in the result, stdin: is an argument, and write_file writes files",
  ],
  compound: ["a compound command", SEPARATE],
  function: ["a function", SEPARATE],
  reserved: ["a reserved word of the shell", SEPARATE],
  builtin: ["a command of the shell itself", "only programs run here"],
  directory: ["cd, which only moves the shell", "give the directory as cwd"],
  environment: ["a command that only sets the shell's variables", "give variables as env"],
  assignment: ["a variable set for one command", "give variables as env"],
  substitution: [
    "a command substitution",
    "run the inner command first and write out what it says",
  ],
  variable: ["a variable", LITERAL],
  arithmetic: ["an arithmetic expansion", LITERAL],
  glob: [
    "a glob",
    "name the files (list_directory and search_files find them), or put it in single quotes",
  ],
  brace: ["a brace expansion", "write out the words, or put it in single quotes"],
  tilde: ["a home directory (~)", "write the path out, or put it in single quotes"],
  newline: ["a second line", SEPARATE],
  quote: ["a quote that is not closed", "close it, or give argv"],
  escape: ["a backslash with nothing behind it", "leave it out, or put it in single quotes"],
  dialect: ["something that shells do not read alike", "put it in single quotes, or give argv"],
  control: ["a control character", "give argv"],
  empty: ["no program", "name one"],
  syntax: ["something that is no shell syntax", "give argv"],
} as const satisfies Readonly<Record<string, readonly [name: string, instead: string]>>;

export type ConstructKind = keyof typeof CONSTRUCTS;

/** A construct and its index in the text, in UTF-16 code units. */
export interface Construct {
  readonly kind: ConstructKind;
  readonly index: number;
}
