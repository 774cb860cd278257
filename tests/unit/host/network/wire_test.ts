import { assert, assertEquals } from "@std/assert";
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
