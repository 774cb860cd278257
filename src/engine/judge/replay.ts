/** Decisions of an audit log judged again, by other policies: from records back to what was judged. Runs nothing. */

import { REDACTED } from "../../audit/secrets.ts";
import type { ReadRecord } from "../../audit/select.ts";
import type { CanonicalPath, Capability, ResolvedCapability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { type Effect, EFFECTS } from "../../policy/model.ts";
import { mayRegister } from "../../policy/plugin_rules.ts";
import type { CommandEngine } from "../create_engine.ts";
import { subjectOf } from "./decide_call.ts";

/** A decision then and now. */
export interface Replayed {
  readonly time: string;
  readonly call: string;
  readonly agent: string;
  readonly tool: string;
  readonly description: string;
  readonly then: Effect;
  readonly now: Effect;
  /** The rule behind it then, and now. */
  readonly rules: { readonly then: string | null; readonly now: string | null };
  readonly reason: string;
  /** Something in it was left out of the log: it was judged without. */
  readonly redacted: boolean;
}

/** Why a record could not be judged. */
export type Unjudged = "no such tool" | "not whole" | "cannot be resolved";

/** Where the log left something out, as `audit/redact.ts` does: a secret, the rest of a long text, of a long list. */
function isCut(capabilities: unknown): boolean {
  const text = JSON.stringify(capabilities);
  return text.includes(REDACTED) ||
    /\[[0-9]+ (?:characters, sha256 [0-9a-f]{64}|more)\]/.test(text);
}

/**
 * Judges the record of a decision. Paths are taken as they were resolved then; programs, and the arguments that name
 * files, are looked up as they are now.
 */
export async function replayDecision(
  engine: CommandEngine,
  record: ReadRecord,
): Promise<Replayed | Unjudged> {
  const { rulebook, registry, resolver } = engine;
  const { effect, tool: name, agent, capabilities } = record;
  const then = EFFECTS.find((known) => known === effect);
  if (then === undefined || !Array.isArray(capabilities) || typeof agent !== "string") {
    return "not whole";
  }
  if (name === "plugin.register" || name === "plugin.unregister") {
    return replayRegistration(engine, record, { then, tool: name, agent });
  }
  if (typeof name !== "string" || registry.canonicalName(name) === null) return "no such tool";
  const { workspace } = rulebook.settings;
  const read = capabilities.map((one) => readCapability(one, workspace));
  const known = read.filter((one) => one !== null);
  if (known.length < read.length) return "not whole";
  // What programs touch by their words follows from these, which are looked up anew.
  const isRun = known.some(({ kind }) => kind === "process.spawn");
  const whole = known.filter((one) => !(isRun && "by" in one));
  // Commands are looked up anew, and what judging them takes is loaded for them.
  const needed: Capability[] = whole.flatMap((one) =>
    one.kind === "process.spawn" || one.kind === "net.connect" ? [one] : []
  );
  await engine.prepare(needed);
  let found: readonly ResolvedCapability[];
  try {
    found = whole.flatMap((one) => one.kind === "process.spawn" ? resolver.resolve([one]) : [one]);
  } catch (error) {
    if (error instanceof ToolError) return "cannot be resolved";
    throw error;
  }
  const tool = await registry.get(name);
  const { effect: now, rule, reason } = rulebook.decide(subjectOf(tool, agent), found);
  return {
    time: String(record.time),
    call: String(record.call),
    agent,
    tool: name,
    description: String(record.description),
    then,
    now,
    rules: {
      then: typeof record.rule === "string" ? record.rule : null,
      now: rule === null ? null : `${rule.file} ${rule.index}`,
    },
    reason,
    redacted: isCut(capabilities),
  };
}

/** Whether the pipe that changed the custom tools might still: what they then do is judged by the calls' own records. */
function replayRegistration(
  { policies }: CommandEngine,
  { time, call, description, rule }: ReadRecord,
  then: Pick<Replayed, "then" | "tool" | "agent">,
): Replayed {
  const may = mayRegister(policies);
  return {
    time: String(time),
    call: String(call),
    description: String(description),
    ...then,
    now: may ? "allow" : "deny",
    rules: {
      then: typeof rule === "string" ? rule : null,
      now: may ? null : "plugins.registration",
    },
    reason: may
      ? "the first policy lets a pipe register custom tools, and no other denies it"
      : "only the first policy's plugins.registration: allow lets a pipe register custom tools",
    redacted: false,
  };
}

type Read =
  | Exclude<ResolvedCapability, { readonly kind: "process.spawn" }>
  | { readonly kind: "process.spawn"; readonly argv: readonly string[]; readonly cwd: string };

/** Null for what is no capability, such as the count of those that a long record left out. */
function readCapability(one: unknown, workspace: CanonicalPath): Read | null {
  if (typeof one !== "object" || one === null) return null;
  const { kind, path, tree, argv, cwd, host, port, method, name, by } = one as Record<
    string,
    unknown
  >;
  const who = by === "program" ? { by } as const : {};
  switch (kind) {
    case "fs.read":
    case "fs.write":
      return typeof path !== "string"
        ? null
        : { kind, path: rooted(path, workspace), requested: path, tree: tree === true, ...who };
    case "process.spawn": {
      const words = Array.isArray(argv) && argv.every((word) => typeof word === "string");
      return words && typeof cwd === "string" ? { kind, argv: argv as string[], cwd } : null;
    }
    case "net.connect":
      return typeof host !== "string" || typeof port !== "number"
        ? null
        : { kind, host, port, ...(typeof method === "string" ? { method } : {}), ...who };
    case "env.read":
      return typeof name === "string" ? { kind, name } : null;
    default:
      return null;
  }
}

/** As the log wrote it: relative to the workspace, or absolute; resolved already, but not to be trusted to be. */
function rooted(path: string, workspace: CanonicalPath): CanonicalPath {
  const parts: string[] = [];
  const whole = path.startsWith("/") ? path : `${workspace}/${path}`;
  for (const part of whole.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}` as CanonicalPath;
}
