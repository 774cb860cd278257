import { assert, assertEquals } from "@std/assert";
import { checkDeclarations, checkTsx, checkTypeScript } from "../../../src/syntax/typescript.ts";
import { agreeOnTypeScript, shareOf } from "./_agreement.ts";
import { isValidTypeScript } from "./_compiler.ts";
import { ownSources } from "./_own_sources.ts";

Deno.test("our own sources are valid", () => {
  assert(ownSources("src").length > 100);
  for (const text of ownSources("src")) {
    assertEquals(checkTypeScript(text), null, text.slice(0, 200));
  }
});

Deno.test("at least 99 of 100 mutants get the verdict of the compiler's parser", () => {
  const agreement = agreeOnTypeScript(checkTypeScript, ownSources("src"), 1_250, 5);
  assert(agreement.judged === 1_250 && agreement.valid > 350 && agreement.valid < 1_000);
  assert(shareOf(agreement) >= 0.99, JSON.stringify([agreement.alarms, agreement.misses]));
});

const EVERYWHERE = [".ts", ".tsx", ".d.ts"] as const;
const DECORATED = "@a class A { @b() c = 1; constructor(private readonly d: string) {} }\n";

/** Texts, and endings under which each is valid; under all others it is not. */
const CASES: readonly (readonly [string, readonly (".ts" | ".tsx" | ".d.ts")[]])[] = [
  ["const a = <b>c;\n", [".ts", ".d.ts"]],
  ["const a = <b>c</b>;\n", [".tsx"]],
  ["const a = <T,>(b: T) => b;\n", EVERYWHERE],
  ["const a = <T>(b: T) => b;\n", [".ts", ".d.ts"]],
  ["const a = <A.B c={d} {...e}>&nbsp;{/* f */}</A.B>;\n", [".tsx"]],
  ["const a = <b>;\n", []],
  ["export const a: string;\n", EVERYWHERE],
  ["declare module 'a' { export function b(c: number): void; }\n", EVERYWHERE],
  ["type A<in out T extends U = V> = T extends `a${infer B}` ? B : never;\n", EVERYWHERE],
  ["let a = b satisfies C as const;\n", EVERYWHERE],
  ["using a = b(); await using c = d();\n", EVERYWHERE],
  ["import a = require('b'); export = a;\n", EVERYWHERE],
  ["import json from './a.json' with { type: 'json' };\n", EVERYWHERE],
  [
    "abstract class A { abstract b(): void; declare c: number; accessor d = 1; static {} }\n",
    EVERYWHERE,
  ],
  ["function a(this: B): asserts this is C;\n", EVERYWHERE],
  ["module a {}\nclass A { constructor(@b() private c: d) {} accessor e = 1; }\n", EVERYWHERE],
  ["a?.b = c;\nfunction f() {}\nlet private_ = 1, of = 2, type = 3, async = 4;\n", EVERYWHERE],
  ["enum A { B = 1 << 2, C }\nnamespace D.E { export const f = 1 }\n", EVERYWHERE],
  ["const a = 1;\nconst a = 2;\nreturn;\n", EVERYWHERE],
  [DECORATED, EVERYWHERE],
  ["#!/usr/bin/env node\nlet a = 1n ** 2n;\n", EVERYWHERE],
  ["", EVERYWHERE],
  ["let a: = 1;\n", []],
  ["function a( {\n", []],
  ["let a = 'b;\n", []],
  ["let a = `b${c`;\n", []],
  ["class A { b(): { }\n", []],
  ["interface A { b: string, c: }\n", []],
  ["let a = { b: 1 c: 2 };\n", []],
  ["if (a {}\n", []],
  ["type A = ;\n", []],
  ["import { a from 'b';\n", []],
  ["let a = 1 +;\n", []],
  ["<<<<<<< HEAD\nlet a = 1;\n", []],
];

Deno.test("each ending has its grammar, as the compiler has it", () => {
  const checks = { ".ts": checkTypeScript, ".tsx": checkTsx, ".d.ts": checkDeclarations } as const;
  for (const [text, endings] of CASES) {
    for (const ending of [".ts", ".tsx", ".d.ts"] as const) {
      const expected = endings.includes(ending);
      assertEquals(checks[ending](text) === null, expected, `${ending} ${text}`);
      assertEquals(
        isValidTypeScript(text, `a${ending}`),
        expected,
        `the compiler: ${ending} ${text}`,
      );
    }
  }
});

Deno.test("the place and the message", () => {
  const cases: readonly (readonly [string, number, number, string])[] = [
    ["let a: = 1;\n", 1, 8, "Unexpected token"],
    ["let a = '🦕' )", 1, 12, "Missing semicolon."],
    ["\tlet a = 'b\n", 1, 10, "Unterminated string constant."],
    ["f(a,\n", 2, 1, "Unexpected token"],
    // What can be passed over comes first, what cannot be behind it.
    ["let a = 1 b;\nlet c = ;\n", 1, 10, "Missing semicolon."],
    // A name that is declared twice is none of the parser's matters.
    ["let a, a;\nlet b = ;\n", 2, 9, "Unexpected token"],
    // Having passed over too much, the parser fails of itself.
    ["let { a } = await import(,);", 1, 27, "Unexpected token ','."],
    ["namespace const [a, b] of c) {", 1, 1, "the parser fails on it, so that it cannot be judged"],
  ];
  for (const [text, line, column, message] of cases) {
    assertEquals(checkTypeScript(text), { line, column, message }, text);
  }
});

Deno.test("what no stack and no patience suffices for is not judged", () => {
  const levels = 100_000;
  for (const open of ["(", "[", "{a:", "a?", "<T>(", "a=>", "`${", "type A=["]) {
    assertEquals(checkTypeScript(`let a=${open.repeat(levels)}`) === null, false, open);
  }
  assertEquals(
    checkTypeScript("<T>(".repeat(40) + "a" + ")".repeat(40))?.message,
    "it takes too many steps to be judged",
  );
  assertEquals(checkTypeScript("<T>(".repeat(5) + "a" + ")".repeat(5)), null);
});
