/** What a line carries from command to command, as a shell does. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { baseName } from "../../../core/path_text.ts";
import type { PlanNode, ShellSettings } from "../../../core/plan.ts";
import type { OwnLimit } from "../../../sandbox/launcher/program_steps.ts";
import type { ShellOption } from "../../../shell/commands/shell_options.ts";
import type { Ended } from "../_programs.ts";
import type { Task } from "./_background.ts";
import { Jobs } from "./_jobs.ts";
import { mustBeSearchPath, type Places } from "./_search_path.ts";
import { Variables } from "./_variables.ts";

/** What a name means from where the line made it a function. */
export interface LineFunction extends Pick<LineState, "speaker" | "linesBefore"> {
  readonly body: PlanNode;
}

/** Parameters, directory, settings and the last status. A subshell has a copy. */
export class LineState {
  directory: CanonicalPath;
  /** The same by the names that led there, links among them (POSIX, cd, step 8): what `..` is taken off. */
  logical: string;
  settings: ShellSettings;
  /** Of `shopt`, and `set -f`, `-x` and `-E`. */
  options: ReadonlySet<ShellOption | "noglob" | "xtrace" | "errtrace"> = new Set();
  /** Substitutions and texts within each other that it is in: of each `set -x` says so. */
  nesting = 0;
  /** Whose ways it follows where shells differ. */
  shell: "bash" | "sh" = "bash";
  /** Whether it is a subshell of that shell, and not what the shell was started for. */
  inner = false;
  /** How the last command ended. */
  status: Ended = SUCCESS;
  /** How the stages of the last pipeline ended; none before the first. */
  stages: readonly Ended[] = [];
  /** How the last substitution of the command under way ended; null where there was none. */
  substituted: Ended | null = null;
  /** `$0` */
  name = "bash";
  /** `$1` and on. */
  positional: readonly string[] = [];
  functions: ReadonlyMap<string, LineFunction> = new Map();
  /** Functions that it is in, the innermost first; a file that is sourced is one called `source`. */
  called: readonly string[] = [];
  /** The file that it reads its commands from; null for the line itself. */
  source: string | null = null;
  /** What its errors name: a file or `environment` (functions); null for `$0`. */
  speaker: string | null = null;
  /** The line that its errors name; and what stands before the first of the text that is run. */
  line = 1;
  linesBefore = 0;
  /** Functions, and files that are sourced, that it is in. */
  depth = 0;
  /** What it is part of that runs beside the line; null for the line itself. */
  task: Task | null = null;
  /** What is run at its end. */
  ending: PlanNode | null = null;
  /** What is run when a command has failed and nobody has looked at that. */
  failing: PlanNode | null = null;
  /** Whether that is under way. */
  handling = false;
  /** What it was left with, while that runs: `exit` without a status ends it so (POSIX, exit). */
  left: Ended | null = null;
  /** What it has started beside itself. */
  jobs = new Jobs();
  /** The number of the last of these. */
  lastJob: number | null = null;
  variables: Variables;
  /** Where `popd` leads to, the next first. */
  folders: readonly string[] = [];
  /** How far `getopts` is within the word that OPTIND says. */
  optionAt = 0;
  /** What `ulimit` has set, by resource. */
  limits: ReadonlyMap<number, OwnLimit> = new Map();
  /** What `umask` has set; null where that is this process's own. */
  mask: number | null = null;
  /** When `$SECONDS` was 0, in ms. */
  began = performance.now();
  /** What the last `=~` found; null where that is not known. */
  matched: readonly string[] | null = [];
  /** Whose number programs run under. */
  user = "";
  /** Where the line is, and where programs were looked for before it. */
  places: Places = { searchPath: "", workspace: null };
  readonly #given: ReadonlySet<string>;

  private constructor(
    directory: CanonicalPath,
    settings: ShellSettings,
    variables: Variables,
    given: ReadonlySet<string>,
  ) {
    this.directory = directory;
    this.logical = directory;
    this.settings = settings;
    this.variables = variables;
    this.#given = given;
  }

  /** Of a line. `user`: whose number it runs under. */
  static begin(
    { directory, environment }: {
      readonly directory: CanonicalPath;
      readonly environment: Readonly<Record<string, string>>;
    },
    settings: ShellSettings,
    user: number,
  ): LineState {
    // A shell hands on where it is, given to it or not (POSIX, 2.5.3), and takes its separators from nobody.
    const variables = Variables.of([
      ...Object.entries(environment).filter(([name]) => name !== "IFS"),
      ["PWD", directory],
    ]);
    variables.assign("OPTIND", "1");
    const given = new Set(Object.keys(environment));
    const state = new LineState(directory, settings, variables, given);
    state.user = String(user);
    return state;
  }

  /** A subshell's. */
  copy(): LineState {
    const copy = new LineState(
      this.directory,
      this.settings,
      this.variables.copy(),
      this.#given,
    );
    const { logical, options, status, stages, shell, inner, name, positional, functions } = this;
    const { depth, lastJob, began, matched, task, places, source, folders, optionAt, user } = this;
    const { limits, mask, speaker, line, linesBefore, called } = this;
    // dash goes on with it in all subshells, bash in those of substitutions alone.
    if (shell === "sh") copy.left = this.left;
    if (options.has("errtrace")) copy.failing = this.failing;
    return Object.assign(copy, {
      ...{ logical, options, status, stages, shell, inner, name, positional, functions, depth },
      ...{ lastJob, began, matched, task, places, source, folders, optionAt, user, limits, mask },
      ...{ speaker, line, linesBefore, called, nesting: this.nesting },
    });
  }

  /** Of a shell that is a program of its own: it gets what programs get, and begins anew. */
  opened(argv: readonly string[], positional: readonly string[]): LineState {
    const opened = new LineState(
      this.directory,
      this.settings,
      this.variables.exported(),
      this.#given,
    );
    opened.logical = this.logical;
    opened.shell = shellOf(argv);
    opened.name = positional[0] ?? argv[0] ?? "";
    opened.positional = positional.slice(1);
    opened.task = this.task;
    opened.places = this.places;
    opened.user = this.user;
    opened.limits = this.limits;
    opened.mask = this.mask;
    return opened;
  }

  /** The state of a substitution: bash forgets `set -e` in it (bash(1), inherit_errexit). */
  substitution(): LineState {
    const copy = this.copy();
    copy.inner = true;
    copy.nesting++;
    copy.left = this.left;
    copy.jobs = new Jobs(this.jobs);
    copy.linesBefore = this.line - 1;
    if (copy.shell === "bash") copy.settings = { ...copy.settings, errexit: false };
    return copy;
  }

  /** The status that an expansion which fails ends the shell with (`${x:?}`, `set -u`), as bash and dash have it. */
  get expansionFailure(): Ended {
    return { code: this.shell === "sh" ? 2 : this.inner ? 1 : 127, signal: null };
  }

  /** The status of a command whose redirection fails, as bash and dash have it. */
  get redirectionFailure(): Ended {
    return { code: this.shell === "sh" ? 2 : 1, signal: null };
  }

  /** Undefined where it is not set. */
  valueOf(name: string): string | undefined {
    if (/^[0-9]+$/.test(name)) {
      return name === "0" ? this.name : this.positional[Number(name) - 1];
    }
    switch (name) {
      case "?":
        return String(statusOf(this.status));
      case "#":
        return String(this.positional.length);
      case "!":
        return this.lastJob === null ? undefined : String(this.lastJob);
      case "$":
        return String(Deno.pid);
      case "PIPESTATUS":
        return this.stages[0] === undefined ? undefined : String(statusOf(this.stages[0]));
      case "SECONDS":
        return String(Math.floor((performance.now() - this.began) / 1000));
      case "RANDOM":
        return String(Math.floor(Math.random() * 32768));
      case "BASH":
        return "/bin/bash";
      case "PPID":
        return String(Deno.ppid);
      case "OSTYPE":
      case "HOSTTYPE":
      case "MACHTYPE":
        return this.shell === "sh" ? this.variables.text(name) : MACHINE[name];
      case "FUNCNAME":
        return this.shell === "sh" ? this.variables.text(name) : this.callers[0];
      case "UID":
      case "EUID":
        return this.shell === "sh" ? this.variables.text(name) : this.user;
      case "BASH_SOURCE":
        if (this.variables.isLocal) {
          throw new ToolError("COMMAND_UNPARSABLE", "BASH_SOURCE is not known in a function");
        }
        return this.source ?? undefined;
      case "LINENO":
        return String(this.line);
      case "EPOCHSECONDS":
        return String(Math.floor(Date.now() / 1000));
      default:
        return this.variables.text(name);
    }
  }

  /** Of `called` what a line may see: nothing outside of functions. */
  get callers(): readonly string[] {
    return this.variables.isLocal ? this.called : [];
  }

  /** A message of its own as a shell says it: with who speaks, and of which line. */
  saying(message: string): string {
    return this.shell === "sh"
      ? `${this.name}: ${this.line}: ${message}`
      : `${this.speaker ?? this.name}: line ${this.line}: ${message}`;
  }

  /** What is run now stands in that line of its text. */
  reach(line: number | undefined): void {
    if (line !== undefined) this.line = this.linesBefore + line;
  }

  /** Runs what has a text of its own, with lines of its own. */
  async reading(
    of: Pick<LineState, "speaker" | "linesBefore">,
    action: () => Promise<void>,
  ): Promise<void> {
    const { speaker, linesBefore, line } = this;
    Object.assign(this, of);
    try {
      await action();
    } finally {
      Object.assign(this, { speaker, linesBefore, line });
    }
  }

  /** What separates words. */
  get separators(): string {
    return this.variables.text("IFS") ?? " \t\n";
  }

  /** Whether programs got one of this name before the line did anything. */
  isGiven(name: string): boolean {
    return this.#given.has(name);
  }

  assign(name: string, value: string): void {
    if (name === "PATH") mustBeSearchPath(value, this.places);
    if (name === "OPTIND") this.optionAt = 0;
    if (name === "SECONDS") this.began = performance.now() - (Number(value) || 0) * 1000;
    else this.variables.assign(name, value);
  }

  /** As `cd` does it: the variables that tell programs where they are follow. */
  move(directory: CanonicalPath, logical: string): void {
    this.variables.assign("OLDPWD", this.logical);
    this.variables.assign("PWD", logical);
    this.variables.export("OLDPWD", true);
    this.logical = logical;
    this.directory = directory;
  }

  /** What programs get. */
  environment(): Map<string, string> {
    return this.variables.environment();
  }
}

/** What bash says of the machine that it was built for (its configure's `host_os`, `host_cpu` and all of it, as Debian has it). */
const MACHINE = {
  OSTYPE: "linux-gnu",
  HOSTTYPE: Deno.build.arch,
  MACHTYPE: `${Deno.build.arch}-pc-linux-gnu`,
} as const;

/** The status that a line begins with. */
export const SUCCESS: Ended = { code: 0, signal: null };

/** The status that a shell gives for it: 128 and the signal's number for one that a signal ended (POSIX, 2.8.2). */
export function statusOf(ended: Ended): number {
  return ended.code ?? 128 + ended.number;
}

/** Ends a line, or the subshell it stands in. */
export class Exit extends Error {
  override readonly name = "Exit";
  readonly status: Ended;

  constructor(status: Ended) {
    super("exit");
    this.status = status;
  }
}

/** Ends a function, or a file that is sourced. */
export class Return extends Error {
  override readonly name = "Return";
  readonly status: Ended;

  constructor(status: Ended) {
    super("return");
    this.status = status;
  }
}

/** The shell whose ways a call of it follows. */
export function shellOf([name = ""]: readonly string[]): LineState["shell"] {
  return baseName(name) === "bash" ? "bash" : "sh";
}

/** What either switches on. */
export function either(a: ShellSettings, b: ShellSettings): ShellSettings {
  return {
    errexit: a.errexit || b.errexit,
    nounset: a.nounset || b.nounset,
    pipefail: a.pipefail || b.pipefail,
  };
}
