import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { NetworkRule } from "../../../../src/policy/model.ts";
import { greetingOf } from "../../../../src/host/network/proxy_route.ts";
import { openProxy } from "./_proxy.ts";
import { serveWire } from "./_wire.ts";

const PUBLIC = "93.184.216.34";
const NAMES = {
  "fine.example": [[PUBLIC]],
  "other.example": [[PUBLIC]],
  "private.example": [["10.0.0.1"]],
  "mixed.example": [[PUBLIC, "127.0.0.1"]],
  "metadata.example": [["169.254.169.254"]],
  "mapped.example": [["::ffff:127.0.0.1"]],
  "rebinding.example": [[PUBLIC], ["127.0.0.1"]],
  "xn--bcher-kva.example": [[PUBLIC]],
};

function open(hosts: readonly string[], parts: Partial<NetworkRule> = {}): NetworkRule {
  return {
    effect: "allow",
    hosts,
    methods: null,
    allowPrivate: false,
    commands: ["client"],
    ...parts,
  };
}

const ALL = ["fine.example:80", "fine.example:443"];
const RULES = [
  open([
    ...ALL,
    ...["private.example", "mixed.example", "metadata.example", "mapped.example"],
    ...["rebinding.example", "xn--bcher-kva.example", PUBLIC],
  ]),
];
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi";

function server(answer = OK) {
  return serveWire(async ({ send }) => await send(answer));
}

const get = (url: string, ...more: readonly string[]) => {
  const host = /^[a-z]+:\/\/([^/?#]*)/.exec(url)?.[1] ?? "";
  return [`GET ${url} HTTP/1.1`, `Host: ${host}`, ...more, "", ""].join("\r\n");
};
const statusOf = (said: string) => said.split("\r\n")[0]?.split(" ")[1] ?? "nothing";

Deno.test("what a program asks the proxy for is judged: by name, address, port and method", async (t) => {
  const rows: readonly (readonly [name: string, sent: string, status: string])[] = [
    ["an absolute address", get("http://fine.example/a?b"), "200"],
    ["its port in words", get("http://fine.example:80/"), "200"],
    ["in capitals", get("HTTP://FINE.EXAMPLE/").replace("Host: ", "Host: FINE.EXAMPLE"), "200"],
    ["a final dot", get("http://fine.example./"), "200"],
    ["no path", get("http://fine.example"), "200"],
    ["a tunnel", "CONNECT fine.example:443 HTTP/1.1\r\nHost: fine.example:443\r\n\r\n", "200"],
    ["a tunnel of HTTP/1.0", "CONNECT fine.example:443 HTTP/1.0\r\n\r\n", "200"],
    ["HTTP/1.0 without Host", "GET http://fine.example/ HTTP/1.0\r\n\r\n", "200"],
    ["Punycode", get("http://xn--bcher-kva.example/"), "200"],
    ["an address that a rule names", get(`http://${PUBLIC}/`), "200"],
    ["that address as a number", get("http://1572395042/"), "200"],
    ["another host", get("http://other.example/"), "403"],
    ["another port", get("http://fine.example:8080/"), "403"],
    ["below the host", get("http://a.fine.example/"), "403"],
    ["the host at the front", get("http://fine.example.evil.example/"), "403"],
    ["a tunnel elsewhere", "CONNECT other.example:443 HTTP/1.1\r\nHost: x\r\n\r\n", "403"],
    ["a tunnel to another port", "CONNECT fine.example:22 HTTP/1.1\r\n\r\n", "403"],
    ["the loopback", get("http://127.0.0.1/"), "403"],
    ["localhost", get("http://localhost/"), "403"],
    ["in hexadecimal", get("http://0x7f.1/"), "403"],
    ["as a number", get("http://2130706433/"), "403"],
    ["of IPv6", get("http://[::1]/"), "403"],
    ["mapped", get("http://[::ffff:127.0.0.1]/"), "403"],
    ["any", get("http://0.0.0.0/"), "403"],
    ["metadata", "CONNECT 169.254.169.254:80 HTTP/1.1\r\n\r\n", "403"],
    ["a public address that no rule names", "CONNECT 93.184.216.35:443 HTTP/1.1\r\n\r\n", "403"],
    ["a name of a private address", get("http://private.example/"), "403"],
    ["a name of both", get("http://mixed.example/"), "403"],
    ["a name of metadata", "CONNECT metadata.example:80 HTTP/1.1\r\n\r\n", "403"],
    ["a name of a mapped address", get("http://mapped.example/"), "403"],
    ["a name that is none", get("http://fine.example/").replaceAll("fine", "none"), "403"],
  ];
  const wire = server();
  for (const [name, sent, status] of rows) {
    await t.step(name, async () => {
      const before = wire.connections;
      const opened = openProxy(wire.port, RULES, { names: NAMES });
      const said = await opened.say(sent);
      assertEquals(statusOf(said), status, said);
      if (status === "403") {
        assertEquals([opened.dialled, wire.connections], [[], before]);
        const { refused, reached } = opened.report();
        assertEquals([refused.length, reached], [1, []]);
        assertStringIncludes(said, `Toolgate: ${refused[0]?.reason}`);
        assertStringIncludes(said, "network");
      } else assert(opened.dialled[0]?.startsWith(`${PUBLIC}:`), opened.dialled.join());
      opened.proxy.close();
    });
  }
  await wire.close();
});

Deno.test("a request that two could read differently is handed on to nobody", async (t) => {
  const host = "http://fine.example/";
  const post = (...more: readonly string[]) => get(host, ...more).replace("GET", "POST");
  const rows: readonly (readonly [name: string, sent: string])[] = [
    ["no Host", `GET ${host} HTTP/1.1\r\n\r\n`],
    ["two Hosts", get(host, "Host: fine.example")],
    ["two that differ", get(host, "Host: other.example")],
    ["another Host", `GET ${host} HTTP/1.1\r\nHost: other.example\r\n\r\n`],
    ["its Host at another port", `GET ${host} HTTP/1.1\r\nHost: fine.example:81\r\n\r\n`],
    ["an empty Host", `GET ${host} HTTP/1.1\r\nHost:\r\n\r\n`],
    ["a list for a Host", `GET ${host} HTTP/1.1\r\nHost: fine.example, b\r\n\r\n`],
    ["a lone line feed", get(host, "A: b\nHost: other.example")],
    ["line feeds alone", get(host).replaceAll("\r", "")],
    ["a lone carriage return", get(host, "A: b\rHost: other.example")],
    ["a folded line", get(host, "A: b", " c: d")],
    ["a blank before the colon", get(host, "Host : other.example")],
    ["no colon", get(host, "nothing")],
    ["a NUL", get(host, "A: b\0c")],
    ["two lengths", post("Content-Length: 1", "Transfer-Encoding: chunked")],
    ["two Content-Lengths", post("Content-Length: 1", "Content-Length: 1")],
    ["a list of lengths", post("Content-Length: 1, 1")],
    ["a signed length", post("Content-Length: +1")],
    ["a length in hexadecimal", post("Content-Length: 0x1")],
    ["a length without end", post(`Content-Length: ${"9".repeat(30)}`)],
    ["chunked twice", post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")],
    ["another coding", post("Transfer-Encoding: gzip, chunked")],
    ["a coding in odd blanks", post("Transfer-Encoding: \x0bchunked")],
    ["a coding of nothing", post("Transfer-Encoding:")],
    ["a coding of nothing and a length", post("Transfer-Encoding:", "Content-Length: 1")],
    ["no coding at all", post("Transfer-Encoding: identity")],
    ["chunked in HTTP/1.0", post("Transfer-Encoding: chunked").replace("1.1", "1.0")],
    ["only a path", "GET / HTTP/1.1\r\nHost: fine.example\r\n\r\n"],
    ["https in the open", get("https://fine.example/")],
    ["another scheme", get("ftp://fine.example/")],
    ["a user", get("http://a@fine.example/")],
    ["a user that looks like a host", get("http://fine.example@other.example/")],
    ["an escape in the host", get("http://fine%2eexample/")],
    ["a backslash in the host", get("http://fine.example\\@other.example/")],
    ["no host", get("http:///")],
    ["port 0", get("http://fine.example:0/")],
    ["port 65536", get("http://fine.example:65536/")],
    ["port -1", get("http://fine.example:-1/")],
    ["an empty port", get("http://fine.example:/")],
    ["a tunnel without a port", "CONNECT fine.example HTTP/1.1\r\n\r\n"],
    ["a tunnel to an address", "CONNECT http://fine.example:443/ HTTP/1.1\r\n\r\n"],
    ["a tunnel to a user", "CONNECT a@fine.example:443 HTTP/1.1\r\n\r\n"],
    ["a tunnel to a path", "CONNECT fine.example:443/ HTTP/1.1\r\n\r\n"],
    ["TRACE", get(host).replace("GET", "TRACE")],
    ["all of the server", "OPTIONS * HTTP/1.1\r\nHost: fine.example\r\n\r\n"],
    ["two blanks", get(host).replace("GET ", "GET  ")],
    ["a tabulator", get(host).replace("GET ", "GET\t")],
    ["HTTP/1.2", get(host).replace("HTTP/1.1", "HTTP/1.2")],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["HTTP/0.9", `GET ${host}\r\n\r\n`],
    ["an umlaut in the address", get("http://fine.example/\xe4")],
    ["many headers", get(host, ...Array.from({ length: 300 }, (_, at) => `a${at}: b`))],
    ["a stray line before it", `\r\n${get(host)}`],
  ];
  const wire = server();
  for (const [name, sent] of rows) {
    await t.step(name, async () => {
      const opened = openProxy(wire.port, RULES, { names: NAMES });
      const said = await opened.say(sent);
      assertEquals([statusOf(said), opened.dialled], ["400", []], said);
      opened.proxy.close();
    });
  }
  assertEquals(wire.connections, 0);
  const opened = openProxy(wire.port, RULES, { names: NAMES });
  assertEquals(statusOf(await opened.say(get(host, `A: ${"a".repeat(70_000)}`))), "502");
  opened.proxy.close();
  assertEquals(wire.connections, 0);
  await wire.close();
});

Deno.test("who does not know a token is hung up on, whatever he says", async () => {
  const wire = server();
  const opened = openProxy(wire.port, RULES, { names: NAMES });
  const request = get("http://fine.example/");
  const { token } = opened;
  const rows = [
    "",
    request,
    "CONNECT fine.example:443 HTTP/1.1\r\nHost: fine.example:443\r\n\r\n",
    new TextDecoder().decode(greetingOf("0".repeat(32), 0)) + request,
    new TextDecoder().decode(greetingOf(token.toUpperCase(), 0)) + request,
    ` ${token}00${request}`,
    `${token}zz${request}`,
    `${token}01${request}`,
    `${token}ff${request}`,
    `${token.slice(0, 20)}`,
    "\x05\x01\x00\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50".padEnd(60, "\0"),
  ];
  for (const said of rows) {
    assertEquals(await opened.say(said, { greeting: null }), "", JSON.stringify(said));
  }
  assertEquals(statusOf(await opened.say(request)), "200");
  // Its token goes with the program.
  opened.report();
  assertEquals(await opened.say(request), "");
  assertEquals(wire.connections, 1);
  opened.proxy.close();
  await wire.close();
});

Deno.test("each host is looked up once a connection, and what was judged is dialled", async () => {
  const wire = server();
  const opened = openProxy(wire.port, RULES, { names: NAMES });
  assertEquals(statusOf(await opened.say(get("http://rebinding.example/"))), "200");
  assertEquals(statusOf(await opened.say(get("http://rebinding.example/"))), "403");
  assertEquals([opened.asked.length, opened.dialled], [2, [`${PUBLIC}:80`]]);
  // A name that no rule names is not even looked up: that would tell somebody.
  await opened.say(get("http://secret.evil.example/"));
  assertEquals(opened.asked.length, 2);
  opened.proxy.close();
  await wire.close();
});

Deno.test("methods bind what can be seen of requests, and a tunnel has none to see", async () => {
  const wire = server();
  const opened = openProxy(wire.port, [open(ALL, { methods: ["GET"] })], { names: NAMES });
  const request = get("http://fine.example/");
  assertEquals(statusOf(await opened.say(request)), "200");
  assertEquals(statusOf(await opened.say(request.replace("GET", "DELETE"))), "403");
  assertEquals(statusOf(await opened.say("CONNECT fine.example:443 HTTP/1.1\r\n\r\n")), "403");
  opened.proxy.close();
  await wire.close();
});

Deno.test("what a rule asks for is refused, unless somebody agreed to it", async () => {
  const wire = server();
  const rules = [open(["fine.example"], { effect: "ask" })];
  const request = get("http://fine.example/");
  const refused = openProxy(wire.port, rules, { names: NAMES });
  const said = await refused.say(request);
  assertEquals(statusOf(said), "403");
  assertStringIncludes(said, "nobody was asked");
  const agreed = openProxy(wire.port, rules, { names: NAMES, granted: ["fine.example:80"] });
  assertEquals(statusOf(await agreed.say(request)), "200");
  refused.proxy.close();
  agreed.proxy.close();
  await wire.close();
});

Deno.test("requests go on as they were meant: without what is of one connection, once, with their body", async () => {
  const wire = server();
  const opened = openProxy(wire.port, RULES, { names: NAMES });
  const first = await opened.say(
    get(
      "http://fine.example/a//b?c=%20",
      "X-Kept: 1",
      "Proxy-Authorization: Basic x",
      "Proxy-Connection: keep-alive",
      "Connection: X-Dropped, close",
      "X-Dropped: 2",
      "TE: trailers",
      "Upgrade: h2c",
    ) + get("http://other.example/second"),
  );
  assertEquals(
    wire.heads[0]?.split("\r\n"),
    [
      ...["GET /a//b?c=%20 HTTP/1.1", "Host: fine.example", "X-Kept: 1"],
      ...["Connection: close", "", ""],
    ],
  );
  // The second is read by nobody.
  assertEquals(wire.heads.length, 1);
  assertEquals(first, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
  opened.proxy.close();
  await wire.close();
});

Deno.test("a body is framed anew, and nothing behind it goes on", async () => {
  const bodies: string[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const conn of listener) {
      let text = "";
      const buffer = new Uint8Array(4096);
      while (!/\r\n\r\n(?:.{5}$|[\s\S]*\r\n0\r\n\r\n$)/.test(text)) {
        const count = await conn.read(buffer);
        if (count === null) break;
        text += new TextDecoder().decode(buffer.subarray(0, count));
      }
      bodies.push(text.slice(text.indexOf("\r\n\r\n") + 4));
      await conn.write(new TextEncoder().encode(OK));
      conn.close();
    }
  })();
  const opened = openProxy(listener.addr.port, RULES, { names: NAMES });
  const post = (...more: readonly string[]) =>
    get("http://fine.example/", ...more).replace("GET", "POST");
  const rows: readonly (readonly [string, string, string])[] = [
    [post("Content-Length: 5") + "12345GET /evil HTTP/1.1\r\n\r\n", "200", "12345"],
    [
      post("Transfer-Encoding: chunked") + "2;x=y\r\nab\r\n3\r\ncde\r\n0\r\nTrailer: x\r\n\r\nevil",
      "200",
      "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n",
    ],
  ];
  for (const [sent, status, body] of rows) {
    assertEquals(statusOf(await opened.say(sent)), status);
    assertEquals(bodies.at(-1), body);
  }
  opened.proxy.close();
  listener.close();
  await serving;
});

Deno.test("answers that could be read in two ways are not handed on", async (t) => {
  const rows = [
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
    "HTTP/2 200 OK\r\n\r\n",
    "ICY 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA b: c\r\n\r\n",
    "",
  ];
  for (const answer of rows) {
    await t.step(JSON.stringify(answer), async () => {
      const wire = server(answer);
      const opened = openProxy(wire.port, RULES, { names: NAMES });
      const said = await opened.say(get("http://fine.example/"));
      assertEquals(statusOf(said), "502");
      assertStringIncludes(said, "Toolgate: fine.example:80: ");
      opened.proxy.close();
      await wire.close();
    });
  }
});

Deno.test("tunnels carry both ways until both have ended, and are counted", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const conn of listener) {
      await conn.readable.pipeTo(conn.writable);
    }
  })();
  const opened = openProxy(listener.addr.port, RULES, { names: NAMES });
  const connect = "CONNECT fine.example:443 HTTP/1.1\r\nHost: fine.example:443\r\n\r\n";
  const long = "x".repeat(300_000);
  const said = await opened.say(`${connect}early `, { then: [long] });
  assertEquals(said, `HTTP/1.1 200 Connection established\r\n\r\nearly ${long}`);
  const { reached } = opened.report();
  assertEquals(reached, [{
    host: "fine.example:443",
    connections: 1,
    sent: long.length + 6,
    received: long.length + 6,
  }]);
  opened.proxy.close();
  listener.close();
  await serving;
});

Deno.test("connections end with their program", async () => {
  const wire = serveWire(({ hold }) => hold());
  const opened = openProxy(wire.port, RULES, { names: NAMES });
  const said = opened.say("CONNECT fine.example:443 HTTP/1.1\r\n\r\n", {
    then: ["GET / HTTP/1.1\r\n\r\n", "never sent"],
  });
  while (wire.heads.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  opened.report();
  await said.catch(() => {});
  opened.proxy.close();
  await wire.close();
});

Deno.test("SOCKS version 5: names and addresses, judged alike", async (t) => {
  const ask = (kind: number, host: readonly number[], port: number, command = 1) =>
    Uint8Array.of(5, command, 0, kind, ...host, port >> 8, port & 0xff);
  const name = (text: string) => [text.length, ...new TextEncoder().encode(text)];
  const six = (last: readonly number[]) => [...new Array(16 - last.length).fill(0), ...last];
  const rows: readonly (readonly [string, Uint8Array, number | null])[] = [
    ["a name", ask(3, name("fine.example"), 443), 0],
    ["an address that a rule names", ask(1, [93, 184, 216, 34], 443), 0],
    ["another name", ask(3, name("other.example"), 443), 2],
    ["another port", ask(3, name("fine.example"), 22), 2],
    ["the loopback", ask(1, [127, 0, 0, 1], 80), 2],
    ["of IPv6", ask(4, six([1]), 80), 2],
    ["mapped", ask(4, six([0xff, 0xff, 127, 0, 0, 1]), 80), 2],
    ["the loopback as a name", ask(3, name("0x7f.1"), 80), 2],
    ["a name of a private address", ask(3, name("private.example"), 80), 2],
    ["to listen", ask(3, name("fine.example"), 443, 2), 7],
    ["UDP", ask(3, name("fine.example"), 443, 3), 7],
    ["another kind", ask(9, [1], 1), 8],
    ["port 0", ask(3, name("fine.example"), 0), null],
    ["no name", ask(3, name(""), 443), null],
    ["an odd name", ask(3, name("fine.example\0.evil"), 443), null],
    ["half of it", ask(3, name("fine.example"), 443).slice(0, 8), null],
  ];
  const wire = server();
  for (const [what, request, code] of rows) {
    await t.step(what, async () => {
      const opened = openProxy(wire.port, RULES, { names: NAMES });
      const then = [request, ...(code === 0 ? ["GET / HTTP/1.1\r\n\r\n"] : [])];
      const said = await opened.say(Uint8Array.of(5, 2, 2, 0), { then });
      assertEquals(said.slice(0, 2), "\x05\x00");
      assertEquals(code === null ? said.length : said.charCodeAt(3), code ?? 2);
      if (code === 0) assertStringIncludes(said, "200 OK");
      else assertEquals(opened.dialled, []);
      opened.proxy.close();
    });
  }
  const opened = openProxy(wire.port, RULES, { names: NAMES });
  // With a password alone; version 4, which looks names up itself.
  assertEquals(await opened.say(Uint8Array.of(5, 1, 2)), "\x05\xff");
  assertEquals(statusOf(await opened.say("\x04\x01\x00\x50\x7f\x00\x00\x01\x00\r\n\r\n")), "400");
  opened.proxy.close();
  await wire.close();
});

Deno.test("strangers who hold on to the port keep no program out", async () => {
  const wire = server();
  const opened = openProxy(wire.port, RULES, { names: NAMES });
  const strangers: Deno.Conn[] = [];
  for (let at = 0; at < 200; at++) {
    strangers.push(await Deno.connect({ hostname: "127.0.0.1", port: opened.port }));
  }
  assertEquals(statusOf(await opened.say(get("http://fine.example/"))), "200");
  for (const one of strangers) one.close();
  opened.proxy.close();
  await wire.close();
});
