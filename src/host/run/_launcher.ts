/** Starting one program of a grant: where, with what, and what a failure to start means. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import {
  type GitSettings,
  lineVariables,
  namesGit,
  scriptVariables,
  withoutIdleEditors,
} from "../../core/git/settings.ts";
import { ERRNO, errnoName } from "../../sandbox/kernel/errno.ts";
import type { AgreedFile } from "../../policy/grant.ts";
import { type OwnLimit, RESOURCES } from "../../sandbox/launcher/program_steps.ts";
import type { StartFailure } from "../../sandbox/launcher/launcher.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import type { Broker, Refusal, Service } from "../broker/broker.ts";
import type { HookStart, HookStarts } from "../broker/handed_rules.ts";
import { close } from "../kernel/pipes.ts";
import { noteGit } from "./_git_note.ts";
import type { LimitMaker } from "./_process_limits.ts";
import type { ProgramShares } from "./_program_shares.ts";
import { refused, startFailure } from "./_start_failure.ts";
import type { OwnStart, ProgramHold, ProgramHolds } from "./program_holds.ts";
import type { ProgramNetwork, Rulebook, Started } from "../../policy/rulebook.ts";
import type { ProxyReport } from "../network/proxy_route.ts";
import {
  OwnReach,
  type ProgramProxies,
  proxyVariables,
  standInVariables,
  unreachable,
} from "./program_reach.ts";
import type { Wrapper } from "./wrapper.ts";
import type { Child, Ended, Programs } from "./_programs.ts";

/** What to start. */
export interface Launch {
  readonly program: Program;
  /** As the caller wrote it: programs say who they are by the first word, and multi-call binaries do what it says. */
  readonly argv: readonly string[];
  readonly directory: CanonicalPath;
  readonly environment: ReadonlyMap<string, string>;
  readonly descriptors: readonly number[];
  /** Limits of its own, which the policy's stand above. */
  readonly lowered?: readonly OwnLimit[];
  /** What the modes of what it makes begin without, in place of this process's own. */
  readonly mask?: number;
  /** The words that it is held by, where those name what is its own alone. */
  readonly held?: readonly string[];
  /** Toolgate itself, which no policy names. */
  readonly own?: true;
  /** Set where a tool starts it for its own use. */
  readonly use?: OwnStart;
  /** A gate starts it as the program of a child agent. */
  readonly child?: true;
  /** What it may touch because somebody agreed to it while the line ran. */
  readonly agreed?: readonly AgreedFile[];
  /** Nobody waits until it is the program: see `launchAhead`. */
  readonly ahead?: true;
  /** Runs the hooks of a repository that it comes to, if it is git: their status. Never rejects. */
  readonly runHook?: (start: HookStart, home: CanonicalPath) => Promise<number>;
}

/** What is the same for all programs of a run. */
export interface LauncherOptions {
  readonly libc: Libc;
  readonly programs: Programs;
  /** `NAME=value` for every program of the run, in front. */
  readonly marker: string | null;
  /** The number that says whose they are; see `ProcessLimits`. */
  readonly mark: number | null;
  /** What the programs of the run share. */
  readonly shares: ProgramShares;
  /** For git, wherever a program of a line starts it. */
  readonly git: GitSettings;
  readonly limitMaker: LimitMaker;
  readonly holds: Omit<ProgramHolds, "prepare">;
  readonly wrapper: Wrapper | null;
  /** Opened when it is asked for. */
  readonly broker: () => Broker | null;
  readonly networkOf: Rulebook["networkOf"];
  readonly deniedLoopbackOf: Rulebook["deniedLoopbackOf"];
  /** Null where there is no way out for any. */
  readonly proxies: ProgramProxies | null;
}

/** Starts the programs of one run, each in its place. */
export class Launcher {
  readonly #options: LauncherOptions;
  /** Directories that programs were started in, open until the run has ended. */
  readonly #directories = new Map<CanonicalPath, number>();
  readonly #services: Service[] = [];
  readonly #reaches: OwnReach[] = [];
  readonly #hooksRun = new Set<string>();
  readonly #hooksSkipped = new Set<string>();
  readonly #leftOut = new Set<string>();
  /** How the program that ended last did; null while none has. */
  lastEnded: Ended | null = null;

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  /**
   * Starts it. Throws COMMAND_NOT_FOUND, NATIVE_DENIED, INVALID_ARGUMENTS (too long), RESOURCE_LIMIT. The runtime's
   * permission set is asked first: the system call would pass it by.
   */
  launch(launch: Launch): Child {
    const { program, argv, own = false } = launch;
    const name = argv[0] ?? "";
    if (!own && !isGranted(program.start)) throw refused(name);
    const child = this.#start(launch, program.start, argv);
    // A script without a first line for its interpreter is the shell's (execvp(3)).
    const again = "errno" in child && child.step === "execve" && child.errno === ERRNO.ENOEXEC
      ? this.#start(launch, SHELL, [SHELL, program.start, ...argv.slice(1)])
      : child;
    if ("errno" in again) throw startFailure(name, again);
    void again.ended.then((how) => this.lastEnded = how);
    return again;
  }

  /**
   * As `launch`, where its end is all that is waited for: that it could not be started may be found then, and is thrown as by
   * `launch`.
   */
  launchAhead(launch: Launch): Promise<Ended> {
    const child = this.launch({ ...launch, ahead: true });
    return child.ended.then((how) => {
      const failure = child.failure();
      if (failure === null) return how;
      throw startFailure(launch.argv[0] ?? "", failure);
    });
  }

  #start(launch: Launch, path: string, words: readonly string[]): Child | StartFailure {
    const { programs, marker, wrapper, holds, shares, limitMaker, mark } = this.#options;
    const directory = this.#directory(launch.directory);
    if (directory < 0) return { step: "directory", errno: -directory };
    const network = this.#networkOf(launch);
    const hold = wrapper !== null ? null : holds.of({
      ...launch,
      argv: launch.held ?? words,
      own: launch.own === true,
      ...(network === null ? {} : { reaches: true }),
      ...(launch.runHook === undefined ? {} : { runsHooks: true }),
    });
    const hooks = this.#hookStarts(launch, hold);
    // What a tool starts for itself has its own, and what the policy sets stands above these.
    const own = launch.use !== undefined || launch.own === true
      ? launch.environment
      : namesGit(launch.argv)
      ? new Map([
        ...Object.entries(lineVariables(this.#options.git, launch.argv, hooks?.standIns)),
        ...withoutIdleEditors(launch.environment),
      ])
      : hold?.once === true
      ? launch.environment
      : new Map([
        ...Object.entries(scriptVariables(this.#options.git)),
        ...launch.environment,
      ]);
    const environment = network === null ? own : new Map([
      ...withoutOffline(own),
      ...Object.entries(proxyVariables(network)),
      ...(launch.use === undefined ? [] : Object.entries(standInVariables(network, own))),
    ]);
    const variables = Array.from(environment, ([name, value]) => `${name}=${value}`);
    const share = shares.of(launch.own === true ? null : startedBy(launch));
    const most = limitMaker.limits(share.limits, mark === null ? null : mark + share.told.number);
    const start = {
      path,
      argv: words,
      environment: marker === null ? variables : [marker, ...variables],
      known: marker === null ? [] : [marker],
      directory,
      descriptors: launch.descriptors,
      limits: most,
      lowered: (launch.lowered ?? []).map((one) => below(one, BigInt(most.cpu))),
      ...(launch.mask === undefined ? {} : { mask: launch.mask }),
    };
    if (hold !== null) {
      const { own = false } = launch;
      const { done, handed, hooks: skipped = [], hooksRun: _, once: __, binary, ...held } = hold;
      const broker = handed === null ? null : this.#options.broker();
      for (const hook of skipped) this.#hooksSkipped.add(hook);
      const reach = network === null || handed === null ? null : this.#reachOf(launch, network);
      const deniedLoopback = handed === null
        ? null
        : this.#options.deniedLoopbackOf(startedBy(launch));
      const file = own ? this.#open(path) : null;
      try {
        // Its filter hands nothing over: it would have no network, or all of it.
        if (network !== null && reach === null) {
          throw unreachable(launch.argv[0] ?? "", network, "it hands over nothing");
        }
        if (file !== null && file < 0) return { step: "execve", errno: -file };
        const git = handed?.rules.git ?? null;
        const endNote = git === null ? null : noteGit(this.#options.libc, git);
        const started = programs.start(share, {
          ...start,
          ...held,
          ...(file === null ? {} : { file }),
          ...(handed === null || broker === null ? {} : {
            onListener: (listener) => {
              const service = {
                ...handed,
                ...(reach === null ? {} : { reach }),
                ...(deniedLoopback === null ? {} : { deniedLoopback }),
                ...(hooks === null ? {} : { hooks }),
                ...(launch.mask === undefined ? {} : { masked: true as const }),
              };
              this.#services.push(broker.serve(listener, service, mark));
            },
          }),
        }, launch.ahead === true && binary === true && handed === null);
        if ("errno" in started) endNote?.(true);
        else void started.ended.then(({ signal }) => endNote?.(signal === null));
        if (handed === null || broker === null || !isRefusedListener(started)) return started;
        broker.giveUp(`a listener is there already (${errnoName(started.errno)})`);
        return this.#start(launch, path, words);
      } finally {
        if (file !== null && file >= 0) close(this.#options.libc, file);
        done();
      }
    }
    if (wrapper === null) throw new Error("what holds nothing wraps");
    const filter = wrapper.openFilter();
    try {
      return programs.start(share, {
        ...start,
        path: wrapper.path,
        argv: wrapper.wrap(launch.directory, [path, ...words.slice(1)]),
        descriptors: [...launch.descriptors, filter],
        confined: false,
        rules: null,
        filter: null,
      });
    } finally {
      close(this.#options.libc, filter);
    }
  }

  #hookStarts(
    { runHook }: Launch,
    hold: Pick<ProgramHold, "hooksRun"> | null,
  ): HookStarts | null {
    const there = hold?.hooksRun;
    if (there === undefined || runHook === undefined) return null;
    return { standIns: there.standIns, run: (start) => runHook(start, there.home) };
  }

  /** What rules open to it. Throws NATIVE_DENIED where it cannot be held to that. */
  #networkOf(launch: Launch): ProgramNetwork | null {
    const { argv, use, own } = launch;
    if (own === true || use !== undefined && use.connects !== true) return null;
    const { networkOf, holds, proxies, wrapper, broker } = this.#options;
    const network = networkOf(startedBy(launch));
    if (network === null) return null;
    const why = wrapper !== null
      ? "bubblewrap holds programs, and hands over nothing"
      : holds.unserved ??
        (broker() === null || proxies === null ? "it is started elsewhere" : null);
    if (why !== null) throw unreachable(argv[0] ?? "", network, why);
    return network;
  }

  #reachOf(launch: Launch, { hosts }: ProgramNetwork): OwnReach | null {
    const { proxies } = this.#options;
    if (proxies === null) return null;
    const reach = new OwnReach(proxies, startedBy(launch), hosts);
    this.#reaches.push(reach);
    return reach;
  }

  /** Ends what its programs are connected to beyond the call, and says what that was; null where that is nothing. */
  async endNetwork(): Promise<ProxyReport | null> {
    const { proxies } = this.#options;
    const tokens = (await Promise.all(this.#reaches.map((reach) => reach.token())))
      .filter((token) => token !== null);
    return proxies === null || tokens.length === 0 ? null : await proxies.end(tokens);
  }

  /** What is this process's own executable here is the launcher's there: it takes it along. */
  #open(path: string): number {
    const { libc } = this.#options;
    return libc.call(libc.numbers.openat, AT_FDCWD, libc.path(path), OPEN.PATH | OPEN.CLOEXEC);
  }

  #directory(path: CanonicalPath): number {
    const known = this.#directories.get(path);
    if (known !== undefined) return known;
    const { libc } = this.#options;
    const opened = openWithoutLinks(libc, path, OPEN.PATH | libc.numbers.O_DIRECTORY);
    if (opened >= 0) this.#directories.set(path, opened);
    return opened;
  }

  /** What the policy refused of what the programs handed over. */
  get refusals(): readonly Refusal[] {
    return this.#services.flatMap(({ refusals }) => refusals);
  }

  /** Hooks of repositories that git came to, and that were run for it. */
  get hooksRun(): readonly string[] {
    return [...this.#hooksRun];
  }

  /** To be told of each that git came to. */
  hookCame(name: string, ran: boolean): void {
    (ran ? this.#hooksRun : this.#hooksSkipped).add(name);
  }

  /** Hooks of repositories that git did not run. */
  get hooksSkipped(): readonly string[] {
    return [...this.#hooksSkipped];
  }

  /** To be told of names that a program's words leave out. */
  leaveOut(names: readonly string[]): void {
    for (const name of names) this.#leftOut.add(name);
  }

  /** Names that were left out of what git showed. */
  get leftOut(): readonly string[] {
    return [...this.#leftOut];
  }

  /** To be called when no program runs any more. */
  close(): void {
    for (const service of this.#services) service.close();
    for (const descriptor of this.#directories.values()) close(this.#options.libc, descriptor);
    this.#directories.clear();
  }
}

/** What rules for programs are asked about: of a tool's own use the words that stand for it. */
function startedBy({ program, argv, directory: cwd, use, child }: Launch): Started {
  return { argv: use?.argv ?? argv, program, cwd, ...(child === undefined ? {} : { child }) };
}

/** One listener is all that a program can have (EBUSY), and some containers let it have none. */
function isRefusedListener(started: Child | StartFailure): started is StartFailure {
  return "errno" in started && (started.step === "seccomp" || started.step === "listener");
}

/** Time on processors is the policy's to limit, too: no more than that, which the kernel would not give. */
function below({ resource, soft, hard }: OwnLimit, cpu: bigint): OwnLimit {
  const least = (value: bigint) => resource === RESOURCES.cpu && value > cpu ? cpu : value;
  return { resource, soft: least(soft), hard: least(hard) };
}

function isGranted(command: string): boolean {
  return Deno.permissions.querySync({ name: "run", command }).state === "granted";
}

/** Where POSIX systems have theirs. */
const SHELL = "/bin/sh";

/** What is set for programs that no network is opened to: see `programEnvironmentOf`. */
function withoutOffline(environment: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const kept = new Map(environment);
  if (kept.get("npm_config_fetch_retries") === "0") kept.delete("npm_config_fetch_retries");
  return kept;
}
