/** `serve`: requests as NDJSON on standard input, answers as NDJSON on standard output. */

import type { StayingEngine } from "../engine/create_engine.ts";
import { ProgramSharing } from "../engine/programs/program_sharing.ts";
import { type Libc, openLibc } from "../sandbox/kernel/libc.ts";
import type { Invocation } from "./invocation.ts";
import { childrenOf } from "./gate/children_of.ts";
import { greet } from "./circumstances.ts";
import { hasAgentsApart, openAgentSession } from "./agent_session.ts";
import type { PipePlaces } from "./pipe_places.ts";
import { openStayingEngine, type Session } from "./session.ts";

/** Serves until the end of input, SIGTERM or SIGINT, or until the reader of the answers is gone. */
export async function serve(invocation: Invocation): Promise<number> {
  const [place] = invocation.values["listen"] ?? [];
  if (place !== undefined) {
    const { serveGate } = await import("./gate/listen.ts");
    return await serveGate(invocation, place);
  }
  const { session, release } = await openAgentSession(invocation);
  const libc = openLibc();
  if (!session.quiet) {
    greet(
      session.workspace,
      libc,
      "requests, one JSON object a line; toolgate help serve says which",
    );
  }
  const children = await childrenOf(session, invocation);
  const many = libc !== null && !session.agent.pinned && hasAgentsApart(session);
  const { engine, openApart } = children ?? await openEngines(session, invocation, many);
  const { begun = null } = invocation;
  // A thread begins while what hears the pipe, and what other agents take, is loaded.
  const listening = children === null && libc !== null && mayListen(session, engine)
    ? await (await import("../serve/listener/listening.ts")).Listening
      .start(engine, session.agent, libc, begun)
    : null;
  begun?.end();
  if (listening === null) engine.warm();
  const { serveEngine } = await import("./serve_engine.ts");
  const { registration } = session;
  const apart = !many || openApart === null ? null : await openPipePlaces(libc, {
    session,
    sealed: invocation.embedded.sealed,
    engine,
    openApart,
    ...(children === null ? {} : { worktrees: children.worktrees }),
  });
  const status = await serveEngine(engine, session.agent, { registration }, {
    libc,
    children,
    apart,
    listening,
  });
  release();
  return status;
}

/** Whether calls that only look leave nothing to be done on the main thread: no record, and nothing that is tried where they fail. */
function mayListen(
  { auditLog, telemetry }: Session,
  { rulebook: { settings } }: StayingEngine,
): boolean {
  return auditLog === null && telemetry === null && Object.keys(settings.recovery).length === 0;
}

/** The engine of the workspace; `many`: and what opens others beside it. */
async function openEngines(session: Session, invocation: Invocation, many: boolean): Promise<{
  readonly engine: StayingEngine;
  readonly openApart: ((other: Session) => Promise<StayingEngine>) | null;
}> {
  if (!many) return { engine: await openStayingEngine(session, invocation), openApart: null };
  const sharing = new ProgramSharing();
  const engine = await openStayingEngine(session, invocation, { sharing });
  const { recorder } = engine;
  return {
    engine,
    openApart: (other) => openStayingEngine(other, invocation, { sharing, recorder }),
  };
}

async function openPipePlaces(
  libc: Libc,
  parts: Parameters<typeof PipePlaces.open>[1],
): Promise<PipePlaces> {
  const { PipePlaces } = await import("./pipe_places.ts");
  return PipePlaces.open(libc, parts);
}
