/** Parts tests into batches, each for a process of its own. */

import type { TestFile } from "./files.ts";

/** Batches a process: enough that none waits long for the last, few enough that starting them costs little. */
const TURNS = 30;
/** Seconds that are worth a process. */
const LEAST = 4;

/**
 * Files in batches of about equal duration, longest first, for so many processes that take the next whenever one is
 * done. A file that takes longer than that is a batch.
 */
export function batchesOf(
  files: readonly TestFile[],
  processes: number,
): readonly (readonly string[])[] {
  const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
  const most = Math.max(LEAST, total / (processes * TURNS));
  const batches: { seconds: number; readonly paths: string[] }[] = [];
  for (const { path, seconds } of files.toSorted((a, b) => b.seconds - a.seconds)) {
    const open = batches.find((batch) => batch.seconds + seconds <= most);
    if (open === undefined) batches.push({ seconds, paths: [path] });
    else {
      open.seconds += seconds;
      open.paths.push(path);
    }
  }
  return batches.toSorted((a, b) => b.seconds - a.seconds).map(({ paths }) => paths);
}

/** Works through the items, so many at a time, each begun in its turn. Those that are not there yet are waited for. */
export async function inTurns<T>(
  items: Iterable<T> | AsyncIterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = (async function* () {
    yield* items;
  })();
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for await (const item of queue) await work(item);
  }));
}
