/** That each module of the engine which does something has a file of unit tests, in the place that mirrors its own. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

/** What is no type: a module of types alone, or one that only starts another, has nothing to be tested. */
const EXPORTS_A_VALUE =
  /^export (?:default |async |abstract )*(?:const|let|function|class|enum)\b/m;

function modules(folder: string): readonly string[] {
  return [...Deno.readDirSync(join(ROOT, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? modules(`${folder}/${name}`) : name.endsWith(".ts") ? [`${folder}/${name}`] : []
  );
}

/** `tests/unit/engine/pool/file_broker_test.ts` of `src/engine/pool/_file_broker.ts`. */
function testOf(module: string): string {
  return module.replace(/^src\//, "tests/unit/").replace(/\/_?([^/]+)\.ts$/, "/$1_test.ts");
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(join(ROOT, path)).isFile;
  } catch {
    return false;
  }
}

Deno.test("every module of the engine has its unit tests beside those of the binary", () => {
  assertEquals(testOf("src/engine/pool/_lanes.ts"), "tests/unit/engine/pool/lanes_test.ts");
  const tested = modules("src/engine").filter((module) =>
    EXPORTS_A_VALUE.test(Deno.readTextFileSync(join(ROOT, module)))
  );
  assert(tested.length > 40, `${tested.length} modules`);
  assertEquals(tested.map(testOf).filter((path) => !isThere(path)), []);
});

Deno.test("no unit test of the engine is left behind by its module", () => {
  const homes = new Set(modules("src/engine").map(testOf));
  const left = modules("tests/unit/engine").filter((path) =>
    path.endsWith("_test.ts") && !homes.has(path) && path !== "tests/unit/engine/stand_in_test.ts"
  );
  assertEquals(left, []);
});
