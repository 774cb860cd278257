/**
 * The boundary that a thread is held by: one value, from a grant or from a policy's scope, from which the
 * runtime's permission set, the Landlock rules and the bubblewrap arguments are all rendered.
 */

import type { CanonicalPath } from "../core/capability.ts";

/** What a thread may do: what each layer below the policy is drawn from. */
export interface Boundary {
  /** Files, or directories with all below them. */
  readonly read: readonly CanonicalPath[];
  /** Directories with all below them, or files, there yet or not: what the runtime names. Reading is implied. */
  readonly write: readonly CanonicalPath[];
  /** Existing directories in which what `write` names is made: what the kernel names. `write` unless given. */
  readonly writeFolders?: readonly CanonicalPath[];
  /** Null where the thread starts no programs. */
  readonly spawn: SpawnBoundary | null;
  /** Addresses and networks (see `networkReach`) that the thread itself may connect to, not its programs. */
  readonly connect: readonly string[];
  /**
   * What else its process may reach, which it gives up where it must have the process's own set (`surplusReach`).
   */
  readonly besides?: readonly string[];
}

/** What the programs of a thread may do. */
export interface SpawnBoundary {
  /** Absolute paths, or "any" (programs by wildcard). */
  readonly programs: readonly string[] | "any";
  /** Folders and files that programs may read and execute beyond the workspace. */
  readonly system: readonly string[];
  /** What programs may read and write of the workspace: `read` and `write` less what the policy denies, as whole subtrees and single files. */
  readonly read: readonly CanonicalPath[];
  readonly write: readonly CanonicalPath[];
  /** Directories whose names may be listed though not all that lies in them may be read. */
  readonly list: readonly CanonicalPath[];
  readonly network: boolean;
  /** The folder of their temporary files, one of `write`. */
  readonly temporary?: CanonicalPath;
  /**
   * `read` and `write` are the ground of all programs, with what the policy denies in it: each holds itself to its own
   * part of it. Else they are what each may touch.
   */
  readonly coarse?: true;
  /** What Toolgate itself takes to be started once more, as the process of a module. */
  readonly own?: readonly string[];
  /**
   * Path of bubblewrap where programs are started in it. Its thread is then held by the runtime alone: neither
   * Landlock nor the system call filter lets a thread make the mounts that it takes.
   */
  readonly bubblewrap?: string;
}

/** Which layers hold a thread, for `usage`, `doctor` and the audit log. */
export type Layer = "policy" | "runtime" | "landlock" | "seccomp" | "bubblewrap";
