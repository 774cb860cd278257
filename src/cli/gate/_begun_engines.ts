/** Engines for a folder that is being made. */

import type { Worktree } from "../../engine/worktrees/place_policies.ts";

/** How often it is looked how far git is: it makes a worktree's folders in its first milliseconds. */
const LOOK_MS = 1;

/** No folder is this. */
const NOTHING = "";

/** What is begun. */
export interface Beginning {
  /** Starts what starts its programs, once there is all that holds it, of these folders: whether it is so. */
  readonly bind: (made: readonly string[]) => boolean;
  /** Makes what its programs may become of what they make in this folder. */
  readonly makeSpares: (folder: string) => void;
  readonly close: () => Promise<void>;
}

/** The engines of a child, which are begun while git lays out its worktree: that is most of what they take. */
export class BegunEngines<E extends Beginning> {
  readonly #open: (worktree: Worktree) => Promise<E>;
  readonly #expected: Worktree;
  #begun: Promise<E> | null = null;
  /** What the folders were that something was bound to. */
  #bound: string | null = null;
  #over = false;

  /** `expected`: the worktree that there will be. */
  constructor(open: (worktree: Worktree) => Promise<E>, expected: Worktree) {
    this.#open = open;
    this.#expected = expected;
  }

  begin(): void {
    this.#begun ??= this.#open(this.#expected);
    // Told to who takes them.
    this.#begun.catch(() => {});
  }

  /**
   * Its folder is there, and git not yet at work in it: what can be made of the folder by itself is, where they were begun before.
   * Beside git it would wait for each of its writes to the disk.
   */
  async furnish(): Promise<void> {
    const engines = await this.#begun?.catch(() => null) ?? null;
    if (!this.#over) engines?.makeSpares(this.#expected.root);
  }

  /**
   * Binds them to the worktree while git lays out its files, as far as that goes; never rejects. `find`: the worktree, as far
   * as it is there; may throw of half of one.
   */
  async bind(find: () => Worktree | null): Promise<void> {
    try {
      await this.#bindTo(find);
    } catch {
      // Whoever takes them is given others, and told what is wrong with those.
      this.#bound = NOTHING;
    }
  }

  async #bindTo(find: () => Worktree | null): Promise<void> {
    const engines = await this.#begun?.catch(() => null) ?? null;
    while (engines !== null && !this.#over) {
      const found = foundBy(find);
      if (found !== null && !isSame(found, this.#expected)) return;
      const seen = found === null ? null : identityOf(found);
      if (found !== null && seen !== null && engines.bind([found.root, found.home.own])) {
        this.#bound = seen;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** Those of this worktree, whether it is the one that was expected or not. */
  async take(worktree: Worktree): Promise<E> {
    this.#over = true;
    const isBound = this.#bound === null || this.#bound === identityOf(worktree);
    if (this.#begun !== null && isBound && isSame(worktree, this.#expected)) {
      return await this.#begun;
    }
    await this.drop();
    return await this.#open(worktree);
  }

  async drop(): Promise<void> {
    this.#over = true;
    await (await this.#begun?.catch(() => null))?.close();
  }
}

function foundBy(find: () => Worktree | null): Worktree | null {
  try {
    return find();
  } catch {
    return null;
  }
}

/** The kernel's rules hold for the very folders that were there; null where one is not. */
function identityOf({ root, home }: Worktree): string | null {
  try {
    const folders = [root, home.own].map((path) => Deno.lstatSync(path));
    return folders.map(({ dev, ino }) => `${dev}:${ino}`).join(" ");
  } catch {
    return null;
  }
}

/** Git gives its own folder another name where there was one of this name before. */
function isSame({ root, home }: Worktree, other: Worktree): boolean {
  return root === other.root && home.common === other.home.common && home.own === other.home.own;
}
