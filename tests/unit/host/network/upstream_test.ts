/** Connections by way of a proxy that the policy names: judged as all are, and asked of it as they were judged. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { UpstreamProxy } from "../../../../src/core/network.ts";
import { readWebParts } from "../../../../src/host/network/web_parts.ts";
import { DEFAULT_WEB } from "../../tools/_memory_context.ts";
import { createAuthority } from "./_certificates.ts";
import { openProxy } from "./_proxy.ts";
import { serveUpstream } from "./_upstream_proxy.ts";
import { openDoor, outcomeOf, serveWire } from "./_wire.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";
const PUBLIC = "93.184.216.34";
const names = (host: string) => host === "fine.example" ? [PUBLIC] : [];

function server() {
  return serveWire(async ({ send }) => await send(OK));
}

const at = (port: number, more: Partial<UpstreamProxy> = {}): UpstreamProxy => ({
  host: "127.0.0.1",
  port,
  names: "here",
  key: null,
  ...more,
});

Deno.test("a proxy is asked for the address that was judged, and for nothing of this machine", async () => {
  const wire = server();
  const upstream = serveUpstream(wire.port);
  const door = openDoor({ web: { proxy: at(upstream.port) }, names });
  const ask = (url: string) => outcomeOf(door.fetch({ url }));
  assertEquals(await ask("http://fine.example/"), "200 hi");
  assertEquals(await ask(`http://${PUBLIC}:8080/`), "200 hi");
  assertEquals(await ask("http://[2606:2800:220:1::1]/"), "200 hi");
  assertEquals(await ask("http://unknown.example/"), "NETWORK_ERROR dns");
  assertEquals(await ask(`http://127.0.0.1:${wire.port}/`), "200 hi");
  assertEquals(upstream.targets, [
    `CONNECT ${PUBLIC}:80 HTTP/1.1`,
    `CONNECT ${PUBLIC}:8080 HTTP/1.1`,
    "CONNECT [2606:2800:220:1::1]:80 HTTP/1.1",
  ]);
  assertEquals(door.judged.filter(({ addresses }) => addresses !== undefined).length, 4);
  // What rules do not allow is asked of nobody, by its name or by its address.
  for (
    const allows of [
      () => false,
      ({ addresses }: { readonly addresses?: readonly string[] }) => addresses === undefined,
    ]
  ) {
    const closed = openDoor({ web: { proxy: at(upstream.port) }, names, allows });
    const refused = closed.fetch({ url: "http://fine.example/" });
    assertEquals(await outcomeOf(refused), "NETWORK_DENIED");
  }
  assertEquals(upstream.targets.length, 3);
  await upstream.close();
  await wire.close();
});

Deno.test("a proxy that looks names up is asked for them, and nobody else is", async () => {
  const wire = server();
  const upstream = serveUpstream(wire.port);
  const door = openDoor({ web: { proxy: at(upstream.port, { names: "proxy" }) }, names });
  const ask = (url: string) => outcomeOf(door.fetch({ url }));
  assertEquals(await ask("http://Unknown.example:81/"), "200 hi");
  // The loopback is this machine's, whoever looks names up.
  assertEquals(await ask(`http://localhost:${wire.port}/`), "200 hi");
  assertEquals(upstream.targets, ["CONNECT unknown.example:81 HTTP/1.1"]);
  assertEquals(door.lookedUp, []);
  assertEquals(door.judged.map(({ host, addresses, elsewhere }) => [host, addresses, elsewhere]), [
    ["unknown.example", undefined, undefined],
    ["unknown.example", undefined, true],
    ["localhost", undefined, undefined],
    ["localhost", ["127.0.0.1"], undefined],
  ]);
  await upstream.close();
  await wire.close();
});

Deno.test("certificates are those of the server behind the proxy", async () => {
  const folder = await Deno.makeTempDir();
  const authority = await createAuthority(folder, "own");
  const served = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: () => {},
    ...await authority.issue("DNS:fine.example"),
  }, () => new Response("hi"));
  const upstream = serveUpstream(served.addr.port);
  const parts = { authorities: [authority.cert] };
  const door = openDoor({ web: { proxy: at(upstream.port) }, names: () => [PUBLIC], parts });
  assertEquals(await outcomeOf(door.fetch({ url: "https://fine.example/" })), "200 hi");
  const other = outcomeOf(door.fetch({ url: "https://other.example/" }));
  assertEquals(await other, "NETWORK_ERROR certificate");
  await upstream.close();
  await served.shutdown();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a proxy that refuses, is not there, or is none is told of", async () => {
  const rows: readonly (readonly [string, string])[] = [
    ["HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "status 403"],
    ["HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "status 407"],
    ["SSH-2.0-x\r\n", "no answer of HTTP"],
    ["", "no answer of HTTP"],
    ["x".repeat(20_000), "no answer of HTTP"],
  ];
  for (const [answer, why] of rows) {
    const upstream = serveUpstream(0, answer);
    const door = openDoor({ web: { proxy: at(upstream.port) }, names });
    const failed = await door.fetch({ url: "http://fine.example/" }).catch((error) => error);
    assertEquals([failed.code, failed.details.reason], ["NETWORK_ERROR", "proxy"]);
    assertStringIncludes(failed.message, why);
    await upstream.close();
  }
  const gone = serveUpstream(0);
  await gone.close();
  const door = openDoor({ web: { proxy: at(gone.port) }, names });
  const refused = outcomeOf(door.fetch({ url: "http://fine.example/" }));
  assertEquals(await refused, "NETWORK_ERROR refused");
  const unknown = openDoor({ web: { proxy: at(80, { host: "proxy.example" }) }, names });
  const unnamed = outcomeOf(unknown.fetch({ url: "http://fine.example/" }));
  assertEquals(await unnamed, "NETWORK_ERROR dns");
});

Deno.test("a login goes to the proxy, and to nobody else", async () => {
  const login = "user:pass-word";
  const wire = serveWire(({ head, send }) =>
    send(`HTTP/1.1 200 OK\r\nContent-Length: ${head.length}\r\nConnection: close\r\n\r\n${head}`)
  );
  const upstream = serveUpstream(wire.port);
  const web = { proxy: at(upstream.port, { key: { env: "LOGIN" } }) };
  const door = openDoor({ web, names, parts: { keys: { proxy: login } } });
  const { body } = await door.fetch({ url: "http://fine.example/" });
  assertEquals(upstream.heads[0]?.includes(`Proxy-Authorization: Basic ${btoa(login)}\r\n`), true);
  assertEquals(/proxy-auth/i.test(new TextDecoder().decode(body)), false);
  for (const keys of [{}, { proxy: "without-a-colon" }]) {
    const without = openDoor({ web, names, parts: { keys } });
    const failed = outcomeOf(without.fetch({ url: "http://fine.example/" }));
    assertEquals(await failed, "PROVIDER_NOT_CONFIGURED");
  }
  assertEquals(upstream.targets.length, 1);
  // A proxy that sends it back is not listened to.
  const echo = `HTTP/1.1 407 ${btoa(login)} ${login}\r\nX: ${login}\r\n\r\n${login}`;
  const refusing = serveUpstream(wire.port, echo);
  const other = openDoor({
    web: { proxy: at(refusing.port, { key: { env: "LOGIN" } }) },
    names,
    parts: { keys: { proxy: login } },
  });
  const error = await other.fetch({ url: "http://fine.example/" }).catch((error) => error);
  assertEquals(error.details, { place: "fine.example:80", reason: "proxy" });
  assertEquals(error.message.includes(login) || error.message.includes(btoa(login)), false);
  await Promise.all([upstream.close(), refusing.close(), wire.close()]);
});

Deno.test("a login of any letters goes to the proxy in UTF-8; one with control characters is none", async () => {
  const wire = server();
  const upstream = serveUpstream(wire.port);
  const web = { proxy: at(upstream.port, { key: { env: "LOGIN_OF_TEST" } }) };
  const parts = (login: string) => {
    Deno.env.set("LOGIN_OF_TEST", login);
    return readWebParts({ ...DEFAULT_WEB, ...web });
  };
  const login = "użytkownik:пароль и 密码";
  const door = openDoor({ web, names, parts: parts(login) });
  assertEquals(await outcomeOf(door.fetch({ url: "http://fine.example/" })), "200 hi");
  const encoded = /^Proxy-Authorization: Basic (.*)\r$/m.exec(upstream.heads[0] ?? "")?.[1] ?? "";
  assertEquals(new TextDecoder().decode(Uint8Array.fromBase64(encoded)), login);
  assertEquals(parts("user:pass\nword").keys, {});
  Deno.env.delete("LOGIN_OF_TEST");
  await Promise.all([upstream.close(), wire.close()]);
});

Deno.test("a call that ends while the proxy says nothing ends at once", async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = silent.accept();
  const controller = new AbortController();
  const door = openDoor({
    web: { proxy: at(silent.addr.port) },
    names,
    signal: controller.signal,
  });
  const waiting = outcomeOf(door.fetch({ url: "http://fine.example/" }));
  const conn = await accepted;
  controller.abort("cancelled");
  assertEquals(await waiting, "CANCELLED");
  conn.close();
  silent.close();
});

Deno.test("programs go by it too, by names and by connections of their own", async () => {
  const wire = server();
  for (const where of ["here", "proxy"] as const) {
    const upstream = serveUpstream(wire.port);
    const rule = { effect: "allow" as const, methods: null, commands: ["client"] };
    const rules = [
      { ...rule, hosts: ["fine.example", "private.example"], allowPrivate: false },
      { ...rule, hosts: ["any.example"], allowPrivate: true },
    ];
    const opened = openProxy(wire.port, rules, {
      names: {
        "fine.example": [[PUBLIC]],
        "private.example": [["10.0.0.1"]],
        "any.example": [["10.0.0.2"]],
      },
      upstream: at(upstream.port, { names: where }),
    });
    const get = (host: string) =>
      opened.say(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const isHere = where === "here";
    // Who cannot be judged by what he stands for takes a rule that lets him stand for anything.
    assertStringIncludes(await get("fine.example"), isHere ? "200 OK" : "allow_private");
    assertStringIncludes(await get("private.example"), "403 Forbidden");
    assertStringIncludes(await get("other.example"), "403 Forbidden");
    assertStringIncludes(await get("any.example"), "200 OK");
    assertEquals(upstream.targets, [
      ...(isHere ? [`CONNECT ${PUBLIC}:80 HTTP/1.1`] : []),
      `CONNECT ${isHere ? "10.0.0.2" : "any.example"}:80 HTTP/1.1`,
    ]);
    if (!isHere) assertEquals(opened.asked, []);
    const made = await opened.proxy.reach(opened.token, { address: PUBLIC, port: 80 });
    // Of which name it is the address nobody here can say.
    assertEquals(typeof made, isHere ? "object" : "string");
    opened.proxy.close();
    await upstream.close();
  }
  await wire.close();
});
