/** Plain data into a hash, in turns: what a request holds may be 16 MiB. */

import type { Hash } from "node:crypto";
import type { Turns } from "../turns.ts";

/** Characters of a text that are hashed at once, and beyond which it is hashed in parts: some 0.1 ms. */
const PART = 1 << 16;

/**
 * Adds data as JSON has it. Two that differ give different bytes: a long text is left out and follows, a mark with its
 * length in its place that no other text can be.
 */
export async function hashData(hash: Hash, data: unknown, turns: Turns): Promise<void> {
  const long: string[] = [];
  const skeleton = JSON.stringify(data, (_, value: unknown) => {
    if (typeof value !== "string") return value;
    if (value.length <= PART) return value.startsWith(MARK) ? MARK + value : value;
    long.push(value);
    return `${MARK}:${value.length}`;
  });
  hash.update(`${skeleton}\n`);
  for (const text of long) {
    for (let at = 0; at < text.length; at += PART) {
      // As JSON, for a cut between the halves of a letter leaves two that UTF-8 has no words for.
      hash.update(JSON.stringify(text.slice(at, at + PART)));
      await turns.take();
    }
  }
}

const MARK = "\0";
