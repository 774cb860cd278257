/** By what each program is held: drawn when it is started, from what it is and what its words name. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { openRules } from "../../sandbox/landlock.ts";
import { scopeRules } from "../../sandbox/landlock_rules.ts";
import type { HeldStart } from "../../sandbox/launcher/launcher.ts";
import { type Architecture, encodeFilter, filterFor } from "../../sandbox/seccomp.ts";
import type { Handed } from "../broker/handed_rules.ts";
import type { Grant } from "../../policy/grant.ts";
import { close } from "../kernel/pipes.ts";

/** A program that is about to be started. */
export interface Starting {
  readonly program: Program;
  readonly argv: readonly string[];
  readonly directory: CanonicalPath;
  readonly environment: ReadonlyMap<string, string>;
  /** Toolgate itself, as the process of a module, which holds itself. */
  readonly own: boolean;
  /** Rules open hosts to it, whatever its words say. */
  readonly reaches?: true;
  /** Set where a tool starts it for its own use. */
  readonly use?: OwnStart;
  /** Whoever starts it runs the hooks that it comes to, if it is git. */
  readonly runsHooks?: true;
  /** A gate starts it as the program of a child agent. */
  readonly child?: true;
  /** What it may touch because somebody agreed to the call. */
  readonly agreed?: Grant["agreed"];
}

/** A program that a tool starts for its own use. */
export interface OwnStart {
  /** The words that stand for the use. */
  readonly argv: readonly string[];
  readonly starts: readonly string[];
  /** A program that it starts beside those, by the file that does (`programFile`). */
  readonly startsToo?: { readonly file: string; readonly program: Program };
  /** Folders that it writes in. What it reads there is what all programs may read. */
  readonly writes: readonly CanonicalPath[];
  /** It has the network that rules open to its words. */
  readonly connects?: true;
}

/** What holds one start; `done` is to be called once it has begun, or could not. */
export interface ProgramHold extends Pick<HeldStart, "confined" | "rules" | "filter"> {
  readonly done: () => void;
  /** Null where its filter hands nothing over. */
  readonly handed: Handed | null;
  /** It starts nothing else, git neither. */
  readonly once?: true;
  /** It is a program itself, which the kernel starts if it can be started, and nobody's script. */
  readonly binary?: true;
  /** Hooks of a repository that git would run and does not. */
  readonly hooks?: readonly string[];
  /** Those below `home` it comes to, where it looks for them among what stands in for them. */
  readonly hooksRun?: { readonly home: CanonicalPath; readonly standIns: string };
}

/** Draws what holds each program of a thread. */
export interface ProgramHolds {
  /** Null where programs that connect reach their own call's servers alone, or the policy opens the network; else why not. */
  readonly unserved: string | null;
  /** Throws NATIVE_DENIED where it cannot be held as the policy requires. */
  of(starting: Starting): ProgramHold;
  /** Makes what the first program takes, whatever it is: while nobody waits. */
  prepare(): void;
  /** Lets go of what is kept for the next. */
  close(): void;
}

/** Nothing but the limits: where the policy switches the kernel's layer off, or something else holds programs. */
export const UNCONFINED: ProgramHolds = {
  unserved: "nothing of the kernel's holds them here",
  of: () => ({ confined: false, rules: null, filter: null, handed: null, done: () => {} }),
  prepare: () => {},
  close: () => {},
};

/** What of the kernel's layer is there to be used. */
export interface HoldOptions {
  readonly libc: Libc;
  /** The Landlock ABI; 0 for none. */
  readonly abi: number;
  /** Whether programs can put a filter on themselves. */
  readonly seccomp: boolean;
  readonly network: boolean;
}

/**
 * For programs whose files are held by the thread that starts them: each in a domain of its own below it, from which no
 * signal and no look into another process gets out.
 */
export function createNestedHolds({ libc, abi, seccomp, network }: HoldOptions): ProgramHolds {
  const scopes = scopeRules(abi);
  const rules = scopes === null ? null : openRules(libc, scopes);
  if (typeof rules === "string") {
    throw new ToolError("NATIVE_DENIED", `programs cannot be held by Landlock here: ${rules}`);
  }
  const architecture = Deno.build.arch as Architecture;
  const filterOf = (options: { readonly rules: boolean }) => {
    const program = encodeFilter(filterFor(architecture, { network, ...options }));
    return seccomp ? () => program : null;
  };
  // A module's process holds itself by rules of its own, once it runs.
  const [filter, own] = [filterOf({ rules: false }), filterOf({ rules: true })];
  return {
    unserved: network ? null : "they are held by the rules of their thread",
    of: (starting) => ({
      confined: true,
      rules,
      filter: starting.own ? own : filter,
      handed: null,
      done: () => {},
    }),
    prepare: () => {},
    close() {
      if (rules !== null) close(libc, rules);
    },
  };
}
