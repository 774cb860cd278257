import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import similar from "../../../../src/tools/analysis/find_similar_code.ts";
import { Random } from "../../../random.ts";
import { call, createMemory, type Node } from "../_memory_context.ts";
import { inWorkspace } from "../_real_workspace.ts";

interface Group {
  readonly kind: string;
  readonly similarity: number;
  readonly tokens: number;
  readonly places: readonly {
    readonly file: string;
    readonly line: number;
    readonly end_line: number;
  }[];
}

async function find(
  files: Readonly<Record<string, Node>>,
  args: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown> & { readonly groups: readonly Group[] }> {
  const output = await call(similar as Tool, args, createMemory({ files }));
  return output as Record<string, unknown> & { readonly groups: readonly Group[] };
}

/** A group in one line. */
function said({ kind, places }: Group): string {
  return `${kind}: ${
    places.map(({ file, line, end_line }) => `${file}:${line}-${end_line}`).join(" ")
  }`;
}

const FUNCTION = `export function total(items: readonly Item[], limit: number): number {
  let sum = 0;
  for (const item of items) {
    if (item.price > limit) continue;
    sum += item.price * item.count;
  }
  return Math.round(sum * 100) / 100;
}
`;
const RENAMED = FUNCTION.replaceAll("total", "whole").replaceAll("item", "entry").replaceAll(
  "sum",
  "all",
);
const CHANGED = FUNCTION.replace(
  "    sum += item.price * item.count;\n",
  "    const cost = item.price * item.count;\n    log(cost);\n    sum += cost;\n",
);
const OTHER = `export function other(name: string): string[] {
  const parts = name.split(".").map((part) => part.trim());
  return parts.length > 3 ? parts.slice(0, 3) : [...parts, "end", String(parts.length)];
}
`;

Deno.test("what stands in several places is found as it is, with other names, and changed", async () => {
  const laidOut = FUNCTION.replaceAll("\n", "\n\n").replace("let sum", "/* begins */ let sum");
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["the same", FUNCTION, ["exact: a.ts:5-12 b.ts:1-8"]],
    ["laid out anew, with comments", laidOut, ["exact: a.ts:5-12 b.ts:1-15"]],
    ["with other names", RENAMED, ["renamed: a.ts:5-12 b.ts:1-8"]],
    ["with other lines in it", CHANGED, ["changed: a.ts:5-12 b.ts:1-10"]],
    ["another", OTHER.replace("other", "another"), ["exact: a.ts:1-4 b.ts:1-4"]],
    ["nothing of it", "export const a = 1;\n", []],
  ];
  for (const [what, text, expected] of cases) {
    const { groups } = await find({ "a.ts": OTHER + FUNCTION, "b.ts": text });
    const kinds = groups.map(said).filter((line) => !line.startsWith("renamed: a.ts:1-4"));
    assertEquals([what, kinds], [
      what,
      what === "another" ? groups.map(said).filter((line) => line.includes("b.ts")) : expected,
    ]);
  }
});

Deno.test("similarity is 1 for the same alone", async () => {
  const { groups } = await find({ "a.ts": FUNCTION, "b.ts": FUNCTION, "c.ts": RENAMED });
  const [first] = groups;
  assertEquals(first?.kind, "renamed");
  assertEquals(first?.places.map(({ file }) => file), ["a.ts", "b.ts", "c.ts"]);
  assert(first !== undefined && first.similarity > 0.5 && first.similarity < 1);
  const same = await find({ "a.ts": FUNCTION, "b.ts": FUNCTION });
  assertEquals([same.groups.length, same.groups[0]?.similarity], [1, 1]);
  const changed = await find({ "a.ts": FUNCTION, "b.ts": CHANGED });
  const [only] = changed.groups;
  assert(only !== undefined && only.similarity >= 0.7 && only.similarity < 1);
});

Deno.test("one language is not like another, and tables of data are not like each other", async () => {
  const table = `const table = [${"1, 2, 3, ".repeat(60)}];\n`;
  const { groups } = await find({
    "a.ts": table,
    "b.ts": table.replaceAll("1", "7"),
    "c.c": "int a[] = { 1, 2, 3 };\n",
  });
  assertEquals(groups, []);
});

Deno.test("a snippet is found where it stands, the most alike first", async () => {
  const snippet =
    "for (const item of items) {\n  if (item.price > limit) continue;\n  sum += item.price * item.count;\n}";
  const files = {
    "a.ts": OTHER + FUNCTION,
    "b.ts": RENAMED,
    "c.ts": CHANGED,
    "d.py": "def f():\n    pass\n",
    "e.ts": OTHER,
  };
  const { groups } = await find(files, { code_snippet: snippet });
  assertEquals(groups.map(said).slice(0, 2), ["exact: a.ts:7-10", "renamed: b.ts:3-6"]);
  assertEquals(groups[2]?.kind, "changed");
  assertEquals(groups[2]?.places[0]?.file, "c.ts");
  assertEquals(groups.length, 3);
  const few = await assertRejects(() => find(files, { code_snippet: "a + b" }), ToolError);
  assertEquals(few.code, "INVALID_ARGUMENTS");
});

Deno.test("of a file, only what is like a part of it", async () => {
  const files = {
    "src/a.ts": FUNCTION,
    "src/b.ts": RENAMED + OTHER,
    "src/c.ts": OTHER,
    "elsewhere/d.ts": FUNCTION,
  };
  const like = async (args: Readonly<Record<string, unknown>>) =>
    (await find(files, args)).groups.map(said);
  assertEquals(await like({ file: "src/a.ts", path: "src" }), [
    "renamed: src/a.ts:1-8 src/b.ts:1-8",
  ]);
  assertEquals(await like({ file: "elsewhere/d.ts", path: "src" }), [
    "renamed: src/a.ts:1-8 src/b.ts:1-8 elsewhere/d.ts:1-8",
  ]);
  const both = await assertRejects(
    () => like({ file: "src/a.ts", code_snippet: FUNCTION }),
    ToolError,
  );
  assertEquals(both.code, "INVALID_ARGUMENTS");
});

/** A line of code from a seed. */
function line(random: Random): string {
  const name = () => random.pick(["a", "b", "value", "index", "found"]);
  return random.pick([
    () => `${name()} = ${name()}.${name()}(${random.below(9)}, ${name()});`,
    () => `if (${name()} > ${random.below(9)}) { ${name()}(${name()}); }`,
    () => `for (const ${name()} of ${name()}) { ${name()} += ${name()}[${random.below(9)}]; }`,
    () => `const ${name()} = { ${name()}: ${name()}, other: [${name()}, ${name()}] };`,
    () => `return ${name()} ? ${name()} : ${name()} + "${name()}";`,
    () => `try { ${name()}(); } catch { throw new Error(${name()}); }`,
    () => `while (${name()} < ${name()}.length) ${name()}++;`,
  ])();
}

Deno.test("every piece that was copied is found, wherever it was put", async () => {
  const random = new Random(7);
  for (let round = 0; round < 20; round++) {
    const lines = (count: number) => Array.from({ length: count }, () => line(random));
    const piece = lines(14);
    const wrap = (body: readonly string[]) => `function f() {\n${body.join("\n")}\n}\n`;
    const before = random.below(20);
    const { groups } = await find({
      "a.js": wrap([...lines(10), ...piece, ...lines(10)]),
      "b.js": wrap([...lines(before), ...piece, ...lines(5)]),
    });
    const first = before + 2;
    const isFound = groups.some(({ places }) =>
      places.some(({ file, line, end_line }) =>
        file === "b.js" && line <= first && end_line >= first + 13
      ) && places.some(({ file, line, end_line }) =>
        file === "a.js" && line <= 12 && end_line >= 25
      )
    );
    assert(isFound, `round ${round}: ${groups.map(said).join("; ")}`);
  }
});

Deno.test("texts that repeat themselves without end are compared in time", async () => {
  const { groups } = await find({
    "a.ts": "a(b);\n".repeat(20_000),
    "b.ts": `${"if (a) { b(); } else { c[0] = d + 1; }\n".repeat(3_000)}`,
    "c.js": "(".repeat(50_000),
    // Each of these functions holds the words of all within it.
    "d.js": "function f() {".repeat(20_000) + "}".repeat(20_000),
  });
  assert(groups.length < 1_000);
});

Deno.test("denied files are neither compared nor named", async () => {
  await inWorkspace(async ({ root, call }) => {
    Deno.mkdirSync(`${root}/closed`);
    for (const path of ["a.ts", "b.ts", "closed/secret.ts"]) {
      Deno.writeTextFileSync(`${root}/${path}`, FUNCTION);
    }
    for (const args of [{}, { code_snippet: FUNCTION }, { file: "a.ts" }]) {
      const output = await call("find_similar_code", args);
      assert(!/secret|closed/.test(JSON.stringify(output)));
      assertEquals(output["files"], 2);
    }
    const refused = await assertRejects(
      () => call("find_similar_code", { file: "closed/secret.ts" }),
      ToolError,
    );
    assertEquals(refused.code, "PATH_DENIED");
  });
});
