/** What became dearer or cheaper between two profiles. */

import type { Frame, Profile } from "./model.ts";
import type { Weights } from "./weigh.ts";

/** A function in both profiles, or in one of them. */
export interface Change {
  /** As the later profile has it, if it is there. */
  readonly frame: Frame;
  readonly own: number;
  readonly ownBefore: number;
  readonly total: number;
  readonly totalBefore: number;
}

interface Side {
  readonly profile: Profile;
  readonly weights: Weights;
}

/** Functions that changed, those first whose own time changed most, then by total. */
export function changesBetween(before: Side, after: Side): readonly Change[] {
  const old = byFunction(before);
  const changes: Change[] = [];
  for (const [key, { frame, own, total }] of byFunction(after)) {
    const was = old.get(key);
    old.delete(key);
    changes.push({
      frame,
      own,
      total,
      ownBefore: was?.own ?? 0,
      totalBefore: was?.total ?? 0,
    });
  }
  for (const { frame, own, total } of old.values()) {
    changes.push({ frame, own: 0, total: 0, ownBefore: own, totalBefore: total });
  }
  const byOwn = ({ own, ownBefore }: Change): number => Math.abs(own - ownBefore);
  const byTotal = ({ total, totalBefore }: Change): number => Math.abs(total - totalBefore);
  return changes.filter((change) => byOwn(change) > 0 || byTotal(change) > 0)
    .sort((a, b) => byOwn(b) - byOwn(a) || byTotal(b) - byTotal(a));
}

/**
 * By name and file: lines move when a file is edited. Functions without a name are told apart by line and column, for
 * there is nothing else. Where several are one, their totals are added, and can be more than the whole.
 */
function byFunction({ profile, weights }: Side) {
  const found = new Map<string, { frame: Frame; own: number; total: number }>();
  profile.frames.forEach((frame, index) => {
    const place = frame.name === "(anonymous)" ? `${frame.line}:${frame.column}` : "";
    const key = `${frame.name}\0${frame.file ?? ""}\0${place}`;
    const own = weights.own[index] ?? 0;
    const total = weights.total[index] ?? 0;
    const known = found.get(key);
    if (known === undefined) found.set(key, { frame, own, total });
    else {
      known.own += own;
      known.total += total;
    }
  });
  return found;
}
