/** The shape of what is known of a program. */

import type { Risk } from "../core/tool.ts";

/** Options that change what a program is: `-o` matches in clusters (`-ro`), `--output` also shortened (`--outp`). */
export interface OptionRule {
  /** `-x`, `--long`, or a single-dash word such as `-exec`. */
  readonly options: readonly string[];
  readonly risk: Risk;
  readonly because: string;
  /** It makes the program run another, or load code. */
  readonly runs?: true;
}

/**
 * What an argument is. `text` touches nothing; `folder` is a directory that is made; `host` an address that is
 * connected to; `run` a program or code that is run; `into` the directory that operands are written into, in place
 * of the last operand; `sent` text in which `@name` is a file (curl); `script` and `script-file` stand in for a first operand that is `text` (`grep -e`, `-f`);
 * `probe` is not known: where it names something that is there, that counts as read.
 */
export type Place =
  | "text"
  | "read"
  | "write"
  | "folder"
  | "host"
  | "run"
  | "into"
  | "script"
  | "script-file"
  | "sent"
  | "probe";

/** What the arguments of a program name: the part of the table that becomes capabilities. */
export interface ArgumentPlaces {
  /**
   * Operands by their place, one with `...` standing for any number: `text read...`, `read... write`. A last one
   * behind `...` needs another before it.
   */
  readonly operands?: string;
  /** Options that take an argument, and what that is: `-o`, `--output`. */
  readonly options?: Readonly<Record<string, Place>>;
  /** Options with two arguments, and what the second is; the first is text (`jq --rawfile NAME FILE`). */
  readonly pairs?: Readonly<Record<string, Place>>;
  /** Where the last operand (or `into`) is a directory, operands come to lie in it under their own names. */
  readonly copies?: true;
  /** Writes into its working directory, unless told where by `into`. */
  readonly here?: true;
  /** The first of these whose options stand among the arguments holds in place of what it names. */
  readonly when?: readonly (Omit<ArgumentPlaces, "when"> & { readonly has: readonly string[] })[];
}

/** How a program starts another from its own arguments. */
export type Wrapping =
  | {
    readonly by: "prefix";
    readonly flags: readonly string[];
    readonly values: readonly string[];
    /** Arguments of its own before the command. */
    readonly operands: number;
    /** It adds words that it reads behind the command's own (xargs). */
    readonly adds?: true;
  }
  /** env(1): options, then assignments, then a command. */
  | { readonly by: "env" }
  /** Each option takes a command, up to `;` or `+` (to the end without them). */
  | { readonly by: "options"; readonly options: readonly string[] }
  /** It starts a program in a way that is not followed here. */
  | { readonly by: "unknown"; readonly because: string };

/** How the text of an argument is judged where it is a program itself. */
export type Inspection = "awk" | "sed" | "tar" | "git" | "find";

/**
 * What a program may start itself, beside commands among its words: nothing, programs of these bare names (`git-*`
 * for all that begin so), or any. The default of `runs` in a policy's `commands`.
 */
export type Starts = "none" | "any" | readonly string[];

/** Where an interpreter takes code from, beside a file. Without a file it reads code from stdin. */
export interface CodeOptions {
  readonly options: readonly string[];
  /** Letters of options that stand alone, and long options that do: what follows them is the file. */
  readonly letters: string;
  readonly flags: readonly string[];
  /** Options after which all belongs to what they name (`-m`). */
  readonly ends: readonly string[];
  /** It runs code from addresses as it does from files. */
  readonly remote: boolean;
  /** Options with which it looks for its files by itself, so that none need be named. */
  readonly finds?: readonly string[];
}

/** What makes the calls of one program more or less risky. */
export interface CommandSpec {
  /** Where nothing below says otherwise. */
  readonly risk: Risk;
  /** Why, where `risk` is dangerous. */
  readonly because?: string;
  readonly rules?: readonly OptionRule[];
  /** Options with which it is moderate after all, whatever `risk` says. */
  readonly tamedBy?: readonly string[];
  /** With more arguments that are no options than this, it writes to one of them: moderate. */
  readonly mostOperands?: number;
  readonly code?: CodeOptions;
  /** `NAME=value` among the operands sets what it runs. */
  readonly assignments?: boolean;
  /** First operands that run code or fetch it. */
  readonly dangerousOperands?: readonly string[];
  readonly inspect?: Inspection;
  readonly wraps?: Wrapping;
  /** Undefined: what is among its words where that is known, else any. */
  readonly starts?: Starts;
  /** Undefined where nothing is known of what its arguments name. */
  readonly places?: ArgumentPlaces;
}
