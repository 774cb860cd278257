/** What the reference is written from, whatever its form. */

import type { JsonSchema } from "../../core/schema.ts";
import type { ToolDescription } from "../../core/tool.ts";
import { schemaText } from "./_schema_text.ts";

/** What references are written from. */
export interface ReferenceSource {
  readonly version: string;
  readonly tools: readonly ToolDescription[];
  /** The command line: its commands by name, and its flags. */
  readonly commands: Readonly<Record<string, { readonly usage: string; readonly help: string }>>;
  readonly flags: readonly {
    readonly name: string;
    readonly value?: string;
    readonly environment?: string;
    readonly help: string;
    readonly commands?: readonly string[];
  }[];
}

/** Gives the whole text, without a line end. */
export type ReferenceWriter = (source: ReferenceSource) => string;

/** One argument, or one member of an output, however deep: `edits[].old`. */
export interface Member {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  /** As JSON; null where there is none. */
  readonly default: string | null;
  readonly description: string;
}

/** The properties of a schema, each followed by those within it. */
export function membersOf(schema: JsonSchema, prefix = ""): readonly Member[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const member: Member = {
      path,
      type: schemaText(property),
      required: schema.required?.includes(name) ?? false,
      default: property.default === undefined ? null : JSON.stringify(property.default),
      description: property.description ?? "",
    };
    return [member, ...membersWithin(property, path)];
  });
}

function membersWithin(property: JsonSchema, path: string): readonly Member[] {
  return property.items === undefined
    ? membersOf(property, `${path}.`)
    : membersWithin(property.items, `${path}[]`);
}

/** Tools by category, in the order in which the categories first come. */
export function byCategory(
  tools: readonly ToolDescription[],
): readonly (readonly [string, readonly ToolDescription[]])[] {
  return [...Map.groupBy(tools, ({ category }) => category)];
}
