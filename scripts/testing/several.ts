/**
 * Loads the test files that its arguments name into one module graph, one after the other. `deno test` gives each file
 * one of its own, in which all that it imports is compiled once more: a tenth of a second of a processor for each.
 *
 *     deno test -A scripts/testing/several.ts -- PATH…
 *
 * A file that does not load is a test that fails, so that the others run.
 */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

for (const path of Deno.args) {
  try {
    await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    Deno.test(`${path} loads`, () => {
      throw error;
    });
  }
}
