/** What runs an allowed call: a thread of the pool, or this very thread once it has restricted itself. */

import type { AgreedPath } from "./approvals/agreed.ts";
import type { Bell } from "./pool/channel.ts";
import type { ResultError } from "../core/errors.ts";
import { type Json, resultError, type Usage } from "../core/result.ts";
import type { CanonicalPath } from "../core/capability.ts";
import type { Tool } from "../core/tool.ts";
import type { LineCommand } from "../host/run/line/line_host.ts";
import type { AgreedFile, Grant } from "../policy/grant.ts";
import type { Subject } from "../policy/rulebook.ts";

/** One allowed call. */
export interface Job {
  readonly tool: Tool;
  readonly input: unknown;
  readonly grant: Grant;
  readonly preview: boolean;
  readonly stream: boolean;
  /** Whom it is run for: what is known only when it runs is judged once more. */
  readonly subject: Subject;
  /** What somebody agreed to: compared again by whoever acts on it. Absent and empty where nobody was asked. */
  readonly agreed?: readonly AgreedPath[];
  /** Asks somebody while it runs. Absent where nobody can be: a preview. */
  readonly ask?: AskWhileRunning;
}

/** A command of a line that runs, which the policy wants somebody to agree to. */
export interface RunningCommand {
  readonly command: LineCommand;
  /** The folder that the run has to itself; null where it has none. */
  readonly folder: CanonicalPath | null;
}

/** What became of asking for one. */
export interface RunningAnswer {
  /** Null where it may run. */
  readonly error: ResultError | null;
  /** What it was agreed to with, to be compared by whoever starts it. */
  readonly agreed: readonly AgreedPath[];
  /** What it may touch for that. */
  readonly files: readonly AgreedFile[];
}

/** Asks for a command of a line that runs. Never rejects. */
export type AskWhileRunning = (question: RunningCommand) => Promise<RunningAnswer>;

/** The answer where nobody is there to be asked. */
export function notAsked(tool: string): RunningAnswer {
  const error = resultError("APPROVAL_REQUIRED", `${tool}: nobody can be asked while it runs`);
  return { error, agreed: [], files: [] };
}

/**
 * Whether it runs where programs are started: a command line may start none after all (`cd x`, `exit 3`), and is run
 * by what runs lines all the same.
 */
export function startsPrograms({ tool, grant, preview }: Omit<Job, "subject">): boolean {
  return !preview && (grant.spawn.length > 0 || tool.riskOfPrograms === true);
}

/** What a running call says before it ends. */
export type JobEvent =
  | { readonly event: "stdout" | "stderr"; readonly data: string }
  | {
    readonly event: "progress";
    readonly done: number;
    readonly total: number | null;
    readonly unit: string;
    readonly message: string;
  };

/** Told what a call says; where it answers with a promise, what follows waits until that is kept. */
export type OnEvent = (event: JobEvent) => void | Promise<void>;

/** How a call ended. `error` null means success; a failure may have output too. */
export interface Outcome {
  readonly output: Json;
  readonly error: ResultError | null;
  readonly usage: Usage;
}

/** A call under way, or one that has ended already where a runner runs it at once. */
export interface Running<O extends Outcome | Promise<Outcome> = Promise<Outcome>> {
  readonly outcome: O;
  /** Asks it to end with CANCELLED; it answers all the same. */
  cancel(): void;
}

/** Runs calls. An outcome is always given: a call never throws. */
export interface Runner<O extends Outcome | Promise<Outcome> = Promise<Outcome>> {
  run(job: Job, onEvent: OnEvent): Running<O>;
  /** Ends all threads and what they started. */
  close(): Promise<void>;
}

/** A runner of many calls, with what a loop of one's own needs to follow it. */
export interface StayingRunner extends Runner {
  /** Rings when a thread has said something. */
  readonly bell: Pick<Bell, "wait">;
  /** Calls that have not answered. */
  readonly running: number;
  /** Of these, those that wait for a thread, or for others to end. */
  readonly queued: number;
  readonly threads: number;
  /**
   * Waits for answers where it stands, at most so many milliseconds: whether there may be one now. Not at all where
   * something else goes on that takes the event loop.
   */
  answersSoon(ms: number): boolean | Promise<boolean>;
  /** Takes in what the threads have said. */
  drain(): void;
}

/** A runner that runs and ends calls in its own way, and is `runner` in all else. */
export function runnerOver(
  runner: StayingRunner,
  own: Pick<StayingRunner, "run" | "close">,
): StayingRunner {
  return {
    bell: runner.bell,
    get running() {
      return runner.running;
    },
    get queued() {
      return runner.queued;
    },
    get threads() {
      return runner.threads;
    },
    answersSoon: (ms) => runner.answersSoon(ms),
    drain: () => runner.drain(),
    ...own,
  };
}
