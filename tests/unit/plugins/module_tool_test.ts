import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import type { Tool } from "../../../src/core/tool.ts";
import { isModule, type ModuleManifest } from "../../../src/plugins/manifest.ts";
import { readModule, withCode } from "../../../src/plugins/module_source.ts";
import { createModuleTool } from "../../../src/plugins/module_tool.ts";
import { parseManifest } from "../../../src/plugins/parse_manifest.ts";
import { reviewManifest } from "../../../src/plugins/review.ts";
import { needsText } from "../../../src/plugins/template_text.ts";
import { createMemory } from "../tools/_memory_context.ts";

const BASE = {
  version: 1,
  name: "tool",
  description: "A test.",
  risk: "safe",
  module: "./tool.js",
};
const path = { type: "string" };

function problemsOf(keys: Readonly<Record<string, unknown>>): readonly string[] {
  const parsed = parseManifest(JSON.stringify({ ...BASE, ...keys }), "test.yaml");
  return "problems" in parsed
    ? parsed.problems.map(({ key, message }) => `${key}: ${message}`)
    : [];
}

function manifest(keys: Readonly<Record<string, unknown>> = {}): ModuleManifest {
  const parsed = parseManifest(JSON.stringify({ ...BASE, ...keys }), "test.yaml");
  assert("manifest" in parsed, JSON.stringify(parsed));
  assert(isModule(parsed.manifest));
  const source = { language: "javascript", text: "export default () => 1;" } as const;
  return { ...parsed.manifest, source };
}

function toolOf(keys: Readonly<Record<string, unknown>>): Tool {
  return createModuleTool(manifest(keys)) as Tool;
}

const refused: [Readonly<Record<string, unknown>>, string][] = [
  [{ command: ["echo"] }, "module: stands beside a command"],
  [{ module: "/abs.js" }, "module: "],
  [{ module: "../up.js" }, "module: "],
  [{ module: "./a/../../up.js" }, "module: "],
  [{ module: "./a\\nb.js" }, "module: "],
  [{ module: "tool.py" }, "module: "],
  [{ module: "tool.tsx" }, "module: "],
  [{ module: "" }, "module: "],
  [{ cwd: "x" }, "cwd: "],
  [{ stdin: "{*}" }, "stdin: "],
  [{ success: [1] }, "success: "],
  [{ output: "text" }, "output: "],
  [{ output: { format: "lines" } }, "output.format: "],
  [{ needs: { run: ["sh"] } }, "needs.run: "],
  [{ needs: { connect: ["a:1"] } }, "needs.connect: "],
  [{ needs: { read: ["*.txt"] } }, "needs.read[0]: "],
  [{ needs: { read: ["a/**/b"] } }, "needs.read[0]: "],
  [{ needs: { read: ["/**"] } }, "needs.read[0]: "],
  [{ needs: { read: [""] } }, "needs.read[0]: "],
  [{ needs: { read: ["{path}"] } }, "needs.read[0]: there is no parameter"],
  [{ needs: { write: Array(65).fill("a") } }, "needs.write: has 65"],
  [{ parameters: { properties: { path } }, needs: { read: ["{-path}"] } }, "needs.read[0]: "],
  [{ parameters: { properties: { path } }, needs: { read: ["{path...}"] } }, "needs.read[0]: "],
  [
    { parameters: { properties: { path: { type: "object" } } }, needs: { read: ["{path}"] } },
    "needs",
  ],
];

Deno.test("parseManifest(): what a module's manifest may not say", () => {
  for (const [keys, expected] of refused) {
    const [first = ""] = problemsOf(keys);
    assertStringIncludes(first, expected, JSON.stringify(keys));
  }
});

const lowered: [needs: unknown, args: Record<string, unknown>, expected: readonly string[]][] = [
  [undefined, {}, []],
  [{ read: ["a.txt", "data/**", "**"] }, {}, ["fs.read a.txt", "fs.read data/**", "fs.read ./**"]],
  [{ read: ["{path}"] }, { path: "x y" }, ["fs.read x y"]],
  [{ read: ["{path}"] }, {}, []],
  [{ read: ["{path}/**"] }, { path: "src" }, ["fs.read src/**"]],
  [{ read: ["{list...}"] }, { list: ["a", "b"] }, ["fs.read a", "fs.read b"]],
  [{ read: ["d/{path}.csv"] }, { path: "../../x" }, ["fs.read d/../../x.csv"]],
  [{ write: ["{path}"] }, { path: "**" }, ["fs.read **", "fs.write **"]],
  [{ write: ["out/**"] }, {}, ["fs.read out/**", "fs.write out/**"]],
];

Deno.test("capabilities(): what a module needs, with the arguments put in and nothing else", async () => {
  const parameters = { properties: { path, list: { type: "array", items: path } } };
  for (const [needs, args, expected] of lowered) {
    const tool = toolOf({ parameters, ...(needs === undefined ? {} : { needs }), env: ["LANG"] });
    const shown = (await tool.capabilities(args, { cwd: "." })).map((one) => {
      if (one.kind === "fs.read" || one.kind === "fs.write") {
        return `${one.kind} ${one.path}${one.tree ? "/**" : ""}`;
      }
      return one.kind === "env.read" ? one.name : one.kind;
    });
    assertEquals(shown, [...expected, "LANG"]);
    const rehearsed = await tool.capabilities(tool.dryRun?.(args), { cwd: "." });
    assertEquals(rehearsed.filter(({ kind }) => kind === "fs.write"), []);
  }
});

Deno.test("check(): arguments that come to no path are refused", () => {
  const tool = toolOf({
    parameters: { properties: { path, list: { type: "array", items: path } } },
    needs: { read: ["{path}", "{list...}"] },
  });
  for (
    const args of [{ path: "a\0b" }, { path: "\ud800" }, { path: "" }, {
      list: Array(1001).fill("a"),
    }]
  ) {
    let code = "";
    try {
      tool.check?.(args);
    } catch (error) {
      code = (error as ToolError).code;
    }
    assertEquals(code, "INVALID_ARGUMENTS", JSON.stringify(args).slice(0, 40));
  }
});

const WRITER = { parameters: { properties: { path } }, needs: { write: ["{path}"] } };

Deno.test("run(): what may be written is there when the module starts, what is there stays", async () => {
  for (const path of ["new.txt", "old.txt"]) {
    let seen: unknown;
    const memory = createMemory({
      files: { "old.txt": "old" },
      moduleAnswer: (_, nodes) => {
        seen = nodes.get(path);
        return { kind: "value", json: "1" };
      },
    });
    await toolOf(WRITER).run({ path }, memory.context);
    assert(seen !== undefined);
    assertEquals(memory.nodes.get("old.txt"), "old");
  }
});

Deno.test("run(): each way that a module's process can end has its code", async () => {
  const cases: readonly [Parameters<typeof createMemory>[0], string][] = [
    [{}, "COMMAND_FAILED"],
    [{ outcome: { timedOut: true } }, "TIMEOUT"],
    [{ outcome: { cancelled: true } }, "CANCELLED"],
    [{ outcome: { exceeded: "memory" } }, "RESOURCE_LIMIT"],
    [{ moduleAnswer: () => ({ kind: "not loaded", message: "x" }) }, "EXECUTION_ERROR"],
    [{ moduleAnswer: () => ({ kind: "no value", message: "x" }) }, "EXECUTION_ERROR"],
    [{ moduleAnswer: () => ({ kind: "too long", message: "x" }) }, "RESOURCE_LIMIT"],
    [{ moduleAnswer: () => ({ kind: "not held", message: "x" }) }, "NATIVE_DENIED"],
    [{ moduleAnswer: () => ({ kind: "no entry" }) }, "EXECUTION_ERROR"],
    [{ moduleAnswer: () => ({ kind: "value", json: '"x"' }) }, "EXECUTION_ERROR"],
  ];
  for (const [options, code] of cases) {
    const tool = toolOf({ output: { schema: { type: "integer" } } });
    const error = await assertRejects(
      async () => await tool.run({}, createMemory(options).context),
      ToolError,
    );
    assertEquals(error.code, code);
  }
});

Deno.test("run(): a dryRun asks for the module's own preview, and does without one", async () => {
  const tool = toolOf(WRITER);
  const own = createMemory({ moduleAnswer: () => ({ kind: "value", json: "[1]" }) });
  const input = tool.dryRun?.({ path: "a" });
  const shown = await tool.run(input, own.context) as Record<string, unknown>;
  assertEquals([shown["preview"], own.modules[0]?.entry], [[1], "preview"]);
  assertEquals(own.modules[0]?.args, { path: "a" });
  assertEquals([...own.nodes.keys()], []);
  const none = createMemory({ moduleAnswer: () => ({ kind: "no entry" }) });
  const grants = {
    read: ["a"],
    write: ["a"],
    env: [],
    programs: [],
    network: [],
  };
  assertEquals(await tool.run(input, none.context), { description: "Custom tool tool", grants });
  // Before an approval nothing of the module runs.
  assertEquals(await tool.preview?.({ path: "a" }, none.context), {
    description: "Custom tool tool",
    grants,
  });
});

Deno.test("readModule(): types go, and what does not stand alone is told with its line", async () => {
  const typed = {
    language: "typescript",
    text: "export default (a: string): string => a;",
  } as const;
  const ready = await withCode({ ...manifest(), source: typed });
  assertEquals(ready.source?.language, "javascript");
  const wrong = await readModule({
    language: "javascript",
    text:
      'import a from "npm:a";\nimport fs from "node:fs";\nimport("x");\nexport * from "https://y/z.js";',
  });
  assert("problems" in wrong);
  assertEquals(wrong.problems.map(({ line }) => line), [1, 3, 4, 1]);
  await assertRejects(
    () => withCode({ ...manifest(), source: { language: "typescript", text: "let a: ;" } }),
    Error,
    "tool.js:1:",
  );
});

Deno.test("reviewManifest() and needsText() tell what a module is granted", () => {
  const wide = manifest({
    parameters: { properties: { path }, required: ["path"] },
    needs: { read: ["**", "{path}/**", "data/**"], write: ["x"] },
  });
  assertEquals(reviewManifest(wide).map(({ key }) => key), [
    "needs.read[0]",
    "needs.read[1]",
    "risk",
  ]);
  assertEquals(needsText(wide).slice(2), ["- reads `**`, `{path}/**`, `data/**`", "- writes `x`"]);
  assertStringIncludes(needsText(manifest()).join(), "no files");
});
