import { assertEquals } from "@std/assert";
import { linksTo } from "../../../../src/host/paths/links_to.ts";
import { withDirectory } from "../files/_temporary.ts";

/** Links of the folder, by name and target. */
const LINKS: readonly (readonly [name: string, target: string])[] = [
  ["file", "real/d/p.yaml"],
  ["folder", "real"],
  ["real/back", "../folder/d"],
  ["two", "file"],
  ["real/d/up", ".."],
  ["gone", "nowhere/at/all"],
  ["round", "round"],
];

/** A path below the folder, and the links that lead to it. */
const CASES: readonly (readonly [path: string, links: string])[] = [
  ["real/d/p.yaml", ""],
  ["file", "file"],
  ["two", "two file"],
  ["folder/d/p.yaml", "folder"],
  ["folder/back/p.yaml", "folder real/back folder"],
  // Behind a link `..` is above what that leads to.
  ["folder/../file", "folder file"],
  ["real/d/up/d/../../file", "real/d/up file"],
  ["./real//d/./up/back", "real/d/up real/back folder"],
  ["gone", "gone"],
  ["missing/x", ""],
  ["real/d/p.yaml/x", ""],
];

Deno.test("all links on the way to a path are found, by their own places", async () => {
  await withDirectory((made) => {
    const root = Deno.realPathSync(made);
    Deno.mkdirSync(`${root}/real/d`, { recursive: true });
    Deno.writeTextFileSync(`${root}/real/d/p.yaml`, "");
    for (const [name, target] of LINKS) Deno.symlinkSync(target, `${root}/${name}`);
    Deno.symlinkSync(`${root}/real/d`, `${root}/absolute`);
    const found = (path: string) =>
      linksTo(`${root}/${path}`).map((link) => link.slice(root.length + 1)).join(" ");
    for (const [path, links] of CASES) assertEquals(found(path), links, path);
    assertEquals(found("absolute/p.yaml"), "absolute");
    assertEquals(found("round").split(" ").length, 40);
  });
});
