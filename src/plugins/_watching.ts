/** A place that tells whether anything was reported there. */

import type { KeyPosition } from "../config/key_position.ts";

/** The same place, which tells of every problem that is reported there or below. */
export function watching(place: KeyPosition, told: () => void): KeyPosition {
  return {
    get key() {
      return place.key;
    },
    in: (name) => watching(place.in(name), told),
    at: (index) => watching(place.at(index), told),
    report(message) {
      told();
      return place.report(message);
    },
    take: (patterns) => place.take(patterns),
  };
}
