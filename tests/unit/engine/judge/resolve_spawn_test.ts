import { assertEquals, assertThrows } from "@std/assert";
import type { SpawnCapability } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import { atOnce } from "../../../../src/engine/turns.ts";
import { createSpawnResolver } from "../../../../src/engine/judge/resolve_spawn.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { canonical, program } from "../../policy/_fixtures.ts";
import { openEngine } from "../_stand_ins.ts";

const FILES = { "a.txt": "", "b=c": "", "out": "", "folder/d.txt": "", "x": "" };

/** Resolves commands in a folder with `FILES`; notes where each program was looked for. */
async function resolved(commands: readonly Partial<SpawnCapability>[]) {
  await using workspace = new Workspace(FILES);
  Deno.symlinkSync(workspace.outside, workspace.path("way"));
  const looked: unknown[] = [];
  const { rulebook } = openEngine(workspace.root, {});
  const { RUNTIME_PROBE } = await import("../../../../src/host/paths/path_probe.ts");
  await rulebook.prepare([{ kind: "process.spawn" }]);
  const resolve = createSpawnResolver(rulebook, (name, cwd) => {
    looked.push([name, cwd.slice(workspace.root.length)]);
    return name === "nowhere" ? null : program(name);
  });
  const short = (path: string) => path.replace(workspace.base, "");
  const results = commands.map((parts) => {
    const command: SpawnCapability = {
      kind: "process.spawn",
      argv: ["unknown"],
      cwd: ".",
      ...parts,
    };
    const { spawn, reached } = atOnce(resolve(command, RUNTIME_PROBE));
    return {
      cwd: short(spawn.cwd),
      program: spawn.program?.start ?? null,
      operands: spawn.operands.map(({ requested, path, directory }) => [
        requested,
        short(path),
        directory,
      ]),
      reached,
    };
  });
  return { results, looked };
}

Deno.test("the program is looked for by its own word, from the folder that it starts in", async () => {
  const { results, looked } = await resolved([
    { argv: ["cat", "a.txt"] },
    { argv: ["nowhere"], cwd: "folder" },
    { argv: [] },
  ]);
  assertEquals(looked, [["cat", ""], ["nowhere", "/folder"], ["", ""]]);
  assertEquals(results.map(({ cwd, program }) => [cwd, program]), [
    ["/workspace", "/usr/bin/cat"],
    ["/workspace/folder", null],
    ["/workspace", "/usr/bin/"],
  ]);
});

Deno.test("words of a program that no table knows count where they name what is there, however they do", async () => {
  const of = (...argv: readonly string[]) => ({ argv: ["unknown", ...argv] });
  const file = (requested: string, path = requested) => [requested, `/workspace/${path}`, false];
  const cases: readonly (readonly [readonly string[], readonly unknown[]])[] = [
    [["a.txt"], [file("a.txt")]],
    [["missing.txt"], []],
    [["folder"], [["folder", "/workspace/folder", true]]],
    [["--output=out"], [file("out")]],
    // The whole word, and what is behind the first sign alone.
    [["b=c"], [file("b=c")]],
    [["-ox"], [file("x")]],
    [["-x"], []],
    [["--x"], []],
    [["-", "--", ""], []],
    [["./folder/../a.txt"], [file("./folder/../a.txt", "a.txt")]],
    [["way/sentinel.txt"], [["way/sentinel.txt", "/outside/sentinel.txt", false]]],
    [["a.txt\0b"], []],
  ];
  const { results } = await resolved(cases.map(([words]) => of(...words)));
  cases.forEach(([words, operands], at) =>
    assertEquals(results[at]?.operands, operands, words.join(" "))
  );
});

Deno.test("of a program that the table knows, what its words reach is told, too", async () => {
  const { results: [result] } = await resolved([{ argv: ["cat", "a.txt"] }]);
  assertEquals(result?.reached.map((one) => "path" in one ? [one.kind, one.path] : one.kind), [
    ["fs.read", "a.txt"],
  ]);
});

Deno.test("more words than can be judged are refused", async () => {
  await resolved([{ argv: Array(10_000).fill("-") }]);
  const { rulebook } = openEngine("/w", {});
  const resolve = createSpawnResolver(rulebook, () => null);
  const words: readonly (readonly [readonly string[], string])[] = [
    [Array(10_001).fill("-"), "10001 arguments"],
    [["cat", "x".repeat(131_072)], "131072 bytes"],
    [["cat", "é".repeat(65_536)], "131072 bytes"],
    [["cat", "x".repeat(16_000_000)], "2097152 bytes"],
    [Array(9_000).fill("x".repeat(300)), "2097152 bytes"],
  ];
  for (const [argv, said] of words) {
    const command = { kind: "process.spawn", argv, cwd: canonical("/") } as const;
    const error = assertThrows(() => atOnce(resolve(command, {} as never)), ToolError, said);
    assertEquals(error.code, "COMMAND_UNPARSABLE");
  }
  await resolved([{ argv: ["cat", "x".repeat(131_071)] }]);
});
