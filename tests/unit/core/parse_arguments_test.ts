import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { invalidArguments, MAX_DEPTH, parseArguments } from "../../../src/core/parse_arguments.ts";
import type { Schema } from "../../../src/core/schema.ts";

const SCHEMA: Schema<unknown> = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1, maxLength: 5 },
    encoding: { type: "string", enum: ["utf-8", "base64"], default: "utf-8" },
    start: { type: "integer", minimum: 1 },
    ratio: { type: "number", minimum: 0, maximum: 1 },
    flag: { type: "boolean", default: false },
    nothing: { type: "null" },
    edits: {
      type: "array",
      minItems: 1,
      maxItems: 2,
      items: {
        type: "object",
        properties: {
          old: { type: "string" },
          all: { type: "boolean", default: true },
        },
        required: ["old"],
      },
    },
    env: { type: "object", additionalProperties: { type: "string" } },
    options: {
      type: "object",
      default: {},
      properties: { depth: { type: "integer", default: 3 } },
    },
    either: { oneOf: [{ type: "integer" }, { type: "null" }] },
  },
  required: ["path"],
};

const FILLED = { encoding: "utf-8", flag: false, options: { depth: 3 } };

Deno.test("parseArguments fills in defaults at every level", () => {
  const cases: readonly (readonly [unknown, unknown])[] = [
    [{ path: "a" }, { path: "a", ...FILLED }],
    [{ path: "a", options: { depth: 9 } }, { path: "a", ...FILLED, options: { depth: 9 } }],
    [
      { path: "a", edits: [{ old: "x" }, { old: "y", all: false }] },
      { path: "a", ...FILLED, edits: [{ old: "x", all: true }, { old: "y", all: false }] },
    ],
    [{ path: "a", start: 1.0, ratio: 0.5 }, { path: "a", ...FILLED, start: 1, ratio: 0.5 }],
    [{ path: "🦕🦕🦕🦕🦕" }, { path: "🦕🦕🦕🦕🦕", ...FILLED }],
    [{ path: "a", either: null, nothing: null }, {
      path: "a",
      ...FILLED,
      either: null,
      nothing: null,
    }],
    [{ path: "a", env: { A: "1" } }, { path: "a", ...FILLED, env: { A: "1" } }],
  ];
  for (const [input, expected] of cases) {
    assertEquals(parseArguments(SCHEMA, input), { value: expected });
  }
});

Deno.test("parseArguments says what was given and what would be right", () => {
  const cases: readonly (readonly [unknown, string, string])[] = [
    [{}, "path", "missing; expected a string"],
    [{ path: "" }, "path", "must not be empty"],
    [{ path: "abcdef" }, "path", "expected at most 5 characters, got 6"],
    [{ path: 3 }, "path", "expected a string, got 3"],
    [
      { path: "a", start: "3" },
      "start",
      'expected an integer of at least 1, got the string "3": leave out the quotes',
    ],
    [{ path: "a", start: 1.5 }, "start", "expected an integer of at least 1, got 1.5"],
    [{ path: "a", start: 0 }, "start", "expected an integer of at least 1, got 0"],
    [{ path: "a", ratio: 2 }, "ratio", "expected a number from 0 to 1, got 2"],
    [{ path: "a", ratio: Infinity }, "ratio", "expected a number from 0 to 1, got Infinity"],
    [
      { path: "a", flag: "true" },
      "flag",
      'expected true or false, got the string "true": leave out the quotes',
    ],
    [
      { path: "a", encoding: "utf8" },
      "encoding",
      'expected "utf-8", "base64"; got the string "utf8". Did you mean "utf-8"?',
    ],
    [{ path: "a", edits: [] }, "edits", "expected at least 1 item, got 0"],
    [
      { path: "a", edits: [{ old: "" }, { old: "" }, { old: "" }] },
      "edits",
      "expected at most 2 items, got 3",
    ],
    [{ path: "a", edits: [{ old: "x" }, { old: 1 }] }, "edits[1].old", "expected a string, got 1"],
    [{ path: "a", edits: [{}] }, "edits[0].old", "missing; expected a string"],
    [
      { path: "a", edits: '[{"old":1}]' },
      "edits",
      'expected an array, got the string "[{\\"old\\":1}]": send it as JSON, not as text',
    ],
    [{ path: "a", edits: "x" }, "edits", 'expected an array, got the string "x": put it in [ ]'],
    [{ path: "a", env: { "A B": 1 } }, 'env["A B"]', "expected a string, got 1"],
    [{ path: "a", either: "x" }, "either", 'expected an integer or null, got the string "x"'],
    [
      { path: "a", flagg: true },
      "flagg",
      'unknown argument. Did you mean "flag"? Known: ' +
      Object.keys(SCHEMA.properties ?? {}).join(", "),
    ],
    [[], "", "expected an object, got an array"],
    [null, "", "expected an object, got null"],
    ["x", "", 'expected an object, got the string "x"'],
  ];
  for (const [input, path, message] of cases) {
    assertEquals(parseArguments(SCHEMA, input), { problems: [{ path, message }] });
  }
});

Deno.test("parseArguments tells all problems at once, and no end of them", () => {
  const parsed = parseArguments(SCHEMA, { start: 0, flag: 1, extra: 2 });
  assert("problems" in parsed);
  assertEquals(parsed.problems.map(({ path }) => path), ["start", "flag", "extra", "path"]);
  const flood = parseArguments(
    SCHEMA,
    Object.fromEntries(Array.from({ length: 999 }, (_, i) => [`x${i}`, 1])),
  );
  assert("problems" in flood);
  assertEquals(flood.problems.length, 20);
});

Deno.test("parseArguments takes the names of Object.prototype as unknown arguments", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const parsed = parseArguments(SCHEMA, JSON.parse(`{"path":"a","${name}":{"polluted":1}}`));
    assert("problems" in parsed, name);
    assertEquals(parsed.problems.map(({ path }) => path), [name]);
  }
  assertEquals(Object.hasOwn(Object.prototype, "polluted"), false);
  // A required or defaulted name is not satisfied by what objects inherit.
  const inherits: Schema<unknown> = {
    type: "object",
    properties: Object.fromEntries([["toString", { type: "string" }]]),
    required: ["toString"],
  };
  assert("problems" in parseArguments(inherits, {}));
});

Deno.test("parseArguments keeps __proto__ an ordinary key where any key is taken", () => {
  const parsed = parseArguments(SCHEMA, JSON.parse('{"path":"a","env":{"__proto__":"x"}}'));
  assert("value" in parsed);
  const { env } = parsed.value as { env: Record<string, unknown> };
  assertEquals(Object.keys(env), ["__proto__"]);
  assertStrictEquals(Object.getPrototypeOf(env), Object.prototype);
});

Deno.test("parseArguments changes neither input nor schema", () => {
  const input = Object.freeze({ path: "a", edits: Object.freeze([Object.freeze({ old: "x" })]) });
  const first = parseArguments(SCHEMA, input);
  assert("value" in first);
  (first.value as { options: { depth: number } }).options.depth = 99;
  assertEquals(parseArguments(SCHEMA, { path: "a" }), { value: { path: "a", ...FILLED } });
});

Deno.test("parseArguments refuses bottomless nesting without ending the stack", () => {
  const free: Schema<unknown> = { type: "object", properties: { any: {} } };
  const nested = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level++) value = [value];
    return { any: value };
  };
  assert("value" in parseArguments(free, nested(MAX_DEPTH - 1)));
  assertEquals(parseArguments(free, nested(100_000)), {
    problems: [{ path: "", message: "nested deeper than 64 levels" }],
  });
});

Deno.test("invalidArguments puts every problem into message and details", () => {
  const problems = [{ path: "a", message: "missing" }, { path: "", message: "both given" }];
  const error = invalidArguments("read_file", problems);
  assertEquals(error.code, "INVALID_ARGUMENTS");
  assertEquals(error.message, "read_file: a: missing; both given");
  assertEquals(error.details, { problems });
});

Deno.test("null leaves an optional argument out, and nothing else", () => {
  const schema: Schema<unknown> = {
    type: "object",
    properties: {
      path: { type: "string" },
      limit: { type: "integer", minimum: 1, default: 5 },
      format: { type: "string", enum: ["iso", "unix"] },
      edits: {
        type: "array",
        items: {
          type: "object",
          properties: { old: { type: "string" }, all: { type: "boolean", default: false } },
          required: ["old"],
        },
      },
      signal: { oneOf: [{ type: "string" }, { type: "null" }], default: "x" },
      any: {},
      env: { type: "object", additionalProperties: { type: "string" } },
      either: {
        oneOf: [
          { type: "string" },
          { type: "object", properties: { a: { type: "string" } } },
        ],
      },
    },
    required: ["path"],
  };
  const parsed = (value: unknown) => parseArguments(schema, value);
  assertEquals(
    parsed({
      path: "a",
      limit: null,
      format: null,
      edits: [{ old: "x", all: null }],
      signal: null,
      any: null,
      env: null,
      either: null,
    }),
    {
      value: {
        path: "a",
        limit: 5,
        edits: [{ old: "x", all: false }],
        signal: null,
        any: null,
      },
    },
  );
  const refused: readonly (readonly [unknown, string])[] = [
    [{ path: null }, "path"],
    [{ path: "a", edits: [{ old: null }] }, "edits[0].old"],
    [{ path: "a", edits: [null] }, "edits[0]"],
    [{ path: "a", env: { A: null } }, "env.A"],
    [{ path: "a", unknown: null }, "unknown"],
    // What a form holds reaches the tool as it came: nothing is left out of it.
    [{ path: "a", either: { a: null } }, "either"],
  ];
  for (const [value, place] of refused) {
    const outcome = parsed(value);
    assert("problems" in outcome, JSON.stringify(value));
    assert(outcome.problems[0]?.path.startsWith(place), JSON.stringify(outcome));
  }
});

Deno.test("an object of more members than are read is refused before they are", () => {
  const schema = { type: "object", additionalProperties: { type: "integer" } } as const;
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
  assert("value" in parseArguments(schema, members(10_000)));
  const parsed = parseArguments(schema, members(10_001));
  assert("problems" in parsed);
  assertEquals(parsed.problems.map(({ message }) => message), [
    "an object has 10001 members; at most 10000 are read",
  ]);
});
