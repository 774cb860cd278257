/** The shape of what is known of a program. */

import type { Risk } from "../core/tool.ts";

/** Options that change what a program is: `-o` matches in clusters (`-ro`), `--output` also shortened (`--outp`). */
export interface OptionRule {
  /** `-x`, `--long`, or a single-dash word such as `-exec`. */
  readonly options: readonly string[];
  readonly risk: Risk;
  readonly because: string;
}

/** How a program starts another from its own arguments. */
export type Wrapping =
  | {
    readonly by: "prefix";
    readonly flags: readonly string[];
    readonly values: readonly string[];
    /** Arguments of its own before the command. */
    readonly operands: number;
  }
  /** Each option takes a command, up to `;` or `+` (to the end without them). */
  | { readonly by: "options"; readonly options: readonly string[] }
  /** It starts a program in a way that is not followed here. */
  | { readonly by: "unknown"; readonly because: string };

/** How the text of an argument is judged where it is a program itself. */
export type Inspection = "awk" | "sed" | "tar" | "git";

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
}

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
}
