import { assertEquals, assertThrows } from "@std/assert";
import type { CanonicalPath, Capability } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import { createResolver } from "../../../../src/engine/judge/resolve.ts";
import { atOnce } from "../../../../src/engine/turns.ts";
import { grantOf } from "../../../../src/policy/grant.ts";
import { withDirectory } from "../../host/files/_temporary.ts";
import { rulebook } from "../../policy/_fixtures.ts";

function noPrograms(): never {
  throw new Error("no programs here");
}

Deno.test("an entry is the link itself, and where it leads is judged and never granted", async () => {
  await withDirectory((root) => {
    Deno.mkdirSync(`${root}/w/folder`, { recursive: true });
    Deno.writeTextFileSync(`${root}/w/file`, "");
    Deno.symlinkSync("/etc/passwd", `${root}/w/out`);
    Deno.symlinkSync("../file", `${root}/w/folder/in`);
    Deno.symlinkSync("folder", `${root}/w/way`);
    const resolver = createResolver(`${root}/w` as CanonicalPath, noPrograms);
    const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
      // requested, judged, granted
      ["file", ["/w/file"], ["/w/file"]],
      ["out", ["/w/out", "/etc/passwd"], ["/w/out"]],
      ["way", ["/w/way", "/w/folder"], ["/w/way"]],
      ["way/", ["/w/folder"], ["/w/folder"]],
      ["way/.", ["/w/folder"], ["/w/folder"]],
      ["way/..", ["/w"], ["/w"]],
      ["way/in", ["/w/folder/in", "/w/file"], ["/w/folder/in"]],
      ["none/there", ["/w/none/there"], ["/w/none/there"]],
      [".", ["/w"], ["/w"]],
    ];
    for (const [path, judged, granted] of cases) {
      const wanted: Capability = { kind: "fs.write", path, tree: false, entry: true };
      const resolved = resolver.resolve([wanted]);
      assertEquals(atOnce(resolver.resolveInSteps([wanted])), resolved);
      const short = (at: string) => at.startsWith(root) ? at.slice(root.length) : at;
      assertEquals(
        resolved.map((one) => "path" in one ? short(one.path) : ""),
        judged,
        path,
      );
      const grant = grantOf(resolved, rulebook([{}]).settings, 1000);
      assertEquals(grant.write.map((one) => short(one.path)), granted, path);
    }
  });
});

Deno.test("what cannot be resolved and could be done without is left out, at once as in steps", async () => {
  await withDirectory((root) => {
    Deno.symlinkSync("loop", `${root}/loop`);
    const resolver = createResolver(root as CanonicalPath, noPrograms);
    const of = (path: string, more: { readonly optional?: true }): Capability => ({
      ...{ kind: "fs.read", path, tree: false, ...more },
    });
    const wanted = [of("a", {}), of("loop", { optional: true }), of("b", {})];
    const resolved = resolver.resolve(wanted);
    assertEquals(resolved.map((one) => "requested" in one && one.requested), ["a", "b"]);
    assertEquals(atOnce(resolver.resolveInSteps(wanted)), resolved);
    for (
      const resolve of [
        resolver.resolve,
        (all: typeof wanted) => atOnce(resolver.resolveInSteps(all)),
      ]
    ) {
      assertThrows(() => resolve([of("a", {}), of("loop", {})]), ToolError);
    }
  });
});

Deno.test("a tree is no directory's where a file is", async () => {
  await withDirectory((root) => {
    Deno.mkdirSync(`${root}/folder`);
    Deno.writeTextFileSync(`${root}/file.key`, "");
    const resolver = createResolver(root as CanonicalPath, noPrograms);
    for (const [path, directory] of [["folder", true], ["file.key"], ["none", true]] as const) {
      const [resolved] = resolver.resolve([{ kind: "fs.read", path, tree: true }]);
      assertEquals(resolved !== undefined && "directory" in resolved, directory ?? false, path);
    }
  });
});

Deno.test("what a link leads to counts from the folder that it comes to lie in, where a folder is there", async () => {
  await withDirectory((root) => {
    Deno.mkdirSync(`${root}/w/folder/deep`, { recursive: true });
    Deno.writeTextFileSync(`${root}/w/file`, "");
    Deno.symlinkSync("folder/deep", `${root}/w/way`);
    Deno.symlinkSync("nowhere", `${root}/w/dangling`);
    Deno.symlinkSync("loop", `${root}/w/loop`);
    const resolver = createResolver(`${root}/w` as CanonicalPath, noPrograms);
    for (
      const [folder, path, reached] of [
        ["folder", "folder/../x", "/w/x"],
        ["folder/deep", "folder/deep/../x", "/w/folder/x"],
        // Through a link from where that leads.
        ["way", "way/../x", "/w/folder/x"],
        ["file", "file/../x", "/x"],
        ["dangling", "dangling/../x", "/x"],
        ["none", "none/../x", "/x"],
        ["loop", "loop/../x", "/x"],
      ] as const
    ) {
      const [resolved, ...more] = resolver.resolve([
        { kind: "fs.read", path: "../x", tree: false, by: "program", within: { folder, path } },
      ]);
      assertEquals(
        resolved !== undefined && "path" in resolved && resolved.path.slice(root.length),
        reached,
        folder,
      );
      assertEquals(more, []);
    }
  });
});
