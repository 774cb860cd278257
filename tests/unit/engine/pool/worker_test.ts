import { assert, assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";

const SOURCES = fromFileUrl(new URL("../../../../src", import.meta.url));

/** Imports and exports from elsewhere that are none of types alone. */
const FROM = /^(?:import|export)\s+(?!type\b)(?:[^;"]*?\sfrom\s+)?"(\.[^"]+)";/gm;

/** All modules that one has by its static imports, by their paths in `src`. */
function closureOf(module: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = Deno.readTextFileSync(join(SOURCES, path));
    for (const [, from = ""] of text.matchAll(FROM)) visit(join(dirname(path), from));
  };
  visit(module);
  return seen;
}

Deno.test("threads take at their start nothing of what programs do with their arguments: most never need it", () => {
  const tables = (module: string) =>
    [...closureOf(module)].filter((path) => path.startsWith("programs/"));
  assertEquals(tables("engine/pool/worker.ts"), []);
  // Of who needs it all is found.
  assert(tables("policy/judge/actions.ts").includes("programs/table.ts"));
});
