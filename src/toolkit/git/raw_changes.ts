/** Changes as git tells them to programs: git-diff(1), "RAW OUTPUT FORMAT". */

import { nameOf, textOf } from "./names.ts";

/** One change as `--raw -z` tells it. */
export interface RawChange {
  readonly letter: string;
  readonly path: Uint8Array;
  readonly from: Uint8Array | null;
  /** Of the newer side: zeros where there is none, or where it is a file that was not hashed. */
  readonly mode: string;
  readonly hash: string;
}

interface Count {
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
}

/** What git told of changes. */
export interface ReadChanges {
  readonly changes: readonly RawChange[];
  /** By the text that stands for a path. */
  readonly counts: ReadonlyMap<string, Count>;
  /** What stands behind them, where the changes are all there: a patch. Null where they were cut off, or nothing follows. */
  readonly rest: Uint8Array | null;
}

/** git-diff(1), "RAW OUTPUT FORMAT" and `--numstat` with `-z`; an empty record parts them from a patch. */
export function readChanges(bytes: Uint8Array): ReadChanges {
  const changes: RawChange[] = [];
  const counts = new Map<string, Count>();
  let at = 0;
  const next = () => {
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    const part = bytes.subarray(at, end);
    at = end + 1;
    return part;
  };
  for (let part = next(); part !== undefined; part = next()) {
    if (part.length === 0) return { changes, counts, rest: bytes.subarray(at) };
    if (part[0] === COLON) {
      const [, mode = "", , hash = "", status = "M"] = textOf(part).split(" ");
      const letter = status.slice(0, 1);
      const first = next();
      const second = letter === "R" || letter === "C" ? next() : undefined;
      if (first === undefined) break;
      changes.push(
        second === undefined
          ? { letter, path: first, from: null, mode, hash }
          : { letter, path: second, from: first, mode, hash },
      );
      continue;
    }
    const [, added = "", removed = "", more = ""] = /^(\d+|-)\t(\d+|-)\t(.?)/s.exec(textOf(part)) ??
      [];
    if (added === "") continue;
    // A rename: an empty name, then both.
    if (more === "") next();
    const name = more === "" ? next() : part.subarray(added.length + removed.length + 2);
    if (name === undefined) break;
    const binary = added === "-";
    counts.set(nameOf(name), {
      added: binary ? 0 : Number(added),
      removed: binary ? 0 : Number(removed),
      binary,
    });
  }
  return { changes, counts, rest: null };
}

const COLON = 0x3a;
