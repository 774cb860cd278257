/** The grant: what one allowed call may touch, as data that crosses to the thread that runs it. */

import { resolve } from "@std/path";
import type { CanonicalPath, OwnUse, Program, ResolvedCapability } from "../core/capability.ts";
import type { RuleReference } from "../core/errors.ts";
import type { GitSettings } from "../core/git/settings.ts";
import type { Limits } from "../core/tool.ts";
import type { BackupLimits } from "./model.ts";
import type { Decision, Settings } from "./rulebook.ts";

/** A path of the request, and where it really is. `tree`: and all below it, save what the policy denies. */
export interface PathGrant {
  readonly requested: string;
  readonly path: CanonicalPath;
  readonly tree: boolean;
  /** And its backups beside it: `path.bak`, `path.bak.1`, … as far as their own names are allowed. */
  readonly backups?: true;
}

/** A command that may be started: these words, as this program, there. */
export interface SpawnGrant {
  readonly argv: readonly string[];
  readonly program: Program;
  readonly cwd: CanonicalPath;
  /** Some of its words are known only when it runs: the program may be started, once those are judged. */
  readonly open?: true;
  /** Shell scripts among its words: what those start are other entries. */
  readonly scripts?: readonly string[];
  /** It starts something by a path: what lies there is looked at once more when it runs. */
  readonly looks?: true;
  /**
   * A descriptor of this process that is its standard input and output, and variables of its own: set where the gate
   * itself starts it.
   */
  readonly channel?: {
    readonly descriptor: number;
    readonly environment: Readonly<Record<string, string>>;
  };
  /** The tool says with which words it is started, and for nothing else may it be. */
  readonly own?: Pick<OwnUse, "access" | "starts">;
}

/** A file or folder that a program was to touch, and somebody agreed. */
export interface AgreedFile {
  readonly access: "read" | "write";
  readonly path: CanonicalPath;
}

/** A command of a call that somebody agreed to. */
export interface AgreedCommand {
  readonly argv: readonly string[];
  /** Indexes of words that were not known. */
  readonly open: readonly number[];
  /** The rules that it was asked for by; see {@linkcode ruleName}. */
  readonly rules: readonly string[];
}

/** All that one call may touch, and the limits that it runs by. Times in milliseconds. */
export interface Grant {
  readonly workspace: CanonicalPath;
  readonly read: readonly PathGrant[];
  readonly write: readonly PathGrant[];
  readonly spawn: readonly SpawnGrant[];
  /** What its programs may touch because somebody agreed; absent where nobody was asked. */
  readonly agreed?: readonly AgreedFile[];
  /** What was to be started when somebody agreed; absent where nobody was asked. */
  readonly agreedCommands?: readonly AgreedCommand[];
  /** Where programs are looked for once more when they are to start: their names lead nowhere yet. */
  readonly later?: readonly CanonicalPath[];
  /** `host:port` */
  readonly connect: readonly string[];
  readonly limits: Limits;
  readonly backups: BackupLimits;
  readonly git: GitSettings;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
}

/** The grant of exactly these capabilities. The caller has decided that they are allowed. */
export function grantOf(
  capabilities: readonly ResolvedCapability[],
  settings: Settings,
  timeoutMs: number,
): Grant {
  const read: PathGrant[] = [];
  const write: PathGrant[] = [];
  const spawn: SpawnGrant[] = [];
  const connect: string[] = [];
  const later: CanonicalPath[] = [];
  for (const capability of capabilities) {
    switch (capability.kind) {
      case "fs.read":
      case "fs.write": {
        const { requested, path, tree, backups, judgedOnly, by } = capability;
        // Programs are held by what their thread may reach: the handles need none of it.
        if (judgedOnly === true || by === "program") break;
        const granted = { requested, path, tree, ...(backups === true ? { backups } : {}) };
        (capability.kind === "fs.read" ? read : write).push(granted);
        break;
      }
      case "process.spawn":
        // A shell that is not started is none that may be.
        if (capability.program !== null && capability.opened !== true) {
          const { argv, program, cwd, open, own, scripts, started = [] } = capability;
          for (const one of started) {
            if (one.program === null) later.push(placeOf(cwd, one.name));
          }
          spawn.push({
            argv,
            program,
            cwd,
            ...(open === undefined ? {} : { open: true }),
            ...(scripts === undefined ? {} : { scripts }),
            ...(started.length === 0 ? {} : { looks: true }),
            ...(own === undefined ? {} : { own: { access: own.access, starts: own.starts } }),
          });
        }
        if (capability.program === null && capability.opened !== true) {
          const [name = ""] = capability.argv;
          if (name.includes("/")) later.push(placeOf(capability.cwd, name));
        }
        break;
      case "net.connect":
        connect.push(`${capability.host}:${capability.port}`);
        break;
      case "env.read":
        break;
    }
  }
  return {
    workspace: settings.workspace,
    read,
    write,
    spawn,
    ...(later.length === 0 ? {} : { later }),
    connect,
    limits: settings.limits,
    backups: settings.backups,
    git: settings.git,
    timeoutMs,
    killGraceMs: settings.killGraceMs,
  };
}

/** The grant of a call that somebody agreed to. */
export function asAgreed(grant: Grant, { verdicts }: Pick<Decision, "verdicts">): Grant {
  const agreed = verdicts.flatMap(({ capability, verdict }): readonly AgreedFile[] => {
    if (verdict.effect !== "ask") return [];
    switch (capability.kind) {
      case "fs.read":
        return [{ access: "read", path: capability.path }];
      case "fs.write":
        // What is written may be read: programs do not tell the two apart.
        return [
          { access: "read", path: capability.path },
          { access: "write", path: capability.path },
        ];
      case "process.spawn":
        // Words that name something that is there count as read.
        return capability.operands.map(({ path }) => ({ access: "read", path }));
      default:
        return [];
    }
  });
  const agreedCommands = verdicts.flatMap(({ capability, verdict }): readonly AgreedCommand[] => {
    if (capability.kind !== "process.spawn" || capability.opened === true) return [];
    const { effect, rule } = verdict;
    const rules = effect === "ask" && rule !== null ? [ruleName(rule)] : [];
    return [{ argv: capability.argv, open: capability.open ?? [], rules }];
  });
  return {
    ...grant,
    ...(agreed.length === 0 ? {} : { agreed }),
    ...(agreedCommands.length === 0 ? {} : { agreedCommands }),
  };
}

/** A rule by its place: `policy.yaml commands[3]`. */
export function ruleName({ file, index }: Pick<RuleReference, "file" | "index">): string {
  return `${file} ${index}`;
}

function placeOf(cwd: CanonicalPath, name: string): CanonicalPath {
  return resolve(cwd, name) as CanonicalPath;
}
