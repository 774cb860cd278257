/** The Landlock rules of one program: what it may read, write and execute, and nothing else. */

import type { CanonicalPath } from "../core/capability.ts";
import {
  handledRights,
  type LandlockRules,
  networkRights,
  type PathRights,
  RIGHTS,
  scopesOf,
} from "./landlock_rules.ts";
import { DEVICES } from "./system_paths.ts";

/** What a program may touch, as paths that were resolved and judged. */
export interface ProgramPaths {
  /** Folders with all below them. */
  readonly read: readonly CanonicalPath[];
  /** Single files: no folder that took the place of one. */
  readonly readFiles: readonly CanonicalPath[];
  /** Folders with all below them, and single files. */
  readonly write: readonly CanonicalPath[];
  /** Folders whose names may be listed. */
  readonly list: readonly CanonicalPath[];
  /** Folders in which things are made, written and removed, and read only where another list says so. */
  readonly change?: readonly CanonicalPath[];
}

/** All that the rules of a program are drawn from. */
export interface ProgramReach extends ProgramPaths {
  /** What may be read beyond the workspace. */
  readonly system: readonly string[];
  /** What may be executed; "any": whatever may be read. */
  readonly execute: readonly string[] | "any";
  readonly network: boolean;
}

const READ = RIGHTS.READ_FILE | RIGHTS.READ_DIR;
/** Programs make files, folders, links, pipes and sockets in what they may write; no devices. */
const WRITE = READ | RIGHTS.WRITE_FILE | RIGHTS.TRUNCATE | RIGHTS.MAKE_REG | RIGHTS.MAKE_DIR |
  RIGHTS.MAKE_SYM | RIGHTS.MAKE_FIFO | RIGHTS.MAKE_SOCK | RIGHTS.REMOVE_FILE |
  RIGHTS.REMOVE_DIR | RIGHTS.REFER | RIGHTS.RESOLVE_UNIX;

/** What a program has in a folder that it writes in, for a kernel of this ABI. `executes`: what it makes there, too. */
export function folderRights(executes: boolean, abi: number): number {
  return (WRITE | (executes ? RIGHTS.EXECUTE : 0)) & handledRights(abi);
}

/** The rules for a kernel of this ABI. */
export function programRules(reach: ProgramReach, abi: number): LandlockRules {
  const handled = handledRights(abi);
  const execute = reach.execute === "any" ? RIGHTS.EXECUTE : 0;
  const paths = new Map<string, PathRights>();
  const add = (path: string, rights: number, more: Partial<PathRights> = {}): void => {
    const before = paths.get(path);
    const merged = ((before?.rights ?? 0) | rights) & handled;
    // Links are followed where the system's own names lead over them, never in the workspace.
    const links = (more.links ?? false) && before?.links !== false;
    const file = more.file === true && (before === undefined || before.file === true);
    const { system } = more;
    paths.set(path, {
      path,
      rights: merged,
      links,
      ...(file ? { file: true } : {}),
      ...(system === true ? { system } : {}),
    });
  };
  for (const path of reach.system) add(path, READ | execute, { links: true, system: true });
  for (const path of reach.read) add(path, READ | execute);
  for (const path of reach.readFiles) add(path, RIGHTS.READ_FILE | execute, { file: true });
  for (const path of reach.write) add(path, WRITE | execute);
  for (const path of reach.change ?? []) add(path, WRITE & ~READ);
  for (const path of reach.list) add(path, RIGHTS.READ_DIR);
  for (const path of reach.execute === "any" ? [] : reach.execute) {
    add(path, READ | RIGHTS.EXECUTE, { links: true });
  }
  for (const { path, write } of DEVICES) {
    const rights = RIGHTS.READ_FILE | (write ? RIGHTS.WRITE_FILE | RIGHTS.TRUNCATE : 0);
    add(path, rights, { system: true });
  }
  return {
    handled,
    handledNetwork: reach.network ? 0 : networkRights(abi),
    scoped: scopesOf(abi),
    paths: [...paths.values()],
    ports: [],
  };
}
