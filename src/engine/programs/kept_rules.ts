/**
 * Rules of the kernel that are kept for the next program of their kind, with the files that are yet to become programs. What
 * differs from run to run is the run's own folder: its rule is added last, to rules whose earlier folders are gone.
 */

import { ToolError } from "../../core/errors.ts";
import { SpareFiles } from "../../host/broker/spare_files.ts";
import { close } from "../../host/kernel/pipes.ts";
import { isRemoved } from "../../host/kernel/stat.ts";
import { addFolder, addOpenFile } from "../../sandbox/landlock.ts";
import { RIGHTS } from "../../sandbox/landlock_rules.ts";
import { errnoName } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";

/** How many programs a program may make and execute itself: a configure script tries a few dozen. */
const SPARES = 64;
/** Kinds, and of one kind as many as run at once. Each is a descriptor of rules and one of a folder. */
const MOST_KEPT = 8;
/** Folders that were added to one: the kernel keeps those that are gone, too. */
const MOST_FOLDERS = 64;

/** What was drawn for one kind. */
export interface Drawn {
  /** A descriptor of the rules, which stays this one's. */
  readonly rules: number;
  /** Null for none. */
  readonly spares: SpareFiles | null;
}

/** What rules are drawn for. */
export interface Kind {
  /** All that they hang on, but for the folder. */
  readonly key: string;
  /** The run's own, and what may be done there; null for none. */
  readonly folder: { readonly path: string; readonly rights: number } | null;
  /** The folder where programs are made; null where none is to be executed. */
  readonly spareIn: string | null;
}

/** What was made of a folder, which whoever is given it holds. */
export interface SparesOf {
  readonly folder: string;
  readonly files: SpareFiles;
}

/** Made now: a millisecond, and many where the file system is being written to the disk. Null where it has none. */
export function openSpares(libc: Libc, folder: string): SparesOf | null {
  const files = SpareFiles.open(libc, folder, SPARES);
  files?.hold();
  return files === null ? null : { folder, files };
}

interface Kept extends Drawn {
  readonly key: string;
  /** The last that was added, which is open. */
  folder: { readonly path: string; readonly descriptor: number } | null;
  folders: number;
}

/** Those of the last kinds, and the last spare files. */
export class KeptRules {
  readonly #libc: Libc;
  /** What was used last stands last. */
  readonly #kept: Kept[] = [];
  #spares: SparesOf | null;

  /** `spares`: those that were made ahead. */
  constructor(libc: Libc, spares: SparesOf | null = null) {
    this.#libc = libc;
    this.#spares = spares;
  }

  /**
   * What was drawn for this kind before, else what is drawn now. Rules by which somebody made a program are his alone, and so
   * are those of a run as long as its folder is there.
   */
  of(kind: Kind, draw: () => number): Drawn {
    const at = this.#kept.findIndex((one) => this.#serves(one, kind));
    const [kept = this.#draw(kind, draw)] = at === -1 ? [] : this.#kept.splice(at, 1);
    this.#kept.push(kept);
    this.#addFolder(kept, kind.folder);
    if (this.#kept.length > MOST_KEPT) this.#forget(this.#kept.shift());
    return kept;
  }

  /** Makes the spare files of this folder ahead, where there are none; null: none is wanted. */
  prepare(spareIn: string | null): void {
    if (spareIn !== null) return void this.#sparesIn(spareIn);
    this.#spares?.files.release();
    this.#spares = null;
  }

  #serves({ key, spares, folder, folders }: Kept, kind: Kind): boolean {
    if (key !== kind.key || spares !== null && spares !== this.#spares?.files) return false;
    const isGone = folder !== null && isRemoved(this.#libc, folder.descriptor);
    if (folder?.path === kind.folder?.path && !isGone) return spares?.isUsed !== true;
    return isGone && kind.folder !== null && folders < MOST_FOLDERS &&
      (spares === null || spares.isUntouched);
  }

  #draw({ key, spareIn }: Kind, draw: () => number): Kept {
    const rules = draw();
    const spares = spareIn === null ? null : this.#sparesIn(spareIn);
    for (const descriptor of spares?.free ?? []) {
      // One that has no rule is one that cannot be executed, as all were before.
      addOpenFile(this.#libc, rules, descriptor, RIGHTS.READ_FILE | RIGHTS.EXECUTE);
    }
    return { key, rules, spares, folder: null, folders: 0 };
  }

  #addFolder(kept: Kept, wanted: Kind["folder"]): void {
    if (wanted === null || kept.folder?.path === wanted.path && !this.#isGone(kept)) return;
    const descriptor = addFolder(this.#libc, kept.rules, wanted.path, wanted.rights);
    if (descriptor < 0) {
      throw new ToolError(
        "NATIVE_DENIED",
        `programs cannot be held by Landlock here: their folder has no rule (${
          errnoName(-descriptor)
        })`,
      );
    }
    if (kept.folder !== null) close(this.#libc, kept.folder.descriptor);
    kept.folder = { path: wanted.path, descriptor };
    kept.folders++;
  }

  #isGone({ folder }: Kept): boolean {
    return folder !== null && isRemoved(this.#libc, folder.descriptor);
  }

  /**
   * The last ones as long as nothing was taken from them and nobody runs who may execute them: to make them costs more than
   * most programs take to start (an ext4 looks for an inode each time).
   */
  #sparesIn(folder: string): SpareFiles | null {
    const last = this.#spares;
    if (last?.folder === folder && last.files.isUntouched) return last.files;
    last?.files.release();
    this.#spares = openSpares(this.#libc, folder);
    return this.#spares?.files ?? null;
  }

  #forget(kept: Kept | undefined): void {
    if (kept === undefined) return;
    close(this.#libc, kept.rules);
    if (kept.folder !== null) close(this.#libc, kept.folder.descriptor);
  }

  close(): void {
    for (const kept of this.#kept.splice(0)) this.#forget(kept);
    this.#spares?.files.release();
    this.#spares = null;
  }
}
