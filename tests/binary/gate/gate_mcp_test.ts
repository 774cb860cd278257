/** MCP through a gate, where what one client asks takes the thread of all. */

import { assert, assertEquals } from "@std/assert";
import { type Caller, Gate } from "../_gate.ts";
import { MCP_POLICY, type Message } from "../_mcp_session.ts";
import { Workspace } from "../toolgate.ts";

const message = (id: unknown, method: string, params?: Message) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

function beginning(protocolVersion: string, capabilities: Message = {}) {
  const clientInfo = { name: "test", version: "1" };
  return [
    message("i", "initialize", { protocolVersion, capabilities, clientInfo }),
    { jsonrpc: "2.0", method: "notifications/initialized" },
  ];
}

async function nextOf(client: Caller): Promise<Message> {
  const said = await client.next();
  assert(said !== null, "the connection ended");
  return said;
}

Deno.test("the listings of a batch let others in between, and answer all the same", async () => {
  await using workspace = new Workspace();
  const gate = await Gate.start(workspace, { policy: MCP_POLICY });
  const [client, other] = [await gate.connect(), await gate.connect()];
  await client.send(...beginning("2025-03-26"));
  assertEquals((await nextOf(client)).id, "i");
  assertEquals((await other.ask({ op: "ping" })).success, true);
  await client.send(message("one", "tools/list"));
  const one = JSON.stringify((await nextOf(client)).result);
  const listings = Array.from({ length: 98 }, (_, id) => message(id, "tools/list"));
  const cancelled = {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 97 },
  };
  await client.write(`${JSON.stringify([...listings, cancelled, message("p", "ping")])}\n`);
  let answers: readonly Message[] | null = null;
  const answered = nextOf(client).then((said) => answers = said);
  let between = 0;
  while (answers === null) {
    assertEquals((await other.ask({ op: "ping" })).success, true);
    between++;
  }
  await answered;
  assert(between > 40, `${between} between 97 listings`);
  const byId = new Map(
    (answers as readonly Message[]).map((answer) => [answer.id, answer.result]),
  );
  assertEquals(byId.size, 98);
  assertEquals([byId.has(97), byId.get("p")], [false, {}]);
  for (let id = 0; id < 97; id++) assert(JSON.stringify(byId.get(id)) === one, `${id}`);
  for (const caller of [client, other]) caller.close();
  assertEquals(await gate.stop(), 0);
});

Deno.test("what a client says of its roots is heard behind any number of listings that wait for it", async () => {
  await using workspace = new Workspace({ "in/a.txt": "a\n", "out/b.txt": "b\n" });
  const gate = await Gate.start(workspace, { policy: MCP_POLICY });
  const client = await gate.connect();
  await client.send(...beginning("2025-11-25", { roots: {} }));
  const asked = await (async () => {
    for (;;) {
      const said = await nextOf(client);
      if (said.method === "roots/list") return said.id;
    }
  })();
  const read = (path: string) => ({ name: "read_file", arguments: { path } });
  const lines = [
    ...Array.from({ length: 9 }, (_, id) => message(id, "tools/list")),
    message("in", "tools/call", read("in/a.txt")),
    message("out", "tools/call", read("out/b.txt")),
    { jsonrpc: "2.0", id: asked, result: { roots: [{ uri: `file://${workspace.root}/in` }] } },
  ];
  await client.send(...lines);
  const answers = new Map<unknown, Message>();
  while (answers.size < lines.length - 1) {
    const said = await nextOf(client);
    if (said.method === undefined) answers.set(said.id, said.result);
  }
  for (let id = 0; id < 9; id++) assert(answers.get(id).tools.length > 10, `${id}`);
  assertEquals(answers.get("in").isError, false);
  assertEquals(answers.get("out").isError, true, "the roots leave it out");
  client.close();
  assertEquals(await gate.stop(), 0);
});
