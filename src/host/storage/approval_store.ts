/**
 * Approvals that outlive a process: what single calls asked for, and what was answered meanwhile. A folder of the
 * user's own, out of every tool's reach, with one small file an action.
 */

import { ToolError } from "../../core/errors.ts";

/** One action that was asked for. Its name is of all that it is, so a change of any of it is another action. */
export interface StoredApproval {
  readonly id: string;
  readonly tool: string;
  readonly agent: string;
  readonly description: string;
  readonly risk: string;
  readonly status: "pending" | "approved" | "rejected";
  /** Milliseconds since 1970: nobody can answer, or use the answer, after that. */
  readonly expiresAt: number;
  /** Why it cannot be remembered; null where it can. */
  readonly onceBecause: string | null;
  /** Holds for each such call until it expires, instead of for one. */
  readonly remembered: boolean;
}

/** Approvals that outlive a process: asked for by one call, given by a person, acted on by another call. */
export interface ApprovalStore {
  /** Those that have not expired; removes the others. */
  list(): readonly StoredApproval[];
  put(approval: StoredApproval): void;
  /**
   * What was answered, to act on it: an answer that is not remembered is gone then, for whoever else asks. Null where
   * nothing was.
   */
  take(id: string): StoredApproval | null;
  /** Whether it was there. */
  remove(id: string): boolean;
}

const NAME = /^ap_[0-9a-f]{32}$/;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Throws NATIVE_DENIED where the folder cannot be the user's alone. `now`: milliseconds since 1970. */
export function openApprovalStore(folder: string, now: () => number): ApprovalStore {
  Deno.mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  const { isDirectory, isSymlink, mode, uid } = Deno.lstatSync(folder);
  const foreign = Deno.build.os !== "windows" &&
    (((mode ?? 0) & 0o022) !== 0 || !isOwn(uid));
  if (!isDirectory || isSymlink || foreign) {
    throw new ToolError("NATIVE_DENIED", "the folder of approvals could be written by others");
  }
  const pathOf = (id: string): string => {
    if (!NAME.test(id)) {
      throw new ToolError(
        "INVALID_ARGUMENTS",
        "an approval is named ap_ and 32 hexadecimal digits",
      );
    }
    return `${folder}/${id}.json`;
  };

  const read = (path: string): StoredApproval | null => {
    try {
      const stored = JSON.parse(Deno.readTextFileSync(path)) as StoredApproval;
      if (stored.expiresAt > now()) return stored;
      Deno.removeSync(path);
      return null;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return null;
      throw error;
    }
  };

  return {
    list() {
      const names = [...Deno.readDirSync(folder)].map(({ name }) => name.replace(/\.json$/, ""));
      return names.filter((name) => NAME.test(name)).sort()
        .flatMap((name) => read(pathOf(name)) ?? []);
    },
    put(approval) {
      const path = pathOf(approval.id);
      const temporary = `${path}.${crypto.randomUUID()}`;
      const file = Deno.openSync(temporary, { write: true, createNew: true, mode: FILE_MODE });
      try {
        const bytes = new TextEncoder().encode(JSON.stringify(approval));
        for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
        file.syncSync();
      } finally {
        file.close();
      }
      Deno.renameSync(temporary, path);
    },
    take(id) {
      const path = pathOf(id);
      const found = read(path);
      if (found === null || found.status === "pending") return null;
      if (found.remembered) return found;
      // Whoever gets to rename it has it: of two calls at once one is approved.
      const taken = `${path}.${crypto.randomUUID()}`;
      try {
        Deno.renameSync(path, taken);
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return null;
        throw error;
      }
      Deno.removeSync(taken);
      return found;
    },
    remove(id) {
      try {
        Deno.removeSync(pathOf(id));
        return true;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return false;
        throw error;
      }
    },
  };
}

/** Whether the user of this process owns it; proc(5): /proc/self is the process's own. Elsewhere nobody can tell. */
function isOwn(uid: number | null): boolean {
  return Deno.build.os !== "linux" || uid === Deno.statSync("/proc/self").uid;
}
