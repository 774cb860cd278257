/** One folder of a tree that is kept: what is known of it, and whether all in it and below may be touched. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { Access } from "../../policy/model.ts";
import { ACCESSES, type ByAccess, type FolderJudge } from "./_folder_judge.ts";
import type { ChangeState } from "../kernel/stat.ts";
import type { NamedEntry } from "./folder_reader.ts";

/** What is known of a folder before it is read: all below is open or closed, or its entries tell. */
export type Standing = "whole" | "nothing" | "parted";

/** A folder that was read. */
export interface Contents {
  readonly state: ChangeState;
  /** Its times were old enough, when it was read, for another entry to change them. */
  readonly settled: boolean;
  /** By name. */
  readonly folders: ReadonlyMap<string, Folder>;
  /** Whether all its own entries that are no folders may be touched, and none that must not be made is missing. */
  readonly own: ByAccess<boolean>;
  /** How many entries it has. */
  readonly count: number;
}

/** Why there are no contents: not read yet, not to be read, too many before it, or changing all the while. */
export type NoContents = "unread" | "unreadable" | "too many" | "restless";

/** What a folder is to its tree. */
export interface FolderPlace {
  readonly path: CanonicalPath;
  readonly parent: Folder | null;
  /** As the folder above tells it. */
  readonly inode: number;
  readonly judge: FolderJudge;
  /** The folder itself may be touched. */
  readonly allowed: ByAccess<boolean>;
  readonly standing: ByAccess<Standing>;
}

/** Changes with what is found; knows of each folder below only whether it is whole. */
export class Folder implements FolderPlace {
  readonly path: CanonicalPath;
  readonly parent: Folder | null;
  readonly inode: number;
  readonly judge: FolderJudge;
  readonly allowed: ByAccess<boolean>;
  readonly standing: ByAccess<Standing>;
  #contents: Contents | NoContents = "unread";
  /** Folders in it that are not whole. */
  readonly #partedBelow: Record<Access, number> = { read: 0, write: 0 };
  readonly #whole: Record<Access, boolean>;
  /** Its entries by name, of those that were asked for them; forgotten when one comes or goes. */
  entries: readonly NamedEntry[] | null = null;
  /** What the watch calls it. */
  watched: number | null = null;
  /** It is no part of the tree any more. */
  dropped = false;

  constructor({ path, parent, inode, judge, allowed, standing }: FolderPlace) {
    this.path = path;
    this.parent = parent;
    this.inode = inode;
    this.judge = judge;
    this.allowed = allowed;
    this.standing = standing;
    this.#whole = { read: standing.read === "whole", write: standing.write === "whole" };
    if (parent !== null) {
      for (const access of ACCESSES) if (!this.#whole[access]) parent.#partedBelow[access]++;
    }
  }

  get contents(): Contents | NoContents {
    return this.#contents;
  }

  /** Null where it has none. */
  get listed(): Contents | null {
    return typeof this.#contents === "string" ? null : this.#contents;
  }

  /** What its entries are must be known. */
  get isParted(): boolean {
    return this.standing.read === "parted" || this.standing.write === "parted";
  }

  /** Whether it and all below may be touched. */
  isWhole(access: Access): boolean {
    return this.#whole[access];
  }

  set(contents: Contents | NoContents): void {
    this.#contents = contents;
    this.entries = null;
    this.#update();
  }

  /** Takes it out of the folder above it. */
  leave(): void {
    this.dropped = true;
    const { parent } = this;
    if (parent === null) return;
    for (const access of ACCESSES) if (!this.#whole[access]) parent.#partedBelow[access]--;
  }

  /** Tells the folders above, as far up as it changes what they are. */
  #update(): void {
    for (const access of ACCESSES) {
      let changed = this.#turn(access);
      for (let { parent } = this; changed && parent !== null; parent = parent.parent) {
        changed = parent.#turn(access);
      }
    }
  }

  /** Whether it became whole, or parted. */
  #turn(access: Access): boolean {
    const whole = this.#isWholeNow(access);
    if (whole === this.#whole[access]) return false;
    this.#whole[access] = whole;
    if (this.parent !== null) this.parent.#partedBelow[access] += whole ? -1 : 1;
    return true;
  }

  #isWholeNow(access: Access): boolean {
    if (this.standing[access] !== "parted") return this.standing[access] === "whole";
    return this.allowed[access] && this.listed?.own[access] === true &&
      this.#partedBelow[access] === 0;
  }
}
