import { assertEquals } from "@std/assert";
import getFileInfo from "../../../../src/tools/fs/get_file_info.ts";
import { failure } from "../_failure.ts";
import { call, createMemory } from "../_memory_context.ts";

const FILES = { "a.txt": "12345", "dir/b": "", "link": { target: "../x" } } as const;
const TIMES = {
  modified: "1970-01-02T00:00:00.000Z",
  accessed: "1970-01-02T00:00:01.500Z",
  created: null,
};

Deno.test("get_file_info tells what the file system knows", async () => {
  const cases = [
    ["a.txt", { type: "file", size: 5, permissions: "0644" }],
    ["dir", { type: "directory", size: 0, permissions: "0755" }],
    ["link", { type: "symlink", size: 4, permissions: "0644", target: "../x" }],
  ] as const;
  for (const [path, expected] of cases) {
    const output = await call(getFileInfo, { path }, createMemory({ files: FILES }));
    assertEquals(output, { path, ...TIMES, ...expected });
  }
});

Deno.test("get_file_info writes birth times and special bits", async () => {
  const memory = createMemory({ files: FILES });
  const { files } = memory.context;
  const context = {
    ...memory.context,
    files: {
      ...files,
      info: (path: string) => ({ ...files.info(path), mode: 0o4755, created: 0 }),
    },
  };
  const output = await call(getFileInfo, { path: "a.txt" }, { ...memory, context });
  assertEquals([output.permissions, output.created], ["4755", "1970-01-01T00:00:00.000Z"]);
});

Deno.test("get_file_info refuses what is not there", async () => {
  const error = await failure(() => call(getFileInfo, { path: "gone" }, createMemory()));
  assertEquals(error.code, "FILE_NOT_FOUND");
  assertEquals(await getFileInfo.capabilities({ path: "x" }, { cwd: "." }), [
    { kind: "fs.read", path: "x", tree: false, entry: true },
  ]);
  assertEquals(getFileInfo.describe({ path: "x" }), "Get file info: x");
});
