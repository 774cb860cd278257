import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { deniedBelow } from "../../../../src/host/scan/denied_below.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";
import { rulebookOf } from "../_rulebook.ts";

const ALLOW_ALL = pathRule("allow", ["**"]);

Deno.test("what is denied below folders is found where it is, and nothing behind links", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync()) as CanonicalPath;
  try {
    const at = (path: string) => join(root, path) as CanonicalPath;
    for (const folder of ["a/b/c", "plain", "asked", "many"]) {
      Deno.mkdirSync(at(folder), { recursive: true });
    }
    for (const file of ["a/b/c/.env", "a/x", "plain/x", "asked/x"]) {
      Deno.writeTextFileSync(at(file), "");
    }
    for (let i = 0; i < 8; i++) Deno.writeTextFileSync(at(`many/${i}.key`), "");
    Deno.symlinkSync("../a", at("plain/link"));
    const rulebook = rulebookOf(root, {
      paths: [ALLOW_ALL, pathRule("deny", ["**/.env", "**/*.key"]), pathRule("ask", ["asked/**"])],
    });
    const looked = (path: string, as = path, access: "read" | "write" = "write") => ({
      path: at(path),
      as: at(as),
      access,
    });
    const found = (...roots: readonly string[]) =>
      deniedBelow(libc, rulebook, roots.map((path) => looked(path)));
    assertEquals(await found("a"), [at("a/b/c/.env")]);
    assertEquals(await found("plain", "asked", "nowhere", "a/x"), []);
    const many = await found("many");
    assertEquals(many.length, 5);
    const open = rulebookOf(root, { paths: [ALLOW_ALL] });
    assertEquals(await deniedBelow(libc, open, [looked(".")]), []);
    // Where it would come to lie, and what may only be read.
    const moving = rulebookOf(root, {
      paths: [ALLOW_ALL, pathRule("deny", ["new/**/x"]), pathRule("deny", ["a/x"], ["write"])],
    });
    assertEquals(await deniedBelow(libc, moving, [looked("a", "new")]), [at("new/x")]);
    assertEquals(await deniedBelow(libc, moving, [looked("a", "a", "read")]), []);
    assertEquals(await deniedBelow(libc, moving, [looked("a", "other")]), []);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
