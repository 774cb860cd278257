/** `mcp`: the same engine as `serve`, spoken to in the Model Context Protocol over standard input and output. */

import { EXIT } from "../core/errors.ts";
import { openLibc } from "../sandbox/kernel/libc.ts";
import type { Invocation } from "./invocation.ts";
import { childrenOf } from "./gate/children_of.ts";
import type { StayingEngine } from "../engine/create_engine.ts";
import type { PlacedPolicy } from "../policy/compile_rulebook.ts";
import { noChildren, withAgents } from "../serve/gate/children/agent_runner.ts";
import { McpServer } from "../serve/mcp/mcp_server.ts";
import { greet } from "./circumstances.ts";
import { openAgentSession } from "./agent_session.ts";
import { openPipeLoop } from "./pipe_loop.ts";
import { openStayingEngine } from "./session.ts";

/** Serves until the end of input, SIGTERM or SIGINT, or until the reader is gone. */
export async function mcp(invocation: Invocation): Promise<number> {
  const [place] = invocation.values["listen"] ?? [];
  if (place !== undefined) {
    // A gate hears which of the two each of its callers speaks.
    const { serveGate } = await import("./gate/listen.ts");
    return await serveGate(invocation, place);
  }
  const { session, release } = await openAgentSession(invocation);
  const libc = openLibc();
  if (!session.quiet) {
    greet(session.workspace, libc, "messages of an MCP client, which nobody types by hand");
  }
  const children = await childrenOf(session, invocation);
  const engine = children?.engine ?? await openStayingEngine(session, invocation);
  engine.warm();
  const pipe = openPipeLoop(libc);
  let narrowing: readonly PlacedPolicy[] = [];
  const parent = () => ({ approver: server.approver, narrowing });
  const withoutChildren = (one: StayingEngine): StayingEngine => ({
    ...one,
    runner: withAgents(one.runner, noChildren),
  });
  const own = children?.engineOf(parent) ?? withoutChildren(engine);
  const server: McpServer = new McpServer(own, {
    agent: session.agent.name,
    version: invocation.embedded.version,
    workspace: session.workspace,
    openEngine: async (further) => {
      narrowing = further;
      if (children !== null) return await children.narrowedEngineOf(parent, further);
      const policies = [...session.policies, ...further];
      return withoutChildren(await openStayingEngine({ ...session, policies }, invocation));
    },
    write: (line) => pipe.writer.write(line),
  });
  const complete = await pipe.run(server, engine.rulebook.settings, children);
  await server.runner.close();
  await engine.runner.close();
  release();
  return complete ? EXIT.success : EXIT.failed;
}
