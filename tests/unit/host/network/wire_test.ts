import { assert, assertEquals } from "@std/assert";
import { Reader } from "../../../../src/host/network/_reader.ts";
import { openDoor, outcomeOf, serveWire } from "./_wire.ts";
import { WRONG_SERVERS } from "./_wrong_servers.ts";

Deno.test(`servers that do every wrong thing: ${WRONG_SERVERS.length} cases`, async (t) => {
  assert(WRONG_SERVERS.length >= 120, String(WRONG_SERVERS.length));
  const servers = WRONG_SERVERS.map(([, behaviour]) => serveWire(behaviour));
  // All at once: those that let wait are waited for together.
  const outcomes = await Promise.all(servers.map(({ port }, index) => {
    const slow = WRONG_SERVERS[index]?.[2] === "TIMEOUT";
    const { fetch } = openDoor({ limit: 1000 });
    return outcomeOf(fetch({ url: `http://a.example:${port}/`, timeoutMs: slow ? 300 : 60_000 }));
  }));
  for (const [index, [name, , expected]] of WRONG_SERVERS.entries()) {
    await t.step(name, () => {
      assertEquals(outcomes[index], expected);
      assertEquals(servers[index]?.connections, 1, "one connection, whatever came of it");
    });
  }
  await Promise.all(servers.map((server) => server.close()));
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
