import { assert, assertEquals } from "@std/assert";
import { type Certificate, createAuthority } from "./_certificates.ts";
import { openDoor, outcomeOf, serveWire } from "./_wire.ts";

interface Served {
  readonly port: number;
  /** Requests that were heard: what went over a connection that was agreed on. */
  readonly heard: number;
  close(): Promise<void>;
}

function serveTls(certificate: Certificate): Served {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...certificate });
  let heard = 0;
  const answer = async (conn: Deno.TlsConn) => {
    try {
      if (await conn.read(new Uint8Array(4096)) === null) return;
      heard++;
      await conn.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"));
    } catch {
      // The other side did not like the certificate.
    } finally {
      try {
        conn.close();
      } catch {
        // It was quicker.
      }
    }
  };
  const busy = new Set<Promise<void>>();
  const accepting = (async () => {
    for (;;) {
      const conn = await listener.accept().catch((error) => {
        if (error instanceof Deno.errors.BadResource) return null;
        return undefined;
      });
      if (conn === null) return;
      if (conn !== undefined) busy.add(answer(conn));
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    get heard() {
      return heard;
    },
    async close() {
      listener.close();
      await accepting;
      await Promise.all(busy);
    },
  };
}

Deno.test("certificates hold for the name that was asked for, or nothing is sent", async () => {
  const folder = await Deno.makeTempDir();
  const [trusted, other] = [
    await createAuthority(folder, "trusted"),
    await createAuthority(folder, "other"),
  ];
  const cases: readonly (readonly [string, string, () => Promise<Certificate>, string])[] = [
    ["the name", "a.example", () => trusted.issue("DNS:a.example"), "200 hi"],
    ["one of its names", "a.example", () => trusted.issue("DNS:b.example,DNS:a.example"), "200 hi"],
    ["a wildcard", "a.b.example", () => trusted.issue("DNS:*.b.example"), "200 hi"],
    ["an address", "127.0.0.1", () => trusted.issue("IP:127.0.0.1"), "200 hi"],
    ["another name", "a.example", () => trusted.issue("DNS:b.example"), "certificate"],
    [
      "its address in the place of its name",
      "a.example",
      () => trusted.issue("IP:127.0.0.1"),
      "certificate",
    ],
    ["another address", "127.0.0.1", () => trusted.issue("IP:127.0.0.2"), "certificate"],
    ["an address as a name", "127.0.0.1", () => trusted.issue("DNS:127.0.0.1"), "certificate"],
    ["a wildcard too deep", "a.b.c.example", () => trusted.issue("DNS:*.c.example"), "certificate"],
    [
      "a wildcard for the bare name",
      "c.example",
      () => trusted.issue("DNS:*.c.example"),
      "certificate",
    ],
    ["an unknown authority", "a.example", () => other.issue("DNS:a.example"), "certificate"],
    ["the authority itself", "a.example", () => Promise.resolve(other), "certificate"],
    [
      "over",
      "a.example",
      () => trusted.issue("DNS:a.example", { from: "20200101000000Z", to: "20200201000000Z" }),
      "certificate",
    ],
    [
      "not yet begun",
      "a.example",
      () => trusted.issue("DNS:a.example", { from: "21000101000000Z", to: "21000201000000Z" }),
      "certificate",
    ],
    [
      "for clients",
      "a.example",
      () => trusted.issue("DNS:a.example", { usage: "clientAuth" }),
      "certificate",
    ],
  ];
  for (const [name, host, issuing, expected] of cases) {
    const server = serveTls(await issuing());
    const { fetch } = openDoor({ parts: { authorities: [trusted.cert] } });
    const outcome = await outcomeOf(fetch({ url: `https://${host}:${server.port}/` }));
    const fine = expected === "200 hi";
    assertEquals(outcome, fine ? expected : `NETWORK_ERROR ${expected}`, name);
    assertEquals(server.heard, fine ? 1 : 0, name);
    await server.close();
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("what speaks no TLS, or stops in the middle of it, is told apart", async () => {
  const plain = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const speaking = (async () => {
    for await (const conn of plain) {
      await conn.write(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"));
      conn.close();
    }
  })();
  const at = (port: number) => `https://a.example:${port}/`;
  const { port } = plain.addr as Deno.NetAddr;
  assertEquals(await outcomeOf(openDoor().fetch({ url: at(port) })), "NETWORK_ERROR tls");
  plain.close();
  await speaking;
  const mute = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const conn of mute) held.push(conn);
  })();
  const { port: silent } = mute.addr as Deno.NetAddr;
  assertEquals(await outcomeOf(openDoor().fetch({ url: at(silent), timeoutMs: 200 })), "TIMEOUT");
  mute.close();
  await accepting;
  for (const conn of held) conn.close();
});

Deno.test("no redirect leads from https to http", async () => {
  const folder = await Deno.makeTempDir();
  const authority = await createAuthority(folder, "trusted");
  const open = serveWire(({ send }) => send("HTTP/1.1 200 OK\r\n\r\nhi"));
  const certificate = await authority.issue("DNS:a.example");
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, ...certificate },
    () =>
      new Response(null, { status: 302, headers: { location: `http://a.example:${open.port}/` } }),
  );
  const { fetch } = openDoor({ parts: { authorities: [authority.cert] } });
  const outcome = await outcomeOf(fetch({ url: `https://a.example:${server.addr.port}/` }));
  assertEquals(outcome, "NETWORK_ERROR redirect");
  assertEquals(open.connections, 0);
  // The other way is fine.
  const up = serveWire(({ send }) =>
    send(`HTTP/1.1 302 Up\r\nLocation: https://a.example:${server.addr.port}/\r\n\r\n`)
  );
  const led = await outcomeOf(fetch({ url: `http://a.example:${up.port}/` }));
  assertEquals(led, "NETWORK_ERROR redirect");
  assert(open.connections === 0);
  await server.shutdown();
  await Promise.all([open.close(), up.close()]);
  await Deno.remove(folder, { recursive: true });
});
