import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import complexity from "../../../../src/tools/analysis/measure_code_complexity.ts";
import { call, createMemory, type Node } from "../_memory_context.ts";
import { inWorkspace } from "../_real_workspace.ts";

interface Measured {
  readonly file: string;
  readonly name: string;
  readonly line: number;
  readonly end_line: number;
  readonly cyclomatic: number;
  readonly cognitive: number;
  readonly nloc: number;
  readonly parameters: number;
  readonly nesting: number;
}

async function run(
  files: Readonly<Record<string, Node>>,
  args: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  return await call(complexity as Tool, args, createMemory({ files }));
}

/** Cyclomatic, cognitive, parameters and nesting of each function of a text, by name. */
async function measured(path: string, text: string): Promise<Record<string, readonly number[]>> {
  const { functions } = await run({ [path]: text }, { path });
  return Object.fromEntries(
    (functions as readonly Measured[]).map((
      { name, cyclomatic, cognitive, parameters, nesting },
    ) => [name, [cyclomatic, cognitive, parameters, nesting]]),
  );
}

type Expected = Readonly<Record<string, readonly [number, number, number, number]>>;

/** By hand, from the rules of McCabe and of SonarSource's paper. */
const CASES: readonly (readonly [path: string, text: string, expected: Expected])[] = [
  // A straight line, and each construct alone.
  ["a.ts", "function f(a, b = 1, ...c) { return a; }", { f: [1, 0, 3, 0] }],
  ["a.ts", "function f() { if (a) b(); }", { f: [2, 1, 0, 1] }],
  ["a.ts", "function f() { if (a) b(); else c(); }", { f: [2, 2, 0, 1] }],
  ["a.ts", "function f() { if (a) b(); else if (c) d(); else e(); }", { f: [3, 3, 0, 1] }],
  [
    "a.ts",
    "function f() { for (;;) for (const a of b) while (c) do {} while (d); }",
    { f: [5, 1 + 2 + 3 + 4, 0, 4] },
  ],
  [
    "a.ts",
    "function f() { switch (a) { case 1: case 2: if (b) {} break; default: } }",
    { f: [4, 1 + 2, 0, 2] },
  ],
  ["a.ts", "function f() { try { a(); } catch (e) { if (b) {} } finally {} }", { f: [3, 3, 0, 2] }],
  ["a.ts", "function f() { return a ? b : c ? d : e; }", { f: [3, 1 + 2, 0, 2] }],
  // What stands in a head is not nested by it.
  ["a.ts", "function f() { if (a ? b : c) {} }", { f: [3, 2, 0, 1] }],
  // Signs: one for each run of the same, in the order they are read.
  ["a.ts", "function f() { return a && b && c; }", { f: [3, 1, 0, 0] }],
  ["a.ts", "function f() { return a && b || c && d; }", { f: [4, 3, 0, 0] }],
  ["a.ts", "function f() { return a || b && c || d; }", { f: [4, 3, 0, 0] }],
  ["a.ts", "function f() { return a && (b && c); }", { f: [3, 1, 0, 0] }],
  ["a.ts", "function f() { return a && !(b && c); }", { f: [3, 2, 0, 0] }],
  ["a.ts", "function f() { return a && g(b && c); }", { f: [3, 2, 0, 0] }],
  ["a.ts", "function f() { return (a ?? b)?.c; }", { f: [1, 0, 0, 0] }],
  // Jumps count where they name a label; a function that calls itself counts once.
  ["a.ts", "function f() { x: for (;;) { for (;;) continue x; } }", { f: [3, 1 + 2 + 1, 0, 2] }],
  ["a.ts", "function f(n) { return f(n - 1) + f(n - 2); }", { f: [1, 1, 1, 0] }],
  // A member's bare name means another function, where the language has it so.
  ["a.ts", "class A { f() { return f(); } }", { "A.f": [1, 0, 0, 0] }],
  ["a.ts", "class A { f() { return this.f(); } }", { "A.f": [1, 1, 0, 0] }],
  ["a.ts", "const a = { f: () => f(), g() { g(); } };", { f: [1, 0, 0, 0], g: [1, 0, 0, 0] }],
  ["a.py", "class A:\n    def f(self):\n        return f()\n", { "A.f": [1, 0, 1, 0] }],
  ["a.py", "class A:\n    def f(self):\n        self.f()\n", { "A.f": [1, 1, 1, 0] }],
  ["a.go", "package p\nfunc (a *A) f() { f() }\n", { "A.f": [1, 0, 0, 0] }],
  ["a.go", "package p\nfunc (a *A) f() { a.f() }\n", { "A.f": [1, 1, 0, 0] }],
  ["a.rs", "impl A { fn f() { f() } }", { "A.f": [1, 0, 0, 0] }],
  ["a.rs", "impl A { fn f() { Self::f() } }", { "A.f": [1, 1, 0, 0] }],
  ["A.java", "class A { void f() { f(); } }", { "A.f": [1, 1, 0, 0] }],
  ["A.java", "class A { void f() { b.f(); } }", { "A.f": [1, 0, 0, 0] }],
  ["A.java", "class A { void f() { this.f(); } }", { "A.f": [1, 1, 0, 0] }],
  ["a.cpp", "struct A { void f() { f(); } };", { "A.f": [1, 1, 0, 0] }],
  ["a.cpp", "A& f(A&& a, auto&&... b) { auto&& [c, d] = g(a); return c && d; }", {
    "f": [2, 1, 2, 0],
  }],
  ["a.cpp", "const A& A::operator<<(const B& b) && { return *this; }", {
    "A.operator<<": [1, 0, 1, 0],
  }],
  ["a.ts", "class A { g() { this.g(); } h() { g(); } }", {
    "A.g": [1, 1, 0, 0],
    "A.h": [1, 0, 0, 0],
  }],
  // Functions in functions: apart for McCabe, deeper within for the other.
  [
    "a.ts",
    "function f() { if (a) {} b.map((c) => c ? 1 : 2); }",
    { f: [2, 1 + 2, 0, 1], "(anonymous)": [2, 1, 1, 1] },
  ],
  // One that only holds others is a frame.
  [
    "a.ts",
    "const make = () => { const inner = (a) => { if (a) {} }; return inner; };",
    { make: [1, 0, 0, 0], inner: [2, 1, 1, 1] },
  ],
  // In Python one that holds a function and a return alone is a decorator: the paper's own three examples, and with words.
  [
    "a.py",
    "def d(a, b):\n  def inner(func):\n    if c:\n      print(b)\n    func()\n  return inner\n",
    { d: [1, 1, 2, 0], inner: [2, 1, 1, 1] },
  ],
  [
    "a.py",
    "def d(a, b):\n  my = a * b\n  def inner(func):\n    if c:\n      print(b)\n    func()\n  return inner\n",
    { d: [1, 2, 2, 0], inner: [2, 1, 1, 1] },
  ],
  [
    "a.py",
    "def g(a):\n  def h(func):\n    def d(func):\n      if c:\n        print(b)\n      return func(b)\n    return d\n  return h\n",
    { g: [1, 1, 1, 0], h: [1, 1, 1, 0], d: [2, 1, 1, 1] },
  ],
  [
    "a.py",
    'def d(f):\n  "Says."\n  # Why.\n  @wraps(f)\n  async def inner():\n    if c:\n      pass\n  return inner\n',
    { d: [1, 1, 1, 0], inner: [2, 1, 0, 1] },
  ],
  [
    "a.py",
    "def d(f):\n  def inner():\n    if c:\n      pass\n  call(inner)\n",
    { d: [1, 2, 1, 0], inner: [2, 1, 0, 1] },
  ],
  // A lambda is no function of its own, and what lies in it lies deeper.
  [
    "a.py",
    "def f(a):\n  g = lambda b: 1 if b else (lambda: 2 if a else 3)\n  if a:\n    pass\n",
    { f: [4, 7, 1, 4] },
  ],
  ["A.java", "class A { void m() { Runnable r = () -> { if (a) {} }; } }", {
    "A.m": [1, 2, 0, 0],
    "A.r": [2, 1, 0, 1],
  }],
  ["a.py", "def f(self, a, *b, c=1, **d):\n  pass\n", { f: [1, 0, 5, 0] }],
  [
    "a.py",
    "class A:\n  def f(self):\n    if a and b:\n      pass\n    elif c:\n      pass\n    else:\n      for d in e:\n        pass\n",
    { "A.f": [5, 1 + 1 + 1 + 1 + 2, 1, 2] },
  ],
  ["a.py", "def f():\n  return [a for a in b if c] or (1 if d else 2)\n", { f: [5, 2, 0, 1] }],
  [
    "a.py",
    "def f():\n  try:\n    pass\n  except E:\n    pass\n  match a:\n    case 1: pass\n    case _: pass\n",
    { f: [3, 2, 0, 1] },
  ],
  [
    "a.go",
    "package p\nfunc (s *S) F(a, b int, c ...string) { if x := 1; x > 1 && y { } else if z { } else { }; switch { case a: default: }; select { case <-c: } }\n",
    { "S.F": [6, 1 + 1 + 1 + 1 + 1 + 1, 3, 1] },
  ],
  [
    "a.rs",
    "fn f(a: i32) { if a > 1 { loop { break; } } else if b { } else { } match c { 1 | 2 => {}, _ => {} }; let Some(d) = e else { return }; }",
    { f: [6, 1 + 2 + 1 + 1 + 1, 1, 2] },
  ],
  ["a.c", "int f(void) { if (a) goto end; switch (b) { case 1: default: ; } end: return 0; }", {
    f: [3, 1 + 1 + 1, 0, 1],
  }],
  ["a.cpp", "int A::f(int a, char b) { for (auto& c : d) { if (a and b) {} } return f(1, 2); }", {
    "A.f": [4, 1 + 2 + 1 + 1, 2, 2],
  }],
  [
    "a.sh",
    "f() { if a && b; then c; elif d; then e; else g; fi; case $1 in x) ;; *) ;; esac; }\n",
    { f: [5, 1 + 1 + 1 + 1 + 1, 0, 1] },
  ],
];

Deno.test("cyclomatic and cognitive complexity, parameters and nesting", async () => {
  for (const [path, text, expected] of CASES) {
    assertEquals([text, await measured(path, text)], [text, expected]);
  }
});

Deno.test("lines of code leave comments and blanks out", async () => {
  const text =
    "/** Of f. */\n@decorated()\nfunction f() {\n  // said\n\n  return `\n\n`; /* a */\n}\n";
  const { functions } = await run({ "a.ts": text });
  const [found] = functions as readonly Measured[];
  assertEquals([found?.line, found?.end_line, found?.nloc], [3, 9, 4]);
});

const FILES = {
  "a.ts": "function easy() {}\nfunction hard() { if (a && b) {} }\n",
  "b.py": "def middle():\n    if a:\n        pass\n",
  "notes.md": "# none\n",
  "c.ts": "let none;\n",
};

Deno.test("the worst come first, sums are by file and in all", async () => {
  const output = await run(FILES);
  const names = (key: string) => (output[key] as readonly Measured[]).map(({ name }) => name);
  assertEquals(names("functions"), ["hard", "middle", "easy"]);
  assertEquals(names("worst"), ["hard", "middle", "easy"]);
  assertEquals(output["files"], [
    { file: "a.ts", functions: 2, cyclomatic: 4, cognitive: 2, nloc: 2 },
    { file: "b.py", functions: 1, cyclomatic: 2, cognitive: 1, nloc: 3 },
  ]);
  assertEquals(output["totals"], {
    files: 3,
    functions: 3,
    cyclomatic: 6,
    cognitive: 3,
    nloc: 5,
    mean_cyclomatic: 2,
    mean_cognitive: 1,
  });
  const longest = await run(FILES, { sort: "nloc", max_results: 1 });
  assertEquals((longest["functions"] as readonly Measured[])[0]?.name, "middle");
  assertEquals(longest["truncated"], true);
});

Deno.test("files name what is measured, path and files exclude each other", async () => {
  const { totals } = await run(FILES, { files: ["a.ts", "b.py", "a.ts"] });
  assertEquals((totals as { functions: number }).functions, 3);
  const both = await assertRejects(() => run(FILES, { files: ["a.ts"], path: "b.py" }), ToolError);
  assertEquals(both.code, "INVALID_ARGUMENTS");
  const wrong = await assertRejects(() => run(FILES, { files: ["notes.md"] }), ToolError);
  assertEquals(wrong.code, "UNSUPPORTED_LANGUAGE");
});

Deno.test("a denied file among files refuses the call; in a tree it is not seen", async () => {
  await inWorkspace(async ({ root, call }) => {
    Deno.mkdirSync(`${root}/closed`);
    Deno.writeTextFileSync(`${root}/open.ts`, "function open() {}\n");
    Deno.writeTextFileSync(`${root}/closed/secret.ts`, "function sentinel() {}\n");
    const refused = await assertRejects(
      () => call("measure_code_complexity", { files: ["open.ts", "closed/secret.ts"] }),
      ToolError,
    );
    assertEquals(refused.code, "PATH_DENIED");
    const output = await call("measure_code_complexity", {});
    assert(!/sentinel|secret/.test(JSON.stringify(output)));
    assertEquals((output["totals"] as { files: number }).files, 1);
  });
});

Deno.test("chains and nests as long as a text end in time", async () => {
  const chain = `function f() { return ${"a && ".repeat(20_000)}b; }`;
  const nest = `function g() { ${"if (a) {".repeat(2_000)}${"}".repeat(2_000)} }`;
  const inner = `${"() => ".repeat(2_000)}1`;
  const { functions } = await run({ "a.ts": chain, "b.ts": nest, "c.ts": inner });
  const by = (name: string) =>
    (functions as readonly Measured[]).find((each) => each.name === name);
  assertEquals([by("f")?.cyclomatic, by("f")?.cognitive], [20_001, 1]);
  assertEquals([by("g")?.cognitive, by("g")?.nesting], [2_000 * 2_001 / 2, 2_000]);
});

Deno.test("of more functions than are kept the worst are answered, in the order of paths, and the sums of all", async () => {
  const functions = (file: number) =>
    Array.from(
      { length: 700 },
      (_, at) => `function f${at}() { ${(file * 700 + at) % 997 === 0 ? "if (a) b();" : ""} }\n`,
    ).join("");
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`${String(at).padStart(2, "0")}.js`, functions(at)]),
  );
  const answer = await run(files, { max_results: 30 });
  const expected = Array.from({ length: 40 * 700 }, (_, at) => at).filter((at) => at % 997 === 0)
    .map((at) => [`${String(Math.floor(at / 700)).padStart(2, "0")}.js`, `f${at % 700}`, 2]);
  const found = answer["functions"] as readonly Measured[];
  assertEquals(found.slice(0, 29).map((each) => [each.file, each.name, each.cyclomatic]), expected);
  assertEquals([found[29]?.file, found[29]?.name], ["00.js", "f1"]);
  const { functions: total, cyclomatic } = answer["totals"] as Record<string, number>;
  assertEquals([total, cyclomatic], [28_000, 28_000 + expected.length]);
});
