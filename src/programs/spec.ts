/** The shape of what is known of a program: one literal each, from its manual page. */

import type { Risk } from "../core/tool.ts";

/**
 * What an argument is.
 * - `flag`: an option without a value. `text`: touches nothing. `probe`: not known; where it names something that is
 *   there, that counts as read.
 * - `read`, `write`, `delete`: a file. `folder`: a directory that is made. `into`: the directory that operands are
 *   written into, in place of the last operand. `from`: the directory that operands are looked for in (tar -C).
 * - `named`: `if=` and a file that is read, `of=` and one that is written (dd).
 * - `sent`: text in which `@name` is a file (curl). `suffix`: goes behind the names that are written, `prefix` before.
 * - `script`, `script-file`: stand in for a first operand that is `text` (`grep -e`, `-f`).
 * - `host`: an address that is connected to.
 * - `command`: words or a shell line that it starts. `code`: text in a language that it runs. `library`: what it loads
 *   as code. `module`: what it runs, found by name; what follows is the module's own. `input`: a file that it runs.
 */
export type ValueKind =
  | "flag"
  | "text"
  | "probe"
  | "read"
  | "write"
  | "delete"
  | "folder"
  | "into"
  | "from"
  | "named"
  | "sent"
  | "suffix"
  | "prefix"
  | "script"
  | "script-file"
  | "host"
  | "command"
  | "code"
  | "library"
  | "module"
  | "input";

/** An option: what its value is, and what it makes of the program. */
export interface OptionSpec {
  readonly is: ValueKind;
  /** The value only ever hangs on it (`-i.bak`, `--color=auto`). */
  readonly optional?: true;
  /** Undefined: as `is` says ({@linkcode riskOfPlace}). */
  readonly risk?: Risk;
  /** As in "writes a file". Undefined: as `is` says. */
  readonly because?: string;
  /** Of a `command`: it is one only behind these letters (`exec=` of tar's checkpoint actions). */
  readonly behind?: string;
  /** It is what `is` says only where some word holds this (`-extld` in the flags of Go's linker). */
  readonly holding?: RegExp;
  /** Of a `command`: it goes to the end of the words. */
  readonly rest?: true;
  /** The value is a file in which names of further files stand. */
  readonly lists?: true;
  /** How a `command` is written: as a shell line unless told otherwise; its words apart by commas; a setting of git. */
  readonly form?: "commas" | "setting";
}

/** Options as literals write them: spellings apart by blanks (`-o --output`), then what the value is. */
export type OptionsLiteral = Readonly<Record<string, ValueKind | OptionSpec>>;

/**
 * How a program reads its options.
 * - `getopt` (getopt_long(3)): letters in clusters, values attached or apart, long options shortened, `=`.
 * - `words` (find, Go's flag): `-name`, with one dash or two.
 * - `zip`: letters in clusters, some of two letters.
 * - `tar`: as getopt; the first argument is a cluster without its dash too.
 * - `node`: as getopt; `_` within a long option is `-`.
 */
export type Grammar = "getopt" | "words" | "zip" | "tar" | "node";

/** With which options the last operand is not a folder that links come to lie in, though it leads to one (ln(1)). */
export interface LeadingLiteral {
  /** Never. */
  readonly never: string;
  /** Where it is a link itself. */
  readonly unlessLink: string;
}

/** What the arguments of a program name: the part that becomes files and hosts. */
export interface PlacesLiteral {
  /**
   * Operands by their place, one with `...` standing for any number: `text read...`, `read... write`. A last one
   * behind `...` needs another before it. Undefined: nothing is known of them.
   */
  readonly operands?: string;
  readonly options?: OptionsLiteral;
  /** Where the last operand (or `into`) is a directory, operands come to lie in it under their own names. */
  readonly copies?: true;
  /**
   * What is read is named from the folder that the last operand (or `into`) lies in, and from that operand itself where it
   * is a folder: a link says where it leads.
   */
  readonly leads?: LeadingLiteral;
  /** Writes into its working directory, unless told where by `into`. */
  readonly here?: true;
  /** Operands that are members of an archive: what is unpacked is written under their names. */
  readonly members?: true;
}

/** How a program starts another from its own arguments. */
export type Wrapping =
  | {
    /** Its own options (those of the program), arguments of its own, then the command. */
    readonly by: "prefix";
    readonly operands: number;
    /** It adds words that it reads behind the command's own (xargs). */
    readonly adds?: true;
    /** Options whose value stands for what it reads; `{}` where they have none. */
    readonly replaces?: readonly string[];
    /** It has the command within itself: a path is none (busybox). */
    readonly bare?: true;
  }
  /** env(1): options, then assignments, then a command. */
  | { readonly by: "env" }
  /**
   * Each option takes a command, up to `;` or `+` (to the end without them). `parts`: it puts parts of paths into it
   * (`{/}`), so that a script in it is another each time.
   */
  | { readonly by: "options"; readonly options: readonly string[]; readonly parts?: true }
  /** It starts a program in a way that is not followed here. */
  | { readonly by: "unknown"; readonly because: string };

/** How the text of an argument is judged where it is a program itself. `prompt`: commands of its own, some for a shell. */
export type Inspection = "awk" | "sed" | "find" | "prompt";

/** What an interpreter does beside running the file that it is given. Without a file it reads code from stdin. */
export interface RunsLiteral {
  /** It runs code from addresses as it does from files. */
  readonly remote?: true;
  /** Options with which it looks for its files by itself, so that none need be named. */
  readonly finds?: string;
  /** Options that, alone, make it say its version and end. */
  readonly tells?: string;
  /** Modules that run code from their arguments or from stdin, apart by blanks. */
  readonly modules?: string;
}

/**
 * What a program may start itself, beside commands among its words: nothing, programs of these bare names (`git-*`
 * for all that begin so), or any. The default of `runs` in a policy's `commands`.
 */
export type Starts = "none" | "any" | readonly string[];

/**
 * What a program reads that no word of it names: nothing but its own settings; what the kernel and the system's settings
 * say; or files of the workspace too (a repository, what is to be ignored, a list of names).
 */
export type Beyond = "nothing" | "system" | "workspace";

/** How the name of a result is made from an operand (gzip(1)). */
export interface ResultName {
  /** Endings that are taken away where it unpacks, `.tgz=.tar` for one in place of another. */
  readonly endings: string;
  /** What is put behind a name where it packs. */
  readonly adds: string;
  /** Options with which it unpacks; `always` where it does without any. */
  readonly unpacks: string;
}

/** What the review of a policy says where a rule lets the program run whatever it is given. */
export interface ReviewLiteral {
  /** Arguments that do it, the least conspicuous first; words apart by blanks, PROGRAM for what no rule names. */
  readonly ways: readonly (readonly string[])[];
  /** What is as useful and runs less. */
  readonly instead: string;
}

/** One subcommand, or several that are alike. */
export interface SubcommandLiteral extends PlacesLiteral {
  readonly risk: Risk;
  readonly because?: string;
  /** First words behind it with which it is safe after all (`git config --get`). */
  readonly tamedBy?: string;
  /** Of an interpreter: it reads `-` as text and does not run it. */
  readonly onlyReads?: true;
  /** It moves data by a transport that its arguments may name (`ext::`). */
  readonly transport?: true;
  /** What stands behind this first operand of it is a command (`run` of git bisect); empty: behind itself. */
  readonly commandAfter?: string;
  /** Words of its own before that command, beside options and `NAME=value`. */
  readonly wordsBefore?: number;
  readonly starts?: Starts;
  /** It touches the repository it stands in: reads it, or changes it. */
  readonly repository?: "reads" | "changes";
}

/** All that is known of a program. */
export interface ProgramLiteral extends PlacesLiteral {
  /** Where nothing below says otherwise. */
  readonly risk: Risk;
  /** Why, where `risk` is dangerous. */
  readonly because?: string;
  readonly grammar?: Grammar;
  /** Options with two arguments, and what the second is; the first is text (`jq --rawfile NAME FILE`). */
  readonly pairs?: OptionsLiteral;
  /** The first of these whose options stand among the arguments holds in place of what it names. */
  readonly when?: readonly (PlacesLiteral & { readonly has: string })[];
  /**
   * Options with which it gives what it is told another name, `always` where it does without any: streams
   * (`/dev/stdin`) are files to it like any other then.
   */
  readonly links?: string;
  /** Options with which it reads where it stands if it is given no operand; `always` where it does without any. */
  readonly alone?: string;
  /**
   * Options with which it takes away, changes or copies all that lies below its operands, one by one, `always` where it does
   * without any: where it may do that to a part alone it is not begun.
   */
  readonly through?: string;
  /** First arguments with which it is moderate after all, whatever `risk` says. */
  readonly tamedBy?: string;
  /** A folder: its first argument is a program of that, where one lies there, and it is moderate then. */
  readonly installedIn?: string;
  /** With more arguments that are no options than this, it writes to one of them: moderate. */
  readonly mostOperands?: number;
  readonly results?: ResultName;
  /** What it writes is called so where no word names it: what an ending is put behind. */
  readonly stem?: string;
  readonly runs?: RunsLiteral;
  /**
   * `NAME=value` among the operands sets what it runs, as variables of the environment do, and a file `-` is run as it
   * is read (make).
   */
  readonly assignments?: true;
  /** `@file` among its words stands for options that it reads there. */
  readonly responses?: true;
  /** Files that it runs, or takes its settings from, where none is named; apart by blanks. */
  readonly project?: string;
  /** It loads what arguments name as JavaScript, `data:` addresses too. */
  readonly loads?: true;
  readonly inspect?: Inspection;
  readonly wraps?: Wrapping;
  /** Options that count before the subcommand only. */
  readonly before?: OptionsLiteral;
  /** By their names, apart by blanks. One that is not named is moderate. */
  readonly subcommands?: Readonly<Record<string, SubcommandLiteral>>;
  /** Undefined: none where it is known what its operands are, else any. */
  readonly starts?: Starts;
  /** Undefined: nothing, where it is known what its operands are. */
  readonly beyond?: Beyond;
  readonly review?: ReviewLiteral;
}

/** Programs by their names, apart by blanks. */
export type ProgramTable = Readonly<Record<string, ProgramLiteral>>;
