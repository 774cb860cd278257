/** The tools over the real handles, in a temporary workspace: what the memory context promises must hold there. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { failure } from "./_failure.ts";
import { inWorkspace } from "./_real_workspace.ts";

Deno.test("what write_file writes, read_file reads and get_file_info knows", () =>
  inWorkspace(async ({ root, call }) => {
    const content = "größe\nzwei 🦕\n";
    const written = await call("write_file", { path: "a/b/c.txt", content });
    assertEquals(written, { path: "a/b/c.txt", bytes_written: 18, created: true });
    assertEquals(Deno.readTextFileSync(`${root}/a/b/c.txt`), content);
    const read = await call("read_file", { path: "./a/b/../b/c.txt" });
    assertEquals([read.content, read.path, read.total_lines], [content, "a/b/c.txt", 2]);
    const expected_sha256 = read.sha256;
    const again = { path: `${root}/a/b/c.txt`, content: "x", expected_sha256 };
    assertEquals((await call("write_file", again)).created, false);
    assertEquals((await failure(() => call("write_file", again))).code, "STALE_FILE");
    Deno.chmodSync(`${root}/a/b/c.txt`, 0o640);
    const info = await call("get_file_info", { path: "a/b/c.txt" });
    assertEquals([info.type, info.size, info.permissions], ["file", 1, "0640"]);
    assert(Math.abs(Date.parse(String(info.modified)) - Date.now()) < 60_000);
  }));

Deno.test("a preview shows the change, but not of what may not be read", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeTextFileSync(`${root}/a.txt`, "old\n");
    Deno.writeTextFileSync(`${root}/secret.txt`, "hush\n");
    const shown = await call("write_file", { path: "a.txt", content: "new\n" }, true);
    assertEquals(shown.diff, "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-old\n+new\n");
    const hidden = await call("write_file", { path: "secret.txt", content: "x" }, true);
    assertEquals(hidden, {
      path: "secret.txt",
      change: null,
      exists: null,
      created: null,
      bytes: 1,
      added_lines: null,
      removed_lines: null,
      diff: null,
    });
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "old\n");
    await call("write_file", { path: "secret.txt", content: "x" });
    assertEquals(Deno.readTextFileSync(`${root}/secret.txt`), "x");
  }));

Deno.test("the file tools answer what is not as it should be with their codes", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.mkdirSync(`${root}/dir`);
    Deno.writeTextFileSync(`${root}/large.txt`, "x".repeat(2 * 1024 * 1024));
    Deno.writeFileSync(`${root}/binary`, Uint8Array.of(1, 0, 2));
    const cases: readonly (readonly [string, Record<string, unknown>, string])[] = [
      ["read_file", { path: "gone" }, "FILE_NOT_FOUND"],
      ["read_file", { path: "dir" }, "NOT_A_FILE"],
      ["read_file", { path: "large.txt" }, "FILE_TOO_LARGE"],
      ["read_file", { path: "binary" }, "BINARY_FILE"],
      ["read_file", { path: "secret.txt" }, "PATH_DENIED"],
      ["read_file", { path: "../x" }, "PATH_OUTSIDE_WORKSPACE"],
      ["write_file", { path: "dir", content: "" }, "NOT_A_FILE"],
      ["write_file", { path: "no/x", content: "", create_dirs: false }, "FILE_NOT_FOUND"],
      ["write_file", { path: "x", content: "", expected_sha256: "0".repeat(64) }, "STALE_FILE"],
      ["list_directory", { path: "gone" }, "FILE_NOT_FOUND"],
      ["list_directory", { path: "large.txt" }, "NOT_A_DIRECTORY"],
      ["get_file_info", { path: "gone" }, "FILE_NOT_FOUND"],
      ["search_files", { pattern: "x", path: "gone" }, "FILE_NOT_FOUND"],
    ];
    for (const [name, args, code] of cases) {
      const error = await failure(() => call(name, args));
      assertEquals(error.code, code, `${name} ${JSON.stringify(args)}: ${error.message}`);
      assert(!error.message.includes(root), error.message);
    }
  }));

Deno.test("list_directory shows entries in order, links as links, denied ones not at all", () =>
  inWorkspace(async ({ root, call }) => {
    for (const name of ["b.txt", "a.txt", "B.txt", "é.txt", "secret.txt"]) {
      Deno.writeTextFileSync(`${root}/${name}`, name);
    }
    Deno.mkdirSync(`${root}/dir/deep`, { recursive: true });
    Deno.writeTextFileSync(`${root}/dir/deep/x`, "");
    Deno.mkdirSync(`${root}/closed`);
    Deno.writeTextFileSync(`${root}/closed/y`, "");
    Deno.symlinkSync("dir", `${root}/link`);
    const list = async (args: Record<string, unknown>) =>
      (await call("list_directory", args)).entries as {
        path: string;
        type: string;
        size: number;
      }[];
    const flat = await list({});
    assertEquals(flat.filter(({ path }) => path !== "closed").map(({ path }) => path), [
      "B.txt",
      "a.txt",
      "b.txt",
      "dir",
      "link",
      "é.txt",
    ]);
    assertEquals(flat.find(({ path }) => path === "link")?.type, "symlink");
    assertEquals(flat.find(({ path }) => path === "é.txt")?.size, 6);
    const deep = (await list({ recursive: true })).map(({ path }) => path);
    assert(
      deep.includes("dir/deep/x") && !deep.includes("closed/y") && !deep.includes("link/deep"),
    );
    assertEquals((await list({ path: "link" })).map(({ path }) => path), ["dir/deep"]);
    const info = await call("get_file_info", { path: "dir" });
    assertEquals(info.type, "directory");
  }));

Deno.test("search_files sees what list_directory sees, and heeds the rules above", () =>
  inWorkspace(async ({ root, call }) => {
    const files = {
      ".gitignore": "*.log\n",
      "src/.gitignore": "gen/\n",
      "src/a.txt": "hit\r\nmiss\r\n",
      "src/b.log": "hit",
      "src/gen/c.txt": "hit",
      "src/latin1.txt": "",
      "secret.txt": "hit",
      "closed/d.txt": "hit",
      "node_modules/e.txt": "hit",
    };
    for (const [path, content] of Object.entries(files)) {
      Deno.mkdirSync(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      Deno.writeTextFileSync(`${root}/${path}`, content);
    }
    Deno.writeFileSync(`${root}/src/latin1.txt`, Uint8Array.of(0xf6, 0x0a, 0x68, 0x69, 0x74));
    const search = async (args: Record<string, unknown>) => {
      const { matches } = await call("search_files", { pattern: "hit", ...args });
      return (matches as { file: string; line: number }[]).map(({ file, line }) =>
        `${file}:${line}`
      );
    };
    assertEquals(await search({}), ["src/a.txt:1", "src/latin1.txt:2"]);
    assertEquals(await search({ path: "src" }), ["src/a.txt:1", "src/latin1.txt:2"]);
    assertEquals(await search({ path: "src/a.txt" }), ["src/a.txt:1"]);
    assertEquals(await search({ path: `${root}/src`, file_pattern: "a*" }), ["src/a.txt:1"]);
  }));

Deno.test("run_command runs programs with their words, input, directory and end", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.mkdirSync(`${root}/dir`);
    const output = await call("run_command", { argv: ["printf", "%s|", "a b", "$x", "*"] });
    assertEquals([output.stdout, output.exit_code], ["a b|$x|*|", 0]);
    const line = await call("run_command", { command: "printf '%s|' 'a b' \\$x" });
    assertEquals(line.stdout, "a b|$x|");
    assertEquals(
      (await call("run_command", { command: "pwd", cwd: "dir" })).stdout,
      `${root}/dir\n`,
    );
    assertEquals((await call("run_command", { argv: ["cat"], stdin: "größe" })).stdout, "größe");
    assertEquals((await call("run_command", { argv: ["cat"] })).stdout, "");
    const failed = await failure(() => call("run_command", { argv: ["ls", "none"] }));
    assertEquals(failed.code, "COMMAND_FAILED");
    assertStringIncludes(failed.message, "ls ended with status 2: ");
    assertStringIncludes(JSON.stringify(failed.output), '"exit_code":2');
    const slow = await failure(() =>
      call("run_command", { argv: ["sleep", "60"], timeout_ms: 50 })
    );
    assertEquals([slow.code, slow.message], [
      "TIMEOUT",
      "run_command: no exit in 50 ms; sent SIGTERM",
    ]);
  }));
