/** What stands in the place of hooks where a line's git looks for them: see `standInImage`. */

import { HOOK_NAMES } from "../../core/git/hooks.ts";
import { AT_FDCWD } from "../../sandbox/kernel/open_without_links.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { Architecture } from "../../sandbox/seccomp.ts";
import { standInImage } from "../../sandbox/launcher/stand_in.ts";

/** Makes one for each hook in a folder of their own below `folder`, which no program may change; null where it cannot. */
export function writeHookStandIns(folder: string): string | null {
  const path = `${folder}/hooks`;
  try {
    const image = standInImage(Deno.build.arch as Architecture);
    Deno.mkdirSync(path, { mode: 0o700 });
    for (const name of HOOK_NAMES) {
      Deno.writeFileSync(`${path}/${name}`, image, { mode: 0o500, createNew: true });
    }
    return path;
  } catch {
    return null;
  }
}

/** What stands in for hooks. */
export interface HookStandIns {
  readonly folder: string;
  readonly files: readonly string[];
}

/** X_OK (unistd.h) */
const MAY_EXECUTE = 1;

/** Those in the folder; null where nothing may be executed there: git would find no hook, and say nothing of it. */
export function standInsIn(folder: string | null, libc: Libc): HookStandIns | null {
  if (folder === null) return null;
  const { call, numbers, path } = libc;
  const files = HOOK_NAMES.map((name) => `${folder}/${name}`);
  const mayExecute = call(numbers.faccessat, AT_FDCWD, path(files[0] ?? ""), MAY_EXECUTE) === 0;
  return mayExecute ? { folder, files } : null;
}
