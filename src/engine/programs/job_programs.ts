/** What the programs of one call get beside what the thread's share: a marker, a judge, and somebody who listens. */

import { asToolError, ToolError } from "../../core/errors.ts";
import { createKernelProbe } from "../../host/paths/path_probe.ts";
import { createProgramFinder, type ProgramFinder } from "../../host/run/program_search.ts";
import { SYSTEM_PATHS } from "../../sandbox/system_paths.ts";
import { markOf } from "../../host/kernel/run_marks.ts";
import type { OutputListener, OutputName } from "../../host/run/output_listener.ts";
import type { ProgramHolds } from "../../host/run/program_holds.ts";
import type { ProgramOptions } from "../../host/run/program_options.ts";
import type { Grant } from "../../policy/grant.ts";
import type { Rulebook, Subject } from "../../policy/rulebook.ts";
import type { AskWhileRunning } from "../runner.ts";
import type { ThreadPrograms } from "../pool/thread_parts.ts";

/** The variable that marks what a run started: all that inherits its environment. */
export const MARKER = "TOOLGATE_RUN";

/** Units of text that are on their way at most: what is more waits in the pipe, and then the program does. */
const MOST_UNTAKEN = 1 << 18;

/** Output on its way to whoever follows it, as much of it as he keeps up with. */
export class OutputFeed implements OutputListener {
  readonly #say: (stream: OutputName, data: string) => void;
  #untaken = 0;
  #onRoom: (() => void) | null = null;

  constructor(say: (stream: OutputName, data: string) => void) {
    this.#say = say;
  }

  tell(stream: OutputName, text: string): boolean {
    this.#untaken += text.length;
    this.#say(stream, text);
    return this.#untaken < MOST_UNTAKEN;
  }

  whenRoom(onRoom: () => void): void {
    this.#onRoom = onRoom;
  }

  /** So much has arrived. */
  taken(units: number): void {
    this.#untaken -= units;
    if (this.#onRoom === null || this.#untaken >= MOST_UNTAKEN / 2) return;
    const onRoom = this.#onRoom;
    this.#onRoom = null;
    onRoom();
  }
}

/** What one call's programs are held by and tell to. */
export interface JobPrograms {
  readonly job: number;
  readonly subject: Subject;
  readonly grant: Grant;
  readonly rulebook: Rulebook;
  readonly holds: Omit<ProgramHolds, "prepare">;
  readonly listener: OutputListener | null;
  readonly onGroup: ProgramOptions["onGroup"];
  readonly onLeft: ProgramOptions["onLeft"];
  readonly listen: ProgramOptions["listen"];
  readonly openElsewhere: ProgramOptions["openElsewhere"];
  /** Asks somebody. */
  readonly ask: AskWhileRunning;
  readonly proxies: ProgramOptions["proxies"];
}

/** What the programs of one call are started with. */
export function programsOf(
  thread: Omit<ThreadPrograms, "openHolds">,
  {
    job,
    subject,
    grant,
    rulebook,
    holds,
    listener,
    onGroup,
    onLeft,
    listen,
    openElsewhere,
    ask,
    proxies,
  }: JobPrograms,
): ProgramOptions {
  const { starter } = thread;
  const find: ProgramOptions["find"] = (name, directory, own) =>
    finderOf(thread, rulebook)?.find(name, directory, own) ?? null;
  return {
    ...thread,
    agent: subject.agent,
    find,
    holds: {
      // Which a spread would lose: it is none of the object's own.
      get unserved() {
        return holds.unserved;
      },
      close: () => holds.close(),
      of: (starting) => {
        const agreed = [...grant.agreed ?? [], ...starting.agreed ?? []];
        return holds.of(agreed.length === 0 ? starting : { ...starting, agreed });
      },
    },
    marker: `${MARKER}=${thread.marker}.${job}`,
    mark: markOf(thread.token, job),
    listener,
    onGroup,
    onLeft,
    listen,
    openElsewhere,
    proxies,
    async judge(command, { rulebook: own, folder, waiting }) {
      if (starter === null) return new ToolError("COMMAND_DENIED", "it cannot be judged here");
      const { decideAtRun } = await import("../judge/decide_at_run.ts");
      const { libc } = starter;
      const decided = await decideAtRun(
        {
          rulebook: own ?? rulebook,
          subject,
          grant,
          libc,
          find: (name, directory) => find(name, directory, folder),
        },
        command,
      );
      if (decided !== "ask") return decided;
      const { error, agreed, files } = await waiting(ask({ command, folder }));
      if (error !== null) return asToolError(error);
      const { compareAgreed } = await import("../approvals/compare_agreed.ts");
      return {
        files,
        compare(but) {
          const kept = agreed.filter(({ requested }) =>
            requested === null || !but.includes(requested)
          );
          compareAgreed(subject.tool, kept, libc);
        },
      };
    },
  };
}

/** Where the search is the one that found the programs of the line before it began. */
function finderOf(
  { starter, searchPath }: Pick<ThreadPrograms, "starter" | "searchPath">,
  { settings }: Rulebook,
): ProgramFinder | null {
  if (starter === null) return null;
  const { workspace, sandbox } = settings;
  const probe = createKernelProbe(starter.libc);
  return createProgramFinder(workspace, sandbox.system ?? SYSTEM_PATHS, { searchPath, probe });
}
