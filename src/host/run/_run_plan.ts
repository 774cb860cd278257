/** Runs the plan of a line within a run: by itself, or by the shell where the policy hands lines to one. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { changedNames, isWhollyCertain } from "../../shell/certain.ts";
import { resolvePath, resolver } from "../paths/canonicalize.ts";
import type { Launch, Launcher } from "./_launcher.ts";
import { runLineHook } from "./_line_hook.ts";
import { markedProcesses } from "../kernel/marked_processes.ts";
import { close } from "../kernel/pipes.ts";
import { createKernelProbe } from "../paths/path_probe.ts";
import { type Ended, endedBy } from "./_programs.ts";
import { SIGNALS } from "../../sandbox/kernel/signals.ts";
import type { Run } from "./_run.ts";
import type { Shown } from "./survey/git_showing.ts";
import { mayReadNames, requireOwnPlace, surveyInput, surveyStart } from "./survey/survey_start.ts";
import { isSpawnGranted, programOf } from "./granted_programs.ts";
import type { AgreedToRun, ProcessesOptions } from "./program_options.ts";
import type { Starter } from "./starter.ts";
import { createFileNames } from "./line/file_names.ts";
import type { LineCommand, LineHost } from "./line/line_host.ts";
import { notStarted } from "./line/not_started.ts";
import { messageOf, openFileAnywhere } from "./line/redirect.ts";
import { runLine, Stopped } from "./line/run_line.ts";

/** What running a plan needs of its call. */
export interface PlanRun {
  readonly options: ProcessesOptions;
  /** Where the run has a folder of its own: that, and the rules with it. */
  readonly own: { readonly folder: CanonicalPath; readonly rulebook: Rulebook } | null;
  readonly starter: Starter;
  readonly run: Run;
  readonly launcher: Launcher;
  /** In the words of the request. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The status of the line. Throws the ToolError of the command that ends it. */
export async function runPlan(plan: Plan, planRun: PlanRun): Promise<Ended> {
  const { options, starter, run, launcher, env } = planRun;
  const { entryAt } = createKernelProbe(starter.libc);
  const cwd = resolvePath(options.grant.workspace, planRun.cwd, entryAt);
  const shell = shellFor(plan, planRun);
  if (shell !== null) {
    const child = launcher.launch({
      program: shell,
      argv: [shell.start, "-c", plan.line],
      directory: cwd,
      environment: new Map(Object.entries(env)),
      descriptors: run.descriptors,
    });
    run.release();
    return await child.ended;
  }
  try {
    return await runLine(plan, createLineHost(planRun), {
      directory: cwd,
      environment: env,
      descriptors: run.descriptors,
      release: () => run.release(),
      workspace: options.layers.includes("landlock") ? options.grant.workspace : null,
    });
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return planRun.launcher.lastEnded ?? endedBy(SIGNALS.SIGTERM);
  }
}

function wordsOf(argv: readonly string[], directory: CanonicalPath): string {
  return [directory, ...argv].join("\0");
}

function keyOf(name: string, directory: CanonicalPath): string {
  return `${directory}\0${name}`;
}

/** What every shell reads alike, and nothing in it is known only when it runs: that alone is handed on. */
function shellFor(plan: Plan, { options, env }: PlanRun): Program | null {
  const { rulebook, shell } = options;
  const handed = rulebook.settings.shell === "sh" && !rulebook.limitsRuns && plan.posix &&
    isWhollyCertain(plan.root) &&
    // Judged when it comes to them.
    !changedNames(plan.root).some((name) => Object.hasOwn(env, name));
  return handed ? shell : null;
}

function createLineHost({ options, own, starter, run, launcher }: PlanRun): LineHost {
  const { grant, judge } = options;
  const { rulebook, folder } = own ?? { rulebook: options.rulebook, folder: null };
  const { libc } = starter;
  const { entryAt } = createKernelProbe(libc);
  const resolve = resolver(entryAt);
  const isGranted = (command: LineCommand): boolean =>
    (command.argv === null
      ? command.variables.length === 0
      : command.since !== true && isSpawnGranted(grant, command.argv, command.directory)) &&
    command.redirections.every(({ kind, target }) => {
      const path = resolve(command.directory, target);
      const covers = (access: "read" | "write"): boolean =>
        path === "/dev/null" || grant[access].some((entry) => entry.path === path && !entry.tree);
      return (kind === "write" || kind === "append" || covers("read")) &&
        (kind === "read" || covers("write"));
    });
  /** What somebody agreed to just now, by its words and where they were said. */
  const agreed = new Map<string, AgreedToRun & { readonly opened: readonly string[] }>();
  /** As they were judged, by their name and where it was said. */
  const made = new Map<string, Program>();
  /** What is known only now, or was made by the line itself. */
  const madeSince = (argv: readonly string[], directory: CanonicalPath): Program | null =>
    programOf(grant, argv, directory) === null
      ? options.find(argv[0] ?? "", directory, folder)
      : null;
  /** What is looked at ends with the line. */
  const looking = new AbortController();
  void run.stopping.then(() => looking.abort());
  /** Of each git that shows contents what is left out of those, by its words and where they were said. */
  const shown = new Map<string, Shown>();
  const find = (name: string, at: CanonicalPath) => options.find(name, at, folder);
  const time = { timeoutMs: Infinity, ended: looking.signal };
  const surveyParts = { options, starter, rulebook, resolve, find, ...time };
  const programAt = (argv: readonly string[], directory: CanonicalPath): Program | null =>
    programOf(grant, argv, directory) ?? made.get(keyOf(argv[0] ?? "", directory)) ?? null;
  const ended = (error: unknown): unknown => run.reason === null ? error : new Stopped();
  const survey = async (argv: readonly string[], directory: CanonicalPath) => {
    const program = programAt(argv, directory);
    if (program === null) return;
    try {
      const found = await surveyStart(surveyParts, program, argv, { directory, input: null });
      if (found !== null) shown.set(wordsOf(argv, directory), found);
    } catch (error) {
      throw ended(error);
    }
  };
  const allow: LineHost["allow"] = async (command, onAsk) => {
    const { argv, directory } = command;
    if (isGranted(command)) {
      if (argv !== null) await survey(argv, directory);
      return;
    }
    const found = argv === null ? null : madeSince(argv, directory);
    const judged = await judge(found === null ? command : { ...command, made: found }, {
      rulebook: own?.rulebook ?? null,
      folder,
      async waiting(answer) {
        onAsk?.();
        const said = await run.waiting(answer);
        if (said === null) throw new Stopped();
        return said;
      },
    });
    if (judged instanceof ToolError) throw judged;
    const words = wordsOf(argv ?? [], directory);
    agreed.delete(words);
    if (judged !== null) {
      judged.compare([]);
      agreed.set(words, { ...judged, opened: command.redirections.map(({ target }) => target) });
    }
    if (found !== null) made.set(keyOf(argv?.[0] ?? "", directory), found);
    if (argv !== null) await survey(argv, directory);
  };
  /** What was judged is started as what it was judged to be; null where there is no such program. */
  const startable = (
    argv: readonly string[],
    directory: CanonicalPath,
  ): Pick<Launch, "program" | "agreed"> | null => {
    const program = programAt(argv, directory);
    if (program === null) return null;
    const asked = agreed.get(wordsOf(argv, directory));
    // Since it was agreed to, files were opened for it, and its variables were found out.
    asked?.compare(asked.opened);
    return { program, ...(asked === undefined ? {} : { agreed: asked.files }) };
  };
  const runHook = (environment: Launch["environment"]): Launch["runHook"] => {
    if (grant.git.hooks === "deny") return undefined;
    const { git, workspace } = grant;
    const parts = { libc, launcher, git, workspace, folder, environment, allow, startable };
    return (start, home) => runLineHook(parts, start, home);
  };
  return {
    ...starter,
    outputLimit: grant.limits.output,
    filesOf: createFileNames({ libc, rulebook, resolve }),
    programOf(name, directory) {
      const program = programOf(grant, [name], directory) ?? options.find(name, directory, folder);
      return program === null ? null : name.includes("/") ? name : program.start;
    },
    isProgram: (path, directory) => options.find(path, directory, folder) !== null,
    began: () => run.begin(),
    resolve,
    open: (kind, path, mask = null) =>
      openFileAnywhere(
        libc,
        { kind, path, ...(mask === null ? {} : { mask }) },
        options.openElsewhere,
      ),
    directoryFailure(path) {
      // Whether it is there or not.
      if (rulebook.judgePath("read", path, "directory").effect === "deny") {
        return messageOf(ERRNO.EACCES);
      }
      const descriptor = openWithoutLinks(libc, path, OPEN.PATH | libc.numbers.O_DIRECTORY);
      if (descriptor < 0) return messageOf(-descriptor);
      close(libc, descriptor);
      return null;
    },
    processes: () => options.mark === null ? null : markedProcesses(libc, options.mark),
    allow,
    feed(argv, directory, read) {
      const program = mayReadNames({ rulebook }, argv) ? programAt(argv, directory) : null;
      if (program === null) return null;
      return surveyInput(surveyParts, program, argv, { directory, read }).catch((error) => {
        throw ended(error);
      });
    },
    launch({ held, ...launch }) {
      const [name = ""] = launch.argv;
      const start = startable(held ?? launch.argv, launch.directory);
      // It was judged, and allowed by its name.
      if (start === null) {
        return notStarted(name, launch.directory, { libc, resolve, judgePath: rulebook.judgePath });
      }
      const hook = runHook(launch.environment);
      const words = held ?? launch.argv;
      const found = shown.get(wordsOf(words, launch.directory)) ?? null;
      if (found !== null) requireOwnPlace(words, launch.environment, options.environment);
      launcher.leaveOut(found?.leftOut ?? []);
      const put = found?.of ?? null;
      try {
        return launcher.launch({
          ...launch,
          ...start,
          ...(put === null ? {} : { argv: put(launch.argv), held: words }),
          ...(held === undefined ? {} : { held }),
          ...(hook === undefined ? {} : { runHook: hook }),
        });
      } catch (error) {
        const gone = error instanceof ToolError && error.code === "COMMAND_NOT_FOUND";
        if (gone) return { status: 127, name, message: "No such file or directory" };
        throw error;
      }
    },
    stop: () => run.stop("refused"),
    stopped: () => run.reason !== null,
    stopping: run.stopping,
    gone: run.gone,
    onEnd: (action) => run.onEnd(action),
  };
}
