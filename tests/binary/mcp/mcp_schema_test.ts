/** Every message of whole sessions, held against the JSON Schema that the protocol publishes for the revision. */

import { assert, assertEquals } from "@std/assert";
import {
  createChecks,
  HAS_SCHEMAS,
  SCHEMA_REVISIONS,
  type SchemaRevision,
} from "./_mcp_schemas.ts";
import { type Message, selfContained, Session } from "../_mcp_session.ts";
import { Workspace } from "../toolgate.ts";

const FILES = {
  "a.txt": "hello\n",
  "raw.bin": "\0\u0001",
  "secret/key": "k",
  ...Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`many/f${i}.txt`, "x\n"])),
};

/** The definition that the result of a method is bound to. */
const RESULTS: Readonly<Record<string, string>> = {
  "initialize": "InitializeResult",
  "server/discover": "DiscoverResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "subscriptions/listen": "SubscriptionsListenResult",
};

/** What a well-behaved client asks, and what it does not. The same in all revisions but for how approvals are asked. */
async function converse(session: Session, revision: SchemaRevision): Promise<void> {
  const stateless = revision === "2026-07-28";
  const elicitation = revision === "2025-03-26" ? {} : { elicitation: {} };
  const decisions = ["once", "no"];
  const decide = () => ({ action: "accept", content: { decision: decisions.shift() ?? "no" } });
  session.onRequest = ({ method, params }) =>
    method === "roots/list"
      ? { roots: [{ uri: `file://${session.root}` }] }
      : params?.requestedSchema === undefined
      ? {}
      : decide();
  let token = 0;
  const params = (own: Message = {}) => {
    const more = {
      progressToken: ++token,
      ...(stateless ? { "io.modelcontextprotocol/logLevel": "debug" } : {}),
    };
    return { ...own, _meta: stateless ? selfContained(elicitation, more) : more };
  };
  const ask = (method: string, own?: Message) => session.ask(method, params(own));
  const callTool = (name: string, args: Message) => ask("tools/call", { name, arguments: args });
  if (stateless) {
    await ask("server/discover");
    await session.request(
      "subscriptions/listen",
      params({ notifications: { toolsListChanged: true } }),
    );
    await session.ask("tools/list", {
      _meta: { ...selfContained(), "io.modelcontextprotocol/protocolVersion": "1900-01-01" },
    });
  } else {
    assertEquals(
      (await session.initialize(revision, { ...elicitation, roots: {} })).result.protocolVersion,
      revision,
    );
    await ask("logging/setLevel", { level: "debug" });
    await ask("ping");
  }
  await ask("tools/list");
  const { result: page } = await ask("resources/list");
  await ask("resources/list", { cursor: page.nextCursor });
  await ask("resources/list", { cursor: "-1" });
  await ask("resources/templates/list");
  for (const uri of ["a.txt", "raw.bin", "secret/key", "none", "../outside/sentinel.txt"]) {
    await ask("resources/read", { uri: `workspace:///${uri}` });
  }
  await callTool("read_file", { path: "a.txt" });
  await callTool("read_file", { path: "secret/key" });
  await callTool("read_file", { pth: "a.txt" });
  await callTool("search_files", { pattern: "x" });
  await callTool("run_command", { argv: ["seq", "20000"] });
  await callTool("get_help", {});
  await callTool("none", {});
  for (let i = 0; i < 2; i++) {
    const write = { name: "write_file", arguments: { path: "b.txt", content: `${i}` } };
    const { result } = await ask("tools/call", write);
    if (result.resultType !== "input_required") continue;
    const { requestState, inputRequests } = result;
    assertEquals(Object.keys(inputRequests), ["approval"]);
    await ask("tools/call", { ...write, requestState, inputResponses: { approval: decide() } });
  }
  if (revision !== "2025-03-26") assertEquals(decisions, []);
  const sleeping = await session.request(
    "tools/call",
    params({ name: "run_command", arguments: { argv: ["sleep", "30"] } }),
  );
  await session.notify("notifications/cancelled", { requestId: sleeping, reason: "enough" });
  await ask("no/such");
  await session.pipe.send("{");
  await session.pipe.send("[]");
  await session.pipe.send('{"jsonrpc":"2.0","id":1.5,"method":"ping"}');
  if (revision === "2025-03-26") {
    const message = (id: string, method: string) => ({ jsonrpc: "2.0", id, method });
    await session.pipe.send(
      JSON.stringify([message("a", "tools/list"), message("b", "no/such")]),
    );
  }
  await ask("tools/list");
  assertEquals(await session.close(), 0);
}

/** What is wrong with what the server said. */
function faults(session: Session, revision: SchemaRevision, check: ReturnType<typeof checkOf>) {
  return session.said.flatMap((message) => {
    // JSON-RPC wants null where no id could be read, and these schemas do not know errors without an id.
    const old = revision === "2025-06-18" || revision === "2025-03-26";
    const judged = old && message.id === null ? { ...message, id: 0 } : message;
    return [check("JSONRPCMessage", judged), ...ofKind(judged)]
      .filter((fault) => fault !== null)
      .map((fault) => `${fault}: ${JSON.stringify(message).slice(0, 300)}`);
  });

  function ofKind(message: Message): readonly (string | null)[] {
    if (Array.isArray(message)) return message.flatMap(ofKind);
    if ("method" in message) {
      return [check("id" in message ? "ServerRequest" : "ServerNotification", message)];
    }
    const method = session.methods.get(message.id) ?? "";
    const { result } = message;
    if (result === undefined) return [];
    if (result.resultType === "input_required") {
      return [
        check("InputRequiredResult", result),
        ...Object.values(result.inputRequests).map((request) => check("InputRequest", request)),
      ];
    }
    return [check(RESULTS[method] ?? "Result", result)];
  }
}

function checkOf(revision: SchemaRevision) {
  const check = createChecks().get(revision);
  assert(check !== undefined);
  return check;
}

for (const revision of SCHEMA_REVISIONS) {
  Deno.test({
    name: `each message of a session in ${revision} is as its published schema has it`,
    ignore: !HAS_SCHEMAS,
    async fn() {
      await using workspace = new Workspace(FILES);
      const session = new Session(workspace);
      await converse(session, revision);
      const check = checkOf(revision);
      assertEquals(faults(session, revision, check), []);
      // The schema does not take everything, and the session had what it is about.
      assert(check("JSONRPCMessage", { jsonrpc: "2.0", id: null, method: 1 }) !== null);
      const methods = new Set(session.said.map(({ method }) => method));
      for (const method of ["notifications/progress", "notifications/message"]) {
        assert(methods.has(method), `${[...methods]}`);
      }
      assertEquals(session.said.filter(Array.isArray).length, revision === "2025-03-26" ? 1 : 0);
      assertEquals(methods.has("roots/list"), revision !== "2026-07-28");
      const stateful = revision === "2025-11-25" || revision === "2025-06-18";
      assertEquals(methods.has("elicitation/create"), stateful);
      workspace.assertOutsideUntouched();
    },
  });
}
