import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { Capability } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import tool from "../../../../src/tools/analysis/analyze_performance.ts";
import { givenAs } from "../../../../src/tools/analysis/profiles/given.ts";
import { SIGNATURE } from "../../../../src/tools/analysis/profiles/flame_graph.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { failure } from "../_failure.ts";
import { call, createMemory } from "../_memory_context.ts";
import { inWorkspace } from "../_real_workspace.ts";
import { recorded } from "./profiles/_read.ts";
import { cpuProfile, pprof } from "./profiles/_written.ts";

const STACKS = "main;parse;read 60\nmain;render 40\n";
const WRITTEN = [{ frames: ["main", "parse"], weight: 3 }];
const base64 = (data: string | Uint8Array<ArrayBuffer>): string =>
  (typeof data === "string" ? new TextEncoder().encode(data) : data).toBase64();

/** What each is taken for. */
const GIVEN: readonly (readonly [name: string, data: string, kind: "path" | "bytes"])[] = [
  ["a file", "cpu.cpuprofile", "path"],
  ["a file in a folder, with blanks", "my profiles/run 2", "path"],
  ["a file whose folder is in brackets", "[id]/page.cpuprofile", "path"],
  ["a file whose name is a stack and a count, and says so", "./main;work 3", "path"],
  ["a file above", "../main;work 3", "path"],
  ["an absolute path", "/srv/main;work 3", "path"],
  ["a path of letters alone", "profiles/node/today", "path"],
  ["a path that decodes from base64 to nothing known", "abcdefgh", "path"],
  ["several lines", STACKS, "bytes"],
  ["one stack", "main;work 3", "bytes"],
  ["JSON on a line", '{"nodes":[]}', "bytes"],
  ["JSON on lines", '{\n  "nodes": []\n}', "bytes"],
  ["base64 of a pprof profile", base64(recorded("demo.pprof")), "bytes"],
  ["base64 of one that is not packed", base64(pprof(WRITTEN)), "bytes"],
  ["base64 of cProfile's", base64(recorded("demo.pstats")), "bytes"],
  ["base64 of JSON", base64(cpuProfile(WRITTEN)), "bytes"],
  ["base64 of stacks", base64(STACKS), "bytes"],
  ["base64 on lines", base64(STACKS).replaceAll(/.{20}/g, "$&\n"), "bytes"],
  ["a data URL", `data:application/octet-stream;base64,${base64(STACKS)}`, "bytes"],
  ["base64 too long for a path", base64("x".repeat(9000)), "bytes"],
];

for (const [name, data, kind] of GIVEN) {
  Deno.test(`profiling_data: ${name} is ${kind === "path" ? "a path" : "a profile"}`, async () => {
    assertEquals(givenAs("profiling_data", data).kind, kind);
    const input = { profiling_data: data, max_results: 20 };
    const expected: readonly Capability[] = kind === "path"
      ? [{ kind: "fs.read", path: data, tree: false }]
      : [];
    assertEquals([...await tool.capabilities(input, { cwd: "." })], expected);
  });
}

Deno.test("profiling_data: what can be nothing of the three is refused before anything is asked for", () => {
  for (const data of ["a\0b", "x y".repeat(2000), "data:text/plain;base64,???"]) {
    const error = assertThrows(
      () => tool.check?.({ profiling_data: data, max_results: 20 }),
      ToolError,
    );
    assertEquals(error.code, "INVALID_ARGUMENTS");
    assert(error.message.length < 300);
  }
});

Deno.test("baseline and flame graph are asked for beside the profile", async () => {
  const input = {
    profiling_data: "a.pprof",
    baseline: "b.pprof",
    flame_graph: "x.SVG",
    max_results: 20,
  };
  tool.check?.(input);
  assertEquals([...await tool.capabilities(input, { cwd: "." })], [
    { kind: "fs.read", path: "a.pprof", tree: false },
    { kind: "fs.read", path: "b.pprof", tree: false },
    { kind: "fs.write", path: "x.SVG", tree: false },
    { kind: "fs.read", path: "x.SVG", tree: false, optional: true },
  ]);
  const wrong = assertThrows(
    () => tool.check?.({ ...input, flame_graph: "src/main.ts" }),
    ToolError,
  );
  assertEquals(wrong.code, "INVALID_ARGUMENTS");
});

Deno.test("a profile is the same as a file, as text and in base64", async () => {
  const memory = createMemory({ files: { "a.folded": STACKS } });
  const answers = await Promise.all(
    ["a.folded", STACKS, base64(STACKS)].map((profiling_data) =>
      call(tool, { profiling_data }, memory)
    ),
  );
  assertEquals(answers[1], answers[0]);
  assertEquals(answers[2], answers[0]);
  assertEquals(memory.usage["bytes_read"], STACKS.length);
});

Deno.test("a call that is to end ends, whatever it is reading", async () => {
  for (const name of ["demo.cpuprofile", "demo.pstats", "demo.pprof", "demo.perf"]) {
    const memory = createMemory({
      files: { [name]: recorded(name) },
      checkpoint: () => {
        throw new ToolError("CANCELLED", "cancelled");
      },
    });
    assertEquals(
      (await failure(() => call(tool, { profiling_data: name }, memory))).code,
      "CANCELLED",
    );
  }
});

Deno.test("what is missing, a folder or too large is refused as by read_file", async () => {
  const files = { "big.folded": new Uint8Array(32 * 1024 * 1024 + 1), "folder/a": "" };
  const memory = createMemory({ files });
  const codes = await Promise.all(
    ["none", "folder", "big.folded"].map(async (profiling_data) =>
      (await failure(() => call(tool, { profiling_data }, memory))).code
    ),
  );
  assertEquals(codes, ["FILE_NOT_FOUND", "NOT_A_FILE", "FILE_TOO_LARGE"]);
});

const FLAME = { profiling_data: STACKS, flame_graph: "out/flame.svg" };

Deno.test("a flame graph is written, and written again over itself, over nothing else", () =>
  inWorkspace(async ({ root, call }) => {
    const file = `${root}/out/flame.svg`;
    const preview = await call("analyze_performance", FLAME, true);
    assertEquals([...Deno.readDirSync(root)], []);
    const first = await call("analyze_performance", FLAME);
    assertEquals(first, preview);
    const svg = Deno.readTextFileSync(file);
    assert(svg.startsWith(SIGNATURE));
    const bytes = new TextEncoder().encode(svg).length;
    const shape = { path: "out/flame.svg", bytes, frames: 4, left_out: 0 };
    assertEquals(first["flame_graph"], { ...shape, created: true });
    const again = await call("analyze_performance", FLAME);
    assertEquals(again["flame_graph"], { ...shape, created: false });

    Deno.writeTextFileSync(file, "<svg>drawn by hand</svg>");
    for (const preview of [true, false]) {
      const error = await failure(() => call("analyze_performance", FLAME, preview));
      assertEquals(error.code, "FILE_EXISTS");
    }
    assertEquals(Deno.readTextFileSync(file), "<svg>drawn by hand</svg>");
  }));

Deno.test("where it cannot be seen what is there, a flame graph is written only where nothing is", () =>
  inWorkspace(async ({ root, call }) => {
    const args = { profiling_data: STACKS, flame_graph: "hidden/a.svg" };
    assertEquals((await call("analyze_performance", args))["functions"], 4);
    const before = Deno.readTextFileSync(`${root}/hidden/a.svg`);
    const error = await failure(() => call("analyze_performance", args));
    assertEquals(error.code, "FILE_EXISTS");
    assertEquals(Deno.readTextFileSync(`${root}/hidden/a.svg`), before);
  }, { paths: [pathRule("allow", ["**"]), pathRule("deny", ["hidden/**"], ["read"])] }));

Deno.test("a denied profile is not read, nor a denied baseline, nor a denied flame graph written", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeTextFileSync(`${root}/secret.folded`, STACKS);
    for (
      const args of [
        { profiling_data: "secret.folded" },
        { profiling_data: STACKS, baseline: "secret.folded" },
        { profiling_data: STACKS, flame_graph: "kept.svg" },
      ]
    ) {
      const error = await failure(() => call("analyze_performance", args));
      assertEquals(error.code, "PATH_DENIED");
      assert(!error.message.includes("parse"));
    }
    assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["secret.folded"]);
  }, {
    paths: [
      pathRule("allow", ["**"]),
      pathRule("deny", ["secret*"], ["read"]),
      pathRule("deny", ["kept*"], ["write"]),
    ],
  }));

Deno.test("reading needs file_read, a flame graph file_write beside it", () =>
  inWorkspace(async ({ root, call }) => {
    assertEquals((await call("analyze_performance", { profiling_data: STACKS }))["functions"], 4);
    const error = await failure(() => call("analyze_performance", FLAME));
    assertEquals(error.code, "PERMISSION_DENIED");
    assertStringIncludes(error.message, "file_write");
    assertEquals([...Deno.readDirSync(root)], []);
  }, { agents: { root: { permissions: ["file_read"] } } }));

Deno.test("a flame graph larger than the policy lets be written is refused whole", async () => {
  const memory = createMemory({ limits: { write: 1000 } });
  const error = await failure(() => call(tool, FLAME, memory));
  assertEquals(error.code, "FILE_TOO_LARGE");
  assertEquals(memory.nodes.size, 0);
});
