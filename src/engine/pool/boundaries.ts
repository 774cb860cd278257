/** Boundaries of threads: drawn from one grant for a single call, from what the policy can allow for many. */

import { once } from "../../core/once.ts";
import { parentOf } from "../../core/path_text.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { deepestFolder } from "../../host/paths/entry_type.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { Boundary, SpawnBoundary } from "../../sandbox/boundary.ts";
import { networkReach, surplusReach } from "../../sandbox/network_reach.ts";
import type { Lane } from "./lanes.ts";
import type { ProgramSupport } from "../programs/program_support.ts";
import { type Job, startsPrograms } from "../runner.ts";
import type { LaneBoundary } from "./pool_thread.ts";

/** The state of boundaries that never change. */
const FIXED = "fixed";
/** Addresses of IPv6 that a thread is given: a name may have others each time that it is looked up. */
const MOST_LEARNED = 64;

/** What holds threads, drawn from the policies and from what lies in the workspace now. */
export interface Boundaries {
  /** For a thread of many calls, this one among them. */
  ofLane(lane: Lane, job?: Job): LaneBoundary;
  /** For the one call of a process. */
  ofJob(job: Job): Boundary;
  /** What holds the programs of a call, or the thread of one that starts none: what may be shown of it. */
  shownOf(job: Job): Boundary;
  /**
   * A call's thread was refused a place that has addresses of IPv6 alone: whether threads that connect are given them from
   * now on, since the policies let this call there.
   */
  learn(job: Job, place: string): Promise<boolean>;
}

/** `programs` is asked only for what starts programs. */
export function createBoundaries(
  rulebook: Rulebook,
  programs: () => ProgramSupport,
): Boundaries {
  /** Programs that a rule allows by one name and a call starts by another: an environment's own interpreter. */
  const otherStarts = new Set<string>();
  /** Addresses of IPv6 that threads which connect have beside those of the policies, the latest last. */
  const learned: string[] = [];
  const ofReading = once(() => ({ boundary: reading(rulebook.scope.read), state: FIXED }));
  return {
    ofLane(lane, job) {
      switch (lane) {
        case "read":
        case "read-long":
        case "read-help":
          return ofReading();
        case "write": {
          const { read, write } = rulebook.scope;
          const writeFolders = [...new Set(write.map(deepestFolder))];
          const boundary = { ...reading(read), write, writeFolders };
          return { boundary, state: writeFolders.join("\0") };
        }
        case "network":
          return { boundary: connecting(rulebook, learned), state: learned.join("\0") };
        case "module": {
          const { read, write } = rulebook.scope;
          const folders = [...new Set(write.map(deepestFolder))];
          const boundary = startingModules(programs(), rulebook, { read, write, folders });
          return { boundary, state: folders.join("\0") };
        }
        case "spawn": {
          const { spawn, state } = programs().ofThread();
          const named = spawn.programs;
          if (named === "any") return { boundary: spawning(rulebook, spawn), state };
          for (const { program } of job?.grant.spawn ?? []) {
            if (
              !named.includes(program.start) && isGranted({ name: "run", command: program.start })
            ) {
              otherStarts.add(program.start);
            }
          }
          const starts = [...named, ...otherStarts];
          return {
            boundary: spawning(rulebook, { ...spawn, programs: starts }),
            state: [state, ...otherStarts].join("\0"),
          };
        }
      }
    },
    async learn({ subject, grant: { connect } }, place) {
      const { addressesOfSix } = await import("../../host/network/six_places.ts");
      const { judgeConnection } = await import("./_connections.ts");
      const { resolveHost } = await import("../../host/network/resolve.ts");
      await rulebook.prepare([{ kind: "net.connect" }]);
      const { web } = rulebook.settings;
      const found = await addressesOfSix(place, {
        judge: (connection) => judgeConnection(rulebook, subject, connect, connection),
        resolve: resolveHost,
        web,
        granted: connect,
      });
      const fresh = found.filter((host) =>
        !learned.includes(host) && isGranted({ name: "net", host })
      );
      learned.push(...fresh);
      learned.splice(0, learned.length - MOST_LEARNED);
      return fresh.length > 0;
    },
    ofJob: (job) => boundaryOf(job, () => programs().ofThread()),
    shownOf: (job) => boundaryOf(job, () => programs().boundary()),
  };

  function boundaryOf(
    job: Job,
    drawn: () => { readonly spawn: SpawnBoundary },
  ): Boundary {
    const { grant, preview } = job;
    // Backups lie beside their file, under names that only its folder tells.
    const read = grant.read.map(({ path, backups }) => backups === true ? parentOf(path) : path);
    const write = grant.write.map(({ path }) => path);
    if (preview) return reading([...read, ...write]);
    if (job.tool.ownProcess === true) {
      const folders = [...new Set(write.map((path) => deepestFolder(parentOf(path))))];
      return startingModules(programs(), rulebook, { read, write: folders, folders });
    }
    if (startsPrograms(job)) {
      const { spawn } = drawn();
      const starts = [
        ...grant.spawn.map(({ program }) => program.start),
        ...grant.later ?? [],
      ];
      const { shell } = programs().programEnvironment;
      const started = shell === null ? starts : [...starts, shell.start];
      // What comes out only when it runs is one of those that rules name, and is judged then.
      const named = job.tool.startsLater?.(job.input) === true ? spawn.programs : [];
      const startable = named === "any" ? "any" as const : [...new Set([...started, ...named])];
      return spawning(rulebook, { ...spawn, programs: startable });
    }
    // Where redirects lead is judged when they do.
    if (grant.connect.length > 0) return connecting(rulebook, learned);
    // A file is written by making another beside it: the folder is what must be writable.
    const folders = [
      ...new Set(write.map((path) => deepestFolder(parentOf(path)))),
    ];
    return { read, write: folders, connect: [], spawn: null };
  }
}

/**
 * What its programs are given to read and write the thread opens for them, by names that are known only when they run:
 * the runtime's set is the policy's scope. The kernel holds it by the rules of its programs.
 */
function spawning({ scope }: Rulebook, spawn: SpawnBoundary): Boundary {
  // Their temporary files lie outside the scope; a sealed build's flags do not name the place.
  const { temporary: path } = spawn;
  const temporary = path !== undefined && isGranted({ name: "write", path }) ? [path] : [];
  return { read: scope.read, write: [...scope.write, ...temporary], connect: [], spawn };
}

/**
 * Of a thread that starts the processes of modules, and makes the files that they write where there are none. Each
 * process is held to its own call's grant beside; what a tree of it has that the policy denies, only there.
 */
function startingModules(
  { programEnvironment, system }: ProgramSupport,
  { settings: { sandbox } }: Rulebook,
  { read, write, folders }: Readonly<
    Record<"read" | "write" | "folders", readonly CanonicalPath[]>
  >,
): Boundary {
  if (sandbox.bubblewrap === "required") {
    throw new ToolError(
      "NATIVE_DENIED",
      'sandbox.bubblewrap is "required", and modules are held by the kernel\'s rules alone; ' +
        "wrap a command instead, or say auto",
    );
  }
  const { own } = programEnvironment;
  // Where there are no system calls to start it by, the runtime does, and asks for leave.
  const started = own !== null && Deno.build.os !== "linux" ? [own.path] : [];
  const programs = started.filter((command) => isGranted({ name: "run", command }));
  return {
    read,
    write,
    connect: [],
    spawn: {
      programs,
      system,
      read,
      write: folders,
      list: [],
      network: false,
      own: own === null ? [] : [own.path],
    },
  };
}

/** Whether the process itself may: a sealed build may do what its flags name and nothing else. */
function isGranted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}

/** Of a thread that connects, and looks into manifests; it writes nothing and starts nothing. */
function connecting({ scope }: Rulebook, learned: readonly string[]): Boundary {
  return {
    ...reading(scope.read),
    connect: [...networkReach(scope.connect), ...learned],
    besides: surplusReach(scope),
  };
}

function reading(read: readonly CanonicalPath[]): Boundary {
  return { read, write: [], connect: [], spawn: null };
}
