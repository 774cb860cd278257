/** Code that somebody broke, by chance and yet the same for the same seed. */

import type { Random } from "../../../random.ts";

/** What is put where something else stood. */
const PIECES = [..."()[]{}<>\"'`#;,\\\n\t\0\u2028é@"]
  .concat("/*", "*/", "//", "${", "=>", "::", "\ud800", "if ", "for ", "class ");

/** A text with a few places in which something else stands, or is gone; cut off now and then. */
export function mutated(text: string, random: Random): string {
  let changed = text;
  for (let count = 1 + random.below(6); count > 0; count--) {
    const at = random.below(changed.length + 1);
    const length = random.once(3) ? random.below(40) : random.below(3);
    const piece = random.once(4) ? changed.slice(at, at + 60) : random.text(3, PIECES);
    changed = changed.slice(0, at) + piece + changed.slice(at + length);
  }
  return random.once(5) ? changed.slice(0, random.below(changed.length + 1)) : changed;
}
