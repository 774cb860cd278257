import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { KeptConnections } from "../../../../src/host/network/_kept.ts";
import { openDoor } from "./_wire.ts";

/** What a server says to each request on a connection in turn; null: it ends the connection without a word. */
type Script = readonly (string | null)[];

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

/** Serves many requests on a connection, and says which connection each came on. */
function serve(scripts: (connection: number) => Script) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const seen: number[] = [];
  const heads: string[] = [];
  const open = new Set<Deno.Conn>();
  let connections = 0;
  const talk = async (conn: Deno.Conn, own: number) => {
    const buffer = new Uint8Array(65_536);
    for (const answer of [...scripts(own), null]) {
      let head = "";
      while (!head.includes("\r\n\r\n")) {
        const count = await conn.read(buffer);
        if (count === null) return;
        head += new TextDecoder().decode(buffer.subarray(0, count));
      }
      seen.push(own);
      heads.push(head);
      if (answer === null) return;
      await conn.write(new TextEncoder().encode(answer));
    }
  };
  const accepting = (async () => {
    for await (const conn of listener) {
      open.add(conn);
      void talk(conn, ++connections).catch(() => {}).finally(() => {
        open.delete(conn);
        conn.close();
      });
    }
  })().catch(() => {});
  return {
    port: (listener.addr as Deno.NetAddr).port,
    seen,
    heads,
    async close() {
      listener.close();
      for (const conn of open) {
        await conn.closeWrite().catch(() => {});
      }
      await accepting;
    },
  };
}

const many = (answer: string): Script => new Array(9).fill(answer);
const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";

/** What a server answers, and on which of its connections three requests came. */
const CASES: readonly (readonly [string, (connection: number) => Script, readonly number[]])[] = [
  ["a length", () => many(OK), [1, 1, 1]],
  ["chunks", () => many(chunked), [1, 1, 1]],
  ["nothing at all", () => many("HTTP/1.1 204 No\r\n\r\n"), [1, 1, 1]],
  ["close", () => many(OK.replace("\r\n\r\n", "\r\nConnection: Close\r\n\r\n")), [1, 2, 3]],
  ["HTTP/1.0", () => many(OK.replace("1.1", "1.0")), [1, 2, 3]],
  ["more than its length", () => many(`${OK} and more`), [1, 2, 3]],
  [
    "longer than is wanted",
    () => many(OK.replace("2\r\n\r\nhi", `9999\r\n\r\n${"x".repeat(9999)}`)),
    [
      1,
      2,
      3,
    ],
  ],
  // The server let go of it meanwhile: it is asked once more, on a new one.
  ["an end after the first", (connection) => connection === 1 ? [OK] : many(OK), [1, 1, 2, 2]],
];

Deno.test("a connection serves the next request where nothing is left on it", async () => {
  for (const [name, scripts, expected] of CASES) {
    const server = serve(scripts);
    const kept = new KeptConnections();
    const door = openDoor({ kept, limit: 4096 });
    for (let request = 0; request < 3; request++) {
      const { status } = await door.fetch({ url: `http://a.example:${server.port}/` });
      assertEquals(Math.floor(status / 100), 2, name);
    }
    assertEquals(server.seen, expected, name);
    // Each was judged by name and by address, whatever it went over.
    assertEquals([door.judged.length, door.lookedUp.length], [6, 3], name);
    kept.close();
    await server.close();
  }
});

Deno.test("a connection is kept for one name, one scheme and one address", async () => {
  const server = serve(() => many(OK));
  const kept = new KeptConnections();
  let address = "127.0.0.1";
  const door = openDoor({ kept, names: () => [address] });
  const get = (host: string) => door.fetch({ url: `http://${host}:${server.port}/` });
  await get("a.example");
  await get("b.example");
  await get("a.example");
  assertEquals(server.seen, [1, 2, 1]);
  // The name stands for another address now: what was dialled before is no way there.
  address = "127.0.0.2";
  await assertRejects(() => get("a.example"), ToolError);
  assertEquals(server.seen, [1, 2, 1]);
  kept.close();
  await server.close();
});

Deno.test("what a rule no longer allows goes over no connection that is kept", async () => {
  const server = serve(() => many(OK));
  const kept = new KeptConnections();
  let allowed = true;
  const door = openDoor({ kept, allows: () => allowed });
  const get = () => door.fetch({ url: `http://a.example:${server.port}/` });
  await get();
  allowed = false;
  await assertRejects(get, ToolError, "no rule names");
  assertEquals(server.seen, [1]);
  kept.close();
  await server.close();
});

Deno.test("a POST goes over a connection of its own, and is sent once", async () => {
  const server = serve((connection) => connection === 1 ? many(OK) : [null]);
  const kept = new KeptConnections();
  const door = openDoor({ kept });
  await door.fetch({ url: `http://a.example:${server.port}/` });
  const post = {
    url: `http://a.example:${server.port}/`,
    method: "POST",
    body: new Uint8Array(3),
  } as const;
  await assertRejects(() => door.fetch(post), ToolError);
  assertEquals(server.seen, [1, 2]);
  kept.close();
  await server.close();
});

Deno.test("a call that is cancelled while it uses a kept connection ends with it", async () => {
  const server = serve(() => [OK]);
  const kept = new KeptConnections();
  const stop = new AbortController();
  const first = openDoor({ kept });
  await first.fetch({ url: `http://a.example:${server.port}/` });
  const second = openDoor({ kept, signal: stop.signal });
  const work = second.fetch({ url: `http://a.example:${server.port}/slow` });
  stop.abort("CANCELLED");
  assertEquals((await assertRejects(() => work, ToolError)).code, "CANCELLED");
  kept.close();
  await server.close();
});

Deno.test("each connection that nobody takes is let go of in its time, however many there are", async () => {
  const kept = new KeptConnections(50);
  const to = { port: 80, secure: null, authorities: [], place: "a.example:80" };
  const keep = (address: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    kept.keep({ ...to, address }, {
      read: () => Promise.resolve(null),
      write: () => Promise.resolve(),
      bind: () => {},
      closeWrite: () => Promise.resolve(),
      close: resolve,
    });
    return promise;
  };
  // What lets go of them keeps nobody alive: something else has to.
  const alive = setInterval(() => {}, 1000);
  const first = keep("192.0.2.1");
  // The second's time is not over when the first's is.
  const later = performance.now() + 40;
  while (performance.now() < later);
  await Promise.all([first, keep("192.0.2.2")]);
  await keep("192.0.2.3");
  clearInterval(alive);
  const { signal } = new AbortController();
  assertEquals(kept.take({ ...to, address: "192.0.2.3" }, signal), null);
});
