/** `get_help`: what tools there are, and how each is called. */

import { ToolError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Infer, JsonSchema, Schema } from "../../core/schema.ts";
import { type Catalogue, CATEGORIES, type Tool, type ToolDescription } from "../../core/tool.ts";

const BRIEFS = {
  type: "array",
  items: {
    type: "object",
    properties: {
      name: { type: "string", description: "Name to call it by." },
      description: { type: "string", description: "What it does, in a sentence." },
    },
    required: ["name", "description"],
  },
} as const satisfies JsonSchema;

const ARGUMENTS = {
  type: "array",
  items: {
    type: "object",
    properties: {
      name: { type: "string", description: "Name." },
      type: { type: "string", description: "Type, with its bounds." },
      required: { type: "boolean", description: "Whether it is always there." },
      description: { type: "string", description: "Meaning." },
      default: {
        description: "Value where it is left out.",
        oneOf: [
          { type: "string" },
          { type: "number" },
          { type: "boolean" },
          { type: "array" },
          { type: "object", additionalProperties: true },
          { type: "null" },
        ],
      },
    },
    required: ["name", "type", "required", "description"],
  },
} as const satisfies JsonSchema;

const input = {
  type: "object",
  properties: {
    tool: {
      type: "string",
      minLength: 1,
      maxLength: 100,
      description: "Name or alias of a tool.",
    },
    search: {
      type: "string",
      minLength: 1,
      maxLength: 200,
      description: "Words for what is to be done.",
    },
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    tool: { type: "string", description: "The tool's name." },
    aliases: { type: "array", items: { type: "string" }, description: "Its other names." },
    category: { type: "string", enum: CATEGORIES, description: "Where it belongs." },
    description: { type: "string", description: "What it does and answers, and its limits." },
    risk: { type: "string", enum: ["safe", "moderate", "dangerous"], description: "Its risk." },
    permission: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: "The group an agent needs; null: none.",
    },
    arguments: { ...ARGUMENTS, description: "What it takes." },
    answers: { ...ARGUMENTS, description: "What its output holds." },
    examples: {
      type: "array",
      description: "Calls worth imitating.",
      items: {
        type: "object",
        properties: {
          note: { type: "string", description: "What it is good for." },
          args: { type: "object", additionalProperties: true, description: "The arguments." },
        },
        required: ["note", "args"],
      },
    },
    categories: {
      type: "array",
      description: "Without tool and search: all tools.",
      items: {
        type: "object",
        properties: {
          category: { type: "string", enum: CATEGORIES, description: "The category." },
          tools: { ...BRIEFS, description: "Its tools." },
        },
        required: ["category", "tools"],
      },
    },
    found: { ...BRIEFS, description: "With search: the tools that fit, best first." },
  },
} as const satisfies Schema;

/** One of three: a tool, all tools by category, or those that a text finds. */
type Output = Infer<typeof output>;
type Argument = Infer<typeof ARGUMENTS>[number];
type Brief = Infer<typeof BRIEFS>[number];

const tool: Tool<typeof input, typeof output> = {
  name: "get_help",
  category: "util",
  description:
    "Explains the tools: with tool one of them, with its arguments and examples; with search those that fit " +
    "a text; with neither all of them by category.",
  risk: "safe",
  permission: null,
  input,
  output,
  examples: [
    { note: "one tool", args: { tool: "read_file" } },
    { note: "a tool for a purpose", args: { search: "find text in files" } },
  ],
  describe: ({ tool: name, search }) =>
    name === undefined
      ? search === undefined ? "Get help" : `Get help on: ${printable(search)}`
      : `Get help: ${printable(name)}`,
  check({ tool: name, search }) {
    if (name === undefined || search === undefined) return;
    throw new ToolError("INVALID_ARGUMENTS", "tool, search: both are given; one of them is enough");
  },
  capabilities: () => [],
  async run({ tool: name, search }, { catalogue }) {
    if (name !== undefined) return await explain(name, catalogue);
    if (search !== undefined) return { found: (await catalogue.search(search)).map(brief) };
    const all = await catalogue.all();
    return {
      categories: CATEGORIES
        .map((category) => ({
          category,
          tools: all.filter((one) => one.category === category).map(brief),
        }))
        .filter(({ tools }) => tools.length > 0),
    };
  },
};

export default tool;

async function explain(name: string, catalogue: Catalogue): Promise<Output> {
  const found = await catalogue.describe(name);
  if (found === null) {
    const nearest = catalogue.nearest(name);
    throw new ToolError(
      "UNKNOWN_TOOL",
      `there is no tool named ${quoted(name)}.${
        didYouMean(nearest)
      } Without arguments get_help lists all`,
      { details: { nearest } },
    );
  }
  const { aliases, category, description, risk, permission, input, output, examples } = found;
  return {
    tool: found.name,
    aliases,
    category,
    description,
    risk,
    permission,
    arguments: propertiesOf(input),
    answers: propertiesOf(output),
    examples,
  };
}

function brief({ name, description }: ToolDescription): Brief {
  return {
    name,
    description: /^.*?[.:](?=\s|$)/s.exec(description)?.[0].replace(/:$/, ".") ?? description,
  };
}

function propertiesOf(schema: JsonSchema): readonly Argument[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    type: typeOf(property),
    required: schema.required?.includes(name) ?? false,
    description: property.description ?? "",
    ...(property.default === undefined ? {} : { default: property.default }),
  }));
}

/** `integer ≥ 1`, `array of string`, `"iso" | "unix"`. */
function typeOf(schema: JsonSchema): string {
  if (schema.enum !== undefined) {
    return schema.enum.map((member) => JSON.stringify(member)).join(" | ");
  }
  if (schema.oneOf !== undefined) return schema.oneOf.map(typeOf).join(" | ");
  const { type = "any", minimum, maximum, items } = schema;
  if (type === "array") return items === undefined ? type : `array of ${typeOf(items)}`;
  if (minimum !== undefined && maximum !== undefined) {
    return `${type} from ${minimum} to ${maximum}`;
  }
  if (minimum !== undefined) return `${type} ≥ ${minimum}`;
  return maximum === undefined ? type : `${type} ≤ ${maximum}`;
}
