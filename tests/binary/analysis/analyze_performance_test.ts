/** Profiles by the binary: real ones of every format, hostile ones beside honest work, and who may have them drawn. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { gzipSync } from "node:zlib";
import { type Answer, call, Pipe, start, Workspace } from "../toolgate.ts";
import { recorded } from "../../unit/tools/analysis/profiles/_read.ts";
import * as write from "../../unit/tools/analysis/profiles/_written.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read], match: ["closed/**"] }
agents:
  root: { permissions: [all] }
  reader: { permissions: [file_read] }
`;
const STACKS = [{ frames: ["main", "work"], weight: 3 }, { frames: ["main"], weight: 1 }];
const RECORDED = {
  "demo.cpuprofile": ["cpuprofile", "ms", "work"],
  "demo.pstats": ["pstats", "ms", "odd"],
  "demo.pprof": ["pprof", "ms", "cmpbody"],
  "demo.perf": ["perf_script", "ms", "unicodekeys_lookup_unicode"],
} as const;

const analyse = (id: number, args: Readonly<Record<string, unknown>>, more = {}) => ({
  id,
  tool: "analyze_performance",
  args,
  ...more,
});

function openWorkspace(): Workspace {
  const workspace = new Workspace({
    "a.folded": write.collapsed(STACKS),
    "a.speedscope.json": write.speedscope(STACKS, "evented"),
    "closed/a.folded": "hidden;name 5\n",
  });
  for (const name of Object.keys(RECORDED)) {
    Deno.writeFileSync(workspace.path(name), recorded(name));
  }
  return workspace;
}

Deno.test("profiles of every format, each known by its looks, wherever it comes from", async () => {
  await using workspace = openWorkspace();
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  for (const [name, [format, unit, hottest]] of Object.entries(RECORDED)) {
    const bare = name.replace(".", "-");
    Deno.copyFileSync(workspace.path(name), workspace.path(bare));
    const answers = [
      await pipe.ask(analyse(1, { profiling_data: name })),
      await pipe.ask(analyse(2, { profiling_data: bare })),
      await pipe.ask(analyse(3, { profiling_data: recorded(name).toBase64() })),
    ];
    for (const { output, error } of answers) {
      assertEquals(error, null, name);
      assertEquals([output.format, output.unit, output.hot[0].function], [format, unit, hottest]);
      assertEquals(output, answers[0]?.output);
    }
  }
  for (const name of ["a.folded", "a.speedscope.json"]) {
    const { output } = await pipe.ask(analyse(4, { profiling_data: name, focus: "work" }));
    assertEquals([output.total, output.hot[0].function, output.callers[0].function], [
      4,
      "work",
      "main",
    ]);
  }
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("one call: words on a terminal, a code and a status where it is no profile", async () => {
  await using workspace = openWorkspace();
  const options = { cwd: workspace.root };
  const shown = await start(
    ["call", "analyze_performance", "profiling_data=demo.pprof", "--format", "text"],
    options,
  );
  assertEquals(shown.status, 0);
  assertStringIncludes(shown.stdout, "cmpbody");
  workspace.write("notes.txt", "Dear reader\n");
  const { status, answer } = await call(
    ["analyze_performance", "profiling_data=notes.txt"],
    options,
  );
  assertEquals([status, answer.error?.code], [1, "UNKNOWN_PROFILE"]);
});

Deno.test("what is denied is not read, and who may only read has nothing drawn", async () => {
  await using workspace = openWorkspace();
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const refused = async (args: Readonly<Record<string, unknown>>, agent: string, code: string) => {
    const { error, output } = await pipe.ask(analyse(1, args, { agent }));
    assertEquals(error?.code, code);
    assert(!JSON.stringify([error, output]).includes("hidden"));
  };
  await refused({ profiling_data: "closed/a.folded" }, "root", "PATH_DENIED");
  await refused({ profiling_data: "a.folded", baseline: "closed/a.folded" }, "root", "PATH_DENIED");
  await refused({ profiling_data: "../outside/sentinel.txt" }, "root", "PATH_OUTSIDE_WORKSPACE");
  await refused(
    { profiling_data: "a.folded", flame_graph: "a.svg" },
    "reader",
    "PERMISSION_DENIED",
  );
  await refused(
    { profiling_data: "a.folded", flame_graph: "../outside/a.svg" },
    "root",
    "PATH_OUTSIDE_WORKSPACE",
  );
  await refused(
    { profiling_data: "a.folded", flame_graph: "closed.txt" },
    "root",
    "INVALID_ARGUMENTS",
  );
  Deno.symlinkSync(workspace.outside, workspace.path("link"));
  await refused({ profiling_data: "link/sentinel.txt" }, "root", "PATH_OUTSIDE_WORKSPACE");
  await refused(
    { profiling_data: "a.folded", flame_graph: "link/a.svg" },
    "root",
    "PATH_OUTSIDE_WORKSPACE",
  );
  const names = [...Deno.readDirSync(workspace.root)].filter(({ name }) => name.endsWith(".svg"));
  assertEquals(names, []);

  const reader = await pipe.ask(analyse(2, { profiling_data: "a.folded" }, { agent: "reader" }));
  assertEquals([reader.error, reader.risk], [null, "safe"]);
  const drawn = await pipe.ask(
    analyse(3, { profiling_data: "a.folded", flame_graph: "new/a.svg" }),
  );
  assertEquals([drawn.error, drawn.risk], [null, "moderate"]);
  const svg = workspace.read("new/a.svg");
  assertEquals(drawn.output.flame_graph.bytes, new TextEncoder().encode(svg).length);
  assertStringIncludes(svg, "<title>work\n3 samples, 75.00 %</title>");
  assertEquals((await pipe.close()).status, 0);
  workspace.assertOutsideUntouched();
});

/** As much as a profile may have. */
const MANY = 32 * 1024 * 1024;

/** Each made to take forever, or all memory. */
const HOSTILE: Readonly<Record<string, () => string | Uint8Array>> = {
  "bomb.gz": () => new Uint8Array(gzipSync(new Uint8Array(8 * MANY))),
  "brackets.json": () => `{"nodes":${"[".repeat(MANY / 2)}`,
  "empty lists.json": () => `{"nodes":[${"[],".repeat(MANY / 4)}[]],"samples":[]}`,
  "circle.cpuprofile": () =>
    '{"nodes":[{"id":1,"children":[2]},{"id":2,"children":[1]}],"samples":[1]}',
  "deep.folded": () => `${"a;".repeat(MANY / 2 - 4)}b 1\n`,
  "names.folded": () => Array.from({ length: 600_000 }, (_, index) => `f${index} 1\n`).join(""),
  "blanks.perf": () => `c 1 1.0: 1 cycles: 1 f (d)\n${`a${" ".repeat(990)}\n`.repeat(20_000)}`,
  "lists.pstats": () => new Uint8Array(MANY).fill(0x29).fill(0x7b, 0, 1),
  "nothing.pstats": () =>
    Uint8Array.from([0x7b, 0x28, 0xff, 0xff, 0xff, 1, ...new Uint8Array(1000).fill(0x4e)]),
  "empty samples.pprof": () => {
    const bytes = new Uint8Array(MANY);
    for (let at = 0; at < bytes.length; at += 2) bytes[at] = 0x32;
    bytes.set(write.pprof([{ frames: ["a"], weight: 1 }]).subarray(0, 12));
    return bytes;
  },
};

Deno.test("hostile profiles are refused, and whoever asks meanwhile is answered", async () => {
  await using workspace = openWorkspace();
  for (const [name, make] of Object.entries(HOSTILE)) {
    const data = make();
    if (typeof data === "string") workspace.write(name, data);
    else Deno.writeFileSync(workspace.path(name), data);
  }
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const read = { id: "read", tool: "read_file", args: { path: "a.folded" } };
  for (const name of Object.keys(HOSTILE)) {
    await pipe.send(analyse(1, { profiling_data: name, flame_graph: "x.svg" }), read);
    const answers = await pipe.answers(2);
    assertEquals(answers.get("read")?.error, null);
    const code = answers.get(1)?.error?.code ?? "";
    assert(
      ["UNKNOWN_PROFILE", "RESOURCE_LIMIT"].includes(code) || name === "blanks.perf",
      `${name}: ${code}`,
    );
  }
  const { error } = await pipe.ask(analyse(3, { profiling_data: "a.folded" }));
  assertEquals(error, null);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a call that takes long is cancelled, or ends when its time is over", async () => {
  await using workspace = openWorkspace();
  const line = `c 1 1.0: 1 cycles: 1 f (d)\n`;
  workspace.write("long.perf", line.repeat(Math.floor(MANY / line.length)));
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const codeOf = (answer: Answer | undefined) => answer?.error?.code;
  // The least that may be asked for: no machine reads 32 MiB of text in it.
  assertEquals(
    codeOf(await pipe.ask(analyse(1, { profiling_data: "long.perf" }, { timeout_ms: 1 }))),
    "TIMEOUT",
  );
  await pipe.send(analyse(2, { profiling_data: "long.perf" }), { id: 3, op: "cancel", target: 2 });
  const answers = await pipe.answers(2);
  assertEquals(codeOf(answers.get(2)), "CANCELLED");
  const { error } = await pipe.ask(analyse(4, { profiling_data: "a.folded" }));
  assertEquals(error, null);
  assertEquals((await pipe.close()).status, 0);
});
