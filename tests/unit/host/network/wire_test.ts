import { assert, assertEquals } from "@std/assert";
import { Reader } from "../../../../src/host/network/_reader.ts";
import { inTime } from "../../../in_time.ts";
import { type Behaviour, openDoor, outcomeOf, serveWire } from "./_wire.ts";
import { WRONG_SERVERS } from "./_wrong_servers.ts";

Deno.test(`servers that do every wrong thing: ${WRONG_SERVERS.length} cases`, async (t) => {
  assert(WRONG_SERVERS.length >= 120, String(WRONG_SERVERS.length));
  const tried = async (behaviour: Behaviour, timeoutMs: number) => {
    const server = serveWire(behaviour);
    const { fetch } = openDoor({ limit: 1000 });
    const url = `http://a.example:${server.port}/`;
    const outcome = await outcomeOf(fetch({ url, timeoutMs }));
    const { connections } = server;
    await server.close();
    return { outcome, connections };
  };
  // All at once: those that let wait are waited for together.
  const all = await Promise.all(
    WRONG_SERVERS.map(([, behaviour, expected]) =>
      expected !== "TIMEOUT" ? tried(behaviour, 600_000) : inTime(300, async (ms) => {
        const one = await tried(behaviour, ms);
        return one.connections === 0 ? null : one;
      })
    ),
  );
  for (const [index, [name, , expected]] of WRONG_SERVERS.entries()) {
    await t.step(name, () => {
      assertEquals(all[index]?.outcome, expected);
      assertEquals(all[index]?.connections, 1, "one connection, whatever came of it");
    });
  }
});

Deno.test("a body that comes a byte a chunk is one body", async () => {
  const count = 300_000;
  const server = serveWire(async ({ send }) => {
    await send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    await send("1\r\nx\r\n".repeat(count) + "0\r\n\r\n");
  });
  const { fetch } = openDoor({ limit: 1 << 20 });
  const { body, truncated } = await fetch({ url: `http://a.example:${server.port}/` });
  assertEquals([body.length, truncated], [count, false]);
  await server.close();
});

Deno.test("lines are read where they lie, and what is cut between two pieces is joined", async () => {
  const encoder = new TextEncoder();
  const pieces = [encoder.encode("one\ntwo\r\nth"), encoder.encode("ree\nrest")];
  const waiting = [...pieces];
  const connection = {
    read: () => Promise.resolve(waiting.shift() ?? null),
    write: () => Promise.resolve(),
    bind: () => {},
    closeWrite: () => Promise.resolve(),
    close: () => {},
  };
  const reader = new Reader(connection, "here");
  assertEquals([await reader.line(9), await reader.line(9)], ["one", "two"]);
  const begun = await reader.take(1);
  assert(begun?.buffer === pieces[0]?.buffer, "it was copied");
  // A connection has one buffer for all that it reads.
  const read = connection.read;
  connection.read = () => {
    pieces[0]?.fill(0);
    return read();
  };
  assertEquals(await reader.line(9), "hree");
  assertEquals(new TextDecoder().decode(await reader.take(9) ?? undefined), "rest");
});
