/** Temporary files through `Deno.*`: the same slots and locks as in `_temporary_file.ts`, so that either clears both's. */

import { isSame, parentOf } from "./_paths.ts";
import { isTemporary, memberName, memberPrefix, slotName, SLOTS } from "../_temporary_names.ts";

export interface Temporary {
  readonly file: Deno.FsFile;
  readonly path: string;
}

/** A new file, locked, in the directory. Throws what the runtime throws. */
export function makeTemporary(directory: string, mode: number): Temporary {
  let made: Temporary | null = null;
  for (let slot = 0; slot < SLOTS; slot++) {
    const path = pathIn(directory, slotName(slot));
    made ??= make(path, mode);
    if (made?.path !== path) clearLeftover(path);
    made ??= make(path, mode);
  }
  if (made !== null) return made;
  const random = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
  const last = make(pathIn(directory, slotName(random)), mode);
  if (last === null) throw new Deno.errors.AlreadyExists("a temporary file");
  return last;
}

/** Names beside a held slot, for what is cleared away with it. */
export function memberOf({ path }: Temporary, number: number): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return pathIn(parentOf(path), memberName(name, number));
}

function pathIn(directory: string, name: string): string {
  return `${directory === "/" ? "" : directory}/${name}`;
}

function make(path: string, mode: number): Temporary | null {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { read: true, write: true, createNew: true, mode });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return null;
    throw error;
  }
  if (tryLock(file) !== false && isStillNamed(file, path)) return { file, path };
  file.close();
  return null;
}

function clearLeftover(path: string): void {
  try {
    if (!Deno.lstatSync(path).isFile) return;
    const file = Deno.openSync(path, { read: true });
    try {
      if (tryLock(file) !== true || !isStillNamed(file, path)) return;
      const directory = parentOf(path);
      const prefix = memberPrefix(path.slice(path.lastIndexOf("/") + 1));
      for (const { name } of Deno.readDirSync(directory)) {
        if (!name.startsWith(prefix) || !isTemporary(name)) continue;
        Deno.removeSync(pathIn(directory, name), { recursive: true });
      }
      Deno.removeSync(path);
    } finally {
      file.close();
    }
  } catch {
    // Nothing was there, or it is not ours to clear.
  }
}

/** Null where there are no locks. */
function tryLock(file: Deno.FsFile): boolean | null {
  try {
    return file.tryLockSync(true);
  } catch {
    return null;
  }
}

function isStillNamed(file: Deno.FsFile, path: string): boolean {
  try {
    return isSame(file.statSync(), Deno.lstatSync(path));
  } catch {
    return false;
  }
}
