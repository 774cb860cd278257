/** `serve`: requests as NDJSON on standard input, answers as NDJSON on standard output. */

import { EXIT } from "../core/errors.ts";
import type { StayingEngine } from "../engine/create_engine.ts";
import { ProgramSharing } from "../engine/programs/program_sharing.ts";
import { type Libc, openLibc } from "../sandbox/kernel/libc.ts";
import type { Invocation } from "./invocation.ts";
import { childrenOf } from "./gate/children_of.ts";
import type { PipeChildren } from "./gate/pipe_children.ts";
import { noChildren, withAgents } from "../serve/gate/children/agent_runner.ts";
import { LineLoop } from "../serve/line_loop.ts";
import { LineWriter } from "../serve/line_writer.ts";
import { createReadiness } from "../host/kernel/readiness.ts";
import { ReadingServer } from "../serve/reading_server.ts";
import { Server } from "../serve/server.ts";
import type { Output, PipeAgent, ServerOptions } from "../serve/server.ts";
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
  // Its thread begins while what other agents take is loaded.
  engine.warm();
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
  });
  release();
  return status;
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

/** As {@linkcode serve}, with an engine that is there, and warm. `children`: of whom that engine is. */
export async function serveEngine(
  engine: StayingEngine,
  agent: PipeAgent,
  options?: ServerOptions,
  { libc = openLibc(), children = null, apart = null }: {
    readonly libc?: Libc | null;
    readonly children?: PipeChildren | null;
    /** Other agents, each in a worktree of its own. */
    readonly apart?: PipePlaces | null;
  } = {},
): Promise<number> {
  const readiness = createReadiness(libc);
  const writer = new LineWriter(readiness);
  const parent = () => ({ approver: server.approver, narrowing: [] });
  const own = children?.engineOf(parent) ??
    { ...engine, runner: withAgents(engine.runner, noChildren) };
  const heard = apart === null ? own : { ...own, runner: apart.join(own.runner) };
  const engines = apart?.engines ?? null;
  const server: Server = new Server(heard, agent, pipeOutput(writer), {
    ...options ?? { registration: false },
    ...(engines === null ? {} : { apart: engines }),
  });
  const { limits, killGraceMs } = engine.rulebook.settings;
  const loop = new LineLoop(new ReadingServer(server), writer, readiness, limits.request);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(signal, () => {
      void children?.end();
      loop.stop(killGraceMs);
    });
  }
  const complete = await loop.run();
  await children?.end();
  await engines?.close();
  await engine.runner.close();
  return complete ? EXIT.success : EXIT.failed;
}

/** The loop itself waits for a reader that does not read: to the server there is always room. */
function pipeOutput(writer: LineWriter): Output {
  return { write: (line) => writer.write(line), full: false, room: () => null };
}
