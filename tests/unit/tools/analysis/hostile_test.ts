/** Files that are no honest code, before each tool that goes through code: named with why, and the rest as without them. */

import { assert, assertEquals } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import dependencies from "../../../../src/tools/analysis/analyze_dependencies.ts";
import { MANIFESTS } from "../../../../src/toolkit/project/manifests.ts";
import structure from "../../../../src/tools/analysis/analyze_code_structure.ts";
import patterns from "../../../../src/tools/analysis/find_code_patterns.ts";
import similar from "../../../../src/tools/analysis/find_similar_code.ts";
import complexity from "../../../../src/tools/analysis/measure_code_complexity.ts";
import { Random } from "../../../random.ts";
import { call, createMemory, type Node } from "../_memory_context.ts";
import { mutated } from "./_mutated.ts";
import { SOURCES } from "./_sources.ts";

/** Each tool, and what of its answer is about honest files alone. */
const TOOLS: readonly {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly isQuery?: true;
  readonly honest: (output: Record<string, unknown>, is: (file: string) => boolean) => unknown;
}[] = [
  {
    tool: structure as Tool,
    args: {},
    honest: ({ files }, is) => rows(files).filter(({ path }) => is(path as string)),
  },
  {
    tool: complexity as Tool,
    args: {},
    honest: ({ functions }, is) => rows(functions).filter(({ file }) => is(file as string)),
  },
  {
    tool: dependencies as Tool,
    args: {},
    honest: ({ edges }, is) => rows(edges).filter(({ from }) => is(from as string)),
  },
  {
    tool: patterns as Tool,
    args: { pattern: "walk($$$A)" },
    honest: ({ matches }, is) => rows(matches).filter(({ file }) => is(file as string)),
  },
  {
    tool: patterns as Tool,
    args: { pattern: "(identifier) @name" },
    isQuery: true,
    honest: ({ matches }, is) => rows(matches).filter(({ file }) => is(file as string)),
  },
  { tool: similar as Tool, args: { min_tokens: 20 }, honest: () => [] },
];

const LIMITS = { entries: 10_000, matches: 10_000 };

function rows(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return value as readonly Readonly<Record<string, unknown>>[];
}

const ENDINGS = Object.keys(SOURCES).map((name) => name.slice(name.indexOf(".")));

const ENCODER = new TextEncoder();

/** Texts that take a fifth of a second each: another language before each tool. */
const DEAR = ["enormous", "brackets", "nested"];
const EACH = 10;

/** Signs that lie in one another. */
const DEEP = 100_000;
/**
 * Of a query: the library goes through all that a node lies in, for each node, and no time runs out here, where the clock
 * stands still.
 */
const DEEP_QUERIED = 5_000;

/**
 * By name, what an ending's file holds, so deep; `reason`: what is said of it in each language, null where it may be
 * code.
 */
const HOSTILE: Readonly<
  Record<
    string,
    { readonly of: (ending: string, deep: number) => Node; readonly reason: RegExp | null }
  >
> = {
  binary: { of: () => new Uint8Array([97, 0, 98]), reason: /binary/ },
  enormous: { of: () => "x".repeat(4 * 1024 * 1024 + 1), reason: /more than 4194304 bytes/ },
  brackets: {
    of: (_, deep) => "(".repeat(deep),
    reason: /not understood|too long|memory/,
  },
  nested: { of: (_, deep) => "[".repeat(deep) + "]".repeat(deep), reason: null },
  cut: { of: (ending) => (sourceOf(ending)).slice(0, 300), reason: null },
  latin: {
    of: (ending) => new Uint8Array([...ENCODER.encode(sourceOf(ending)), 0xe9, 0xff, 0x0a]),
    reason: /no valid UTF-8/,
  },
  wide: {
    of: () => new Uint8Array(Uint16Array.from("let a = 1;", (sign) => sign.charCodeAt(0)).buffer),
    reason: /binary/,
  },
  marked: {
    of: () => new Uint8Array(Uint16Array.from("\ufefflet a;", (sign) => sign.charCodeAt(0)).buffer),
    reason: /it is UTF-16LE, not UTF-8/,
  },
  surrogates: { of: () => new Uint8Array([0xed, 0xa0, 0x80, 0x0a]), reason: /no valid UTF-8/ },
};

function sourceOf(ending: string): string {
  return SOURCES[Object.keys(SOURCES).find((name) => name.endsWith(ending)) ?? ""] ?? "";
}

/** What each tool says of the honest files where there are no others. */
const alone = TOOLS.map(({ tool, args }) =>
  call(tool, args, createMemory({ files: SOURCES, limits: LIMITS }))
);

for (const [name, { of, reason }] of Object.entries(HOSTILE)) {
  Deno.test(`${name} files of every language are passed over with the reason, by every tool`, async () => {
    const isHonest = (path: string) => path in SOURCES;
    for (const [turn, { tool, args, isQuery = false, honest }] of TOOLS.entries()) {
      const files = Object.fromEntries(
        ENDINGS.filter((_, at) => !DEAR.includes(name) || at % EACH === turn % EACH)
          .map((ending) => [`x/${name}${ending}`, of(ending, isQuery ? DEEP_QUERIED : DEEP)]),
      );
      const memory = createMemory({ files: { ...SOURCES, ...files }, limits: LIMITS });
      const output = await call(tool, args, memory);
      assertEquals(honest(output, isHonest), honest(await alone[turn]!, isHonest), tool.name);
      const skipped = rows(output["skipped"]);
      if (reason === null) continue;
      for (const path of Object.keys(files)) {
        const said = skipped.find((each) => each["path"] === path)?.["reason"];
        // Shell takes brackets for a word.
        const isTaken = name === "brackets" && said === undefined && path.endsWith(".sh");
        assert(isTaken || reason.test(String(said)), `${tool.name} ${path}: ${said}`);
      }
    }
  });
}

Deno.test("code of every language changed at random is analysed or passed over, by every tool", async () => {
  const random = new Random(19);
  for (let round = 0; round < 4; round++) {
    const files = Object.fromEntries(
      Object.entries(SOURCES).flatMap(([name, text]) =>
        Array.from({ length: 4 }, (_, at) => [`m${at}/${name}`, mutated(text, random)] as const)
      ),
    );
    for (const { tool, args } of TOOLS) {
      const memory = createMemory({ files, limits: LIMITS });
      let output: Record<string, unknown>;
      try {
        output = await call(tool, args, memory);
      } catch (error) {
        // A pattern may be code in none of them.
        if (error instanceof ToolError && error.code === "INVALID_PATTERN") continue;
        throw error;
      }
      holds(tool.name, output, files);
    }
  }
});

/** Whatever the code is, places lie in the files, and what is named is there. */
function holds(
  tool: string,
  output: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>>,
): void {
  const linesOf = (path: unknown) => (files[path as string] ?? "").split("\n").length;
  const isWithin = (file: unknown, line: unknown, end: unknown = line) => {
    const [from, to] = [line as number, end as number];
    assert(from >= 1 && from <= to && to <= linesOf(file), `${tool} ${file}:${from}-${to}`);
  };
  for (const key of ["functions", "matches"]) {
    for (const { file, line, end_line } of rows(output[key] ?? [])) {
      if (typeof file === "string") isWithin(file, line, end_line);
    }
  }
  for (
    const { path, lines, symbols } of tool === "analyze_code_structure" ? rows(output["files"]) : []
  ) {
    const { code, comment, blank } = lines as Record<string, number>;
    const text = files[path as string] ?? "";
    const there = linesOf(path) - (text === "" || text.endsWith("\n") ? 1 : 0);
    assertEquals((code ?? 0) + (comment ?? 0) + (blank ?? 0), there, `${path}`);
    for (const { line, end_line } of rows(symbols)) isWithin(path, line, end_line);
  }
  for (const { from, to, line } of rows(output["edges"] ?? [])) {
    isWithin(from, line);
    assert((output["nodes"] as readonly string[]).includes(to as string), `${from} → ${to}`);
  }
  for (const { places } of rows(output["groups"] ?? [])) {
    for (const { file, line, end_line } of rows(places)) isWithin(file, line, end_line);
  }
}

Deno.test("a file in which a pattern fits in too many ways is passed over, and others are searched", async () => {
  const pattern = "f($$$A, x, $$$B, y, $$$C, z, $$$D, q)";
  const files = {
    "a.js": `f(${"x, y, z, ".repeat(2_000)}w);\n`,
    "b.js": "f(1, x, 2, y, z, q);\n",
  };
  const output = await call(patterns as Tool, { pattern }, createMemory({ files }));
  assertEquals(rows(output["matches"]).map(({ file }) => file), ["b.js"]);
  assertEquals(rows(output["skipped"]).map(({ path }) => path), ["a.js"]);
});

Deno.test("a row of statements is looked for among very many in time", async () => {
  const files = { "a.js": `${"a();\nb();\n".repeat(40_000)}c();\n` };
  const output = await call(patterns as Tool, { pattern: "b(); c();" }, createMemory({ files }));
  assertEquals(rows(output["matches"]).map(({ line }) => line), [80_000]);
  assertEquals(output["skipped"], []);
});

Deno.test("settings and lock files of any make say nothing, and end nothing", async () => {
  const texts: readonly Node[] = [
    "[".repeat(100_000),
    '{"a":'.repeat(100_000),
    `${"[a.".repeat(50_000)}]`,
    `a@${":".repeat(100_000)}`,
    new Uint8Array([0xff, 0xfe, 0, 1]),
    '{ "paths": 1, "compilerOptions": [], "workspaces": "x", "imports": { "a": {} }, "exports": [[]] }',
    "module\nreplace => \nrequire (\n",
    "[workspace]\nmembers = 1\n[dependencies]\na = { path = 3 }\n",
  ];
  for (const text of texts) {
    const manifests = Object.fromEntries([...MANIFESTS].map((name) => [name, text]));
    const memory = createMemory({ files: { ...SOURCES, ...manifests }, limits: LIMITS });
    const output = await call(dependencies as Tool, {}, memory);
    assertEquals(rows(output["edges"]).map(({ to }) => to).sort(), ["a.ts", "a.ts", "b.tsx"]);
  }
});
