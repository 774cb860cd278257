/** Types from schemas: most of it is proved by compiling; each `@ts-expect-error` fails where a mismatch compiles. */

import { assertEquals } from "@std/assert";
import { parseArguments } from "../../../src/core/parse_arguments.ts";
import type { Infer, JsonSchema, Schema } from "../../../src/core/schema.ts";
import type { Tool } from "../../../src/core/tool.ts";

/** True of two types that are one: neither allows what the other does not, optional and `unknown` told apart. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;

/** Compiles for `true` alone. */
function holds<_ extends true>(): void {}

/** The type of one property's value. */
type Of<P extends JsonSchema> = Infer<
  { readonly type: "object"; readonly properties: { readonly it: P }; readonly required: ["it"] }
>["it"];

const LEVELS = ["low", "high"] as const;

const input = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1 },
    level: { type: "string", enum: LEVELS, default: "low" },
    count: { type: "integer", minimum: 0 },
    edits: {
      type: "array",
      items: {
        type: "object",
        properties: {
          old: { type: "string" },
          all: { type: "boolean", default: false },
        },
        required: ["old"],
      },
    },
    env: { type: "object", default: {}, additionalProperties: { type: "string" } },
  },
  required: ["path"],
} as const satisfies Schema;

type Input = Infer<typeof input>;

const output = {
  type: "object",
  properties: {
    path: { type: "string" },
    lines: { type: "integer" },
    code: { oneOf: [{ type: "integer" }, { type: "null" }] },
    note: { type: "string" },
  },
  required: ["path", "lines", "code"],
} as const satisfies Schema;

Deno.test("Infer: what each keyword allows", () => {
  holds<Same<Of<{ type: "string" }>, string>>();
  holds<Same<Of<{ type: "number" }>, number>>();
  holds<Same<Of<{ type: "integer" }>, number>>();
  holds<Same<Of<{ type: "boolean" }>, boolean>>();
  holds<Same<Of<{ type: "null" }>, null>>();
  holds<Same<Of<{ type: "array" }>, readonly unknown[]>>();
  holds<Same<Of<{ type: "array"; items: { type: "string" } }>, readonly string[]>>();
  holds<Same<Of<{ description: string }>, unknown>>();
  holds<Same<Of<{ enum: ["a", 1, null] }>, "a" | 1 | null>>();
  holds<Same<Of<{ type: "string"; enum: readonly ["a", "b"] }>, "a" | "b">>();
  holds<Same<Of<{ type: "integer"; enum: readonly ["a", 1] }>, 1>>();
  holds<Same<Of<{ type: "string"; enum: readonly string[] }>, string>>();
  holds<Same<Of<{ oneOf: [{ type: "string" }, { type: "null" }] }>, string | null>>();
  holds<
    Same<
      Of<{ oneOf: [{ type: "string" }, { type: "array"; items: { type: "string" } }] }>,
      string | readonly string[]
    >
  >();
});

Deno.test("Infer: which objects", () => {
  type Empty = Readonly<Record<string, never>>;
  type Anything = Readonly<Record<string, unknown>>;
  holds<Same<Of<{ type: "object" }>, Empty>>();
  holds<Same<Of<{ type: "object"; additionalProperties: false }>, Empty>>();
  holds<Same<Of<{ type: "object"; additionalProperties: true }>, Anything>>();
  holds<
    Same<
      Of<{ type: "object"; additionalProperties: { type: "integer" } }>,
      Readonly<Record<string, number>>
    >
  >();
  type Open = Of<
    {
      type: "object";
      properties: { a: { type: "string" } };
      required: ["a"];
      additionalProperties: true;
    }
  >;
  holds<Same<Open["a"], string>>();
  holds<Same<Open["b"], unknown>>();
});

Deno.test("Infer: a property is there where it is required or has a default", () => {
  holds<
    Same<Input, {
      readonly path: string;
      readonly level: "low" | "high";
      readonly env: Readonly<Record<string, string>>;
      readonly count?: number;
      readonly edits?: readonly { readonly old: string; readonly all: boolean }[];
    }>
  >();
  // No default is filled in inside `oneOf`.
  type Form = Of<
    { oneOf: [{ type: "object"; properties: { a: { type: "string"; default: "x" } } }] }
  >;
  holds<Same<Form, { readonly a?: string }>>();
  // Names that only the run knows say nothing of this one.
  type Late = Infer<
    { type: "object"; properties: { a: { type: "string" } }; required: readonly string[] }
  >;
  holds<Same<Late, { readonly a?: string }>>();
});

Deno.test("Infer: what only the run knows is unknown, unless the schema says its type", () => {
  holds<Same<Infer<Schema>, unknown>>();
  holds<Same<Of<JsonSchema>, unknown>>();
  holds<Same<Infer<Schema<{ readonly a: 1 }>>, { readonly a: 1 }>>();
});

Deno.test("Infer: agrees with what parsing answers", () => {
  const parsed = parseArguments(input, { path: "a", edits: [{ old: "x" }], count: null });
  if ("problems" in parsed) throw new Error(JSON.stringify(parsed.problems));
  holds<Same<typeof parsed.value, Input>>();
  const expected: Input = { path: "a", level: "low", env: {}, edits: [{ old: "x", all: false }] };
  assertEquals(parsed.value, expected);
});

/** What is not said in each of the cases below. */
const rest = {
  name: "probe",
  category: "util",
  description: "Probes.",
  risk: "safe",
  permission: null,
  input,
  output,
  describe: ({ path }: Input) => path,
  capabilities: () => [],
} as const;

type Probe = Tool<typeof input, typeof output>;

Deno.test("Tool: run takes what its schema parses to, and answers what its schema says", () => {
  const fits: Probe = {
    ...rest,
    run: ({ path, level, edits = [] }) => ({ path: path + level, lines: edits.length, code: null }),
  };
  const later: Probe = { ...rest, run: ({ path }) => Promise.resolve({ path, lines: 1, code: 0 }) };
  const surveyed: Tool<typeof input, typeof output, { readonly way?: string }> = {
    ...rest,
    run: ({ path, way = path }) => ({ path: way, lines: 0, code: null }),
  };
  assertEquals([fits, later, surveyed].map(({ name }) => name), ["probe", "probe", "probe"]);
  const any: readonly Tool[] = [fits, later, surveyed];
  assertEquals(any.length, 3);
});

Deno.test("Tool: a mismatch of schema and run does not compile", () => {
  const refused: readonly Probe[] = [
    // @ts-expect-error: `lines` is missing
    { ...rest, run: ({ path }) => ({ path, code: null }) },
    // @ts-expect-error: `lines` is a number
    { ...rest, run: ({ path }) => ({ path, lines: "1", code: null }) },
    // @ts-expect-error: the same later
    { ...rest, run: ({ path }) => Promise.resolve({ path, lines: "1", code: null }) },
    // @ts-expect-error: `code` is a number or null
    { ...rest, run: ({ path }) => ({ path, lines: 1, code: undefined }) },
    // @ts-expect-error: there is no `name` in the input
    { ...rest, run: ({ name }) => ({ path: name, lines: 1, code: null }) },
    // @ts-expect-error: `count` may be absent
    { ...rest, run: ({ path, count }) => ({ path, lines: count, code: null }) },
    // @ts-expect-error: `level` is one of two words
    { ...rest, run: ({ level }) => ({ path: level === "mid" ? "" : level, lines: 1, code: null }) },
    // @ts-expect-error: another schema
    { ...rest, input: output, run: ({ path }) => ({ path, lines: 1, code: null }) },
    // @ts-expect-error: the other schema
    { ...rest, output: input, run: ({ path }) => ({ path, lines: 1, code: null }) },
    // @ts-expect-error: a description of what is not there
    { ...rest, describe: ({ to }) => to, run: ({ path }) => ({ path, lines: 1, code: null }) },
  ];
  assertEquals(refused.length, 10);
});

Deno.test("Tool: what it takes cannot be said beside its schema", () => {
  // @ts-expect-error: a type is no schema
  holds<Same<Tool<Input, typeof output>["name"], string>>();
});

Deno.test("Schema: a keyword that parsing does not know does not compile", () => {
  const schemas: readonly Schema[] = [
    // @ts-expect-error: no such keyword
    { type: "object", properties: { a: { type: "string", pattern: "^a" } } },
    // @ts-expect-error: no such type
    { type: "object", properties: { a: { type: "text" } } },
    // @ts-expect-error: arguments are an object
    { type: "string" },
  ];
  assertEquals(schemas.length, 3);
});
