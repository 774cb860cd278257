/** `tools`: the tools that the policy offers, their arguments and outputs. */

import { EXIT } from "../core/errors.ts";
import type { ToolDescription } from "../core/tool.ts";
import type { Invocation } from "./invocation.ts";
import { openEngine, openSession } from "./session.ts";
import { print } from "./stdio.ts";
import { toolShape } from "./tool_shape.ts";
import { UsageError } from "./usage_error.ts";

export async function tools(invocation: Invocation): Promise<number> {
  const [action = "list", ...rest] = invocation.words;
  const session = await openSession(invocation);
  const engine = openEngine(session, invocation);
  const { catalogue } = engine.registry;
  const show = (found: readonly ToolDescription[]): number => {
    print(session.format === "json" ? JSON.stringify(found.map(toolShape)) : list(found));
    return EXIT.success;
  };
  switch (action) {
    case "list":
      return show(await engine.offered(session.agent.name));
    case "search":
      if (rest.length === 0) throw new UsageError("tools search needs a text");
      return show(await catalogue.search(rest.join(" ")));
    case "show": {
      const [name] = rest;
      if (name === undefined) throw new UsageError("tools show needs a tool's name");
      const tool = await catalogue.describe(name);
      if (tool === null) {
        const near = catalogue.nearest(name);
        throw new UsageError(
          `there is no tool ${JSON.stringify(name)}` +
            (near.length > 0 ? `; the nearest are ${near.join(", ")}` : ""),
        );
      }
      print(session.format === "json" ? JSON.stringify(toolShape(tool)) : page(tool));
      return EXIT.success;
    }
    default:
      throw new UsageError(`tools takes list, show or search, not ${JSON.stringify(action)}`);
  }
}

function list(found: readonly ToolDescription[]): string {
  const width = Math.max(0, ...found.map(({ name }) => name.length)) + 2;
  return found.map(({ name, category, risk, description }) =>
    `${name.padEnd(width)}${category.padEnd(6)}${risk.padEnd(11)}${description.split(". ")[0]}`
  ).join("\n");
}

function page(tool: ToolDescription): string {
  const required = new Set(tool.input.required ?? []);
  const lines = [
    `${tool.name}  (${tool.category}, ${tool.risk}, ${tool.permission ?? "no permission needed"})`,
    ...(tool.aliases.length > 0 ? [`also: ${tool.aliases.join(", ")}`] : []),
    "",
    tool.description,
    "",
    "arguments:",
    ...Object.entries(tool.input.properties ?? {}).map(([name, property]) => {
      const kind = property.enum?.map(String).join("|") ?? property.type ?? "any";
      const standard = property.default === undefined
        ? ""
        : `, ${JSON.stringify(property.default)}`;
      const need = required.has(name) ? "required" : "optional";
      return `  ${name}  ${kind}, ${need}${standard}: ${property.description ?? ""}`;
    }),
    "",
    `answers: ${Object.keys(tool.output.properties ?? {}).join(", ")}`,
  ];
  return lines.join("\n");
}
