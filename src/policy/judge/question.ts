/** What the rules are asked when a capability is judged: the questions that a verdict comes of, kept for those who ask why. */

import type { CanonicalPath, ConnectCapability } from "../../core/capability.ts";
import type { JudgedCommand } from "../match/command_rules.ts";
import type { Access } from "../model.ts";

/** Extensions are rules for files. */
export type PathKind = "file" | "directory";

/** A path that the rules of every policy are asked about. */
export interface PathQuestion {
  readonly access: Access;
  readonly path: CanonicalPath;
  readonly kind: PathKind;
  /** As the request wrote it: what messages call a path outside the workspace. */
  readonly requested?: string;
  /** Paths that may be read where no rule names them and they lie outside the workspace: `sandbox.system`. */
  readonly open?: readonly string[];
  /** Only rules that deny or ask count: what no rule names is allowed. */
  readonly restrictedOnly?: true;
}

/** What keeps a name from its extension rule. */
export interface EndingRefusal {
  /** `extensions.write.deny` */
  readonly index: string;
  /** The ending that is denied; null where it is none of those that are allowed. */
  readonly denied: string | null;
  /** The endings that are allowed, where a list says so. */
  readonly allowed: readonly string[];
}

/** One thing that the rules of every policy are asked about. A spawn asks about several. */
export type Question =
  | {
    /** `operand`: an argument that names something; `cwd`: where a command starts. */
    readonly about: "path" | "operand" | "cwd";
    readonly path: PathQuestion;
  }
  | {
    readonly about: "command";
    readonly command: JudgedCommand;
    /** `command`: another command of the call would start it. */
    readonly by: "call" | "command";
    /** Only rules that deny or ask count. */
    readonly restrictedOnly?: true;
  }
  | {
    readonly about: "host";
    readonly connection: ConnectCapability;
    /** Programs have no network but what rules give them by name. */
    readonly held: boolean;
  };
