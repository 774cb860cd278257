/** The five kinds of power a call can need; every tool, shell line and plugin lowers to these. */

declare const canonical: unique symbol;

/**
 * An absolute path that held no symbolic link, `.`, `..` or repeated slash when it was resolved.
 * Only `host/canonicalize.ts` makes one; a plain string never passes for it.
 */
export type CanonicalPath = string & { readonly [canonical]: true };

/** Reading or writing below a path. `tree` asks for the path and all that lies under it. */
export interface FileCapability<P = string> {
  readonly kind: "fs.read" | "fs.write";
  readonly path: P;
  readonly tree: boolean;
  /**
   * The call can do without it: where the policy does not plainly allow it, it is left out of the grant
   * instead of denying the call, and the handle answers PATH_DENIED.
   */
  readonly optional?: true;
  /**
   * The entry of that name itself: where its last part is a link, the link and not what it leads to (which is
   * judged all the same).
   */
  readonly entry?: true;
  /**
   * Of a `tree`: whoever agrees to the call agrees to the folder, whatever lies below when it runs; else to what lies
   * there as it is.
   */
  readonly contents?: "any";
  /** Its backups beside it, too: `path.bak`, `path.bak.1`, … whose endings the policy is not asked about. */
  readonly backups?: true;
  /**
   * A program reaches it, not Toolgate: reading what `sandbox.system` opens to programs is allowed too, a path that
   * cannot be resolved cannot be reached either, and the grant of the call's own handles leaves it out.
   */
  readonly by?: "program";
  /** Where that folder is one, this path counts in place of `path`. */
  readonly within?: { readonly folder: string; readonly path: string };
}

/** Starting a program. `argv[0]` is the program as the caller wrote it; `cwd` as requested. */
export interface SpawnCapability<P = string> {
  readonly kind: "process.spawn";
  /** Words known only at run time (see `open`) stand as the line wrote them. */
  readonly argv: readonly string[];
  readonly cwd: P;
  /**
   * Indexes of words that are known only when it runs (globs, parameters, substitutions): each stands for none,
   * one or more. Never 0. What such a command becomes is judged once more before it starts.
   */
  readonly open?: readonly number[];
  /**
   * Shell scripts among the words (of `timeout 5 sh -c SCRIPT`) that were taken apart: what they would start
   * stands beside as capabilities of its own.
   */
  readonly scripts?: readonly string[];
  /**
   * A shell that is not started (`sh -c SCRIPT`, whose parts Toolgate runs itself): rules that deny or ask
   * speak, none needs to allow it.
   */
  readonly opened?: true;
  /**
   * Toolgate's own use of the program: the tool says with which words, and these stand for them all. Rules that deny or
   * ask for them bind, none needs to allow them, and no argument is taken for a file: the tool judges what it touches.
   */
  readonly own?: OwnUse;
  /**
   * The call can do without: it is left out where no such program is, or the policy does not let the agent run it by a
   * command.
   */
  readonly optional?: true;
}

/** What Toolgate's own use of a program comes to. */
export interface OwnUse {
  /** Whether it writes in the folders that the tool names when it starts it, or only reads. */
  readonly access: "read" | "write";
  /** Programs that it starts in turn, as the table of programs names them: whatever rules say, no others. */
  readonly starts: readonly string[];
  readonly risk: "safe" | "moderate" | "dangerous";
  /** As in "deletes a branch"; empty where there is nothing to say. */
  readonly because: string;
  /** What to do where the program is not there. */
  readonly missing: string;
}

/** Connecting to `host:port`, with the HTTP method where there is one. */
export interface ConnectCapability {
  readonly kind: "net.connect";
  readonly host: string;
  readonly port: number;
  readonly method?: string;
  /** What the name was found to stand for: judged too, once that is known. Never what a tool says. */
  readonly addresses?: readonly string[];
  /** A program of a command connects: as its words say, or as it does when it runs. */
  readonly by?: "program";
  /** Beside `by`: the command, which rules for programs name. */
  readonly command?: {
    readonly argv: readonly string[];
    readonly program: Program | null;
    readonly cwd: string;
    /** It is the program of a child agent, started by a gate. */
    readonly child?: true;
  };
  /** Beside `by`: by way of Toolgate's own proxy, which reaches what no other program of the call serves. */
  readonly proxied?: true;
  /** The proxy that `web.proxy` names looks the name up: it may stand for anything. */
  readonly elsewhere?: true;
  /** A provider that the policy names under `web`: rules that deny or ask for it bind, none needs to allow it. */
  readonly provider?: true;
}

/** Reading or passing on one environment variable. */
export interface EnvironmentCapability {
  readonly kind: "env.read";
  readonly name: string;
  /** The call gives programs a value of its own: allowed only where the variable cannot steer them. */
  readonly change?: true;
  /**
   * Beside `change`: a variable of the line alone, which no program gets, unless one of that name is in their environment
   * already (POSIX, 2.9.1).
   */
  readonly local?: true;
}

/** What a tool says it needs, in the words of the request. */
export type Capability =
  | FileCapability
  | SpawnCapability
  | ConnectCapability
  | EnvironmentCapability;

/** A program found once, over the trusted search path. */
export interface Program {
  /** Canonical path of the executable. */
  readonly path: CanonicalPath;
  /** What to spawn: the absolute path before links were followed (a multi-call binary reads its name). */
  readonly start: string;
  /**
   * Names that a rule which allows may use for it: the bare name when the search path leads here,
   * and the absolute paths.
   */
  readonly names: readonly string[];
}

/** A file capability after canonicalisation, with the words of the request kept for messages. */
export interface ResolvedFileCapability extends FileCapability<CanonicalPath> {
  readonly requested: string;
  /** Of a `tree`: it is a directory or nothing yet, so that rules on extensions do not apply to its own name. */
  readonly directory?: true;
  /** Where an `entry` leads: judged, never granted. */
  readonly judgedOnly?: true;
}

/** A spawn capability after the program was looked up; `program` is null where none was found. */
export interface ResolvedSpawnCapability extends SpawnCapability<CanonicalPath> {
  readonly program: Program | null;
  /** What those that it starts by a path lead to, by the path as it is written; null for nothing that is there yet. */
  readonly started?: readonly { readonly name: string; readonly program: Program | null }[];
  /** It runs code that lies in files, or is a program of which nothing is known: its words do not say all that it does. */
  readonly runsFiles?: true;
  /**
   * Files of the project that it runs without being told (a Makefile), those that are not there too: no part of what is
   * judged, and of what is agreed to.
   */
  readonly project?: readonly { readonly requested: string; readonly path: CanonicalPath }[];
  /** Arguments that name something that exists when taken as paths from `cwd`: judged as reads. */
  readonly operands: readonly {
    readonly requested: string;
    readonly path: CanonicalPath;
    /** True where it is known to be a directory: rules on extensions then do not apply to it. */
    readonly directory?: boolean;
  }[];
}

/** What `decide()` judges. */
export type ResolvedCapability =
  | ResolvedFileCapability
  | ResolvedSpawnCapability
  | ConnectCapability
  | EnvironmentCapability;
