/** Code that a preprocessor goes through first: what is found in it though its grammar cannot place its macros. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Tool } from "../../../../src/core/tool.ts";
import structure from "../../../../src/tools/analysis/analyze_code_structure.ts";
import complexity from "../../../../src/tools/analysis/measure_code_complexity.ts";
import similar from "../../../../src/tools/analysis/find_similar_code.ts";
import { call, createMemory } from "../_memory_context.ts";

interface Outlined {
  readonly files: readonly {
    readonly lines: { readonly code: number; readonly comment: number; readonly blank: number };
    readonly symbols: readonly {
      readonly name: string;
      readonly kind: string;
      readonly line: number;
      readonly end_line: number;
      readonly parent?: string;
    }[];
  }[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

async function outlined(path: string, text: string): Promise<Outlined> {
  const memory = createMemory({ files: { [path]: text } });
  return await call(structure as Tool, { path }, memory) as unknown as Outlined;
}

/** What is found of a text, and whether some of it was left out. */
const FOUND: Readonly<
  Record<
    string,
    readonly [path: string, text: string, symbols: readonly string[], isWhole: boolean]
  >
> = {
  "words before a declaration": [
    "a.h",
    `API void f(int a);
API_ std::string g(const char* b);
REDIS_API struct S *(*Pointer)(long a) ATTR;
static redisAtomic size_t count = 0;
struct T { redisAtomic int field; CONSTEXPR T(int a) : field(a) {} CONSTEXPR T& operator=(T& t); };
class EXPORT_ Named : public T {};
`,
    [
      "1 function f",
      "2 function g",
      "3 variable Pointer",
      "4 variable count",
      "5 struct T",
      "5 property T.field",
      "5 method T.T",
      "5 method T.operator=",
      "6 class Named",
    ],
    true,
  ],
  "a pointer that is itself const, of a name like a macro's": [
    "a.c",
    `API void f(int a);
static const char *const KEY = "x";
`,
    ["1 function f", "2 constant KEY"],
    true,
  ],
  "words of a line": [
    "a.cc",
    `BEGIN_NAMESPACE
EXPORT_BEGIN

template <> struct A<int> { int a; };
PRAGMA("GCC push_options")
int f() { return 1; }
NO_SANITIZE("alignment")
long long g(void) { return 2; }
END_NAMESPACE
`,
    ["4 struct A<int>", "4 property A<int>.a", "6 function f", "8 function g"],
    true,
  ],
  "words behind a declarator": [
    "a.h",
    `void printed(const char *, ...) PRINTF_LIKE(1, 2);
struct A { int field GUARDED_BY(mutex); void locked() LOCKS(mutex) { } int last; };
struct B { size_t used GUARDED_BY(mutex); List* const list GUARDED_BY(mutex); };
static const List NONE = {1};
void broken(const char *, ...) PRINTF_LIKE(1, 2);
`,
    [
      "1 function printed",
      "2 struct A",
      "2 property A.field",
      "2 method A.locked",
      "2 property A.last",
      "3 struct B",
      "3 property B.used",
      "3 property B.list",
      "4 constant NONE",
      "5 function broken",
    ],
    true,
  ],
  "calls that are loops, or statements": [
    "a.c",
    `int f(list *l) {
  each(l, i, x) { if (x && i) return 1; }
  every(1000) g();
  SAVE(l)
  return 0;
}
int g(void) { return 2; }
`,
    ["1-6 function f", "7 function g"],
    true,
  ],
  "words of a test that are none of its own": [
    "a.sh",
    `holds() {
  if [ "$1" "$is" "$2" ]; then return 0; fi
  [ a b ] || [ -n "$3" ]
}
last() { :; }
`,
    ["1-4 function holds", "5 function last"],
    true,
  ],
  "calls with a body in functions": [
    "a.cc",
    `int f() {
  if (g()) return 1;
  CATCH(...) {}
  struct Local { Local() {} int of() { return 1; } };
  return 0;
}
class A {
  A() {}
  ~A() {}
  operator bool() { return true; }
};
`,
    [
      "1-6 function f",
      "4 struct f.Local",
      "4 method f.Local.Local",
      "4 method f.Local.of",
      "7-11 class A",
      "8 method A.A",
      "9 method A.~A",
      "10 method A.operator bool",
    ],
    true,
  ],
  "conditions of a template": [
    "a.h",
    `template <typename T, ENABLE_IF(!std::is_same<T, int>::value)>
CONSTEXPR T f(T t) { return t; }
int g();
`,
    ["2 function f", "3 function g"],
    true,
  ],
  "conditions in the midst of something": [
    "a.c",
    `#if HAS(<stdio.h>) && \\
    defined(A)
#include <stdio.h>
#endif
#ifdef A
int f(int a) {
#else
int f(long a) {
#endif
  if (a
#ifdef B
      && a > 1
#endif
  ) return 1;
  return 0;
}
static const int list[] = {
  1,
#ifdef A
  2,
#endif
};
#define MANY(a) do { /* all */ \\
  a(); } while (0)
#if 0
int never(void) {
#else
int g(void) {
#endif
  return 1;
}
`,
    ["6-16 function f", "17-22 constant list", "23-24 macro MANY", "28-31 function g"],
    false,
  ],
  "types as arguments": [
    "a.c",
    `int f(int n, ...) { char *a = va_arg(n, char *); return a && n; }
int g(void) { return 2; }
`,
    ["1 function f", "2 function g"],
    true,
  ],
  "uses within a type": [
    "a.h",
    `class A : public B {
  A();
  explicit A(int a);
  MOCK_METHOD(int, get, (int));
  Q_PROPERTY(int a READ a)
  operator bool() const;
  ~A();
};
struct Outer::Inner { Inner(); int field; };
template <> void specialised<a::b>(int a) {}
`,
    [
      "1-8 class A",
      "2 method A.A",
      "3 method A.A",
      "6 method A.operator bool",
      "7 method A.~A",
      "9 struct Outer.Inner",
      "9 method Outer.Inner.Inner",
      "9 property Outer.Inner.field",
      "10 function specialised",
    ],
    false,
  ],
  "arguments that are no code": [
    "a.cc",
    `VISIT(signed char, int);
int f() { return 1; }
`,
    ["2 function f"],
    false,
  ],
  "types in capitals are types": [
    "a.c",
    `FILE *f(DWORD a, BOOL b);
DWORD x = 1;
static DWORD WINAPI thread(LPVOID p) { return 0; }
DWORD
gnu(int a)
{ return 1; }
API int broken(void) ATTR;
`,
    [
      "1 function f",
      "2 variable x",
      "3 function thread",
      "4-6 function gnu",
      "7 function broken",
    ],
    true,
  ],
};

for (const [what, [path, text, symbols, isWhole]] of Object.entries(FOUND)) {
  Deno.test(`code with macros: ${what}`, async () => {
    const { files, skipped } = await outlined(path, text);
    const found = (files[0]?.symbols ?? []).map(({ name, kind, line, end_line, parent }) =>
      `${line}${end_line === line ? "" : `-${end_line}`} ${kind} ${
        parent === undefined ? "" : `${parent}.`
      }${name}`
    );
    assertEquals(found, symbols);
    assertEquals(skipped.length === 0, isWhole, JSON.stringify(skipped));
  });
}

Deno.test("what is passed over keeps its lines, and comments stay comments", async () => {
  const text = `BEGIN(
  /* a remark */
  x)
int f(void);
#ifdef A
int g(int a) {
#else
// why
int g(long a) {
#endif
  return 1; /* behind */
}

API int h(void);
`;
  const { files } = await outlined("a.c", text);
  assertEquals(files[0]?.lines, { code: 11, comment: 2, blank: 1 });
});

Deno.test("macros do not hide what decides within functions", async () => {
  const text = `API int f(int a) {
  each(a, i) { if (a > 1 && i) return 1; }
  CHECK(a || i)
  return 0;
}
`;
  const memory = createMemory({ files: { "a.c": text } });
  const { functions } = await call(complexity as Tool, { path: "a.c" }, memory) as unknown as {
    readonly functions: readonly { readonly name: string; readonly cyclomatic: number }[];
  };
  assertEquals(functions.map(({ name, cyclomatic }) => [name, cyclomatic]), [["f", 4]]);
});

Deno.test("in a tree of very many files macros are not passed over, and the answer says what to do", async () => {
  const broken = "REDIS_API struct S *(*Pointer)(long a) ATTR;\n";
  const many = Array.from({ length: 800 }, (_, at) => [`many/${at}.h`, ""] as const);
  const files = { ...Object.fromEntries(many), "many/z.h": broken, "few/z.h": broken };
  const memory = createMemory({ files });
  const look = async (path: string) => {
    const { files, skipped } = await call(
      structure as Tool,
      { path },
      memory,
    ) as unknown as Outlined;
    return {
      names: files.flatMap(({ symbols }) => symbols.map(({ name }) => name)),
      reasons: skipped.map(({ reason }) => reason),
    };
  };
  assertEquals(await look("few"), { names: ["Pointer"], reasons: [] });
  assertEquals(await look("many/z.h"), { names: ["Pointer"], reasons: [] });
  const { reasons } = await look("many");
  assertEquals(reasons.length, 1);
  assertStringIncludes(
    reasons[0] ?? "",
    "a smaller folder, or the file, is read without its macros",
  );
});

Deno.test("copies are held against the text as it stands, macros and all", async () => {
  const one = `API int f(int a) { return a + 1 + 2 + 3 + 4 + 5; }\n`;
  const files = { "a.c": one, "b.c": one.replace("API int f", "ABI int f") };
  const memory = createMemory({ files });
  const found = await call(similar as Tool, { min_tokens: 10 }, memory) as unknown as {
    readonly groups: readonly { readonly kind: string }[];
  };
  assertEquals(found.groups.map(({ kind }) => kind), ["renamed"]);
});
