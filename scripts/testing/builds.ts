/**
 * Knows whether a binary is what the sources would give, so that tests build none twice. A note beside each says what
 * it was made of and what it is; a binary that somebody else put there does not fit its note.
 */

import { createHash } from "node:crypto";
import { dirname, join } from "@std/path";

/** What binaries are made of, and who makes them. */
const SOURCES = [
  "deno.json",
  "deno.lock",
  "main.ts",
  "policy",
  "scripts",
  "src",
  "tests/probe",
] as const;

/**
 * Builds what is not up to date; of several processes that want it at once, one.
 * @param output Absolute path of the binary; nothing else may build it under this name.
 * @param from What it is made of beside the sources, as text.
 * @returns Whether it was built.
 */
export async function buildOnce(
  root: string,
  output: string,
  from: string,
  build: () => Promise<void>,
): Promise<boolean> {
  const note = `${output}.made-of`;
  const sources = hashOf(from, ...filesOf(root));
  Deno.mkdirSync(dirname(output), { recursive: true });
  using lock = Deno.openSync(`${output}.lock`, { write: true, create: true });
  await lock.lock(true);
  if (readIfThere(note) === `${sources} ${hashIfThere(output)}`) return false;
  await build();
  Deno.writeTextFileSync(note, `${sources} ${hashIfThere(output)}`);
  return true;
}

/** The paths and contents of all sources, in one order everywhere. */
function* filesOf(root: string): Iterable<string | Uint8Array> {
  for (const path of SOURCES.flatMap((name) => [...below(root, name)])) {
    yield path;
    yield Deno.readFileSync(join(root, path));
  }
}

function below(root: string, path: string): readonly string[] {
  if (!Deno.statSync(join(root, path)).isDirectory) return [path];
  const names = [...Deno.readDirSync(join(root, path))].map(({ name }) => name).sort();
  return names.flatMap((name) => below(root, `${path}/${name}`));
}

/** SHA-256 of the parts, each with its length before it. */
function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length} `).update(part);
  return hash.digest("hex");
}

function hashIfThere(path: string): string | null {
  try {
    return hashOf(Deno.readFileSync(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

function readIfThere(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
