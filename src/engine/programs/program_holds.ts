/**
 * By what each program is held, drawn from its own words: the files that they name, the programs that it may start, and
 * the calls that it has use for. A program of which nothing is known, or that runs code, has the ground that the policy
 * allows to all of its kind.
 */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { NameJudge, type StartList } from "../../host/broker/handed_rules.ts";
import type { ProgramHold, ProgramHolds, Starting } from "../../host/run/program_holds.ts";
import { createKernelProbe, type PathProbe } from "../../host/paths/path_probe.ts";
import { createProgramFinder } from "../../host/run/program_search.ts";
import { createLandlockPaths, type LandlockPathSource } from "../../host/scan/landlock_paths.ts";
import type { Effects, Rulebook, RuledEffects, Starts } from "../../policy/rulebook.ts";
import { KeptPaths, openRules } from "../../sandbox/landlock.ts";
import { scopeRules } from "../../sandbox/landlock_rules.ts";
import { folderRights, type ProgramPaths, programRules } from "../../sandbox/program_rules.ts";
import type { Architecture } from "../../sandbox/seccomp.ts";
import { isWithin } from "../../sandbox/within.ts";
import { close } from "../../host/kernel/pipes.ts";
import { identityOf } from "../../host/kernel/stat.ts";
import { textAt } from "../../host/kernel/read_text.ts";
import { withAgreed } from "./_agreed_rules.ts";
import type { HoldParts } from "./_hold_parts.ts";
import { type HooksThere, hooksThere, NO_HOOKS } from "./_git_hooks.ts";
import { standInsIn } from "./_hook_stand_ins.ts";
import { recordsIn } from "./_git_records.ts";
import { KeptFilters } from "./kept_filters.ts";
import { KeptRules } from "./kept_rules.ts";
import { isNameless, NamelessRules } from "./_nameless_rules.ts";
import { ownFiles } from "./_own_files.ts";
import { OwnStarts } from "./_own_starts.ts";
import { SystemReach } from "./_system_reach.ts";
import { groundOf, handedOf, temporaryOf, viewsProcesses } from "./_program_ground.ts";

/** What was found out of one start. */
interface KnownEffects {
  readonly argv: readonly string[];
  readonly program: Program;
  readonly cwd: CanonicalPath;
  readonly effects: RuledEffects;
}

/** A file `.git` that leads to a repository holds one path, which is shorter. */
const MOST_LINK = 8 * 1024;
/** Of a repository's settings; in longer ones no folder of hooks is looked for. */
const MOST_SETTINGS = 64 * 1024;

/** Draws the holds of one thread. `rulebook.prepare` must have been awaited for starting programs. */
export class WordHolds implements ProgramHolds {
  readonly #parts: HoldParts;
  readonly #rulebook: Rulebook;
  readonly #starts: OwnStarts;
  readonly #system: KeptPaths;
  readonly #reach: SystemReach;
  readonly #ground: LandlockPathSource;
  /** As `#ground`, of what is read alone. */
  readonly #readable: LandlockPathSource;
  readonly #judge: NameJudge;
  readonly #probe: PathProbe;
  readonly #workspace: CanonicalPath;
  /** Whether there are names that the kernel's rules cannot tell from others. */
  readonly #hasNames: boolean;
  readonly #filters: KeptFilters;
  readonly #kept: KeptRules;
  readonly #nameless: NamelessRules;
  #last: KnownEffects | null = null;
  #scopes: number | null | undefined;

  constructor(parts: HoldParts, rulebook: Rulebook) {
    const { libc, system, searchPath } = parts;
    this.#parts = parts;
    this.#kept = new KeptRules(libc, parts.spares ?? null);
    this.#nameless = new NamelessRules(libc);
    this.#filters = parts.filters?.network === parts.network
      ? parts.filters
      : new KeptFilters(Deno.build.arch as Architecture, parts.network);
    this.#rulebook = rulebook;
    const probe = createKernelProbe(libc);
    const { workspace } = rulebook.settings;
    this.#probe = probe;
    this.#workspace = workspace;
    this.#starts = new OwnStarts(
      libc,
      createProgramFinder(workspace, system, { searchPath, probe }),
    );
    this.#system = new KeptPaths(libc);
    this.#reach = new SystemReach(libc, probe, system);
    this.#ground = createLandlockPaths(rulebook, undefined, { roots: null, libc });
    this.#readable = createLandlockPaths(rulebook, undefined, {
      roots: null,
      libc,
      access: "read",
    });
    this.#judge = new NameJudge(rulebook);
    this.#hasNames = rulebook.scope.write.some((root) => this.#judge.mayRefuseBelow(root));
  }

  of(starting: Starting): ProgramHold {
    if (starting.own) return this.#holdOwn();
    const { program, directory, use } = starting;
    // What a tool uses for itself is held to the folders that it names, whatever its words.
    const argv = use?.argv ?? starting.argv;
    const effects = this.#effectsOf(argv, program, directory);
    const trusted = this.#isTrusted(program);
    if (use !== undefined && !trusted) {
      throw new ToolError("NATIVE_DENIED", `"${argv[0]}" lies in the workspace: no tool uses it`);
    }
    // No rule widens what a tool's own use comes to.
    const starts = use === undefined ? this.#startsOf(effects, program, trusted) : use.starts;
    const byWords = trusted && isByWords(effects);
    const [folder = null] = temporaryOf(this.#parts, starting);
    const own = this.#starts.executables(program, starts, directory, folder);
    const beside = use?.startsToo;
    // What a tool starts itself it speaks of itself.
    const hooks = use === undefined ? this.#hooksThere(starting) : NO_HOOKS;
    const mayRun = starting.runsHooks === true && hooks.home !== null && own !== "any";
    const standIns = mayRun && this.#handsOver
      ? standInsIn(this.#parts.hookStandIns, this.#parts.libc)
      : null;
    const besides = beside === undefined
      ? standIns?.files ?? []
      : [beside.file, ...this.#starts.executables(beside.program, "none", directory, null)];
    const execute = own === "any" ? own : [...own, ...besides];
    const views = trusted && use === undefined && viewsProcesses(program);
    const changes = !byWords || views || effects.writes.length + effects.deletes.length > 0;
    const connects = !byWords || effects.connects.length > 0 || starting.reaches === true;
    // A script that env(1) runs takes a second start: then it is the rules alone that let no other through.
    const once = starts === "none" && !this.#starts.startsAgain(program.start);
    const only = (starts === "any" || once) && this.#parts.seccomp;
    const drawn = { effects, byWords, execute, trusted, only, views };
    const listed = use === undefined && execute !== "any" && !once ? execute : [];
    // A program with files of its own words runs nobody's code: it is enough to ask what is started. Others could change the
    // name between the two looks at it, and start by links of the workspace: there a loader opens nothing.
    const isAsked = byWords || !effects.ruled;
    const loaders = isAsked ? [] : this.#starts.loaders(listed);
    const isJudged = listed.length > 0 && isAsked && this.#asksStarts;
    const judged = isJudged ? this.#starts.listOf(listed, this.#parts.system) : null;
    // What a tool starts for its own use hands over what it connects to, and nothing else.
    const isOthers = use === undefined && (changes || connects || loaders.length > 0);
    const handsOver = (isOthers || starting.reaches === true) && this.#handsOver;
    const asksNames = views || this.#hasNames || standIns !== null;
    const byName = isOthers && handsOver && changes && asksNames;
    const { rules, handed, done } = this.#withRules(starting, drawn, {
      handsOver: handsOver || isJudged,
      byName,
      loaders,
      starts: judged,
    });
    const reads = handed?.rules.reads === true || loaders.length > 0;
    const spares = handed?.rules.spares ?? null;
    const others = judged !== null ? "judged" : spares !== null ? "handed" : once;
    const filter = this.#filters.of(others, {
      attributes: isOthers && handsOver ? "handed" : changes && this.#isFree(starting),
      watches: isOthers && handsOver ? "handed" : changes && this.#isFree(starting),
      ...(isOthers && handsOver ? { looks: "handed" } : {}),
      // A child agent holds what it starts by itself, too.
      rules: starting.child === true,
      ...(byName ? { handed: reads ? "changes and reads" : "changes" } : {}),
      ...(!byName && handsOver && loaders.length > 0 ? { handed: "reads" } : {}),
      sockets: handsOver && connects && !this.#parts.network && this.unserved === null,
    });
    const held = {
      confined: true,
      filter: this.#parts.seccomp ? filter : null,
      ...(once ? { once } as const : {}),
      ...(this.#starts.isBinary(program.start) ? { binary: true } as const : {}),
    };
    const { names, home } = hooks;
    return byName && standIns !== null && home !== null
      ? { ...held, rules, handed, done, hooksRun: { home, standIns: standIns.folder } }
      : { ...held, rules, handed, done, hooks: names };
  }

  prepare(): void {
    this.#kept.prepare(this.#handsOver && this.#hasNames ? this.#workspace : null);
  }

  #hooksThere(starting: Starting): HooksThere {
    const text = (path: string) => textAt(this.#parts.libc, path, MOST_SETTINGS);
    const { home } = this.#rulebook.settings.git;
    return hooksThere(starting, this.#workspace, { ...this.#probe, text }, home);
  }

  /**
   * Whether nothing holds modes, owners, times and what is watched: where the kernel has no rules for files either, and for what a tool
   * starts with words of its own.
   */
  #isFree({ use }: Starting): boolean {
    return use !== undefined || this.#parts.abi === 0;
  }

  /** Whether programs that change something hand that over: see `Broker`. */
  get #handsOver(): boolean {
    const { abi, seccomp, broker } = this.#parts;
    return abi > 0 && seccomp && broker !== null && broker.missing === null;
  }

  /** Whether what programs start is asked for, each time. */
  get #asksStarts(): boolean {
    const { abi, seccomp, starts } = this.#parts;
    return abi > 0 && seccomp && starts !== null && starts.missing === null;
  }

  get unserved(): string | null {
    const { network, broker } = this.#parts;
    if (network) return null;
    if (!this.#handsOver) return broker?.missing ?? "they cannot hand over what they connect to";
    return broker?.socketsMissing ?? null;
  }

  /**
   * Whether such a program reads the files of its words and no others, changes none and connects to nobody: to hold it no tree is looked
   * through, and nothing is done for it that it hands over, but to say what it may start.
   */
  isPlain(argv: readonly string[], program: Program, directory: CanonicalPath): boolean {
    const effects = this.#effectsOf(argv, program, directory);
    return this.#isTrusted(program) && isByWords(effects) && !viewsProcesses(program) &&
      this.#rulebook.networkOf({ argv, program, cwd: directory }) === null &&
      effects.writes.length + effects.deletes.length + effects.connects.length === 0;
  }

  /** Whether it is the system's, and nothing that an agent could have made. */
  #isTrusted({ path }: Program): boolean {
    const { temporaryRoot } = this.#parts;
    return !isWithin(this.#rulebook.settings.workspace, path) &&
      (temporaryRoot === null || !isWithin(temporaryRoot, path));
  }

  /** Asked for twice of a program that is started at once. */
  #effectsOf(argv: readonly string[], program: Program, cwd: CanonicalPath): RuledEffects {
    if (this.#last?.argv !== argv || this.#last.program !== program || this.#last.cwd !== cwd) {
      const effects = this.#rulebook.effects({ kind: "process.spawn", argv, cwd }, program);
      this.#last = { argv, program, cwd, effects };
    }
    return this.#last.effects;
  }

  /**
   * What a rule says holds for whatever it is. The table speaks of the system's programs: one of the workspace may be
   * anything by any name, and a script takes at least what runs it.
   */
  #startsOf({ starts, ruled }: RuledEffects, program: Program, trusted: boolean): Starts {
    if (ruled) return starts;
    if (!trusted) return "any";
    return starts === "none" && !this.#starts.isBinary(program.start) ? "any" : starts;
  }

  #withRules(
    starting: Starting,
    { effects, byWords, execute, trusted, only, views }: {
      /** It reads of processes, which no rule of the kernel can tell apart. */
      readonly views: boolean;
      /** Its filter lets no other start through, or any. */
      readonly only: boolean;
      readonly effects: Effects;
      readonly byWords: boolean;
      readonly execute: readonly string[] | "any";
      readonly trusted: boolean;
    },
    { handsOver, byName, loaders, starts }: {
      /** See `HandedRules`, as of `starts`. */
      readonly loaders: readonly string[];
      readonly starts: StartList | null;
      /** It hands over what no rule of the kernel is asked about. */
      readonly handsOver: boolean;
      /** So it does with all that it changes by a name. */
      readonly byName: boolean;
    },
  ): Pick<ProgramHold, "rules" | "handed" | "done"> {
    const { program, directory } = starting;
    const { abi, libc } = this.#parts;
    if (abi === 0) return { rules: null, handed: null, done: () => {} };
    const temporary = temporaryOf(this.#parts, starting);
    if (byWords) {
      const rulebook = withAgreed(this.#rulebook, starting.agreed ?? []);
      const source = { libc, rulebook, system: () => this.#reach.real() };
      const files = ownFiles(source, effects, directory, byName);
      const system = this.#reach.of(effects, only);
      const draw = () => this.#open(files, temporary, system, execute);
      const isKept = this.#parts.keepsFolders && isNameless(files) && execute !== "any";
      const kind = [effects.beyond, only, ...temporary].join("\0");
      const rules = isKept ? this.#nameless.of(kind, execute, draw) : draw();
      const handed = handsOver
        ? handedOf(files, temporary, files.changed, {
          ...PLAIN,
          runsCode: views,
          temporary,
          loaders,
          starts,
          judge: this.#judgeOf(starting),
        })
        : null;
      return { rules, handed, done: isKept ? () => {} : () => close(libc, rules) };
    }
    const ground = byName ? this.#readable.list() : groundOf(starting, this.#ground.list());
    const { caches, gitConfig } = this.#parts;
    const agreed = (starting.agreed ?? []).flatMap(({ access, path }) =>
      access === "read" ? [path] : []
    );
    const own = [trusted ? null : program.path, gitConfig, ...agreed]
      .filter((path) => path !== null) as CanonicalPath[];
    const kept = caches === null || starting.use !== undefined ? [] : [caches as CanonicalPath];
    const left = [...temporary, ...kept];
    // A program that lies where the system's list does not lead is given with it.
    const whole = execute === "any" ? this.#parts.system : this.#reach.libraries();
    const given = execute === "any" && this.#reach.holds(program) || !trusted
      ? []
      : [program.start];
    const system = [...whole, ...given];
    const kinds = [...(starting.use === undefined ? [] : ["use"]), byName ? "by name" : ""];
    // Rules are about the files that are there now: where others come to lie under their names they are another kind.
    const writes = starting.use?.writes ?? [];
    const files = [...own, ...given, ...(execute === "any" ? [] : execute), ...writes]
      .map((path) => `${path}\0${identityOf(libc, path)}`);
    const key = [ground.fingerprint, ...files, ...kinds, execute === "any"].join("\0");
    const { scope } = this.#rulebook;
    const spareIn = byName && execute === "any" ? this.#workspace : null;
    const [path] = temporary;
    const rights = folderRights(execute === "any", abi);
    const { rules, spares } = this.#kept.of(
      { key, folder: path === undefined ? null : { path, rights }, spareIn },
      () => this.#open({ ...ground, readFiles: own }, kept, system, execute),
    );
    const { entryAt } = this.#probe;
    const text = (path: string) => textAt(libc, path, MOST_LINK);
    const git = byName && trusted ? recordsIn(starting, this.#workspace, { entryAt, text }) : null;
    const handed = handsOver
      ? handedOf(ground, left, scope.write, {
        git,
        spares,
        runsCode: execute === "any",
        loaders,
        starts,
        looks: effects.repository === "reads",
        temporary,
        judge: this.#judgeOf(starting),
      })
      : null;
    return { rules, handed, done: () => {} };
  }

  /** Who judges the names that it hands over. */
  #judgeOf({ agreed = [] }: Starting): NameJudge {
    return agreed.length === 0 ? this.#judge : new NameJudge(withAgreed(this.#rulebook, agreed));
  }

  #open(
    files: ProgramPaths,
    temporary: readonly CanonicalPath[],
    system: readonly string[],
    execute: readonly string[] | "any",
  ): number {
    const { abi, libc, network } = this.#parts;
    const write = [...files.write, ...temporary];
    const reach = { ...files, write, system, execute, network };
    return opened(openRules(libc, programRules(reach, abi), this.#system));
  }

  #holdOwn(): ProgramHold {
    const { abi, libc, seccomp } = this.#parts;
    const filter = seccomp ? this.#filters.of(false, {}) : null;
    if (this.#scopes === undefined) {
      const scopes = scopeRules(abi);
      this.#scopes = scopes === null ? null : opened(openRules(libc, scopes));
    }
    return { confined: true, rules: this.#scopes, filter, handed: null, done: () => {} };
  }

  close(): void {
    const { libc } = this.#parts;
    this.#system.close();
    this.#ground.close();
    this.#readable.close();
    if (typeof this.#scopes === "number") close(libc, this.#scopes);
    this.#kept.close();
    this.#nameless.close();
  }
}

/** Whether all that it touches of the workspace is named by its words. */
function isByWords({ touchesAnything, beyond }: Effects): boolean {
  return !touchesAnything && beyond !== "workspace";
}

const PLAIN = { git: null, spares: null, runsCode: false, looks: false } as const;

function opened(rules: number | string): number {
  if (typeof rules === "number") return rules;
  throw new ToolError("NATIVE_DENIED", `programs cannot be held by Landlock here: ${rules}`);
}
