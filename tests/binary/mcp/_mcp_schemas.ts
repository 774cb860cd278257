/**
 * The JSON Schemas that the Model Context Protocol publishes, a revision each: out of the protocol's own conformance
 * suite, which is the npm package that has them. They are read, nothing of the package is run.
 */

import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { type Node, parse } from "acorn";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { hasPackage, packagesFolder } from "../../../scripts/_toolchain.ts";
import { sha256 } from "../../../src/core/sha256.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

/** Whether the schemas are here; where the package cannot be had their tests are left out. */
export const HAS_SCHEMAS = hasPackage(ROOT, "@modelcontextprotocol/conformance");

/** Of the file that has them, in the version that `NODE_PACKAGES` names. */
const FILE_SHA256 = "b56fb575e61edaac83c2008af40a6a78b47815c4038a02a9b04cd336d38832a0";

export const SCHEMA_REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] as const;
export type SchemaRevision = (typeof SCHEMA_REVISIONS)[number];

// deno-lint-ignore no-explicit-any
type Loose = any;

/** The schemas by revision: the literals of the file that hold definitions of MCP, oldest first. */
function readSchemas(): ReadonlyMap<SchemaRevision, Loose> {
  const file = join(
    packagesFolder(ROOT),
    "node_modules/@modelcontextprotocol/conformance/dist/index.js",
  );
  const text = Deno.readTextFileSync(file);
  assertEquals(sha256(text), FILE_SHA256, "not the file that was looked at when this was written");
  const program: Loose = parse(text, {
    ecmaVersion: "latest",
    sourceType: "module",
    allowHashBang: true,
  });
  const found = program.body
    .flatMap((statement: Loose) => statement.declarations ?? [])
    .map(({ init }: Loose) => init)
    .filter((init: Loose) =>
      init?.type === "ObjectExpression" && init.properties[0]?.key.name === "$schema" &&
      ["definitions", "$defs"].includes(init.properties[1]?.key?.name)
    )
    .map(valueOf);
  return new Map(SCHEMA_REVISIONS.toReversed().map((revision, i) => [revision, found[i]]));
}

/** The value of a literal. Throws for what is none. */
function valueOf(node: Node): unknown {
  const literal = node as Loose;
  switch (literal.type) {
    case "Literal":
      return literal.value;
    case "TemplateLiteral":
      assertEquals(literal.expressions, []);
      return literal.quasis[0].value.cooked;
    case "UnaryExpression":
      return literal.operator === "!"
        ? !valueOf(literal.argument)
        : -Number(valueOf(literal.argument));
    case "ArrayExpression":
      return literal.elements.map(valueOf);
    case "ObjectExpression":
      return Object.fromEntries(
        literal.properties.map(({ key, value }: Loose) => [key.name ?? key.value, valueOf(value)]),
      );
    default:
      throw new Error(`no literal: ${literal.type}`);
  }
}

/** Says what is wrong with a message, by a named definition; null where nothing is. */
export type Check = (definition: string, message: unknown) => string | null;

const FORMATS = {
  byte: /^[A-Za-z0-9+/]*={0,2}$/,
  uri: (text: string) => URL.canParse(text),
  "uri-template": /^[a-z]+:[^ ]+$/,
} as const;

/** Checks by the schema of each revision. */
export function createChecks(): ReadonlyMap<SchemaRevision, Check> {
  return new Map([...readSchemas()].map(([revision, schema]) => {
    const old = "definitions" in schema;
    const options = { strict: false, formats: FORMATS };
    const ajv = old ? new Ajv(options) : new Ajv2020(options);
    ajv.addSchema({ ...schema, $id: "mcp:" });
    return [revision, (definition, message) => {
      const validate = ajv.getSchema(`mcp:#/${old ? "definitions" : "$defs"}/${definition}`);
      if (validate === undefined) throw new Error(`${revision} has no ${definition}`);
      return validate(message) === true ? null : ajv.errorsText(validate.errors);
    }];
  }));
}
