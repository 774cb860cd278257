import { assert, assertEquals } from "@std/assert";
import type { Schema } from "../../../src/core/schema.ts";
import { typeArguments } from "../../../src/core/type_arguments.ts";

const SCHEMA: Schema<unknown> = {
  type: "object",
  properties: {
    path: { type: "string" },
    recursive: { type: "boolean" },
    max_results: { type: "integer" },
    ratio: { type: "number" },
    args: { type: "array", items: { type: "string" } },
    sizes: { type: "array", items: { type: "integer" } },
    edits: { type: "array", items: { type: "object" } },
    env: { type: "object" },
    nothing: { type: "null" },
    either: { oneOf: [{ type: "integer" }, { type: "null" }, { type: "boolean" }] },
    choice: { enum: [1, "one", true, null] },
    free: {},
  },
  required: ["path"],
};

Deno.test("typeArguments types words by the schema", () => {
  const cases: readonly (readonly [readonly string[], Record<string, unknown>])[] = [
    [[], {}],
    [["path=src/a.ts"], { path: "src/a.ts" }],
    [["path=a=b=c"], { path: "a=b=c" }],
    [["path="], { path: "" }],
    [["path= true "], { path: " true " }],
    [["path=3"], { path: "3" }],
    [["recursive=true"], { recursive: true }],
    [["recursive=false"], { recursive: false }],
    [["max_results=20"], { max_results: 20 }],
    [["max_results=-1"], { max_results: -1 }],
    [["max_results=2.0"], { max_results: 2 }],
    [["ratio=1.5e-3"], { ratio: 0.0015 }],
    [["args=a,b"], { args: ["a", "b"] }],
    [["args="], { args: [] }],
    [["args=a"], { args: ["a"] }],
    [["args=a", "args=b,c"], { args: ["a", "b,c"] }],
    [['args=["a,b","c"]'], { args: ["a,b", "c"] }],
    [["sizes=1,2"], { sizes: [1, 2] }],
    [['edits=[{"old":"a"}]'], { edits: [{ old: "a" }] }],
    [['edits={"old":"a"}', 'edits={"old":"b"}'], { edits: [{ old: "a" }, { old: "b" }] }],
    [['env={"A":"1"}'], { env: { A: "1" } }],
    [["nothing=null"], { nothing: null }],
    [["either=3"], { either: 3 }],
    [["either=null"], { either: null }],
    [["either=true"], { either: true }],
    [["choice=1"], { choice: 1 }],
    [["choice=one"], { choice: "one" }],
    [["choice=null"], { choice: null }],
    [["choice=two"], { choice: "two" }],
    [["free=12"], { free: "12" }],
  ];
  for (const [words, value] of cases) assertEquals(typeArguments(SCHEMA, words), { value });
});

Deno.test("typeArguments says which word is wrong and what would be right", () => {
  const known = "Known: " + Object.keys(SCHEMA.properties ?? {}).join(", ");
  const cases: readonly (readonly [readonly string[], string, string])[] = [
    [["src/a.ts"], "", '"src/a.ts" is no KEY=VALUE; did you mean path=src/a.ts?'],
    [["a file"], "", `"a file" is no KEY=VALUE; did you mean path='a file'?`],
    [["recursive"], "", '"recursive" is no KEY=VALUE; write recursive=…'],
    [["=x"], "", `unknown argument "". ${known}`],
    [["pth=x"], "", `unknown argument "pth". Did you mean "path"? ${known}`],
    [["__proto__=x"], "", `unknown argument "__proto__". ${known}`],
    [["recursive=yes"], "recursive", 'expected true or false, got "yes"'],
    [["max_results=ten"], "max_results", 'expected an integer, got "ten"'],
    [["max_results=1.5"], "max_results", 'expected an integer, got "1.5"'],
    [["max_results=0x10"], "max_results", 'expected an integer, got "0x10"'],
    [["max_results="], "max_results", 'expected an integer, got ""'],
    [["ratio=1e999"], "ratio", 'expected a number, got "1e999"'],
    [["path=a", "path=b"], "path", "given 2 times; it takes one value"],
    [["env=[1]"], "env", 'expected an object as JSON, got "[1]"'],
    [["env={"], "env", 'expected an object as JSON, got "{"'],
    [["args=[oops"], "args", 'expected an array as JSON, got "[oops"'],
    [["sizes=1,x"], "sizes", 'expected an integer, got "x"'],
    [["nothing=none"], "nothing", 'expected null, got "none"'],
    [["either=x"], "either", 'fits none of the forms allowed here: "x"'],
  ];
  for (const [words, path, message] of cases) {
    assertEquals(typeArguments(SCHEMA, words), { problems: [{ path, message }] });
  }
});

Deno.test("typeArguments tells all problems at once", () => {
  const typed = typeArguments(SCHEMA, ["pth=x", "recursive=1", "max_results=a"]);
  assert("problems" in typed);
  assertEquals(typed.problems.length, 3);
});

Deno.test("typeArguments reaches no prototype", () => {
  const open: Schema<unknown> = {
    type: "object",
    properties: Object.fromEntries([["__proto__", { type: "object" }]]),
  };
  const typed = typeArguments(open, ['__proto__={"polluted":1}']);
  assert("value" in typed);
  assertEquals(Object.keys(typed.value), ["__proto__"]);
  assertEquals(Object.getPrototypeOf(typed.value), Object.prototype);
});
