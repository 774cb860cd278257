/** Callers that send much and read nothing: what is done for them ahead is bounded, and others go on. */

import { assert, assertEquals } from "@std/assert";
import { type Caller, Gate } from "../_gate.ts";
import { Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
agents: { root: { permissions: [all] } }
timeouts: { default: 1h }
`;
/** What such callers may cost, beside what the gate has anyway: some megabytes each. */
const MOST_BYTES = 400 * 2 ** 20;
const CALLERS = 6;

/** proc_pid_status(5): the most that it has ever had in memory. */
function peakOf({ pid }: Gate): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Sends as much as the socket takes of one line again and again, and never reads. */
async function flood(caller: Caller, line: Record<string, unknown>, times: number): Promise<void> {
  await caller.send(...Array.from({ length: times }, (_, id) => ({ ...line, id: id + 10 })));
}

Deno.test("who asks for much and reads nothing costs the gate little, whatever he asks for", async () => {
  await using workspace = new Workspace({ "a.txt": "a\n", "big.txt": "y".repeat(900_000) });
  const gate = await Gate.start(workspace, { policy: POLICY });
  const other = await gate.connect();
  const reads = async () => {
    const { error } = await other.ask({ id: 1, tool: "read_file", args: { path: "a.txt" } });
    assertEquals(error, null);
  };
  const flooding: Caller[] = [];
  const many = async (
    line: Record<string, unknown>,
    times: number,
    hello: string | null = null,
  ) => {
    for (let at = 0; at < CALLERS; at++) {
      const caller = await gate.connect();
      flooding.push(caller);
      if (hello !== null) await caller.write(hello);
      await flood(caller, line, times);
    }
    for (let at = 0; at < 20; at++) await reads();
  };
  await many({ tool: "read_file", args: { path: "big.txt" } }, 600);
  await many({ op: "tools" }, 1_500);
  await many({ op: "explain", tool: "read_file", args: { path: "a.txt" } }, 600);
  const hello = {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    },
  };
  await many({ jsonrpc: "2.0", method: "tools/list" }, 500, `${JSON.stringify(hello)}\n`);
  assert(peakOf(gate) < MOST_BYTES, `${peakOf(gate)} bytes`);
  for (const caller of flooding) caller.close();
  await reads();
  other.close();
  assertEquals(await gate.stop(), 0);
});

Deno.test("all that many ask for at once is answered, each in its order, when they read", async () => {
  await using workspace = new Workspace({ "big.txt": "y".repeat(300_000), "a.txt": "a\n" });
  const gate = await Gate.start(workspace, { policy: POLICY });
  const callers = await Promise.all(Array.from({ length: CALLERS }, () => gate.connect()));
  const times = 40;
  await Promise.all(callers.map(async (caller) => {
    for (let id = 0; id < times; id++) {
      const path = id % 4 === 0 ? "big.txt" : "a.txt";
      await caller.send(
        { id, tool: "read_file", args: { path } },
        { id: id + 1000, op: id % 2 === 0 ? "tools" : "ping" },
      );
    }
    await caller.connection.closeWrite();
  }));
  for (const caller of callers) {
    const ids = new Set<number>();
    for (let line = await caller.next(); line !== null; line = await caller.next()) {
      assertEquals(line.error, null);
      ids.add(line.id as number);
    }
    assertEquals(ids.size, 2 * times);
    caller.close();
  }
  assertEquals(await gate.stop(), 0);
});
