import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { carriedFiles } from "../../../../src/engine/pool/carried_files.ts";
import { openCarried } from "../../../../src/host/carried/carried.ts";
import { createParsers } from "../../../../src/syntax/tree/parsers.ts";

const PARSERS = createParsers(await openCarried(null, await carriedFiles())());
const FREE = { pause: () => {}, timeMs: 60_000 };

/** Captures of each match: name and text. */
function matches(source: string, text: string): unknown {
  const found = PARSERS.of("typescript").query(source).matches(text, FREE);
  if (typeof found === "string") return found;
  return found.map((captures) =>
    captures.map(({ name, start, end }) => `${name}: ${text.slice(start, end)}`)
  );
}

const TEXT = "größe(1); f(a, a); f(a, b); class A { m() {} }";

Deno.test("queries capture nodes by structure, and by what their texts are", () => {
  const calls = "(call_expression function: (identifier) @f) @call";
  assertEquals(matches(calls, TEXT), [
    ["call: größe(1)", "f: größe"],
    ["call: f(a, a)", "f: f"],
    ["call: f(a, b)", "f: f"],
  ]);
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['((identifier) @x (#eq? @x "b"))', ["x: b"]],
    ['((identifier) @x (#not-eq? @x "a"))', ["x: größe", "x: f", "x: f", "x: b"]],
    ['((identifier) @x (#match? @x "^g.*e$"))', ["x: größe"]],
    ['((identifier) @x (#not-match? @x "^(a|f)$"))', ["x: größe", "x: b"]],
    ['((identifier) @x (#any-of? @x "b" "größe"))', ["x: größe", "x: b"]],
    ["(arguments (identifier) @x (identifier) @y (#eq? @x @y))", ["x: a", "y: a"]],
    ["(method_definition name: (_) @x) (class_declaration name: (_) @x)", ["x: A", "x: m"]],
  ];
  for (const [query, expected] of cases) {
    assertEquals([query, (matches(query, TEXT) as string[][]).flat()], [query, expected]);
  }
});

Deno.test("what is no query is refused, with what is wrong and where", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["(call_expression", "syntax of queries is broken at its end"],
    ["(identifier)", "put @NAME behind"],
    ["(no_such_kind)", "no such kind of node"],
    ["(identifier name: (identifier))", "no node can have this structure"],
    ["(identifier no_field: (_))", "no such field"],
    ["((identifier) @a (#eq? @b @a))", "no such capture"],
    ['((identifier) @a (#match? @a "("))', "no regular expression"],
    ['((identifier) @a (#foo? @a "x"))', "no predicate"],
    ["((identifier) @a (#eq? @a))", "takes a capture"],
  ];
  for (const [query, message] of cases) {
    const error = assertThrows(() => PARSERS.of("typescript").query(query), ToolError, message);
    assertEquals(error.code, "INVALID_PATTERN");
  }
  // The library goes on.
  assertEquals(matches("(identifier) @x", "a;"), [["x: a"]]);
});

Deno.test("a pause that throws ends a query, too", () => {
  const query = PARSERS.of("typescript").query("(program (_)* @a (_)* @b (_)* @c)");
  let pauses = 0;
  const pause = () => {
    if (++pauses > 20) throw new Error("enough");
  };
  const text = "let a = 1;\n".repeat(3_000);
  assertThrows(() => query.matches(text, { pause, timeMs: 60_000 }), Error, "enough");
  assertEquals(matches("(identifier) @x", "a;"), [["x: a"]]);
});
