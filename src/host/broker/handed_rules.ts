/** What one program may do by the calls that it hands over: the policy, name by name, within what it was given. */

import type { CanonicalPath } from "../../core/capability.ts";
import { baseName, parentOf } from "../../core/path_text.ts";
import type { Access } from "../../policy/model.ts";
import type { DeniedLoopback, EntryJudge, Rulebook, Verdict } from "../../policy/rulebook.ts";
import type { GitFolder } from "./git_folder.ts";
import type { InternetAddress } from "./socket_address.ts";
import type { SpareFiles } from "./spare_files.ts";
import { isWithin } from "../../sandbox/within.ts";

/** What a name is taken to be; rules for endings are about files alone. */
export type NameKind = "file" | "directory";

/** The rules of one program. */
export interface HandedRules {
  /** Folders that the kernel's own rules give to the program whole: it does there what it does by itself. */
  readonly left: readonly CanonicalPath[];
  /** Where it may change something as far as the policy allows it: its own part of what the policy speaks of. */
  readonly change: readonly CanonicalPath[];
  /** Folders that the kernel's rules let it read whole; null where that is all that it may read. */
  readonly covered: ReadonlySet<string> | null;
  /** What /dev/shm is to it: a folder in one of `left`, made with the first name there; null for none. */
  readonly shared: string | null;
  /** What it opens for reading is handed over too. */
  readonly reads: boolean;
  /**
   * The loaders of programs that may not be called by themselves, with the name of a program that they are to load: such
   * a process opens nothing. By the paths where they lie; none unless something is said of what may be started.
   */
  readonly loaders: readonly string[];
  /** What it may start, where it hands over each start to be held against it; null for programs that do not. */
  readonly starts: StartList | null;
  /** What it executes of what it makes becomes one of these; null for programs that hand over no start. */
  readonly spares: SpareFiles | null;
  /** Where git records, whatever the policy says of others who write there; null for programs that do not. */
  readonly git: GitFolder | null;
}

/** The programs that one may start, and nothing that only loads programs: to the kernel's rules that is one of them. */
export interface StartList {
  /** By `identityOf`. */
  readonly files: ReadonlySet<string>;
  /** Folders of which every file is one. */
  readonly folders: readonly CanonicalPath[];
  /** The paths by which they were found. */
  readonly names: ReadonlySet<string>;
  /** Where the system's own links lie. */
  readonly system: readonly string[];
}

/** What a program may do by the calls that it hands over, and who says so. */
export interface Handed {
  readonly rules: HandedRules;
  readonly judge: NameJudge;
  /** The way out of a program that rules open hosts to; absent for others. */
  readonly reach?: ProgramReach;
  /** What rules deny it of what its own call serves; absent where they deny nothing of it. */
  readonly deniedLoopback?: DeniedLoopback;
  /** The hooks of a git that runs some; absent for others. */
  readonly hooks?: HookStarts;
  /** It begins with a mask of its own (umask(2)). */
  readonly masked?: true;
}

/** The port of 127.0.0.1 that the proxy listens at, and what it is to be told first; or an error number. */
export type WayOut = { readonly port: number; readonly greeting: Uint8Array } | number;

/** The way to the proxy. It has addresses at which nobody listens: who connects there is led to it. */
export interface ProgramReach {
  /** Which of the proxy's places the address is; null for none. */
  placeOf(to: InternetAddress): number | null;
  open(place: number): Promise<WayOut>;
  /** To an address itself, where rules let the program: then the proxy is connected to it already. */
  openTo(to: InternetAddress): Promise<WayOut>;
}

/** A hook that git has come to. */
export interface HookStart {
  readonly name: string;
  /** What git tells it, without its own name. */
  readonly words: readonly string[];
  readonly directory: CanonicalPath;
  /** The variables that git gives it, as `NAME=value`. */
  readonly variables: readonly string[];
  /** Standard input, output and error; they belong to whoever runs it. */
  readonly descriptors: readonly [number, number, number];
}

/** Where git looks for hooks in place of the repository's folder of them, and who runs what it finds there. */
export interface HookStarts {
  /** The folder of what stands in for them. */
  readonly standIns: string;
  /** The status that it ends with, from 0 to 255. Never rejects. */
  readonly run: (start: HookStart) => Promise<number>;
}

/** Folders whose rules are remembered. */
const MOST_KEPT = 4096;

/** Judges names by the policy, quickly where one folder is asked about again and again. */
export class NameJudge {
  readonly #rulebook: Pick<Rulebook, "judgeBelow" | "judgePath" | "mayDenyBelow">;
  readonly #kept: Readonly<Record<Access, Map<string, EntryJudge>>> = {
    read: new Map(),
    write: new Map(),
  };
  /** What the policy speaks of. What lies elsewhere is left to the kernel's rules. */
  readonly ruled: readonly CanonicalPath[];

  constructor(rulebook: Pick<Rulebook, "judgeBelow" | "judgePath" | "mayDenyBelow" | "scope">) {
    this.#rulebook = rulebook;
    this.ruled = [...new Set([...rulebook.scope.read, ...rulebook.scope.write])];
  }

  isRuled(path: string): boolean {
    return path !== "/" && this.ruled.some((root) => isWithin(root, path));
  }

  /** The access that is not allowed, or null. Programs write only what they may read too. */
  refused(access: Access, path: string, kind: NameKind): Access | null {
    const folder = parentOf(path as CanonicalPath);
    const name = baseName(path);
    const allows = (one: Access): boolean =>
      this.#judgeOf(one, folder).effectOf(name, kind) === "allow";
    if (!allows("read")) return "read";
    return access === "write" && !allows("write") ? "write" : null;
  }

  /** By what is known of the nearest folder around it: most names of folders change nothing. */
  #judgeOf(access: Access, folder: CanonicalPath): EntryJudge {
    const kept = this.#kept[access];
    const unknown: CanonicalPath[] = [];
    let [judge, at] = [kept.get(folder), folder];
    for (; judge === undefined && at !== "/"; judge = kept.get(at)) {
      unknown.push(at);
      at = parentOf(at);
    }
    judge ??= this.#rulebook.judgeBelow(access, at);
    for (const below of unknown.toReversed()) {
      judge = judge.into(baseName(below));
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(below, judge);
    }
    return judge;
  }

  /** Why it is refused, and by which rule. */
  verdict(access: Access, path: string, kind: NameKind): Verdict {
    return this.#rulebook.judgePath(access, path as CanonicalPath, kind);
  }

  /** Whether something that lies in a folder, or comes to lie in it, could be refused. */
  mayRefuseBelow(folder: string): boolean {
    const path = folder as CanonicalPath;
    return this.#rulebook.mayDenyBelow("read", path) || this.#rulebook.mayDenyBelow("write", path);
  }
}
