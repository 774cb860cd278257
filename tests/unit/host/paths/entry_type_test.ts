import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { entryType } from "../../../../src/host/paths/entry_type.ts";
import { withDirectory } from "../files/_temporary.ts";

function populate(root: string): readonly (readonly [string, string | null])[] {
  Deno.mkdirSync(`${root}/open/closed`, { recursive: true });
  Deno.writeTextFileSync(`${root}/open/file`, "");
  Deno.symlinkSync("open", `${root}/link`);
  Deno.symlinkSync("nowhere", `${root}/dangling`);
  return [
    [root, "directory"],
    [`${root}/open`, "directory"],
    [`${root}/open/closed`, "directory"],
    [`${root}/open/file`, "file"],
    [`${root}/link`, "symlink"],
    [`${root}/dangling`, "symlink"],
    [`${root}/none`, null],
    [`${root}/none/below`, null],
    [`${root}/open/file/below`, null],
    ["/dev/null", "file"],
  ];
}

Deno.test("entryType() tells what is at a path, links not followed", async () => {
  await withDirectory((root) => {
    for (const [path, type] of populate(root)) {
      assertEquals(entryType(path as CanonicalPath), type, path);
    }
  });
});

Deno.test("entryType() tells the same where the runtime may not look", async () => {
  await withDirectory(async (root) => {
    const cases = populate(root);
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--no-prompt", "--no-lock", "--allow-ffi"],
        ...[`--allow-read=${root}/open`, `--deny-read=${root}/open/closed`],
        fromFileUrl(import.meta.resolve("./_entry_types.ts")),
        ...cases.map(([path]) => path),
      ],
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    assertEquals(
      JSON.parse(new TextDecoder().decode(stdout)),
      cases.map(([, type]) => type),
    );
  });
});
