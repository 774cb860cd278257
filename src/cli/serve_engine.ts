/** Hears requests on standard input and answers on standard output, by an engine that is there. */

import { EXIT } from "../core/errors.ts";
import type { StayingEngine } from "../engine/create_engine.ts";
import { type Libc, openLibc } from "../sandbox/kernel/libc.ts";
import { noChildren, withAgents } from "../serve/gate/children/agent_runner.ts";
import type { LineWriter } from "../serve/line_writer.ts";
import type { Listening } from "../serve/listener/listening.ts";
import { type Output, type PipeAgent, Server, type ServerOptions } from "../serve/server.ts";
import type { PipeChildren } from "./gate/pipe_children.ts";
import { openPipeLoop } from "./pipe_loop.ts";
import type { PipePlaces } from "./pipe_places.ts";

/** As `serve`, with an engine that is there, and warm. `children`: of whom that engine is. */
export async function serveEngine(
  engine: StayingEngine,
  agent: PipeAgent,
  options?: ServerOptions,
  { libc = openLibc(), children = null, apart = null, listening = null }: {
    readonly libc?: Libc | null;
    readonly children?: PipeChildren | null;
    /** Other agents, each in a worktree of its own. */
    readonly apart?: PipePlaces | null;
    /** A thread that hears in turns with this one. */
    readonly listening?: Listening | null;
  } = {},
): Promise<number> {
  const pipe = openPipeLoop(libc, listening);
  const parent = () => ({ approver: server.approver, narrowing: [] });
  const calls = children?.callsOf(parent) ?? noChildren;
  const own = children?.engineOf(parent) ??
    { ...engine, runner: withAgents(engine.runner, calls) };
  const heard = apart === null ? own : { ...own, runner: apart.join(own.runner, calls) };
  const engines = apart?.engines ?? null;
  const server: Server = new Server(heard, agent, pipeOutput(pipe.writer), {
    ...options ?? { registration: false },
    ...(engines === null ? {} : { apart: engines }),
  });
  const complete = await pipe.run(server, engine.rulebook.settings, children);
  await engines?.close();
  await engine.runner.close();
  return complete ? EXIT.success : EXIT.failed;
}

/** The loop itself waits for a reader that does not read: to the server there is always room. */
function pipeOutput(writer: LineWriter): Output {
  return {
    write: (before, value, after) => writer.write(before, value, after),
    full: false,
    room: () => null,
  };
}
