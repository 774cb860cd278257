/** What a line carries from command to command, as a shell does. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { baseName } from "../../../core/path_text.ts";
import type { ShellSettings } from "../../../core/plan.ts";
import type { Ended } from "../_programs.ts";

/** Parameters, directory, settings and the last status. A subshell has a copy. */
export class LineState {
  directory: CanonicalPath;
  /** The same by the names that led there, links among them (POSIX, cd, step 8): what `..` is taken off. */
  logical: string;
  settings: ShellSettings;
  /** Whose ways it follows where shells differ. */
  shell: "bash" | "sh" = "bash";
  /** Whether it is a subshell of that shell, and not what the shell was started for. */
  inner = false;
  /** How the last command ended. */
  status: Ended = SUCCESS;
  /** How the last substitution of the command under way ended; null where there was none. */
  substituted: Ended | null = null;
  readonly #values: Map<string, string>;
  readonly #exported: Set<string>;
  readonly #given: ReadonlySet<string>;

  private constructor(
    directory: CanonicalPath,
    settings: ShellSettings,
    values: Map<string, string>,
    exported: Set<string>,
    given: ReadonlySet<string>,
  ) {
    this.directory = directory;
    this.logical = directory;
    this.settings = settings;
    this.#values = values;
    this.#exported = exported;
    this.#given = given;
  }

  static begin(
    directory: CanonicalPath,
    environment: Readonly<Record<string, string>>,
    settings: ShellSettings,
  ): LineState {
    const names = Object.keys(environment);
    return new LineState(
      directory,
      settings,
      new Map([...Object.entries(environment), ["PWD", directory]]),
      // A shell hands on where it is, given to it or not (POSIX, 2.5.3).
      new Set([...names, "PWD"]),
      new Set(names),
    );
  }

  /** A subshell's. */
  copy(): LineState {
    const copy = new LineState(
      this.directory,
      this.settings,
      new Map(this.#values),
      new Set(this.#exported),
      this.#given,
    );
    copy.logical = this.logical;
    copy.status = this.status;
    copy.shell = this.shell;
    copy.inner = this.inner;
    return copy;
  }

  /** The state of a substitution: bash forgets `set -e` in it (bash(1), inherit_errexit). */
  substitution(): LineState {
    const copy = this.copy();
    copy.inner = true;
    if (copy.shell === "bash") copy.settings = { ...copy.settings, errexit: false };
    return copy;
  }

  /** The status that an expansion which fails ends the shell with (`${x:?}`, `set -u`), as bash and dash have it. */
  get expansionFailure(): Ended {
    return { code: this.shell === "sh" ? 2 : this.inner ? 1 : 127, signal: null };
  }

  /** Undefined where it is not set. */
  valueOf(name: string): string | undefined {
    if (name === "?") return String(statusOf(this.status));
    return this.#values.get(name);
  }

  /** Whether programs got one of this name before the line did anything. */
  isGiven(name: string): boolean {
    return this.#given.has(name);
  }

  assign(name: string, value: string): void {
    this.#values.set(name, value);
  }

  export(name: string): void {
    this.#exported.add(name);
  }

  unset(name: string): void {
    this.#values.delete(name);
    this.#exported.delete(name);
  }

  /** As `cd` does it: the variables that tell programs where they are follow. */
  move(directory: CanonicalPath, logical: string): void {
    this.#values.set("OLDPWD", this.logical);
    this.#values.set("PWD", logical);
    this.logical = logical;
    this.#exported.add("OLDPWD");
    this.directory = directory;
  }

  /** What programs get. */
  environment(): Map<string, string> {
    const environment = new Map<string, string>();
    for (const name of this.#exported) {
      const value = this.#values.get(name);
      if (value !== undefined) environment.set(name, value);
    }
    return environment;
  }
}

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
