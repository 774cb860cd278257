/**
 * What looks at repositories found, kept by what it hangs on: objects by their hashes, which never change, files by which
 * they are and when the kernel last saw them changed, which no program can set. What may have changed is looked at again.
 */

import type { CanonicalPath } from "../../../core/capability.ts";
import { parentOf } from "../../../core/path_text.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { AT_FDCWD } from "../../../sandbox/kernel/open_without_links.ts";
import { plainTextAt } from "../../kernel/read_text.ts";
import { type Stat, statAt } from "../../kernel/stat.ts";

/** A repository around a folder, by its files alone. */
export interface RepositoryState {
  /** Which it is, and what its settings and the ends of its history were. */
  readonly stamp: string;
  /** Which index it has, as it is; null for none. */
  readonly index: string | null;
  /** Of what the stamp is of, what was changed last: ms since 1970. */
  readonly changed: number;
  /** As `changed`, of the index. */
  readonly indexChanged: number;
  /** Its settings take in no others. */
  readonly alone: boolean;
}

/** More are forgotten, the oldest first. */
const MOST = 2_000;
/** Clocks of file systems go by steps: what was changed just before may be changed again and look the same, in ms. */
const STEP_MS = 100;
/** Settings are written by people and git. */
const MOST_TEXT = 64 * 1024;

/** Files by which git finds a repository, reads its settings, and knows where history ends (gitrepository-layout(5)). */
const SAID = ["HEAD", "config", "config.worktree", "shallow", "info/grafts", "commondir"] as const;

/** The looks of one thread, whose rules are the same from call to call. */
export class KnownLooks {
  #rules: unknown = null;
  readonly #found = new Map<string, string>();

  /** What was found under that key by these rules; null where it must be looked at. */
  find(rules: unknown, key: string): string | null {
    if (rules !== this.#rules) return null;
    return this.#found.get(key) ?? null;
  }

  /** Keeps it. */
  keep(rules: unknown, key: string, found: string): void {
    if (rules !== this.#rules) this.#found.clear();
    this.#rules = rules;
    this.#found.delete(key);
    this.#found.set(key, found);
    for (const oldest of this.#found.keys()) {
      if (this.#found.size <= MOST) break;
      this.#found.delete(oldest);
    }
  }
}

/** What is known of the repository around one folder, while a command there is looked at. */
export class LooksHere {
  readonly #known: KnownLooks;
  readonly #rules: unknown;
  readonly #state: RepositoryState | null;
  readonly #began: number;

  constructor(
    known: KnownLooks,
    { rules, libc, directory }: {
      /** By which names are judged: what was found by others is not known. */
      readonly rules: unknown;
      readonly libc: Libc;
      readonly directory: CanonicalPath;
    },
  ) {
    this.#known = known;
    this.#rules = rules;
    this.#began = Date.now();
    this.#state = repositoryState(libc, directory);
  }

  /**
   * What is asked under these words, or what was answered before where nothing has changed since that it hangs on: the
   * settings and where history ends, or the index as well. Null is not kept.
   */
  async of(
    words: readonly string[],
    hangsOn: "settings" | "index",
    ask: () => Promise<string | null>,
  ): Promise<string | null> {
    const key = this.#key(words, hangsOn);
    const known = key === null ? null : this.#known.find(this.#rules, key);
    if (known !== null) return known;
    const answer = await ask();
    if (key !== null && answer !== null) this.#known.keep(this.#rules, key, answer);
    return answer;
  }

  /** Keeps an answer that was found on the way. */
  keep(words: readonly string[], answer: string): void {
    const key = this.#key(words, "settings");
    if (key !== null) this.#known.keep(this.#rules, key, answer);
  }

  /** Null where nothing can be kept. */
  #key(words: readonly string[], hangsOn: "settings" | "index"): string | null {
    const state = this.#state;
    if (state === null || !state.alone || !isSettledAt(state.changed, this.#began)) return null;
    if (hangsOn === "settings") return [state.stamp, ...words].join("\0");
    if (state.index === null || !isSettledAt(state.indexChanged, this.#began)) return null;
    return [state.stamp, state.index, ...words].join("\0");
  }
}

/** Whether what was changed at that time would look otherwise if it were changed since a look began. */
export function isSettledAt(changed: number, began: number): boolean {
  return changed < began - STEP_MS;
}

/**
 * The repository that git would find from a folder, where that is told by files alone: a folder `.git`, and no other
 * repository on the way. Null where git has to be asked.
 */
export function repositoryState(libc: Libc, directory: CanonicalPath): RepositoryState | null {
  for (let at = directory;; at = parentOf(at)) {
    const folder = `${at === "/" ? "" : at}/.git`;
    const found = statAt(libc, AT_FDCWD, folder);
    if (typeof found !== "number") {
      return found.type === "directory" ? stateOf(libc, folder, found) : null;
    }
    // It may be a repository itself.
    const isPlain = found === -ERRNO.ENOENT &&
      statAt(libc, AT_FDCWD, `${at}/HEAD`) === -ERRNO.ENOENT;
    if (!isPlain || at === "/") return null;
  }
}

function stateOf(libc: Libc, folder: string, itself: Stat): RepositoryState | null {
  const said = SAID.map((name) => statAt(libc, AT_FDCWD, `${folder}/${name}`));
  const kept = ["objects", "refs"].map((name) => statAt(libc, AT_FDCWD, `${folder}/${name}`));
  const isThere = (stat: Stat | number) => typeof stat !== "number" && stat.type === "directory";
  if (!kept.every(isThere)) return null;
  const index = statAt(libc, AT_FDCWD, `${folder}/index`);
  const texts = ["config", "config.worktree"].filter((_, at) => typeof said[1 + at] !== "number")
    .map((name) => plainTextAt(libc, `${folder}/${name}`, MOST_TEXT));
  return {
    stamp: [folder, itself.device, itself.inode, ...said.map(stampOf)].join(" "),
    index: typeof index === "number" ? null : stampOf(index),
    changed: Math.max(...said.map(changedOf)),
    indexChanged: changedOf(index),
    alone: texts.every((text) => text !== null && !/\binclude/i.test(text)),
  };
}

function stampOf(stat: Stat | number): string {
  return typeof stat === "number"
    ? `${stat}`
    : `${stat.device}:${stat.inode}:${stat.size}:${stat.changed}`;
}

function changedOf(stat: Stat | number): number {
  return typeof stat === "number" ? 0 : stat.changed;
}
