/** The numbers that descriptors have in a program. */

import { CLOSED } from "../spawner.ts";
import { type Executed, FIRST_OTHER } from "./program_steps.ts";

/** Descriptors that every program has. */
export const STANDARD = 3;

/** A start, as far as it says what becomes which number. */
interface Placed extends Executed {
  readonly descriptors: readonly number[];
  readonly file?: number;
}

/** What is executed, where a descriptor that only the start needs lies, and the first number that nobody has. */
export function placesOf(start: Placed): {
  readonly executed: Executed;
  readonly file: number;
  readonly free: number;
} {
  const file = FIRST_OTHER + Math.max(start.descriptors.length - STANDARD, 0);
  return start.file === undefined
    ? { executed: start, file, free: file }
    : { executed: { ...start, path: `/proc/self/fd/${file}` }, file, free: file + 1 };
}

/** Those that every program has, or `CLOSED`. */
export function standardOf(descriptors: readonly number[]): readonly number[] {
  return Array.from({ length: STANDARD }, (_, to) => descriptors[to] ?? CLOSED);
}

/** The number that the program's next descriptor gets, where none from 3 up to `other` is free. */
export function lowestFree(descriptors: readonly number[], other: number): number {
  const closed = standardOf(descriptors).indexOf(CLOSED);
  return closed < 0 ? other : closed;
}
