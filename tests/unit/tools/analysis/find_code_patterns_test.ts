import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import patterns from "../../../../src/tools/analysis/find_code_patterns.ts";
import { call, createMemory, type Node } from "../_memory_context.ts";
import { inWorkspace } from "../_real_workspace.ts";

interface Match {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
  readonly content: string;
  readonly captures: Readonly<Record<string, string | readonly string[]>>;
}

async function find(
  files: Readonly<Record<string, Node>>,
  args: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown> & { readonly matches: readonly Match[] }> {
  const output = await call(patterns as Tool, args, createMemory({ files }));
  return output as Record<string, unknown> & { readonly matches: readonly Match[] };
}

/** Path of the file, pattern, text, and the texts that match. */
type Case = readonly [path: string, pattern: string, text: string, found: readonly string[]];

const CASES: readonly Case[] = [
  // Layout, comments, quotes and separators do not matter; what stands in strings is no code.
  ["a.ts", "f($X)", "f(1); f( /* b */ 2 ,); f(1, 2); g(f(3)); 'f(4)'; // f(5)", [
    "f(1)",
    "f( /* b */ 2 ,)",
    "f(3)",
  ]],
  ["a.ts", 'import x from "a"', "import x from 'a';", ["import x from 'a';"]],
  ["a.ts", "console.log($$$)", "console.log(); console.log(a, b); console.info(a)", [
    "console.log()",
    "console.log(a, b)",
  ]],
  // The same name stands for the same code, whatever its layout.
  ["a.ts", "$A === $A", "a === a; a === b; f(1) === f( 1 ); $ === $", [
    "a === a",
    "f(1) === f( 1 )",
    "$ === $",
  ]],
  ["a.ts", "$_ === $_", "a === b", ["a === b"]],
  ["a.ts", "f($$$A, 1, $$$B)", "f(1); f(2, 1, 3, 4); f(2)", ["f(1)", "f(2, 1, 3, 4)"]],
  ["a.ts", "if ($C) { return $X; }", "if (a) { return 1; } if (b) return 2; if (c) { return }", [
    "if (a) { return 1; }",
  ]],
  ["a.ts", "if ($C) { $$$BODY }", "if (a) { b(); c(); } else { d } if (e) {}", ["if (e) {}"]],
  ["a.ts", "let $X = $V; f($X)", "let a = 1;\nf(a); let b = 2; f(a);", ["let a = 1;\nf(a);"]],
  ["a.ts", "async function $F($$$P) { $$$B }", "async function a(b) { c } function d() {}", [
    "async function a(b) { c }",
  ]],
  ["a.ts", "$M($$$) { $$$ }", "class A { b(c) { d } }", ["b(c) { d }"]],
  ["a.tsx", "<$T $$$A>$$$C</$T>", "x = <p a={1}>b</p>;", ["<p a={1}>b</p>"]],
  ["a.js", "$A ? $B : $C", "a ? b : c", ["a ? b : c"]],
  ["a.py", "print($$$A)", "print(1)\nx = [print(a, b)]\n", ["print(1)", "print(a, b)"]],
  ["a.py", "for $X in range(len($Y)):\n    $$$B", "for i in range(len(a)):\n    b\n    c\n", [
    "for i in range(len(a)):\n    b\n    c",
  ]],
  ["a.go", "$X, err := $F($$$A)", "package p\nfunc f() { a, err := b(c); d := e() }\n", [
    "a, err := b(c)",
  ]],
  [
    "a.go",
    "if err != nil { return $$$R }",
    "package p\nfunc f() { if err != nil { return nil, err } }",
    [
      "if err != nil { return nil, err }",
    ],
  ],
  ["a.rs", "$X.unwrap()", "fn f() { a.unwrap(); b(c().unwrap()); d.expect() }", [
    "a.unwrap()",
    "c().unwrap()",
  ]],
  ["A.java", "$O.equals($X)", "class A { void f() { a.equals(b); if (c.equals(1)) {} } }", [
    "a.equals(b)",
    "c.equals(1)",
  ]],
  ["a.c", "free($X)", "void f() { free(a); free(b->c); }", ["free(a)", "free(b->c)"]],
  ["a.c", "free($X);", "void f() { free(a); g(free(b)); }", ["free(a);"]],
  ["a.cpp", "std::move($X)", "void f() { g(std::move(a)); }", ["std::move(a)"]],
  ["a.sh", "rm -rf $X", "rm -rf /tmp\nrm -r a\n", ["rm -rf /tmp"]],
  // Queries.
  ["a.ts", "(function_declaration name: (identifier) @name)", "function a() {} class B {}", ["a"]],
  ["a.py", '((identifier) @x (#match? @x "^[A-Z]"))', "Foo = bar\n", ["Foo"]],
  // A rest stands for statements, members and parameters also where a name alone is none.
  ["a.c", "if ($A) { $$$B }", "int f() { if (a) { b(); c(); } }", ["if (a) { b(); c(); }"]],
  ["a.c", "if ($A) { $$$B }", "int f() { if (a) b(); if (c) {} }", ["if (c) {}"]],
  [
    "a.c",
    "int $F($$$A) { $$$B return $C; }",
    "int f(int a) { g(); return a; } int g() { return h(); i(); }",
    [
      "int f(int a) { g(); return a; }",
    ],
  ],
  ["a.cpp", "class $X { $$$B };", "class A { int b; void c(); }; class D {};", [
    "class A { int b; void c(); }",
    "class D {}",
  ]],
  ["A.java", "class $X { $$$B }", "class A { int b; void c() {} }", [
    "class A { int b; void c() {} }",
  ]],
  ["A.java", "$T $F($$$A) { $$$B }", "class A { int b(int c, D d) { return c; } void e() {} }", [
    "int b(int c, D d) { return c; }",
    "void e() {}",
  ]],
  [
    "A.java",
    "try { $$$B } catch ($E $X) { }",
    "class A { void f() { try { g(); } catch (E e) { } } }",
    [
      "try { g(); } catch (E e) { }",
    ],
  ],
  ["A.java", "f($$$A)", "class A { int b = f(1, c()); }", ["f(1, c())"]],
];

Deno.test("what is built as the pattern is, is found", async () => {
  for (const [path, pattern, text, expected] of CASES) {
    const { matches } = await find({ [path]: text }, { pattern });
    const found = matches.map(({ content }) => content);
    assertEquals([path, pattern, found], [path, pattern, expected]);
  }
});

Deno.test("a match has its place, and what the names stand for", async () => {
  const { matches, total_matches } = await find(
    { "src/a.ts": "\n  call(größe,\n    b, 'c');\n" },
    { pattern: "call($FIRST, $$$REST)" },
  );
  assertEquals(matches, [{
    file: "src/a.ts",
    line: 2,
    column: 3,
    end_line: 3,
    end_column: 12,
    content: "call(größe,\n    b, 'c')",
    captures: { FIRST: "größe", REST: ["b", "'c'"] },
  }]);
  assertEquals(total_matches, 1);
  const none = await find({ "a.ts": "call(a)" }, { pattern: "call($FIRST, $$$REST)" });
  assertEquals(none.matches[0]?.captures, { FIRST: "a", REST: [] });
  const query = await find({ "a.ts": "f(a, b)" }, {
    pattern: "(arguments (identifier) @one (identifier) @two) @all",
  });
  assertEquals(query.matches[0]?.captures, { all: "(a, b)", one: "a", two: "b" });
  // Behind a line's end, and with a part that names nothing.
  const some = await find({ "a.ts": "f(a, b)" }, {
    pattern: "\n(arguments) (call_expression function: (_) @f)",
  });
  assertEquals(some.matches.map(({ line, column, captures }) => ({ line, column, captures })), [
    { line: 1, column: 1, captures: { f: "f" } },
  ]);
  const files = { "a.ts": "f(a, b)" };
  for (
    const [pattern, message] of [
      ["(arguments)", "put @NAME behind what is looked for"],
      ["(a)", "code is looked for without brackets around it"],
    ] as const
  ) {
    const error = await assertRejects(() => find(files, { pattern }), ToolError, message);
    assertEquals(error.code, "INVALID_PATTERN");
  }
});

const FILES = {
  "a.ts": "f(1); f(2);",
  "b.py": "f(3)\n",
  "c.rs": "fn g() { f(4); }",
  "d.md": "f(5)",
};

Deno.test("languages are those in which the pattern is code, or the one that is named", async () => {
  const contents = async (args: Readonly<Record<string, unknown>>) =>
    (await find(FILES, args)).matches.map(({ content }) => content);
  assertEquals(await contents({ pattern: "f($X)" }), ["f(1)", "f(2)", "f(3)", "f(4)"]);
  assertEquals(await contents({ pattern: "f($X)", language: "py" }), ["f(3)"]);
  assertEquals(await contents({ pattern: "f($X)", language: "Rust" }), ["f(4)"]);
  // What is no code in one language may be in another.
  assertEquals(await contents({ pattern: "fn g() { $$$B }" }), ["fn g() { f(4); }"]);
  const { matches, total_matches, truncated } = await find(FILES, {
    pattern: "f($X)",
    max_results: 2,
  });
  assertEquals([matches.length, total_matches, truncated], [2, 4, true]);
});

Deno.test("what is no pattern is refused", async () => {
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
    [{ pattern: "$X" }, "INVALID_PATTERN"],
    [{ pattern: "$$$" }, "INVALID_PATTERN"],
    [{ pattern: "if if (" }, "INVALID_PATTERN"],
    [{ pattern: "(nothing_of_this_name)" }, "INVALID_PATTERN"],
    [{ pattern: "(((" }, "INVALID_PATTERN"],
    [{ pattern: "f(", language: "Python" }, "INVALID_PATTERN"],
    [
      { pattern: `f(${"(".repeat(2_000)}a${")".repeat(2_000)})`, language: "ts" },
      "INVALID_PATTERN",
    ],
    [{ pattern: "f()", language: "Klingon" }, "UNSUPPORTED_LANGUAGE"],
  ];
  for (const [args, code] of cases) {
    const error = await assertRejects(() => find(FILES, args), ToolError);
    assertEquals([args, error.code], [args, code]);
  }
});

Deno.test("patterns with many holes end in time on texts that are made for it", async () => {
  let looks = 0;
  const memory = createMemory({
    files: { "a.ts": `f(${"a, ".repeat(3_000)}b);` },
    checkpoint() {
      if (++looks > 60) throw new ToolError("TIMEOUT", "over");
    },
  });
  const pattern = "f($$$A, a, $$$B, a, $$$C, a, $$$D, c)";
  await assertRejects(() => call(patterns as Tool, { pattern }, memory), ToolError, "over");
});

Deno.test("denied files are not searched", async () => {
  await inWorkspace(async ({ root, call }) => {
    Deno.mkdirSync(`${root}/closed`);
    Deno.writeTextFileSync(`${root}/a.ts`, "open(1);\n");
    Deno.writeTextFileSync(`${root}/closed/secret.ts`, "open(sentinel);\n");
    for (const pattern of ["open($X)", "(call_expression) @c"]) {
      const output = await call("find_code_patterns", { pattern });
      assertEquals(output["total_matches"], 1);
      assert(!/sentinel|secret|closed/.test(JSON.stringify(output)));
    }
  });
});

Deno.test("a file in which a query takes too long is passed over, and others are searched", async () => {
  const memory = createMemory({ files: { "a.js": "f(1);\n", "b.js": "slow(2);\n" } });
  const { syntax } = memory.context;
  const parsers = await syntax.parsers();
  const slowly: typeof parsers = {
    of(grammar) {
      const parser = parsers.of(grammar);
      const query: typeof parser.query = (source) => {
        const compiled = parser.query(source);
        return {
          matches: (text, options) =>
            text.startsWith("slow") ? "slow" : compiled.matches(text, options),
        };
      };
      return { ...parser, query };
    },
  };
  const context = {
    ...memory.context,
    syntax: { ...syntax, parsers: () => Promise.resolve(slowly) },
  };
  const answer = await call(patterns as Tool, { pattern: "(number) @a" }, { ...memory, context });
  assertEquals(answer["skipped"], [{ path: "b.js", reason: "the query takes too long in it" }]);
  assertEquals([answer["total_matches"], answer["files_searched"]], [1, 1]);
});
