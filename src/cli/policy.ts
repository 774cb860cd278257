/** `policy`: check a policy, show what holds, explain a decision, print what the lower layers make of it. */

import { ERROR_CODES, type ErrorCode, EXIT, ToolError } from "../core/errors.ts";
import { refusal } from "../core/result.ts";
import type { CommandEngine } from "../engine/create_engine.ts";
import { explain as explainRequest } from "../engine/explain.ts";
import { describeFailure } from "../engine/run_tool.ts";
import { permissionFlags } from "../sandbox/permission_flags.ts";
import { readCallArguments, timeoutOf } from "./call_arguments.ts";
import { showResult } from "./call.ts";
import type { Invocation } from "./invocation.ts";
import { openEngine, openSession, type Session } from "./session.ts";
import { print } from "./stdio.ts";
import { UsageError } from "./usage_error.ts";

export async function policy(invocation: Invocation): Promise<number> {
  const [action = "show", ...words] = invocation.words;
  // Whatever is wrong with a policy is a UsageError here: `check` has nothing more to do than to open it.
  const session = await openSession(invocation);
  const engine = openEngine(session, invocation);
  const { settings, scope } = engine.rulebook;
  switch (action) {
    case "check":
      say(
        session,
        { ok: true, policies: session.policies.map(({ source }) => source) },
        () => session.policies.map(({ source }) => `${source}: ok`).join("\n"),
      );
      return EXIT.success;
    case "show":
      print(JSON.stringify(
        {
          policies: session.policies.map(({ source, policy }) => ({
            source,
            policy: withoutNulls(policy),
          })),
          settings: { ...settings, workspace: "." },
        },
        null,
        2,
      ));
      return EXIT.success;
    case "flags": {
      const flags = permissionFlags(scope, settings);
      say(session, { flags }, () => flags.join(" \\\n"));
      return EXIT.success;
    }
    case "explain":
      return await explain(invocation, session, engine, words);
    default:
      throw new UsageError(
        `policy takes check, show, explain or flags, not ${JSON.stringify(action)}`,
      );
  }
}

async function explain(
  invocation: Invocation,
  session: Session,
  engine: CommandEngine,
  [tool, ...pairs]: readonly string[],
): Promise<number> {
  if (tool === undefined) throw new UsageError("policy explain needs a tool and its arguments");
  try {
    const args = await readCallArguments(engine, tool, invocation, pairs);
    const explained = await explainRequest(engine, {
      id: null,
      tool,
      args,
      agent: session.agent.name,
      timeoutMs: timeoutOf(invocation),
      preview: invocation.switches.has("preview"),
      stream: false,
    });
    print(JSON.stringify(explained.explanation, null, session.format === "text" ? 2 : undefined));
    const code = explained.explanation["code"] as ErrorCode | null;
    return explained.effect === "allow" || code === null ? EXIT.success : ERROR_CODES[code];
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const failure = describeFailure(tool, error);
    await showResult(refusal(tool, failure), session.format);
    return ERROR_CODES[failure.code];
  }
}

function say(session: Session, value: unknown, text: () => string): void {
  print(session.format === "json" ? JSON.stringify(value) : text());
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, inner]) => inner !== null).map((
      [key, inner],
    ) => [key, withoutNulls(inner)]),
  );
}
