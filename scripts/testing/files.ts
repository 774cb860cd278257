/** Which test files there are, what each needs, and how long each takes: by the last runs here, else by estimate. */

import { join, normalize } from "@std/path";

/** What a file's tests need, and what they disturb. */
export type Part = "unit" | "binary" | "alone";

/** A file of tests: its path in the repository, and the seconds that it takes. */
export interface TestFile {
  readonly path: string;
  readonly seconds: number;
}

/** Seconds by path. */
export type Durations = Readonly<Record<string, number>>;

/** Folders of tests. Those of `tests/unit` run from the sources, the others run `dist/toolgate`. */
export const TEST_FOLDERS: readonly string[] = ["tests/unit", "tests/attacks", "tests/binary"];

/**
 * Tests that measure the machine or fill it: next to others they would fail, or make others fail. They run one after
 * the other, when all else has ended.
 */
const ALONE: ReadonlySet<string> = new Set([]);

/** Where nothing is recorded: seconds of the files that take long on two cores. It only sets the order of things. */
const LONG: Durations = {};
const USUAL: Readonly<Record<Part, number>> = { unit: 0.2, binary: 3, alone: 3 };

/** The part that a file belongs to. */
export function partOf(path: string): Part {
  if (path.startsWith("tests/unit/")) return "unit";
  return ALONE.has(path) ? "alone" : "binary";
}

/** The file with its duration: recorded, or estimated. */
export function timed(path: string, recorded: Durations): TestFile {
  return { path, seconds: recorded[path] ?? LONG[path] ?? USUAL[partOf(path)] };
}

/**
 * The test files at or below each path, sorted, each once. A path is one of the repository, with or without `./`.
 * Throws Error for one that has none, so that a mistyped name is not taken for a success.
 */
export function findTests(root: string, paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => {
    const files = [...below(root, normalize(path).replace(/\/$/, ""))];
    if (files.length === 0) throw new Error(`${path}: no tests there`);
    return files;
  });
  return [...new Set(found)].sort();
}

function* below(root: string, path: string): Iterable<string> {
  let stat;
  try {
    stat = Deno.statSync(join(root, path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (error instanceof Deno.errors.NotADirectory) return;
    throw error;
  }
  if (stat.isFile && path.endsWith("_test.ts")) yield path;
  if (!stat.isDirectory) return;
  for (const { name } of Deno.readDirSync(join(root, path))) yield* below(root, `${path}/${name}`);
}
