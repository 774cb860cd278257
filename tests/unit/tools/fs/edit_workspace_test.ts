/** `edit_file` and `replace_text` over real files: backups, modes, links, and others who write meanwhile. */

import { assert, assertEquals } from "@std/assert";
import { failure } from "../_failure.ts";
import { inWorkspace } from "../_real_workspace.ts";

Deno.test("edit_file keeps the file as it was beside it, once for each change", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeTextFileSync(`${root}/a.txt`, "one\n");
    Deno.chmodSync(`${root}/a.txt`, 0o640);
    const edit = (old: string, now: string, rest: Record<string, unknown> = {}) =>
      call("edit_file", { path: "a.txt", edits: [{ old, new: now }], ...rest });
    assertEquals((await edit("one", "two")).backup_path, "a.txt.bak");
    assertEquals((await edit("two", "three")).backup_path, "a.txt.bak.1");
    assertEquals((await edit("three", "four", { create_backup: false })).backup_path, null);
    const same = await call("edit_file", { path: "a.txt", content: "four\n" });
    assertEquals([same.backup_path, same.diff, same.bytes_written], [null, "", 0]);
    await failure(() => edit("nowhere", "x"));
    await failure(() => edit("four", "x", { expected_sha256: "0".repeat(64) }));
    const names = [...Deno.readDirSync(root)].map(({ name }) => name).toSorted();
    assertEquals(names, ["a.txt", "a.txt.bak", "a.txt.bak.1"]);
    assertEquals(
      names.map((name) => Deno.readTextFileSync(`${root}/${name}`)),
      ["four\n", "one\n", "two\n"],
    );
    for (const name of names) {
      assertEquals((Deno.statSync(`${root}/${name}`).mode ?? 0) & 0o777, 0o640);
    }
  }));

Deno.test("a preview makes no backup and changes nothing", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeTextFileSync(`${root}/a.txt`, "one\n");
    const args = { path: "a.txt", edits: [{ old: "one", new: "two" }] };
    const shown = await call("edit_file", args, true);
    assertEquals([shown.change, shown.replacements, shown.added_lines], ["modified", 1, 1]);
    assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["a.txt"]);
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "one\n");
  }));

Deno.test("the sha256 that an edit answers is the one the next may expect", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeTextFileSync(`${root}/a.txt`, "\ufeffone\r\ntwo\r\n");
    const read = await call("read_file", { path: "a.txt" });
    let expected_sha256 = read.sha256;
    for (const [old, now] of [["one\ntwo", "1\n2"], ["2", "zwei"]]) {
      const edits = [{ old, new: now }];
      const output = await call("edit_file", { path: "a.txt", edits, expected_sha256 });
      expected_sha256 = output.sha256;
    }
    const args = { path: "a.txt", old: "zwei", new: "zwo", expected_sha256 };
    const { sha256 } = await call("replace_text", args);
    assertEquals((await call("read_file", { path: "a.txt" })).sha256, sha256);
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "\ufeff1\r\nzwo\r\n");
    assertEquals((await failure(() => call("replace_text", args))).code, "STALE_FILE");
  }));

Deno.test("of edits made at once none is lost: each is made or refused", () =>
  inWorkspace(async ({ root, call }) => {
    const count = 12;
    const slots = Array.from({ length: count }, (_, at) => `slot ${at};\n`).join("");
    Deno.writeTextFileSync(`${root}/a.txt`, slots);
    const results = await Promise.allSettled(
      Array.from({ length: count }, (_, at) =>
        call("edit_file", {
          path: "a.txt",
          edits: [{ old: `slot ${at};`, new: `done ${at};` }],
          create_backup: false,
        })),
    );
    const text = Deno.readTextFileSync(`${root}/a.txt`);
    for (const [at, result] of results.entries()) {
      assertEquals(text.includes(`done ${at};`), result.status === "fulfilled", text);
      if (result.status === "rejected") assertEquals(result.reason.code, "STALE_FILE");
    }
    assert(results.some(({ status }) => status === "fulfilled"));
  }));

Deno.test("a hard link's other name keeps its content, a symbolic link its target", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeTextFileSync(`${root}/a.txt`, "one\n");
    Deno.linkSync(`${root}/a.txt`, `${root}/hard.txt`);
    Deno.symlinkSync("hard.txt", `${root}/soft.txt`);
    await call("replace_text", { path: "soft.txt", old: "one", new: "two" });
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "one\n");
    assertEquals(Deno.readTextFileSync(`${root}/hard.txt`), "two\n");
    assertEquals(Deno.readLinkSync(`${root}/soft.txt`), "hard.txt");
  }));

Deno.test("what may not be read may not be edited", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeTextFileSync(`${root}/secret.txt`, "hush\n");
    for (const preview of [false, true]) {
      const edits = [{ old: "hash", new: "x" }];
      const one = await failure(() => call("edit_file", { path: "secret.txt", edits }, preview));
      const other = await failure(() =>
        call("replace_text", { path: "secret.txt", old: "hash", new: "x" }, preview)
      );
      for (const error of [one, other]) {
        assertEquals(error.code, "PATH_DENIED");
        assert(!JSON.stringify([error.message, error.details]).includes("hush"));
      }
    }
  }));
