import { assertEquals } from "@std/assert";
import { leavingOut, narrowed } from "../../../../src/core/git/narrowing.ts";

const out = (denied: readonly string[], kept: readonly string[]) =>
  leavingOut(new Set(denied), [...denied, ...kept])?.map((path) =>
    path.slice(path.indexOf(")") + 1)
  );

Deno.test("git: names are left out one by one, and folders whole where nothing else of them is shown", () => {
  assertEquals(out([".env"], ["a"]), [".env"]);
  assertEquals(out(["a/b/x", "a/b/y"], ["a/c"]), ["a/b"]);
  assertEquals(out(["a/b/x", "c/y"], ["a/b/z", "b"]), ["a/b/x", "c"]);
  assertEquals(out(["ab/x"], ["a/x", "abc/x"]), ["ab"]);
  const many = Array.from({ length: 401 }, (_, index) => `${index}`);
  assertEquals(out(many, ["a"]), undefined);
  assertEquals(out(many.map((name) => `a/${name}`), ["b"]), ["a"]);
});

Deno.test("git: a name is left out as it is, and one that is no text by all that it could be", () => {
  const of = (name: string) => leavingOut(new Set([name]), [name]);
  assertEquals(of("a*[b]"), [":(top,exclude,literal)a*[b]"]);
  assertEquals(of("a*\ufffd"), [":(top,exclude,glob)a\\**"]);
});

Deno.test("git: what is left out stands behind all other words", () => {
  const narrowing = { options: ["--sparse"], paths: ["--", "x"] };
  assertEquals(
    narrowed(["git", "-P", "log", "-p"], 2, narrowing).join(" "),
    "git -P log --sparse -p -- x",
  );
});
