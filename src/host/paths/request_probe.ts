/** Looking at the paths of one request: each word once, and no longer than one request may take. */

import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { PathProbe } from "./path_probe.ts";

/**
 * For all paths of one request, in ms: 10,000 plain ones take a tenth of it. Links can be laid so that one path leads over
 * tens of thousands of folders (40 links of 4 KiB each).
 */
const MOST_MS = 3_000;

/** A probe that remembers what it found: for one request, whose paths are taken as they are at one time. `now`: in ms. */
export function createRequestProbe(
  probe: PathProbe,
  now: () => number = () => performance.now(),
): PathProbe {
  const found = new Map<string, CanonicalPath | ToolError>();
  const there = new Map<string, boolean>();
  let left = MOST_MS;
  const timed = <T>(look: () => T): T => {
    if (left <= 0) {
      throw new ToolError(
        "RESOURCE_LIMIT",
        "the paths of this request take too long to follow: they lead over too many links; name where they lead",
      );
    }
    const started = now();
    try {
      return look();
    } finally {
      left -= now() - started;
    }
  };
  const canonicalOf = (base: CanonicalPath, path: string): CanonicalPath | ToolError => {
    try {
      return probe.canonicalize(base, path);
    } catch (error) {
      if (error instanceof ToolError) return error;
      throw error;
    }
  };
  return {
    canonicalize(base, path) {
      const key = `${base}\0${path}`;
      let known = found.get(key);
      if (known === undefined) found.set(key, known = timed(() => canonicalOf(base, path)));
      if (known instanceof ToolError) throw known;
      return known;
    },
    exists(directory, path) {
      const key = `${directory}\0${path}`;
      let known = there.get(key);
      if (known === undefined) there.set(key, known = timed(() => probe.exists(directory, path)));
      return known;
    },
    isDirectory: (path) => timed(() => probe.isDirectory(path)),
    entryAt: (path) => probe.entryAt(path),
    isProgram: (path) => probe.isProgram(path),
  };
}
