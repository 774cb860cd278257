/** Filters of contents that a policy lets git run: which program each is stands with Toolgate, never with a repository. */

import { ToolError } from "../../core/errors.ts";
import { FILTER_PROGRAMS, type GitFilter } from "../../core/git/settings.ts";
import { printable } from "../../core/printable.ts";
import type { ReadFiles, ToolContext } from "../../core/tool.ts";
import { requireNoLink } from "./place.ts";

/** A filter that may run. */
export interface Filter {
  readonly name: GitFilter;
  /** What git starts. */
  readonly file: string;
}

/** Those of the policy that this call was granted and the machine has. */
export async function filtersOf({ git, processes }: ToolContext): Promise<readonly Filter[]> {
  const found: Filter[] = [];
  for (const name of git.filters) {
    const file = await processes.asFile(FILTER_PROGRAMS[name]);
    if (file !== null) found.push({ name, file });
  }
  return found;
}

/** Of git's commands those that look into working files and write nothing: they have contents filtered to compare them. */
const COMPARE: ReadonlySet<string> = new Set(["status", "diff", "diff-index", "diff-files"]);

/** Whether git may have contents changed for these words. */
export function usesFilters(words: readonly string[], writes: boolean): boolean {
  return writes || words.some((word) => COMPARE.has(word));
}

/**
 * Settings that have git start them and nothing else by these names. `store`: where a filter keeps what it is given, in
 * place of the repository; null for where it does by itself.
 */
export function filterSettings(
  filters: readonly Filter[],
  store: string | null,
): Readonly<Record<string, string>> {
  return Object.fromEntries(filters.flatMap(({ name, file }) => [
    [`filter.${name}.clean`, ""],
    [`filter.${name}.smudge`, ""],
    [`filter.${name}.process`, file],
    // What cannot be made a pointer must not be taken whole.
    [`filter.${name}.required`, "true"],
    // A server that nobody reaches is not asked three times: this is none.
    [`${name}.url`, "none"],
    [`${name}.transfer.maxretries`, "1"],
    ...(store === null ? [] : [[`${name}.storage`, `${store}/${name}`]]),
  ]));
}

/** What they are told by variables: nothing is downloaded, and what is not there stays the pointer that stands for it. */
export const FILTER_VARIABLES: Readonly<Record<string, string>> = {
  GIT_LFS_SKIP_DOWNLOAD_ERRORS: "1",
};

/**
 * Keys of git-lfs-config(5) that say how it speaks with servers or what it shows; all others may name programs
 * (`lfs.extension.*`, `lfs.customtransfer.*`), or places outside (`lfs.storage`).
 */
const HARMLESS: readonly RegExp[] = [
  /^lfs\.(?:repositoryformatversion|url|pushurl|locksverify|skipdownloaderrors|concurrenttransfers)$/,
  /^lfs\.(?:basictransfersonly|allowincompletepush|setlockablereadonly|lockignoredfiles|gitprotocol)$/,
  /^lfs\.(?:fetchinclude|fetchexclude|fetchrecent\w+|prune\w+|\w+timeout|keepalive|tustransfers)$/,
  /^lfs\.transfer\.\w+$/,
  /^lfs\.https?:\/\/.*\.(?:access|locksverify)$/s,
];

/**
 * GIT_ERROR where the repository's settings have a filter start or use what the policy does not name, or what it keeps
 * lies elsewhere. `keys`: the names of all settings.
 */
export function requirePlainFilters(
  filters: readonly Filter[],
  { tool, files, common, keys }: {
    readonly tool: string;
    readonly files: ReadFiles;
    readonly common: string;
    readonly keys: readonly string[];
  },
): void {
  for (const { name } of filters) {
    const odd = keys.find((key) =>
      key.startsWith(`${name}.`) && !HARMLESS.some((pattern) => pattern.test(key))
    );
    if (odd !== undefined) {
      throw new ToolError(
        "GIT_ERROR",
        `${tool}: the repository's configuration sets ${
          printable(odd, 80)
        }, with which the filter ${name} may start ` +
          "programs or use other folders; take it out of .git/config, or git.filters out of the policy",
      );
    }
    for (const place of [name, `${name}/objects`, `${name}/tmp`]) {
      requireNoLink(tool, files, `${common}/${place}`);
    }
  }
}
