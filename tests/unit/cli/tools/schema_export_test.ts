/** Exported tool definitions against the rules of each API, for all tools and for schemas that no tool has yet. */

import { assert, assertEquals } from "@std/assert";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { SchemaExport } from "../../../../src/cli/tools/schema_export/_schema_export.ts";
import { SCHEMA_TARGETS } from "../../../../src/cli/tools/schema_export/targets.ts";
import { parseArguments } from "../../../../src/core/parse_arguments.ts";
import { type JsonSchema, type Schema, toStandardSchema } from "../../../../src/core/schema.ts";
import type { ToolDescription } from "../../../../src/core/tool.ts";
import { createRegistry } from "../../../../src/tools/registry.ts";
import { Random } from "../../../random.ts";
import { randomObject, valueFor } from "../../core/_random_schema.ts";
import {
  anthropicProblems,
  geminiProblems,
  isJsonSchema,
  openAiProblems,
  openAiResponsesProblems,
} from "./_api_rules.ts";

// deno-lint-ignore no-explicit-any
type Loose = any;

const tools = await createRegistry().catalogue.all();

const ORACLES: Readonly<Record<string, (value: unknown) => readonly string[]>> = {
  openai: openAiProblems,
  "openai-responses": openAiResponsesProblems,
  anthropic: anthropicProblems,
  gemini: geminiProblems,
  mcp: (value) =>
    ListToolsResultSchema.safeParse({ tools: value }).error?.issues.map(({ message }: Loose) =>
      String(message)
    ) ??
      [],
  jsonschema: (value) => isJsonSchema(value, "document"),
};

async function exported(
  name: string,
  from: readonly ToolDescription[],
  strict = false,
): Promise<SchemaExport> {
  const target = SCHEMA_TARGETS.find((known) => known.name === name);
  assert(target !== undefined, name);
  return (await target.load())(from, { strict });
}

function toolOf(input: Schema<unknown>, name = "probe"): ToolDescription {
  return {
    name,
    aliases: [],
    category: "util",
    description: "Probes.",
    risk: "safe",
    changes: false,
    permission: null,
    input: toStandardSchema(input) as Schema<unknown>,
    output: { type: "object" },
    examples: [],
  };
}

Deno.test("each API takes what is exported for it, strict or not, and gets every tool", async () => {
  for (const { name, strict } of SCHEMA_TARGETS) {
    for (const mode of strict ? [false, true] : [false]) {
      const { value } = await exported(name, tools, mode);
      assertEquals(ORACLES[name]?.(value), [], `${name} ${mode}`);
      const text = JSON.stringify(value);
      for (const tool of tools) assert(text.includes(`"${tool.name}"`), `${name}: ${tool.name}`);
      assertEquals(
        ORACLES[name]?.((await exported(name, [], mode)).value),
        [],
        `${name}: no tools`,
      );
    }
  }
});

Deno.test("the order is the registry's, and two exports are the same text", async () => {
  for (const { name } of SCHEMA_TARGETS) {
    const once = JSON.stringify((await exported(name, tools)).value);
    assertEquals(JSON.stringify((await exported(name, tools)).value), once);
    const places = tools.map((tool) => once.indexOf(`"name":"${tool.name}"`));
    assertEquals(places, places.toSorted((a, b) => a - b), name);
  }
});

Deno.test("small: no output schemas, no lengths, nothing said twice", async () => {
  for (const name of ["openai", "openai-responses", "anthropic", "gemini"]) {
    const text = JSON.stringify((await exported(name, tools)).value);
    assert(!/"(?:output|outputSchema|maxLength|minLength)"/.test(text), name);
    const whole = JSON.stringify((await exported("mcp", tools)).value);
    assert(text.length < 0.6 * whole.length, `${name}: ${text.length} of ${whole.length}`);
  }
});

Deno.test("strict: what a model must then send means what its author meant", async () => {
  for (const name of ["openai", "openai-responses"]) {
    const { value, notes } = await exported(name, tools, true);
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    for (const [index, definition] of (value as Loose[]).entries()) {
      const { parameters, strict } = definition.function ?? definition;
      const tool = tools[index];
      assert(tool !== undefined);
      const told = notes.some((note) => note.startsWith(`${tool.name}: not strict`));
      assertEquals(strict === true, !told, tool.name);
      if (strict !== true) continue;
      const validate = ajv.compile(parameters);
      for (const { args } of tool.examples) {
        const known = Object.fromEntries(
          Object.entries(args).filter(([key]) => key in parameters.properties),
        );
        const sent = filled(parameters, known);
        assert(validate(sent), `${tool.name} ${JSON.stringify([sent, validate.errors])}`);
        assertEquals(parseArguments(tool.input, sent), parseArguments(tool.input, known));
      }
    }
  }
});

/** What a model in strict mode sends: all properties, null where there is nothing to say. */
function filled(schema: Loose, value: Loose): Loose {
  if (schema?.anyOf !== undefined) {
    const form = schema.anyOf.find((one: Loose) =>
      one.type === (Array.isArray(value) ? "array" : typeof value)
    );
    return filled(form, value);
  }
  if (Array.isArray(value)) return value.map((item) => filled(schema.items, item));
  if (typeof value !== "object" || value === null || schema?.properties === undefined) return value;
  return Object.fromEntries(
    Object.entries(schema.properties).map(([key, property]) => [
      key,
      key in value ? filled(property, value[key]) : null,
    ]),
  );
}

Deno.test("an argument that strict mode or Gemini cannot describe is left out, or the tool is not strict", async () => {
  const map: JsonSchema = { type: "object", additionalProperties: { type: "string" } };
  const optional = toolOf({
    type: "object",
    properties: { path: { type: "string" }, env: map },
    required: ["path"],
  });
  const needed = toolOf({ type: "object", properties: { env: map }, required: ["env"] });
  const strict = await exported("openai", [optional], true);
  assertEquals((strict.value as Loose)[0].function.parameters.required, ["path"]);
  assert(strict.notes[0]?.startsWith("probe: env"), strict.notes[0]);
  const loose = await exported("openai", [needed], true);
  assertEquals((loose.value as Loose)[0].function.strict, undefined);
  assert(loose.notes[0]?.includes("not strict"), loose.notes[0]);
  assertEquals((await exported("openai", [optional])).notes, []);
  const gemini = await exported("gemini", [optional]);
  assertEquals(
    Object.keys((gemini.value as Loose)[0].functionDeclarations[0].parameters.properties),
    [
      "path",
    ],
  );
  const whole = await exported("gemini", [needed]);
  assert("parametersJsonSchema" in (whole.value as Loose)[0].functionDeclarations[0]);
  assertEquals(geminiProblems(whole.value), []);
});

Deno.test("what is beyond strict mode is not strict: levels, numbers, forms that begin alike", async () => {
  const text: JsonSchema = { type: "string" };
  const nested = (levels: number): JsonSchema =>
    levels === 0 ? text : {
      type: "object",
      properties: { inner: nested(levels - 1) },
      required: ["inner"],
    };
  const many = (count: number): Schema<unknown> => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`p${index}`, text]),
    ),
  });
  const form = (...names: readonly string[]): JsonSchema => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, text])),
    required: names,
  });
  const forms = (...given: readonly JsonSchema[]): Schema<unknown> => ({
    type: "object",
    properties: { one: { oneOf: given } },
    required: ["one"],
  });
  const cases: readonly (readonly [Schema<unknown>, boolean])[] = [
    [nested(5) as Schema<unknown>, true],
    [nested(6) as Schema<unknown>, false],
    [many(100), true],
    [many(101), false],
    [forms(form("a"), form("b", "a")), true],
    [forms(form("a"), form("a", "b")), false],
    [forms(form("a"), text), true],
    // Within a form null is a null: nothing can be left out there.
    [forms({ type: "object", properties: { a: text } }, text), false],
  ];
  for (const [schema, isStrict] of cases) {
    const { value } = await exported("openai", [toolOf(schema)], true);
    const told = JSON.stringify(schema).slice(0, 200);
    assertEquals((value as Loose)[0].function.strict ?? false, isStrict, told);
    assertEquals(openAiProblems(value), [], told);
  }
});

Deno.test("alternatives at the root are for no model: they are judged when the call comes", async () => {
  const either = toolOf({
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" } },
    oneOf: ["a", "b"].map((name) => ({
      type: "object" as const,
      properties: { [name]: { type: "string" as const } },
      required: [name],
      additionalProperties: true,
    })),
    description: "One of the two.",
  });
  for (const { name, strict } of SCHEMA_TARGETS) {
    for (const mode of strict ? [false, true] : [false]) {
      const { value } = await exported(name, [either], mode);
      assertEquals(ORACLES[name]?.(value), [], `${name} ${mode}`);
    }
  }
});

Deno.test("what an API's keywords cannot say is said in words", async () => {
  const tool = toolOf({
    type: "object",
    properties: {
      depth: { type: "integer", minimum: 1, maximum: 9, default: 5, description: "How deep." },
      level: { enum: [1, 2], description: "Which level." },
      kind: { type: "string", enum: ["a", ""], description: "Which kind." },
    },
  });
  const strict = (await exported("openai", [tool], true)).value as Loose;
  const { depth, level } = strict[0].function.parameters.properties;
  assertEquals(depth, {
    type: ["integer", "null"],
    description: "How deep. From 1 to 9. Default: 5.",
  });
  assertEquals(level.anyOf, [{ type: "integer", enum: [1, 2] }, { type: "null" }]);
  const gemini = (await exported("gemini", [tool])).value as Loose;
  const { properties } = gemini[0].functionDeclarations[0].parameters;
  assertEquals(properties.depth.description, "How deep. Default: 5.");
  assertEquals(properties.level, { type: "integer", description: "Which level. One of 1, 2." });
  assertEquals(properties.kind, { type: "string", description: 'Which kind. One of "a", "".' });
});

Deno.test("a tool or an argument with a name that an API does not take is left out and told of", async () => {
  const fine = toolOf({ type: "object", properties: { a: { type: "string" } } }, "fine");
  const cases = [
    toolOf({ type: "object" }, "dotted.name/x"),
    toolOf({ type: "object" }, "x".repeat(65)),
    toolOf({ type: "object", properties: { "größe": { type: "string" } } }, "odd_argument"),
    toolOf({
      type: "object",
      properties: { list: { type: "array", items: { type: "object", properties: { "a b": {} } } } },
    }, "odd_inner"),
  ];
  for (
    const { name } of SCHEMA_TARGETS.filter(({ name }) => !["mcp", "jsonschema"].includes(name))
  ) {
    const { value, notes } = await exported(name, [...cases, fine]);
    assertEquals(notes.length, cases.length, name);
    assertEquals(ORACLES[name]?.(value), [], name);
    assert(JSON.stringify(value).includes('"fine"'));
  }
});

Deno.test("whatever the schema, each API takes what becomes of it", async () => {
  const random = new Random(6);
  const made = Array.from({ length: 60 }, () => randomObject(random, 4));
  for (const { name, strict } of SCHEMA_TARGETS) {
    for (const mode of strict ? [false, true] : [false]) {
      for (const schema of made) {
        const { value } = await exported(name, [toolOf(schema)], mode);
        assertEquals(ORACLES[name]?.(value), [], `${name} ${mode} ${JSON.stringify(schema)}`);
      }
    }
  }
});

Deno.test("whatever the schema, what strict mode lets a model send is judged as what it stands for", async () => {
  const random = new Random(66);
  let strictOnes = 0;
  let compared = 0;
  const ajv = new Ajv2020({ strict: false });
  for (let round = 0; round < 600; round++) {
    const schema = randomObject(random, 3);
    // An argument that takes null cannot be left out in strict mode: that null is a null.
    if (JSON.stringify(schema).includes("null")) continue;
    const { value } = await exported("openai", [toolOf(schema)], true);
    const { parameters, strict } = (value as Loose)[0].function;
    if (strict !== true) continue;
    strictOnes++;
    const validate = ajv.compile(parameters);
    for (let each = 0; each < 10; each++) {
      const wanted = valueFor(random, schema, 3) as Loose;
      if (!("value" in parseArguments(schema, wanted))) continue;
      const known = Object.fromEntries(
        Object.entries(wanted).filter(([key]) => Object.hasOwn(parameters.properties, key)),
      );
      const sent = sendable(ajv, parameters, known);
      if (!validate(sent)) continue;
      compared++;
      assertEquals(
        parseArguments(schema, sent),
        parseArguments(schema, known),
        JSON.stringify([schema, sent]),
      );
    }
  }
  assert(strictOnes > 50 && compared > 100, `${strictOnes} strict, ${compared} compared`);
});

/** As {@linkcode filled}, where a form is chosen by what fits. */
function sendable(ajv: Ajv2020, schema: Loose, value: Loose): Loose {
  if (schema?.anyOf !== undefined) {
    const forms = schema.anyOf.map((form: Loose) => sendable(ajv, form, value));
    const index = schema.anyOf.findIndex((form: Loose, at: number) =>
      ajv.validate(form, forms[at])
    );
    return forms[index] ?? value;
  }
  if (Array.isArray(value)) {
    return schema?.items === undefined
      ? value
      : value.map((item) => sendable(ajv, schema.items, item));
  }
  return filledBy(ajv, schema, value);
}

function filledBy(ajv: Ajv2020, schema: Loose, value: Loose): Loose {
  if (typeof value !== "object" || value === null || schema?.properties === undefined) return value;
  const known = Object.entries(schema.properties).map(([key, property]): [string, Loose] => [
    key,
    Object.hasOwn(value, key) ? sendable(ajv, property, value[key]) : null,
  ]);
  const others = Object.entries(value).filter(([key]) => !Object.hasOwn(schema.properties, key));
  return Object.fromEntries([...known, ...others]);
}

Deno.test("the JSON Schema document judges calls as the tools do", async () => {
  const { value } = await exported("jsonschema", tools);
  const validate = new Ajv2020({ strict: true }).compile(value as Loose);
  for (const { name, examples } of tools) {
    for (const { args } of examples) {
      assert(validate({ tool: name, args }), `${name}: ${JSON.stringify(validate.errors)}`);
      assert(!validate({ tool: name, args: { ...args, zzz: 1 } }), name);
    }
  }
  assert(!validate({ tool: "none", args: {} }));
});
