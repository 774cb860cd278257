/** `tools --gate`: what a gate offers who asks. */

import { EXIT } from "../../core/errors.ts";
import { didYouMean, nearestOf } from "../../core/nearest.ts";
import { quoted } from "../../core/printable.ts";
import type { ToolDescription } from "../../core/tool.ts";
import { formatOf } from "../format.ts";
import { connectTo } from "../gate/connect.ts";
import type { Invocation } from "../invocation.ts";
import { print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** A tool as the protocol shows it: see `toolShape`. */
type Shape = Omit<ToolDescription, "input" | "output" | "examples"> & {
  readonly input_schema: ToolDescription["input"];
  readonly output_schema: ToolDescription["output"];
};

/** `tools list|show|search|schema`; gives the exit status. */
export async function toolsThrough(invocation: Invocation, path: string): Promise<number> {
  const [action = "list", ...rest] = invocation.words;
  const shapes = await ask(invocation, path);
  const json = formatOf(invocation) === "json";
  switch (action) {
    case "list":
      await list(shapes, json);
      break;
    case "search": {
      const words = rest.join(" ").toLowerCase().split(/\s+/).filter((word) => word !== "");
      if (words.length === 0) throw new UsageError("tools search needs a text");
      const fits = ({ name, aliases, description }: Shape) => {
        const text = [name, ...aliases, description].join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      };
      await list(shapes.filter(fits), json);
      break;
    }
    case "schema":
      await schema(shapes, invocation);
      break;
    default: {
      const name = action === "show" ? rest[0] : action;
      if (name === undefined) throw new UsageError("tools show needs a tool's name");
      await showOne(shapes, name, json);
    }
  }
  return EXIT.success;
}

async function ask(invocation: Invocation, path: string): Promise<readonly Shape[]> {
  const connected = await connectTo(invocation, path);
  if (connected.refused !== null) throw refused(connected.refused);
  const { client } = connected;
  client.send(JSON.stringify({ op: "tools" }));
  client.endSending();
  const line = client.next();
  client.close();
  if (line === null) throw new UsageError("--gate: the gate ended before it answered");
  const answer = JSON.parse(line) as {
    readonly output: { readonly tools: readonly Shape[] } | null;
    readonly error: { readonly code: string; readonly message: string } | null;
  };
  if (answer.output !== null) return answer.output.tools;
  throw refused(answer.error);
}

function refused(error: { readonly code: string; readonly message: string } | null): UsageError {
  return new UsageError(`--gate: ${error?.code}: ${error?.message}`);
}

async function list(shapes: readonly Shape[], json: boolean): Promise<void> {
  if (json) return print(JSON.stringify(shapes));
  const { listPage } = await import("./_tool_page.ts");
  const { openScreen } = await import("../render/screen.ts");
  print(listPage(shapes.map(described), openScreen("stdout")));
}

async function showOne(shapes: readonly Shape[], name: string, json: boolean): Promise<void> {
  const found = shapes.find((shape) => shape.name === name || shape.aliases.includes(name));
  if (found === undefined) {
    const hint = didYouMean(nearestOf(name, shapes.map((shape) => shape.name), 1));
    throw new UsageError(`the gate offers no tool ${quoted(name)}.${hint}`);
  }
  if (json) return print(JSON.stringify(found));
  const { toolPage } = await import("./_tool_page.ts");
  const { openScreen } = await import("../render/screen.ts");
  print(toolPage(described(found), openScreen("stdout")));
}

async function schema(shapes: readonly Shape[], invocation: Invocation): Promise<void> {
  const { SCHEMA_TARGETS } = await import("./schema_export/targets.ts");
  const names = SCHEMA_TARGETS.map(({ name }) => name);
  const target = SCHEMA_TARGETS.find(({ name }) => name === invocation.values["for"]?.[0]);
  if (target === undefined) throw new UsageError(`tools schema needs --for ${names.join("|")}`);
  const write = await target.load();
  const strict = invocation.switches.has("strict") && target.strict;
  print(JSON.stringify(write(shapes.map(described), { strict }).value));
}

function described(
  { input_schema: input, output_schema: output, ...rest }: Shape,
): ToolDescription {
  return { ...rest, input, output, examples: [] };
}
