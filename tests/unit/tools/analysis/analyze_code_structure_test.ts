import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import structure from "../../../../src/tools/analysis/analyze_code_structure.ts";
import { call, createMemory, type Node } from "../_memory_context.ts";
import { inWorkspace } from "../_real_workspace.ts";

interface FileLanguage {
  readonly files: readonly {
    readonly path: string;
    readonly language: string;
    readonly lines: { readonly code: number; readonly comment: number; readonly blank: number };
    readonly imports: readonly string[];
    readonly symbols: readonly {
      readonly name: string;
      readonly kind: string;
      readonly line: number;
      readonly end_line: number;
      readonly signature: string;
      readonly exported: boolean;
      readonly parent?: string;
      readonly doc?: string;
    }[];
  }[];
  readonly languages: readonly Record<string, unknown>[];
  readonly totals: Readonly<Record<string, unknown>>;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly truncated: boolean;
}

async function analyse(
  files: Readonly<Record<string, Node>>,
  args: Readonly<Record<string, unknown>> = {},
): Promise<FileLanguage> {
  const memory = createMemory({ files });
  return await call(structure as Tool, args, memory) as unknown as FileLanguage;
}

/** A symbol in one line: `12-14 method Foo.bar * signature`; the star says that it is exported. */
async function outline(path: string, text: string): Promise<readonly string[]> {
  const { files } = await analyse({ [path]: text }, { path });
  return (files[0]?.symbols ?? []).map((symbol) => {
    const name = symbol.parent === undefined ? symbol.name : `${symbol.parent}.${symbol.name}`;
    const lines = symbol.line === symbol.end_line
      ? `${symbol.line}`
      : `${symbol.line}-${symbol.end_line}`;
    return `${lines} ${symbol.kind} ${name}${symbol.exported ? " *" : ""}: ${symbol.signature}`;
  });
}

const OUTLINES: Readonly<Record<string, readonly [text: string, outline: readonly string[]]>> = {
  "a.ts": [
    `import x from "./x";
/** Adds. */
export function add(a: number, b = 2): number {
  return a + b;
  function inner() {}
}
@decorated()
export abstract class Foo<T> extends Bar {
  static #count = 0;
  private readonly size: number;
  constructor(private x: string) { super(); }
  @bound async run(): Promise<void> {}
  handler = (event: Event) => {};
  abstract todo(): void;
}
interface Shape { area: number; scale(by: number): Shape }
export type Id = string | number;
enum Color { Red, Green = 2 }
const { a, b: renamed, ...rest } = options;
export const arrow = async (x: string) => {
  const local = 1;
};
namespace Inner { export const deep = 1; }
let named = 1;
export { named as other };
`,
    [
      "3-6 function add *: function add(a: number, b = 2): number",
      "5 function add.inner: function inner()",
      "8-15 class Foo *: abstract class Foo<T> extends Bar",
      "9 property Foo.#count: static #count = 0",
      "10 property Foo.size: private readonly size: number",
      "11 method Foo.constructor *: constructor(private x: string)",
      "12 method Foo.run *: async run(): Promise<void>",
      "13 method Foo.handler *: handler = (event: Event) =>",
      "14 method Foo.todo *: abstract todo(): void",
      "16 interface Shape: interface Shape",
      "16 property Shape.area: area: number",
      "16 method Shape.scale: scale(by: number): Shape",
      "17 type Id *: type Id = string | number",
      "18 enum Color: enum Color",
      "18 member Color.Red: Red",
      "18 member Color.Green: Green = 2",
      "19 constant a: const { a, b: renamed, ...rest } = options",
      "19 constant renamed: const { a, b: renamed, ...rest } = options",
      "19 constant rest: const { a, b: renamed, ...rest } = options",
      "20-22 function arrow *: const arrow = async (x: string) =>",
      "23 module Inner: namespace Inner",
      "23 constant Inner.deep *: const deep = 1",
      "24 variable named *: let named = 1",
    ],
  ],
  "a.js": [
    `function* items() {}
class A { static b = 1; get c() {} #d() {} }
var e = function () {}, f;
module.exports = { items, A };
exports.f = f;
A.prototype.g = function (x) { this.h = () => 1; };
app.on = notOne;
`,
    [
      "1 function items *: function* items()",
      "2 class A *: class A",
      "2 property A.b *: static b = 1",
      "2 method A.c *: get c()",
      "2 method A.#d: #d()",
      "3 function e: var e = function ()",
      "3 variable f *: var f",
      "6 function A.g: A.prototype.g = function (x)",
      "6 function g.h: this.h = () =>",
    ],
  ],
  "a.py": [
    `LIMIT: int = 3
a, (b, c) = d.e, 1
d.e = 2
@decorator
class Foo(Base):
    """Says."""
    size = 1
    def __init__(self, x, *, y=1) -> None:
        self.x = x
        local = 2
    async def _hidden(self): ...
if LIMIT:
    def late(): pass
type Pair = tuple[int, int]
`,
    [
      "1 variable LIMIT *: LIMIT: int = 3",
      "2 variable a *: a, (b, c) = d.e, 1",
      "2 variable b *: a, (b, c) = d.e, 1",
      "2 variable c *: a, (b, c) = d.e, 1",
      "5-11 class Foo *: class Foo(Base)",
      "7 property Foo.size *: size = 1",
      "8-10 method Foo.__init__ *: def __init__(self, x, *, y=1) -> None",
      "11 method Foo._hidden: async def _hidden(self)",
      "13 function late *: def late()",
      "14 type Pair *: type Pair = tuple[int, int]",
    ],
  ],
  "a.go": [
    `package p
const A, b = 1, 2
type S[T any] struct {
	F, g int
	Embedded
}
type I interface { M(x int) error }
type alias = S[int]
func (s *S[T]) Run(a int) (int, error) { x := 1; return x, nil }
func plain() { type local struct { in int } }
var V = func() {}
var cases = []struct { unnamed int }{{1}}
var room struct { inner int }
`,
    [
      "2 constant A *: const A, b = 1, 2",
      "2 constant b: const A, b = 1, 2",
      "3-6 struct S *: type S[T any] struct",
      "4 property S.F *: F, g int",
      "4 property S.g: F, g int",
      "7 interface I *: type I interface",
      "7 method I.M *: M(x int) error",
      "8 type alias: type alias = S[int]",
      "9 method S.Run *: func (s *S[T]) Run(a int) (int, error)",
      "10 function plain: func plain()",
      "11 variable V *: var V = func() {}",
      "12 variable cases: var cases = []struct { unnamed int }{{1}}",
      "13 variable room: var room struct",
    ],
  ],
  "a.rs": [
    `mod child;
pub struct P<T> { pub x: T, y: i32 }
pub(crate) enum E { A, B(i32) }
pub trait Tr { fn m(&self) -> i32; }
impl<T> Tr for P<T> { fn m(&self) -> i32 { 1 } }
impl<T> P<T> { pub fn new() -> Self { todo!() } fn own(&self) {} }
const K: i32 = 1;
macro_rules! mac { () => {} }
`,
    [
      "1 module child: mod child",
      "2 struct P *: pub struct P<T>",
      "2 property P.x *: pub x: T",
      "2 property P.y: y: i32",
      "3 enum E: pub(crate) enum E",
      "3 member E.A: A",
      "3 member E.B: B(i32)",
      "4 trait Tr *: pub trait Tr",
      "4 method Tr.m *: fn m(&self) -> i32",
      "5 method P.m *: fn m(&self) -> i32",
      "6 method P.new *: pub fn new() -> Self",
      "6 method P.own: fn own(&self)",
      "7 constant K: const K: i32 = 1",
      "8 macro mac: macro_rules! mac",
    ],
  ],
  "A.java": [
    `@Ann(1) public class A<T> extends B {
  private static final int K = 1, L = 2;
  @Override
  public <Q> void m(int a) throws E { int local; }
  enum E { P { void own() {} }, Q }
  public interface I { int n(); }
  record R(int a) {}
  Object o = new Object() { void unnamed() {} };
  A() { class Local { int within; } }
  T t = () -> { new Object() { int f() { return 1; } }; };
}
`,
    [
      "1-11 class A *: public class A<T> extends B",
      "2 property A.K: private static final int K = 1",
      "2 property A.L: private static final int L = 2",
      "4 method A.m *: public <Q> void m(int a) throws E",
      "5 enum A.E: enum E",
      "5 member A.E.P: P",
      "5 member A.E.Q: Q",
      "6 interface A.I *: public interface I",
      "6 method A.I.n *: int n()",
      "7 class A.R: record R(int a)",
      "8 property A.o: Object o = new Object() { void unnamed() {} }",
      "9 method A.A: A()",
      "10 property A.t: T t = () ->",
    ],
  ],
  "a.c": [
    `#define MAX 10
static int add(int a, char *b[]) { int local = 1; return a; }
struct S { int a, *b; };
typedef int (*callback)(int);
enum E { X, Y = 2 };
int g = 1, *h, list[3];
char *proto(int);
int (*taken(int a))(int) { return 0; }
struct S use(struct S s);
EXPORTED int (named)(int a);
EXPORTED void (*pointer)(void);
clock_type (*clock)(void) = NULL;
row_type (*rows)[3];
`,
    [
      "1 macro MAX *: #define MAX",
      "2 function add: static int add(int a, char *b[])",
      "3 struct S *: struct S",
      "3 property S.a *: int a, *b",
      "3 property S.b *: int a, *b",
      "4 type callback *: typedef int (*callback)(int)",
      "5 enum E *: enum E",
      "5 member E.X *: X",
      "5 member E.Y *: Y = 2",
      "6 variable g *: int g = 1, *h, list[3]",
      "6 variable h *: int g = 1, *h, list[3]",
      "6 variable list *: int g = 1, *h, list[3]",
      "7 function proto *: char *proto(int)",
      "8 function taken *: int (*taken(int a))(int)",
      "9 function use *: struct S use(struct S s)",
      "10 function named *: int (named)(int a)",
      "11 variable pointer *: void (*pointer)(void)",
      "12 variable clock *: clock_type (*clock)(void) = NULL",
      "13 variable rows *: row_type (*rows)[3]",
    ],
  ],
  "a.cpp": [
    `namespace a::b {
template <typename T> class C : public D {
  int hidden;
 public:
  C() : x(1) {}
  ~C();
  bool operator==(const C&) const;
 private:
  void p();
};
}
template <> void C<int>::q(int a) noexcept { }
constexpr int K = 3;
`,
    [
      "1-11 module a::b *: namespace a::b",
      "2-10 class a.b.C *: template <typename T> class C : public D",
      "3 property a.b.C.hidden: int hidden",
      "5 method a.b.C.C *: C() : x(1)",
      "6 method a.b.C.~C *: ~C()",
      "7 method a.b.C.operator== *: bool operator==(const C&) const",
      "9 method a.b.C.p: void p()",
      "12 function C.q *: template <> void C<int>::q(int a) noexcept",
      "13 constant K *: constexpr int K = 3",
    ],
  ],
  "tool": [
    `#!/usr/bin/env -S bash -eu
run() { local a=1; b=2; }
function other { :; }
export NAME=1
`,
    [
      "2 function run *: run()",
      "3 function other *: function other",
      "4 variable NAME *: export NAME=1",
    ],
  ],
};

Deno.test("the line that says by what a script is run is nobody's remark", async () => {
  const { files } = await analyse({
    "a.sh": "#!/bin/bash\nfirst() { :; }\n# Second.\nsecond() { :; }\n",
    "b.sh": "#!/bin/bash\n# First.\nfirst() { :; }\n",
  }, { path: "." });
  const docs = files.map(({ symbols }) => symbols.map(({ name, doc }) => `${name}: ${doc ?? ""}`));
  assertEquals(docs, [["first: ", "second: Second."], ["first: First."]]);
});

for (const [path, [text, expected]] of Object.entries(OUTLINES)) {
  Deno.test(`the outline of ${path}`, async () => {
    assertEquals(await outline(path, text), expected);
  });
}

Deno.test("doc comments are those right before a declaration, and docstrings", async () => {
  const docs = async (path: string, text: string) =>
    (await analyse({ [path]: text }, { path })).files[0]?.symbols
      .map(({ name, doc }) => `${name}: ${doc ?? "-"}`);
  assertEquals(
    await docs(
      "a.ts",
      `// Far away.

/**
 * Says *much*,
 * in lines.
 *
 * And more.
 */
@decorated
export class A {
  // of b
  // and more of b
  b = 1; // of nothing
  c = 2;
}
const d = 1;
`,
    ),
    ["A: Says *much*, in lines.\nAnd more.", "b: of b and more of b", "c: -", "d: -"],
  );
  assertEquals(
    await docs(
      "a.py",
      '# Of f.\ndef f():\n    r"""Inner.\n\n    More of it."""\n# Of g.\ndef g(): pass\n',
    ),
    ["f: Inner.\nMore of it.", "g: Of g."],
  );
  assertEquals(
    await docs("a.rs", "/// Of S.\n#[derive(Debug)]\nstruct S;\n\n// apart\n\nstruct T;\n"),
    ["S: Of S.", "T: -"],
  );
});

Deno.test("imports are named as the file names them", async () => {
  const imports = async (path: string, text: string) =>
    (await analyse({ [path]: text }, { path })).files[0]?.imports;
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      "a.ts",
      'import a from "./a"; import type { B } from "b"; export * from "../c"; await import("d"); ' +
      'const e = require("e"); import f = require("f"); import "g"; import(h); x.require("i"); export { j };',
      ["./a", "b", "../c", "d", "e", "f", "g"],
    ],
    [
      "a.py",
      "import os.path, sys as s\nfrom . import sib\nfrom ..p.q import (a, b as c)\nif x:\n  from r import *\n",
      ["os.path", "sys", ".", "..p.q", "r"],
    ],
    ["a.go", 'package p\nimport "fmt"\nimport ( x "a/b"; _ "c" )\n', ["fmt", "a/b", "c"]],
    [
      "a.rs",
      "use a::{b::{self, C as D}, e::*}; mod f; extern crate g; mod h {} use super::i;",
      ["a::b", "a::b::C", "a::e::*", "f", "g", "super::i"],
    ],
    ["A.java", "import a.b.C; import static d.E.*;", ["a.b.C", "d.E.*"]],
    ["a.h", '#include <x.h>\n#include "y/z.h"\n', ["<x.h>", '"y/z.h"']],
    ["a.sh", '. ./lib.sh\nsource "$D/x.sh"\necho .\n', ["./lib.sh", "$D/x.sh"]],
  ];
  for (const [path, text, expected] of cases) assertEquals(await imports(path, text), expected);
});

Deno.test("lines are counted as cloc counts them", async () => {
  const cases: readonly (readonly [string, string, number, number, number])[] = [
    ["a.ts", "", 0, 0, 0],
    ["a.ts", "let a; // said\n// said\n\n/* a\n\n b */ let c;\n \t\n/* d */", 2, 3, 3],
    ["a.ts", "`\n// no comment\n\n`\r\n\r\n", 3, 0, 2],
    ["a.py", '#!/usr/bin/python\n"""Doc\n\nmore."""\nx = """\n# no\n"""\n', 3, 3, 1],
    ["a.c", "/* a */ /* b\n*/ /* c */ int x;\n#if 0\n#endif\n", 3, 1, 0],
    ["a.sh", "# a\necho # b\ncat <<E\n# no\nE\n", 4, 1, 0],
  ];
  for (const [path, text, code, comment, blank] of cases) {
    const { files } = await analyse({ [path]: text }, { path });
    assertEquals([text, files[0]?.lines], [text, { code, comment, blank }]);
  }
});

const TREE: Readonly<Record<string, Node>> = {
  "src/a.ts": "export class A { b() { function c() {} } }\n",
  "src/b.py": "def f():\n    pass\n",
  "src/notes.md": "# Title\n\ntext\n",
  "src/x.unknown": "?",
  "src/node_modules/y.ts": "let hidden;",
  "src/ignored.ts": "let ignored;",
  ".gitignore": "ignored.ts\n",
};

Deno.test("depth says how much of a tree is shown, totals are of all", async () => {
  const shown = async (depth: number) => {
    const { files, truncated, totals } = await analyse(TREE, { depth });
    assertEquals(totals, {
      files: 2,
      lines: { code: 3, comment: 0, blank: 0 },
      symbols: 4,
    });
    assert(!truncated);
    return files.map(({ path, symbols }) => [path, ...symbols.map(({ name }) => name)]);
  };
  assertEquals(await shown(0), []);
  assertEquals(await shown(1), [["src/a.ts"], ["src/b.py"]]);
  assertEquals(await shown(2), [["src/a.ts", "A"], ["src/b.py", "f"]]);
  assertEquals(await shown(3), [["src/a.ts", "A", "b"], ["src/b.py", "f"]]);
  assertEquals(await shown(4), [["src/a.ts", "A", "b", "c"], ["src/b.py", "f"]]);
  const { languages } = await analyse(TREE);
  assertEquals(languages, [
    { language: "Python", files: 1, code: 2, comment: 0, blank: 0 },
    { language: "TypeScript", files: 1, code: 1, comment: 0, blank: 0 },
    { language: "Markdown", files: 1, filled: 2, blank: 1 },
  ]);
  const { files, truncated } = await analyse(TREE, { max_symbols: 1 });
  assertEquals([files[0]?.symbols.length, files[1]?.symbols.length, truncated], [1, 0, true]);
});

Deno.test("what cannot be analysed is named with the reason, and the rest is", async () => {
  const { files, skipped, totals } = await analyse({
    "binary.ts": new Uint8Array([97, 0, 98]),
    "broken.ts": "export class A {\n  b() {}\n  ) ) (\n}\nfunction (",
    "latin.py": new Uint8Array([...new TextEncoder().encode("def f(): pass # "), 0xe9, 10]),
    "large.ts": `// ${"x".repeat(4 * 1024 * 1024)}`,
    "cut.go": "package p\nfunc F() {\n\tif a {",
    "deep.js": `${"[".repeat(100_000)}\n`,
    "good.ts": "let good;",
  });
  assertEquals(skipped.map(({ path }) => path), [
    "binary.ts",
    "broken.ts",
    "cut.go",
    "deep.js",
    "large.ts",
    "latin.py",
  ]);
  const names = files.flatMap(({ symbols }) => symbols.map(({ name }) => name));
  for (const name of ["A", "b", "f", "good"]) assert(names.includes(name), name);
  assertEquals(totals["files"], files.length);
});

Deno.test("a named file in no language that is analysed is an error that says which are", async () => {
  const files = { "a.rb": "x", "b.xyz": "y", "c": "#!/bin/sh\n", "d": "?" };
  for (const path of ["a.rb", "b.xyz", "d"]) {
    const error = await assertRejects(() => analyse(files, { path }), ToolError, "TypeScript");
    assertEquals(error.code, "UNSUPPORTED_LANGUAGE");
  }
  assertEquals((await analyse(files, { path: "c" })).files[0]?.language, "Shell");
});

Deno.test("time that runs out leaves what was found until then", async () => {
  let looks = 0;
  const memory = createMemory({
    files: Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`${at}.ts`, `let a${at};\n`.repeat(500)]),
    ),
    checkpoint() {
      if (++looks > 100) throw new ToolError("TIMEOUT", "over");
    },
  });
  const error = await assertRejects(() => call(structure as Tool, {}, memory), ToolError, "over");
  const { files } = error.output as FileLanguage;
  assert(files.length > 0 && files.length < 50);
});

Deno.test("denied files are not read, not counted and not named", async () => {
  await inWorkspace(async ({ root, call }) => {
    Deno.mkdirSync(`${root}/closed`);
    Deno.writeTextFileSync(`${root}/open.ts`, "let open;\n");
    Deno.writeTextFileSync(`${root}/closed/secret.ts`, "let sentinel;\n");
    Deno.symlinkSync(`${root}/closed/secret.ts`, `${root}/link.ts`);
    const output = await call("analyze_code_structure", {});
    assertEquals((output["totals"] as { files: number }).files, 1);
    assert(!/sentinel|secret|closed|link/.test(JSON.stringify(output)));
    await assertRejects(
      () => call("analyze_code_structure", { path: "closed/secret.ts" }),
      ToolError,
    );
  });
});

Deno.test("what lies deeper than anybody writes it has the names of what it lies in, up to a depth", async () => {
  const { files } = await analyse({ "a.js": "function f() {".repeat(20_000) + "}".repeat(20_000) });
  const symbols = files[0]?.symbols ?? [];
  assertEquals(symbols.at(2)?.parent, "f.f");
  assert(symbols.length > 100);
  assert(symbols.every(({ parent = "" }) => parent.length < 100));
});

Deno.test("an annotation and a remark behind it do not move a declaration's line", async () => {
  const text = 'class A {\n  @SuppressWarnings("x") // why\n  public A(int b) {}\n}\n';
  assertEquals(await outline("A.java", text), [
    "1-4 class A: class A",
    "3 method A.A *: public A(int b)",
  ]);
});

Deno.test("parameters of K&R's functions are no variables, words of statements no functions", async () => {
  const text = `int before;
void *allocated(q, n, m)
    void *q; /* whose */
    unsigned n, m;
{
  int own = 1;
  return q;
}
int between;
static void broken(int a) {
  MACRO do { } x
#ifdef X
  else if (a) { a = 2; }
#endif
}
int behind;
`;
  const { files } = await analyse({ "a.c": text }, { path: "a.c" });
  const names = (files[0]?.symbols ?? []).map(({ name }) => name);
  assertEquals(names, ["before", "allocated", "between", "broken", "behind"]);
});

Deno.test("symbols that are not wanted change nothing of those that are, and count", async () => {
  for (const [path, [text]] of Object.entries(OUTLINES)) {
    const full = await analyse({ [path]: text }, { path });
    const all = full.files[0]?.symbols ?? [];
    for (const [depth, max_symbols] of [[2, 100], [3, 100], [100, 1], [100, 3], [3, 2]] as const) {
      const within = all.filter(({ parent }) =>
        2 + (parent === undefined ? 0 : parent.split(".").length) <= depth
      );
      const { files, totals, truncated } = await analyse({ [path]: text }, {
        path,
        depth,
        max_symbols,
      });
      assertEquals(files[0]?.symbols, within.slice(0, max_symbols), `${path} ${depth}`);
      assertEquals(totals, full.totals, path);
      assertEquals(truncated, within.length > max_symbols, `${path} ${depth}`);
    }
  }
});
