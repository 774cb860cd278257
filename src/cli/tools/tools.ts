/** `tools`: what the policy offers, what a tool takes, and both in the words of others: schemas and a reference. */

import { EXIT } from "../../core/errors.ts";
import { didYouMean, nearestOf } from "../../core/nearest.ts";
import { quoted } from "../../core/printable.ts";
import type { ToolDescription } from "../../core/tool.ts";
import type { CommandEngine } from "../../engine/create_engine.ts";
import { FLAGS } from "../flags.ts";
import type { Invocation } from "../invocation.ts";
import { openScreen } from "../render/screen.ts";
import { openEngine, openSession, type Session } from "../session.ts";
import { complain, print } from "../stdio.ts";
import { createRegistry } from "../../tools/registry.ts";
import { toolShape } from "../../serve/tool_shape.ts";
import { UsageError } from "../usage_error.ts";

/** What an action works with; `rest` are the words behind it. */
interface Work {
  readonly invocation: Invocation;
  readonly session: Session;
  readonly engine: CommandEngine;
  readonly rest: readonly string[];
}

const ACTIONS: Readonly<Record<string, (work: Work) => Promise<void>>> = {
  list: async ({ engine, session }) =>
    await showList(await engine.offered(session.agent.name), session),
  search: async ({ engine, session, rest }) => {
    if (rest.length === 0) throw new UsageError("tools search needs a text");
    await showList(await engine.registry.catalogue.search(rest.join(" ")), session);
  },
  show,
  schema,
  docs,
};

/** `tools list|show|search|schema|docs`; gives the exit status. */
export async function tools(invocation: Invocation): Promise<number> {
  const [first = "list", ...others] = invocation.words;
  const isAction = Object.hasOwn(ACTIONS, first);
  const isTool = !isAction && others.length === 0 && createRegistry().canonicalName(first) !== null;
  const [action, ...rest] = isTool ? ["show", first] : [first, ...others];
  const act = isTool || isAction ? ACTIONS[action] : undefined;
  if (act === undefined) {
    const known = Object.keys(ACTIONS);
    const hint = didYouMean(nearestOf(action, known, 1));
    throw new UsageError(`tools takes ${known.join(", ")}; not ${quoted(action)}.${hint}`);
  }
  const session = await openSession(invocation);
  await act({ invocation, session, engine: openEngine(session, invocation), rest });
  return EXIT.success;
}

async function showList(found: readonly ToolDescription[], { format }: Session): Promise<void> {
  if (format === "json") return print(JSON.stringify(found.map(toolShape)));
  const { listPage } = await import("./_tool_page.ts");
  print(listPage(found, openScreen("stdout")));
}

async function show({ engine, session, rest: [name] }: Work): Promise<void> {
  if (name === undefined) throw new UsageError("tools show needs a tool's name");
  const { catalogue } = engine.registry;
  const tool = await catalogue.describe(name);
  if (tool === null) {
    throw new UsageError(`there is no tool ${quoted(name)}.${didYouMean(catalogue.nearest(name))}`);
  }
  if (session.format === "json") return print(JSON.stringify(toolShape(tool)));
  const { toolPage } = await import("./_tool_page.ts");
  print(toolPage(tool, openScreen("stdout")));
}

async function schema({ invocation, engine, session }: Work): Promise<void> {
  const { SCHEMA_TARGETS } = await import("./schema_export/targets.ts");
  const target = targetOf("tools schema", SCHEMA_TARGETS, invocation);
  const strict = invocation.switches.has("strict");
  if (strict && !target.strict) {
    const able = SCHEMA_TARGETS.filter((known) => known.strict).map(({ name }) => name);
    throw new UsageError(`--strict is for ${able.join(" and ")}, not for ${target.name}`);
  }
  const write = await target.load();
  const { value, notes } = write(await engine.offered(session.agent.name), { strict });
  if (!session.quiet) { for (const note of notes) complain(`toolgate: ${note}`); }
  print(JSON.stringify(value, null, session.format === "text" ? 2 : undefined));
}

/** All tools, whatever the policy: it is a reference. */
async function docs({ invocation, engine }: Work): Promise<void> {
  const { REFERENCE_TARGETS } = await import("../reference/targets.ts");
  if (invocation.switches.has("strict")) throw new UsageError("--strict is for tools schema");
  const target = targetOf("tools docs", REFERENCE_TARGETS, invocation, REFERENCE_TARGETS[0]);
  const write = await target.load();
  print(write({
    version: invocation.embedded.version,
    commands: invocation.commands,
    flags: FLAGS,
    tools: await engine.registry.catalogue.all(),
  }));
}

/** The one that `--for` names. */
function targetOf<T extends { readonly name: string }>(
  what: string,
  targets: readonly T[],
  { values }: Invocation,
  usual?: T,
): T {
  const names = targets.map(({ name }) => name);
  const asked = values["for"]?.[0];
  const target = asked === undefined ? usual : targets.find(({ name }) => name === asked);
  if (target !== undefined) return target;
  if (asked === undefined) throw new UsageError(`${what} needs --for ${names.join("|")}`);
  const hint = didYouMean(nearestOf(asked, names, 1));
  throw new UsageError(`${what} --for takes ${names.join(", ")}; not ${quoted(asked)}.${hint}`);
}
