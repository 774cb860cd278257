/** Starting the programs of a grant, and never losing one: groups, time limits, output limits. */

import { UNSEEN } from "../../core/git/unseen_folder.ts";
import { ToolError } from "../../core/errors.ts";
import type { Processes } from "../../core/tool.ts";
import type { ProgramNetwork } from "../../policy/rulebook.ts";
import { programWords } from "../../shell/certain.ts";
import { withRequested } from "./environment.ts";
import { authoritiesOf, requireWayOut, unreachable } from "./program_reach.ts";
import { isWithin } from "../../sandbox/within.ts";
import { removeTree } from "./remove_tree.ts";
import { asNamed, inTemporary } from "./temporary.ts";
import { hold } from "./_hold.ts";
import { grantedHooks } from "./_line_hook.ts";
import { makeBareFolder, removeBareFolder, removeBarePortably } from "../kernel/bare_folder.ts";
import { holdFolder, isLeftAlone, mayBeHeld } from "../kernel/folder_hold.ts";
import { createKernelProbe } from "../paths/path_probe.ts";
import { resolver } from "../paths/canonicalize.ts";
import { surveyStart } from "./survey/survey_start.ts";
import { folderOf, grantedOwn, grantedSpawn } from "./granted_programs.ts";
import { programFile } from "./_program_file.ts";
import type { ProcessesOptions } from "./program_options.ts";

/** How soon what a tool starts for its own use has ended, mostly: git that lists or compares. */
const OWN_MS = 8;

/** The programs of one call, by its grant. Throws as `Processes` says. */
export function createProcesses(options: ProcessesOptions): Processes {
  const processes: Processes = {
    async run(argv, request) {
      const spawn = grantedSpawn(options.grant, argv, request.cwd);
      const { channel } = spawn;
      const { children } = options.rulebook.settings;
      const ofChild = channel === undefined || (children?.network ?? null) === null
        ? {}
        : { child: true } as const;
      const environment = {
        ...withRequested(options.environment, request.env),
        ...channel?.environment,
      };
      const { starter } = options;
      if (starter === null) {
        const command = { argv, program: spawn.program, cwd: spawn.cwd, ...ofChild };
        const network = options.rulebook.networkOf(command);
        if (network !== null) throw unheld(argv[0] ?? "", network);
        const { runPortably } = await import("./portable/processes.ts");
        return await inTemporary(
          options,
          environment,
          ({ environment: env }) => runPortably({ ...options, spawn }, { ...request, env }),
        );
      }
      const { entryAt } = createKernelProbe(starter.libc);
      const parts = {
        options,
        starter,
        rulebook: options.rulebook,
        resolve: resolver(entryAt),
        timeoutMs: request.timeoutMs,
        ended: null,
        find: (name: string, at: typeof spawn.cwd) => options.find(name, at, null),
      };
      const shown = await surveyStart(parts, spawn.program, argv, {
        directory: spawn.cwd,
        input: request.stdin ?? new Uint8Array(),
      });
      const put = shown?.of ?? null;
      return await inTemporary(
        options,
        environment,
        (own) =>
          hold(options, starter, request, (run, launcher) => {
            const descriptors = channel === undefined
              ? run.descriptors
              : [channel.descriptor, channel.descriptor, run.descriptors[2]];
            const environment = new Map(Object.entries(own.environment));
            const { program, cwd: directory } = spawn;
            launcher.leaveOut(shown?.leftOut ?? []);
            const launch = {
              ...{ program, argv, directory, environment, descriptors, ...ofChild },
              ...(put === null ? {} : { argv: put(argv), held: argv }),
            };
            const hooks = grantedHooks(options, { libc: starter.libc, launcher, environment, own });
            const ended = launcher.launchAhead({ ...launch, ...hooks });
            run.release();
            return ended;
          }),
      );
    },
    async runOwn(argv, request) {
      const { entry, directory, use } = grantedOwn(options.grant, argv, request);
      const { starter } = options;
      const spawn = { ...entry, argv, cwd: directory };
      const { scratch } = request;
      if (scratch !== undefined && !isLent(options, scratch)) {
        throw new ToolError("PATH_DENIED", "a folder that was not lent is named as scratch");
      }
      const { connects } = request;
      const startsToo = request.startsToo === undefined
        ? null
        : programFile(options, request.startsToo);
      if (request.startsToo !== undefined && startsToo === null) {
        throw new ToolError("COMMAND_DENIED", "a program was named that this call was not granted");
      }
      const env = {
        ...(connects === undefined ? {} : authoritiesOf(options.environment)),
        ...request.env,
        ...(scratch === undefined ? {} : { TMPDIR: scratch }),
      };
      if (connects !== undefined) {
        const command = { argv: use.argv, program: entry.program, cwd: directory };
        requireWayOut(options.rulebook, command, connects);
        const network = starter === null ? options.rulebook.networkOf(command) : null;
        if (network !== null) throw unheld(argv[0] ?? "", network);
      }
      if (starter === null) {
        const { runPortably } = await import("./portable/processes.ts");
        return await runPortably({ ...options, spawn }, { ...request, env });
      }
      return await hold(options, starter, request, (run, launcher) => {
        const { descriptors } = run;
        const environment = new Map(Object.entries(env));
        const { program } = spawn;
        const launch = {
          ...{ program, argv, directory, environment, descriptors },
          use: startsToo === null ? use : { ...use, startsToo },
        };
        const child = launcher.launch(launch);
        starter.poller.expectSoon(OWN_MS);
        run.release();
        return child.ended;
      });
    },
    async runHook(argv, request) {
      const { runHook } = await import("./_run_hook.ts");
      return await runHook(options, argv, request);
    },
    hold(argv, folder) {
      const { grant, starter } = options;
      const { use } = grantedOwn(grant, argv, { cwd: folder, writes: [folder] });
      if (starter === null || use.writes.length === 0) return null;
      const { libc } = starter;
      const held = holdFolder(libc, folderOf(grant, folder));
      if (held === null) return null;
      const [program = ""] = argv;
      return {
        ...held,
        isLeftAlone: (path) => isLeftAlone(libc, folderOf(grant, path)),
        mayBeHeld: (path, idle) => mayBeHeld(libc, folderOf(grant, path), program, idle),
      };
    },
    removeBare(argv, folder, file) {
      const { grant, starter } = options;
      const { use } = grantedOwn(grant, argv, { cwd: folder, writes: [folder] });
      if (use.writes.length === 0) return false;
      const path = folderOf(grant, folder);
      return starter === null
        ? removeBarePortably(path, file)
        : removeBareFolder(starter.libc, path, file);
    },
    makeFolder(argv, folder) {
      const { grant, starter } = options;
      const { use } = grantedOwn(grant, argv, { cwd: folder, writes: [folder] });
      if (starter === null || use.writes.length === 0) return false;
      return makeBareFolder(starter.libc, grant.workspace, folderOf(grant, folder), UNSEEN);
    },
    asFile: (argv) => Promise.resolve(programFile(options, argv)?.file ?? null),
    async withScratch(work) {
      const { temporaryRoot } = options;
      if (temporaryRoot === null || !isWritable(temporaryRoot)) {
        throw new ToolError(
          "NATIVE_DENIED",
          "this takes a place for temporary files: sandbox.temporary is false, or there is none that may be written to",
        );
      }
      const folder = Deno.makeTempDirSync({ dir: temporaryRoot, prefix: "lent-" });
      try {
        return await work(folder);
      } finally {
        removeTree(folder);
      }
    },
    async runLine(plan, request) {
      const { starter } = options;
      if (starter === null) {
        const argv = programWords(plan);
        if (argv === null) throw unsupported();
        return await processes.run(argv, request);
      }
      const { runPlan } = await import("./_run_plan.ts");
      const kept = plan.temporary === "kept" ? options.agent : null;
      return await inTemporary(
        options,
        { ...options.environment, ...request.env },
        async ({ environment: env, temporary }) => {
          const outcome = await hold(options, starter, request, (run, launcher) =>
            runPlan(plan, {
              options,
              own: temporary === null
                ? null
                : { folder: temporary, rulebook: options.rulebook.withFolder(temporary) },
              starter,
              run,
              launcher,
              cwd: request.cwd,
              env,
            }));
          if (kept === null || temporary === null) return outcome;
          const { stdout, stderr } = outcome;
          return {
            ...outcome,
            stdout: asNamed(stdout, temporary),
            stderr: asNamed(stderr, temporary),
          };
        },
        { kept },
      );
    },
    async runModule(request) {
      // Its time began, whatever loading takes.
      const began = Date.now();
      const { runModule } = await import("./_run_module.ts");
      return await runModule(options, request, began);
    },
  };
  return processes;
}

function unheld(name: string, network: ProgramNetwork): ToolError {
  return unreachable(name, network, "system calls cannot be made here");
}

function unsupported(): ToolError {
  return new ToolError(
    "EXECUTION_ERROR",
    "command lines take system calls that this machine does not give Toolgate (Linux with glibc, and the ffi permission); argv runs one program",
  );
}

function isLent({ temporaryRoot }: ProcessesOptions, folder: string): boolean {
  return temporaryRoot !== null && folder !== temporaryRoot && isWithin(temporaryRoot, folder);
}

/** The flags of a sealed build do not name the place. */
function isWritable(path: string): boolean {
  return Deno.permissions.querySync({ name: "write", path }).state === "granted";
}
