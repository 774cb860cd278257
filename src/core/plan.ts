/**
 * A command line as data, ready to run without a shell: what `src/shell/` makes of a line it has understood
 * whole, what the policy judges, and what `src/host/` runs. Nothing in it can mean something else.
 */

/** One piece of a word. Pieces stand beside each other: `a"$b"*.txt` has four. */
export type WordPart =
  /** As it is, quotes and escapes taken away. An empty one stands for `''` beside other parts. */
  | { readonly kind: "text"; readonly text: string }
  /** One pattern of pathname expansion (POSIX 2.13): `*`, `?` or a bracket expression whole. */
  | { readonly kind: "glob"; readonly text: string }
  /**
   * `$NAME`, `${NAME}`, and the forms with a word: `-` `:-` `+` `:+` `?` `:?`, `#` `##` `%` `%%` (remove a pattern),
   * "length" (`${#NAME}`). `?` as a name is the last exit status, `PWD` the directory, `OLDPWD` the one before.
   * A name that neither the line nor the environment that programs get has is not set. The word of a `#` or `%`
   * has its pattern as glob parts, whatever stands around the parameter. Not quoted, the value is split at blanks,
   * tabs and newlines, and pattern characters in it are expanded.
   */
  | {
    readonly kind: "parameter";
    readonly name: string;
    readonly quoted: boolean;
    readonly operation:
      | { readonly operator: string; readonly word: Word }
      | { readonly operator: "length" }
      | null;
  }
  /**
   * `$(…)` and backquotes: the output without its last newlines, split at blanks where it is not quoted. It runs as
   * a subshell. `$(< file)` is a `cat file`.
   */
  | { readonly kind: "substitution"; readonly body: PlanNode; readonly quoted: boolean }
  /** `$((…))`: the number that it comes to, in decimal digits. */
  | { readonly kind: "arithmetic"; readonly expression: Arithmetic; readonly quoted: boolean }
  /** `~` at the start of a word: HOME of the environment that programs get. */
  | { readonly kind: "home" };

/** An expression over whole numbers of 64 bits (POSIX, 2.6.4, and bash(1), ARITHMETIC EVALUATION). */
export type Arithmetic =
  /** In decimal digits. */
  | { readonly op: "number"; readonly digits: string }
  /** A variable whose value is a number; none is 0. */
  | { readonly op: "variable"; readonly name: string }
  | { readonly op: "substitution"; readonly body: PlanNode }
  | { readonly op: "unary"; readonly operator: string; readonly operand: Arithmetic }
  | {
    readonly op: "binary";
    readonly operator: string;
    readonly left: Arithmetic;
    readonly right: Arithmetic;
  }
  | {
    readonly op: "choice";
    readonly test: Arithmetic;
    readonly yes: Arithmetic;
    readonly no: Arithmetic;
  }
  /** `=`: `operator` is empty; `+=`: `+`. */
  | {
    readonly op: "assign";
    readonly name: string;
    readonly operator: string;
    readonly value: Arithmetic;
  }
  /** `++` and `--`; `before`: its value is what comes out. */
  | {
    readonly op: "step";
    readonly name: string;
    readonly by: 1 | -1;
    readonly before: boolean;
  };

/** After expansion none, one or more arguments. An empty list of parts is the empty word `''`. */
export type Word = readonly WordPart[];

/** `descriptor` is 0, 1 or 2. */
export type Redirection =
  | {
    readonly kind: "read" | "write" | "append" | "read-write";
    readonly descriptor: number;
    readonly target: Word;
  }
  /** `2>&1`, `>&2` */
  | { readonly kind: "duplicate"; readonly descriptor: number; readonly from: number }
  /** `2>&-` */
  | { readonly kind: "close"; readonly descriptor: number }
  /** Here-documents and here-strings: the whole input, as one quoted word. */
  | { readonly kind: "text"; readonly descriptor: number; readonly text: Word };

/**
 * The words that the runner does itself, by the literal text of the first word. All else is a program; `echo`,
 * `printf`, `test`, `[` and `pwd` too (where there is none of that name the runner may do their work).
 * What the parser leaves of their arguments:
 * - `cd [DIR]`: `-` is the directory before, nothing HOME.
 * - `break [N]`, `continue [N]`: N is literal digits, no more than the loops around it in its shell.
 * - `read [-r] NAME…`: literal names; IFS may be set for it, to text that the line says.
 * - `:` `true` `false`: any words.
 * - `exit [N]`: ends the line, or the subshell it stands in.
 * - `export NAME[=VALUE]…`: each word is one text part `NAME`, or begins with a text part `NAME=…`. A VALUE is not
 *   split and not globbed (its parts are marked quoted).
 * - `unset NAME…`: literal names.
 * `command` and plain `exec` are taken away by the parser; `set -e`, `set -o pipefail` and the like become
 * `settings`; `sh -c SCRIPT` becomes a group.
 */
export const BUILTINS = [
  "cd",
  ":",
  "true",
  "false",
  "exit",
  "export",
  "unset",
  "break",
  "continue",
  "read",
] as const;
/** A builtin that runs without a shell. */
export type Builtin = (typeof BUILTINS)[number];

/** One program, or one of the few builtins that Toolgate runs itself. */
export interface SimplePlan {
  readonly kind: "simple";
  /**
   * Before the command: its environment, judged as such (`env.read` with `change`). Alone (`words` is empty):
   * parameters of what follows in the line; only `export` hands them to programs.
   */
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  /**
   * The first is always known from the line alone: text parts only, at least one character. Where every word and
   * every redirection is (`isCertain` in `src/shell/certain.ts`), the command was judged exactly and stands in
   * the grant; else it is judged when it runs (`lowerCommand`).
   */
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  /** Where it begins in the line, in UTF-16 code units. */
  readonly position: number;
}

/** A part of a plan: what of a command line runs, and in what order. */
export type PlanNode =
  | SimplePlan
  /** Stages side by side, output to input; the status is the last one's (or, with pipefail, the last that failed). */
  | { readonly kind: "pipeline"; readonly stages: readonly PlanNode[]; readonly negated: boolean }
  /** One after the other: `;`, `&&` (success), `||` (failure), each looking at the status so far. */
  | {
    readonly kind: "list";
    readonly items: readonly {
      readonly when: "always" | "success" | "failure";
      readonly node: PlanNode;
    }[];
  }
  /** `{ …; }`, `( … )` and `sh -c '…'`: a subshell keeps its directory, parameters and settings to itself. */
  | {
    readonly kind: "group";
    readonly subshell: boolean;
    /** Switched on beside what holds around it; for a shell call (`opened`) nothing holds around it. */
    readonly settings: ShellSettings;
    /** The shell call that it was written as; nothing to start. */
    readonly opened?: readonly string[];
    readonly body: PlanNode;
    readonly redirections: readonly Redirection[];
  }
  | CompoundPlan;

/** What runs a part of itself by what comes out while it runs (POSIX, 2.9.4). */
export type CompoundPlan =
  & { readonly redirections: readonly Redirection[] }
  & (
    | {
      readonly kind: "for";
      readonly name: string;
      readonly words: readonly Word[];
      readonly body: PlanNode;
    }
    /** The first whose test succeeds; `otherwise` where none does. */
    | {
      readonly kind: "if";
      readonly clauses: readonly { readonly test: PlanNode; readonly body: PlanNode }[];
      readonly otherwise: PlanNode | null;
    }
    /** `((…))`: succeeds where it does not come to 0. */
    | { readonly kind: "arithmetic"; readonly expression: Arithmetic }
    /** `for ((first; test; step))`; what is null is left out. */
    | {
      readonly kind: "count";
      readonly first: Arithmetic | null;
      readonly test: Arithmetic | null;
      readonly step: Arithmetic | null;
      readonly body: PlanNode;
    }
    /** As long as the test succeeds; `until`: as long as it fails. */
    | {
      readonly kind: "while";
      readonly until: boolean;
      readonly test: PlanNode;
      readonly body: PlanNode;
    }
    /** The first arm of whose patterns one fits; patterns have their glob parts. */
    | {
      readonly kind: "case";
      readonly word: Word;
      readonly arms: readonly {
        readonly patterns: readonly Word[];
        readonly body: PlanNode | null;
      }[];
    }
  );

/** What `set` switched on before anything else in a line, or at the beginning of a subshell. */
export interface ShellSettings {
  /** `set -e`: the first command that fails ends it, save one that is looked at (`&&`, `||`, `!`, `if`). */
  readonly errexit: boolean;
  /** `set -u`: a parameter that is not set ends it with an error. */
  readonly nounset: boolean;
  readonly pipefail: boolean;
}

/** A whole line. */
export interface Plan {
  readonly line: string;
  /** Whether every POSIX shell reads it as it was read here; else only bash does. */
  readonly posix: boolean;
  readonly settings: ShellSettings;
  readonly root: PlanNode;
}
