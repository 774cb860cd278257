import { assertEquals } from "@std/assert";
import { liesInAny, outermost } from "../../../../src/policy/match/path_sets.ts";
import { Random } from "../../../random.ts";

function lies(path: string, folder: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}

Deno.test("as the plain comparison of each with each", () => {
  const random = new Random(41);
  const path = () => {
    const parts = Array.from(
      { length: random.below(4) },
      () => random.pick(["a", "a-b", "b", "a.b"]),
    );
    return `/${parts.join("/")}`;
  };
  for (let round = 0; round < 2000; round++) {
    const paths = Array.from({ length: random.below(8) }, path);
    const distinct = [...new Set(paths)].sort();
    assertEquals(
      outermost(paths),
      distinct.filter((one) => !distinct.some((other) => other !== one && lies(one, other))),
    );
    const asked = path();
    assertEquals(liesInAny(asked, new Set(paths)), paths.some((other) => lies(asked, other)));
  }
});
