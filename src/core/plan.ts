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
   * `$NAME`, `${NAME}`, and the forms with an operation. `?` as a name is the last exit status, `PWD` the directory,
   * `OLDPWD` the one before; digits, `#`, `@` and `*` are those of the function or script, `!` the last background
   * command. A name that neither the line nor the environment that programs get has is not set. Not quoted, the value
   * is split at the characters of IFS, and pattern characters in it are expanded.
   */
  | {
    readonly kind: "parameter";
    readonly name: string;
    readonly quoted: boolean;
    readonly operation: Operation | null;
    /** `${NAME[…]}` */
    readonly subscript?: Subscript;
    /** `${!NAME}`: the parameter whose name is the value. */
    readonly indirect?: true;
  }
  /**
   * `$(…)` and backquotes: the output without its last newlines, split at blanks where it is not quoted. It runs as
   * a subshell. `$(< file)` is a `cat file`.
   */
  | { readonly kind: "substitution"; readonly body: PlanNode; readonly quoted: boolean }
  /** `$((…))`: the number that it comes to, in decimal digits. */
  | { readonly kind: "arithmetic"; readonly expression: Arithmetic; readonly quoted: boolean }
  /** `<(…)` and `>(…)`: a path that leads to a pipe, whose other end the body has. */
  | { readonly kind: "process"; readonly access: "read" | "write"; readonly body: PlanNode }
  /** A blank in the word of an operation that no quotes are around (`${x:-a b}`): what comes out is split at it. */
  | { readonly kind: "blank" }
  /** `~` at the start of a word: HOME of the environment that programs get. */
  | { readonly kind: "home" };

/** What is done to the value of a parameter (bash(1), Parameter Expansion). */
export type Operation =
  /**
   * `-` `:-` `=` `:=` `+` `:+` `?` `:?`, `#` `##` `%` `%%` (remove a pattern), `^` `^^` `,` `,,` (of characters that fit
   * the pattern; of all where it is empty). A pattern has its glob parts, whatever stands around the parameter.
   */
  | { readonly operator: string; readonly word: Word }
  | { readonly operator: "length" }
  /** `${NAME/pattern/text}` with `//` (all), `/#` (at the beginning), `/%` (at the end). */
  | {
    readonly operator: "replace";
    readonly where: "/" | "//" | "/#" | "/%";
    readonly pattern: Word;
    readonly replacement: Word;
  }
  /** `${NAME:offset:length}` */
  | {
    readonly operator: "slice";
    readonly offset: Arithmetic;
    readonly length: Arithmetic | null;
  }
  /** `${NAME@Q}`: quoted for a shell; in capitals, in small letters, with a capital first. */
  | { readonly operator: "transform"; readonly letter: "Q" | "U" | "L" | "u" }
  /** `${!NAME[@]}`: the indexes that are set. */
  | { readonly operator: "keys" };

/** Which of an array's elements. */
export type Subscript =
  /** `[@]`, and `[*]` (`joined`: quoted they become one). */
  | { readonly kind: "all"; readonly joined: boolean }
  | { readonly kind: "index"; readonly expression: Arithmetic }
  /** Of what `declare -A` has made. */
  | { readonly kind: "key"; readonly word: Word };

/** A subscript that names one. */
export type OneElement = Exclude<Subscript, { readonly kind: "all" }>;

/** An expression over whole numbers of 64 bits (POSIX, 2.6.4, and bash(1), ARITHMETIC EVALUATION). */
export type Arithmetic =
  /** In decimal digits. */
  | { readonly op: "number"; readonly digits: string }
  /** A variable, or an element of an array, whose value is a number; none is 0. */
  | { readonly op: "variable"; readonly name: string; readonly subscript?: OneElement }
  | { readonly op: "substitution"; readonly body: PlanNode }
  /** `${#NAME}`, `$1`: what comes out must be one number. */
  | { readonly op: "word"; readonly word: Word }
  | { readonly op: "unary"; readonly operator: string; readonly operand: Arithmetic }
  /** `,` has the value of what stands right of it. */
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
    readonly subscript?: OneElement;
    readonly operator: string;
    readonly value: Arithmetic;
  }
  /** `++` and `--`; `before`: its value is what comes out. */
  | {
    readonly op: "step";
    readonly name: string;
    readonly subscript?: OneElement;
    readonly by: 1 | -1;
    readonly before: boolean;
  };

/** After expansion none, one or more arguments. An empty list of parts is the empty word `''`. */
export type Word = readonly WordPart[];

/** `descriptor` is 0 to 9. */
export type Redirection =
  | {
    readonly kind: "read" | "write" | "append" | "read-write";
    readonly descriptor: number;
    readonly target: Word;
    /** The target as the line has it, where it says it only when it runs. */
    readonly written?: string;
  }
  /** `2>&1`, `>&2`; `named`: as `/dev/stderr`, which opens a file anew. */
  | {
    readonly kind: "duplicate";
    readonly descriptor: number;
    readonly from: number;
    readonly named?: true;
  }
  /** `2>&-` */
  | { readonly kind: "close"; readonly descriptor: number }
  /** Here-documents and here-strings: the whole input, as one quoted word. */
  | {
    readonly kind: "text";
    readonly descriptor: number;
    readonly text: Word;
    /** What bash says of it, and the line where it does. */
    readonly warning?: { readonly line: number; readonly text: string };
  };

/**
 * Whether a command would begin with a file under a number above 2 that its own redirections give it (`3>f`), which no
 * program gets here. What only helps to change places does not count: in `3>&1 1>&2 2>&3` the third is read from again.
 */
export function givesDescriptor(redirections: readonly Redirection[]): boolean {
  const given = new Set<number>();
  for (const one of redirections) {
    if (one.descriptor > 2) {
      if (one.kind === "close") given.delete(one.descriptor);
      else given.add(one.descriptor);
    }
    if (one.kind === "duplicate" && one.descriptor <= 2) given.delete(one.from);
  }
  return given.size > 0;
}

/**
 * The words that the runner does itself, by the literal text of the first word. All else is a program. What the parser
 * leaves of their arguments:
 * - `cd [DIR]`: `-` is the directory before, nothing HOME.
 * - `break [N]`, `continue [N]`: N is literal digits, no more than the loops around it in its shell.
 * - `read [-rs] [-a] [-d X] [-u N] [-n N] [-N N] [-t S] NAME…`: literal names and options.
 * - `pushd [DIR]`, `popd`, `dirs` without options; `getopts OPTIONS NAME [WORD…]` with a literal name.
 * - `disown` with literal jobs.
 * - `export`, `local`, `declare`, `readonly`: each word is one text part `NAME` or an option, or begins with a text part
 *   `NAME=…`. A VALUE is not split and not globbed (its parts are marked quoted). Arrays stand in `assignments`, with
 *   `declares`.
 * - `unset [-f|-v] NAME…`: literal names.
 * - `command -v NAME…`. `command` and `exec` before a program are taken away by the parser; `set` at the beginning of a script becomes `settings`;
 * `sh -c SCRIPT` becomes a group.
 */
export const BUILTINS = [
  ...["cd", ":", "true", "false", "exit", "export", "unset", "break", "continue", "read"],
  ...["local", "declare", "typeset", "readonly", "shift", "return", "set", "shopt"],
  ...["wait", "jobs", "fg", "bg", "trap", "source", ".", "eval", "hash", "type", "command"],
  ...["mapfile", "readarray", "pushd", "popd", "dirs", "getopts", "disown", "ulimit", "umask"],
  // No shell has these; as programs they would be kept from all that they look for.
  ...["pkill", "killall"],
] as const;

/**
 * What stands for a pipe of the line's own (`<(…)`, `>(…)`) among the words that are judged: a name under `/dev/fd` that
 * nothing has, so that it is no file, and is code where a program runs it.
 */
export const PIPE_WORD = "/dev/fd/pipe";

/** Programs that bash has within itself, too: judged by name like others, and done by the runner. */
export const INNER_PROGRAMS = ["echo", "printf", "test", "[", "kill", "pwd"] as const;

/** A builtin that runs without a shell. */
export type Builtin = (typeof BUILTINS)[number];

/** `NAME=value`, `NAME+=value`, `NAME[i]=value`, `NAME=(…)`. */
export interface Assignment {
  readonly name: string;
  readonly value: Word;
  readonly append?: true;
  readonly subscript?: Subscript;
  /** An array whole, in place of `value`: words that are expanded as arguments are, or values at a place of their own. */
  readonly list?: readonly { readonly subscript: Subscript | null; readonly value: Word }[];
}

/** One program, or one of the few builtins that Toolgate runs itself. */
export interface SimplePlan {
  readonly kind: "simple";
  /**
   * Before the command: its environment, judged as such (`env.read` with `change`). Alone (`words` is empty):
   * parameters of what follows in the line; only `export` hands them to programs.
   */
  readonly assignments: readonly Assignment[];
  /**
   * Where every word and every redirection is known from the line alone (`isCertain` in `src/shell/certain.ts`), the
   * command was judged exactly and stands in the grant; else it is judged when it runs (`lowerCommand`).
   */
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  /** Where it begins in the line, in UTF-16 code units. */
  readonly position: number;
  /** The line of its script, from 1, that bash names in what it says of it. */
  readonly line: number;
  /** The arrays behind a command that declares them. */
  readonly declares?: readonly Assignment[];
  /** Set where the first word is one of a function of the line. */
  readonly calls?: true;
  /** Of an `xargs` that the line does itself: the first of the words of the command that it starts. */
  readonly feeds?: number;
  /** Read while the line ran (of `eval`, of a file): nothing of it was judged with the line. */
  readonly later?: true;
  /** Of one that stands for `find … -exec`: that, and the descriptor that what is started reads from. */
  readonly found?: { readonly words: readonly Word[]; readonly input: number };
  /** Of a git that stands behind programs which only start another (`timeout 5 git …`). */
  readonly behind?: Behind;
  /** What `eval` or `trap` was given, where the line says it whole; the shell that is fed. */
  readonly script?: PlanNode;
}

/** Programs before a command that the line does itself: nothing to start. */
export interface Behind {
  readonly words: readonly Word[];
  /** Where among these each of them stands. */
  readonly programs: readonly number[];
  /** How many of the last variables of the command are theirs. */
  readonly own: number;
  readonly limit: TimeLimit | null;
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
      /** Where the script has been read to when it begins, in lines from 1: what bash names until a command of it has begun. */
      readonly line?: number;
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
    /** `$0`, `$1`, … of the shell that it stands for. */
    readonly positional?: readonly string[];
    /** It is ended when that has passed: `timeout 5 sh -c '…'`. */
    readonly limit?: TimeLimit;
    /** What follows `exec` with redirections: where they cannot be done it runs without them, as after a command that failed. */
    readonly rest?: true;
  }
  /** `time`: how long the body took is said on standard error; `posix`: in the form of `-p`. */
  | { readonly kind: "time"; readonly posix: boolean; readonly body: PlanNode }
  /** `… &` */
  | { readonly kind: "background"; readonly body: PlanNode; readonly position: number }
  /** From here on the name means the body. */
  | { readonly kind: "function"; readonly name: string; readonly body: PlanNode }
  | CompoundPlan;

/** How timeout(1) ends what it runs. */
export interface TimeLimit {
  readonly ms: number;
  /** Without `SIG`, or its number. */
  readonly signal: string;
  /** From then on until it is killed; null where it is not. */
  readonly killAfterMs: number | null;
  /** Its status is that of what was ended. */
  readonly preserves: boolean;
}

/** What runs a part of itself by what comes out while it runs (POSIX, 2.9.4). */
export type CompoundPlan =
  & {
    readonly redirections: readonly Redirection[];
    /** As of a simple command, for its own words; left out where it has none. */
    readonly line?: number;
  }
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
    /** `[[ … ]]` */
    | { readonly kind: "test"; readonly expression: TestExpression }
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
        /** `;&`: the next arm's body follows, whatever its patterns; `;;&`: arms behind it are tried, too. */
        readonly then?: "body" | "test";
      }[];
    }
  );

/** What stands in `[[ … ]]` (bash(1), CONDITIONAL EXPRESSIONS). */
export type TestExpression =
  | { readonly op: "not"; readonly operand: TestExpression }
  | {
    readonly op: "and" | "or";
    readonly left: TestExpression;
    readonly right: TestExpression;
  }
  | { readonly op: "unary"; readonly operator: string; readonly word: Word }
  /** Right of `==`, `=` and `!=` stands a pattern, of `=~` a regular expression: what is quoted there means itself. */
  | {
    readonly op: "binary";
    readonly operator: string;
    readonly left: Word;
    readonly right: Word;
  };

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
  /** Set where names in /tmp were read as `$TMPDIR`, which then is the folder that lines have in its place. */
  readonly temporary?: "kept";
}
