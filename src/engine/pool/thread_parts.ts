/** What the contexts of all calls on one thread share. */

import type { Program } from "../../core/capability.ts";
import type { Durability } from "../../core/files.ts";
import type { WebSettings } from "../../core/network.ts";
import type { Syntax } from "../../core/syntax_tree.ts";
import { openCarried } from "../../host/carried/carried.ts";
import { createFileBackend } from "../../host/context.ts";
import type { Door } from "../../host/network/door.ts";
import type { WebParts } from "../../host/network/web_parts.ts";
import type { FileBackend } from "../../host/files/file_backend.ts";
import type { OwnProgram } from "../../host/run/module_protocol.ts";
import type { ProgramOptions } from "../../host/run/program_options.ts";
import type { Boundary, SpawnBoundary } from "../../sandbox/boundary.ts";
import {
  enterBoundary,
  type Entered,
  openProgramCalls,
  type ProgramCalls,
} from "../../sandbox/enter.ts";
import type { Broker } from "../../host/broker/broker.ts";
import type { ProgramHolds } from "../../host/run/program_holds.ts";
import type { Starter } from "../../host/run/starter.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { Registry } from "../../tools/registry.ts";
import { type Libc, openLibc } from "../../sandbox/kernel/libc.ts";
import { processorTime } from "../../sandbox/kernel/processor_time.ts";
import type { Architecture } from "../../sandbox/seccomp.ts";
import type { SyntaxOptions } from "../../syntax/validators.ts";
import type { KeptFilters } from "../programs/kept_filters.ts";
import type { SparesOf } from "../programs/kept_rules.ts";
import { filesFromSource } from "./carried_files.ts";

/** What programs get that is the same for all of them; read on the main thread, where the environment is. */
export interface ProgramEnvironment {
  readonly environment: Readonly<Record<string, string>>;
  /** Folder for the private TMPDIR of each run; null where the policy wants none. */
  readonly temporaryRoot: string | null;
  /** Folder of what programs of this workspace keep from call to call; null where there is none. */
  readonly caches: string | null;
  /** Git's settings for programs, which they read and do not write; null for none. */
  readonly gitConfig: string | null;
  /** What stands in for hooks of repositories; null where lines run none. */
  readonly hookStandIns: string | null;
  /** What lines are handed to where `shell.mode` is `sh`; null where there is none. */
  readonly shell: Program | null;
  /** Why a layer that the policy wants does not hold programs, one sentence each. */
  readonly reasons: readonly string[];
  /** The folders that programs are looked for in by a bare name. */
  readonly searchPath: string;
  /** How a module's process is started. */
  readonly own: OwnProgram | null;
  /** Value of `TOOLGATE_RUN` for all programs of this process, up to the number of their run. */
  readonly marker: string;
  /** What the marks of its runs begin with: 32 bits; see `MARKS`. */
  readonly token: number;
}

/** What the programs of a thread share. */
export interface ThreadPrograms extends
  Pick<
    ProgramOptions,
    | "create"
    | "environment"
    | "layers"
    | "own"
    | "starter"
    | "keptFolders"
    | "temporaryRoot"
    | "caches"
    | "shell"
    | "wrapper"
  > {
  /** See {@linkcode ProgramEnvironment}. */
  readonly marker: string;
  readonly token: number;
  readonly searchPath: string;
  /** By what programs are held; asked for with the first. */
  readonly openHolds: (rulebook: Rulebook) => Promise<ProgramHolds>;
}

/** What a thread works with, opened before it is held. `libc` null: the machine has none that can be called. */
export interface ThreadParts {
  readonly libc: Libc | null;
  readonly files: FileBackend;
  readonly syntax: Syntax;
  /** Null where the thread starts none. */
  readonly programs: ThreadPrograms | null;
  /** Null where the thread connects nowhere. */
  readonly door: Door | null;
}

/** What a thread that starts programs opens whatever will hold it. */
export interface BegunParts {
  /** Null where the machine has none that can be called. */
  readonly libc: Libc | null;
  readonly calls: ProgramCalls;
  /** Null where programs are started by the runtime alone. */
  readonly starter: Starter | null;
  readonly filters: KeptFilters;
  /** Of the folder that there will be; null where none are made yet. */
  readonly spares: SparesOf | null;
}

/** Loads and opens it. For a thread that is begun before it is known what holds it. */
export async function beginParts(): Promise<BegunParts> {
  await loadForPrograms();
  const { createStarter } = await import("../../host/run/starter.ts");
  const { KeptFilters } = await import("../programs/kept_filters.ts");
  const opened = openLibc();
  const calls = await openProgramCalls(opened);
  const { libc, spawner } = calls;
  const starter = libc === null || spawner === null ? null : createStarter(libc, spawner, calls);
  const filters = new KeptFilters(Deno.build.arch as Architecture, false);
  // It is found out once, by some calls, and hangs on no boundary.
  filters.prepare({ sockets: starter?.broker?.socketsMissing === null });
  return { libc: opened, calls, starter, filters, spares: null };
}

/** Has what holds a first program run once, of a stand-in: who has the time does so, and what goes wrong is nobody's. */
export async function rehearse({ calls, starter }: BegunParts, registry: Registry): Promise<void> {
  if (calls.libc === null) return;
  const { rehearseHold } = await import("../programs/rehearsal.ts");
  await rehearseHold(calls.libc, starter?.broker ?? null, registry).catch(() => {});
}

/** With the files that programs made in this folder may become. */
export async function withSpares(begun: BegunParts, folder: string): Promise<BegunParts> {
  const { libc } = begun;
  if (libc === null) return begun;
  const { openSpares } = await import("../programs/kept_rules.ts");
  begun.spares?.files.release();
  return { ...begun, spares: openSpares(libc, folder) };
}

/** Closes what is open of it: nobody takes it. */
export function endParts({ starter, spares }: BegunParts): void {
  spares?.files.release();
  starter?.close();
}

/** Loads what a thread takes that starts programs: one that was begun ahead has the time until it is told so. */
export async function loadForPrograms(): Promise<void> {
  await Promise.all([
    import("../../host/files/linux/files.ts"),
    import("../../host/run/starter.ts"),
    import("../../host/run/processes.ts"),
    import("../../host/run/program_holds.ts"),
    import("../programs/program_holds.ts"),
    import("../../policy/judge/actions.ts"),
  ]);
}

/**
 * Binds the calling thread to the boundary, for ever: `enterBoundary`, with what has to be opened before. `scans`: its
 * calls go through many files. `wide`: see there. `durability`: as the policy has it. `libc`: this thread's, where it is open
 * already; to open it takes most of a millisecond. `begun`: likewise, with what starts programs, which takes some seven.
 */
export async function enterThread(
  boundary: Boundary,
  sandbox: Parameters<typeof enterBoundary>[1],
  programEnvironment: ProgramEnvironment,
  {
    durability,
    scans = false,
    wide = false,
    libc: own = null,
    begun = null,
    web = null,
    settings = null,
  }: {
    readonly durability: Durability;
    readonly scans?: boolean;
    readonly wide?: boolean;
    readonly libc?: Libc | null;
    readonly begun?: BegunParts | null;
    readonly web?: WebParts | null;
    /** Beside `web`. */
    readonly settings?: WebSettings | null;
  },
): Promise<{ readonly held: Entered; readonly parts: ThreadParts }> {
  const opened = begun?.libc ?? own ?? openLibc({ quickFiles: scans });
  const modules = openCarried(opened, await filesFromSource());
  // Before the boundary closes: what it loads is out of sight from source afterwards.
  const files = await createFileBackend(opened, { write: boundary.write.length > 0, durability });
  const door = web === null || settings === null
    ? null
    : new (await import("../../host/network/door.ts")).Door(settings, web);
  const held = await enterBoundary(boundary, sandbox, () => opened, {
    wide,
    calls: begun?.calls ?? null,
  });
  const { libc, spawner, layers } = held;
  const syntax = createLazySyntax({ modules, clock: processorTime(opened) });
  const { spawn } = boundary;
  if (spawn === null) return { held, parts: { libc, files, syntax, programs: null, door } };
  const { createStarter } = await import("../../host/run/starter.ts");
  const { createProcesses: create } = await import("../../host/run/processes.ts");
  const starter = libc === null || spawner === null
    ? null
    : begun?.starter ?? createStarter(libc, spawner, held);
  const { bubblewrap } = spawn;
  const wrapper = bubblewrap === undefined || starter === null
    ? null
    : (await import("../../host/run/wrapper.ts")).createWrapper(starter.libc, spawn, bubblewrap);
  const environment = wrapper === null ? programEnvironment : null;
  const openHolds = await holdsOf(held, spawn, environment, {
    broker: starter?.broker ?? null,
    begun,
    wanted: sandbox.kernel !== "off",
  });
  const programs = { ...programEnvironment, create, layers, starter, wrapper, openHolds };
  return { held, parts: { libc, files, syntax, programs, door } };
}

/**
 * What makes the holds of a thread's programs. `environment` null: something else holds them. Where the thread's own
 * rules are those of its programs they only get a domain of their own below it.
 */
async function holdsOf(
  { libc, abi, layers }: Entered,
  { coarse, network, system }: SpawnBoundary,
  environment: ProgramEnvironment | null,
  { broker, begun, wanted }: {
    readonly broker: Broker | null;
    readonly begun: Pick<BegunParts, "filters" | "spares"> | null;
    /** The policy has the kernel hold programs, as far as it can. */
    readonly wanted: boolean;
  },
): Promise<ThreadPrograms["openHolds"]> {
  const { createNestedHolds, UNCONFINED } = await import("../../host/run/program_holds.ts");
  const { WordHolds } = await import("../programs/program_holds.ts");
  const [landlock, seccomp] = [layers.includes("landlock"), layers.includes("seccomp")];
  const { filters = null, spares = null } = begun ?? {};
  if (libc === null || environment === null || !(landlock || seccomp)) {
    return () => {
      spares?.files.release();
      return Promise.resolve(wanted ? UNCONFINED : { ...UNCONFINED, unserved: null });
    };
  }
  const { temporaryRoot, caches, gitConfig, hookStandIns, searchPath } = environment;
  const parts = { libc, abi: landlock ? abi : 0, seccomp, network };
  return async (rulebook) => {
    if (coarse !== true) {
      spares?.files.release();
      return createNestedHolds(parts);
    }
    await rulebook.prepare([{ kind: "process.spawn" }]);
    const keepsFolders = false;
    const folders = { temporaryRoot, keepsFolders, caches, gitConfig, hookStandIns };
    const served = { broker, starts: broker, filters, spares };
    return new WordHolds({ ...parts, ...folders, ...served, system, searchPath }, rulebook);
  };
}

/** Few calls judge a text, or take one apart: the others load nothing for it. */
export function createLazySyntax(options: SyntaxOptions): Syntax {
  let loading: Promise<Syntax> | null = null;
  const load = () =>
    loading ??= import("../../syntax/validators.ts").then(({ createSyntax }) =>
      createSyntax(options)
    );
  return {
    check: async (path, text) => await (await load()).check(path, text),
    parsers: async () => await (await load()).parsers(),
  };
}
