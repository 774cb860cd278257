import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { failure } from "../../tools/_failure.ts";
import { allow, ruledDoor } from "./_policies.ts";
import { openDoor, outcomeOf, serveWire } from "./_wire.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
const leads = (to: string, status = 302) =>
  `HTTP/1.1 ${status} Moved\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`;

/** Addresses that no name may stand for unless a rule says so: all special-use ranges, their edges and odd forms. */
const SPECIAL = [
  ...["0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255"],
  ...["127.0.0.1", "127.255.255.255", "169.254.0.1", "169.254.169.254", "172.16.0.1"],
  ...["172.31.255.255", "192.0.0.1", "192.0.0.171", "192.0.2.1", "192.31.196.1", "192.52.193.1"],
  ...["192.88.99.1", "192.168.0.1", "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1"],
  ...["203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
  ...["::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::FFFF:0808:0808", "::8.8.8.8"],
  ...["64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:2::1", "2001:10::1"],
  ...["2001:20::1", "2001:db8::1", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd00::1"],
  ...["fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "0:0:0:0:0:ffff:7f00:1", "not an address"],
];

Deno.test(`names that stand for special addresses: ${SPECIAL.length}, alone and among others`, async () => {
  const server = serveWire(({ send }) => send(OK));
  const { port } = server;
  for (const address of SPECIAL) {
    for (const addresses of [[address], ["93.184.216.34", address], [address, "93.184.216.34"]]) {
      const door = await ruledDoor([allow(["a.example"])], { names: () => addresses });
      const outcome = await outcomeOf(door.fetch({ url: `http://a.example:${port}/` }));
      assertEquals(outcome, "NETWORK_DENIED", addresses.join());
      assertEquals(door.dialled, []);
    }
  }
  assertEquals(server.connections, 0);
  // The same ways do lead there where nothing forbids them.
  const open = await ruledDoor([allow(["a.example"], { allowPrivate: true })], {
    names: () => ["169.254.169.254"],
  });
  assertEquals(await outcomeOf(open.fetch({ url: `http://a.example:${port}/` })), "200 hi");
  const honest = await ruledDoor([allow(["a.example"])], { names: () => ["93.184.216.34"] });
  assertEquals(await outcomeOf(honest.fetch({ url: `http://a.example:${port}/` })), "200 hi");
  assertEquals([...open.dialled, ...honest.dialled], [
    `169.254.169.254:${port}`,
    `93.184.216.34:${port}`,
  ]);
  assertEquals(server.connections, 2);
  await server.close();
});

Deno.test("hosts written in odd ways are the hosts that they are", async () => {
  const server = serveWire(({ send }) => send(OK));
  const odd = [
    ...["2130706433", "0x7f.1", "127.1", "0177.0.0.1", "017700000001", "0x7f000001", "127.0.0.1."],
    ...[
      "[::1]",
      "[::ffff:127.0.0.1]",
      "[0:0:0:0:0:ffff:7f00:1]",
      "localhost",
      "LOCALHOST",
      "a.localhost",
    ],
    ...["localhost.", "127。0。0。1", "①②⑦.0.0.1", "metadata.google.internal", "169.254.169.254"],
    ...["printer.local", "router.home.arpa", "0", "0.0.0.0", "[::]", "%6c%6f%63%61%6c%68%6f%73%74"],
  ];
  for (const host of odd) {
    const door = await ruledDoor([allow(["*"])]);
    const outcome = await outcomeOf(door.fetch({ url: `http://${host}:${server.port}/` }));
    assertEquals(outcome, "NETWORK_DENIED", host);
    assertEquals(door.dialled, []);
  }
  assertEquals(server.connections, 0);
  await server.close();
});

Deno.test("a name is looked up once, and what was judged is dialled: rebinding finds no gap", async () => {
  const server = serveWire(({ send }) => send(OK));
  let asked = 0;
  const door = await ruledDoor([allow(["a.example"])], {
    names: () => asked++ === 0 ? ["93.184.216.34"] : ["127.0.0.1"],
  });
  assertEquals(await outcomeOf(door.fetch({ url: `http://a.example:${server.port}/` })), "200 hi");
  assertEquals(door.lookedUp, ["a.example"]);
  assertEquals(door.dialled, [`93.184.216.34:${server.port}`]);
  // The next request is judged by what the name is then.
  const second = await outcomeOf(door.fetch({ url: `http://a.example:${server.port}/` }));
  assertEquals(second, "NETWORK_DENIED");
  assertEquals(server.connections, 1);
  await server.close();
});

Deno.test("rules are asked for scheme's port, host, method, and by address", async () => {
  const server = serveWire(({ send }) => send(OK));
  const { port } = server;
  const names = () => ["93.184.216.34"];
  const cases = [
    [[allow([`a.example:${port}`])], "200 hi"],
    [[allow([`a.example:${port + 1}`])], "NETWORK_DENIED"],
    [[allow(["b.example"])], "NETWORK_DENIED"],
    [[allow(["*.example"])], "200 hi"],
    [[allow(["*.a.example"])], "NETWORK_DENIED"],
    [[allow(["a.example"], { methods: ["HEAD"] })], "NETWORK_DENIED"],
    [[allow(["a.example"], { methods: ["GET"] })], "200 hi"],
    [[allow(["a.example"]), allow(["a.example"], { effect: "deny" })], "NETWORK_DENIED"],
    [[allow(["a.example"]), allow(["93.184.216.34"], { effect: "deny" })], "NETWORK_DENIED"],
    [[allow(["a.example"]), allow(["93.184.216.34"], { effect: "ask" })], "NETWORK_DENIED"],
    [[allow(["a.example"], { effect: "ask" })], "NETWORK_DENIED"],
    [[], "NETWORK_DENIED"],
  ] as const;
  for (const [rules, expected] of cases) {
    const door = await ruledDoor(rules, { names });
    const outcome = await outcomeOf(door.fetch({ url: `http://a.example:${port}/` }));
    assertEquals(outcome, expected, JSON.stringify(rules));
  }
  const agreed = await ruledDoor([allow(["a.example"], { effect: "ask" })], {
    names,
    granted: [`a.example:${port}`],
  });
  assertEquals(await outcomeOf(agreed.fetch({ url: `http://a.example:${port}/` })), "200 hi");
  assertEquals(
    server.connections,
    cases.filter(([, expected]) => expected === "200 hi").length + 1,
  );
  await server.close();
});

Deno.test("redirects are judged anew, and lead nowhere that was not asked for", async () => {
  const other = serveWire(({ send }) => send(OK));
  const server = serveWire(async ({ head, send }) => {
    const path = /^GET (\S+)/.exec(head)?.[1] ?? "";
    const to: Record<string, string> = {
      "/here": leads("/end"),
      "/other": leads(`http://b.example:${other.port}/x`),
      "/address": leads(`http://127.0.0.1:${other.port}/`),
      "/metadata": leads("http://169.254.169.254/latest/"),
      "/file": leads("file:///etc/passwd"),
      "/data": leads("data:text/plain,hi"),
      "/script": leads("javascript:alert(1)"),
      "/ftp": leads("ftp://b.example/"),
      "/user": leads(`http://me:secret@b.example:${other.port}/`),
      "/user-of-nothing": leads("http://me:secret@b.example:port/"),
      "/user-of-ftp": leads("ftp://me:secret@b.example/"),
      "/broken": leads("http://[broken/"),
      "/loop": leads("/loop"),
      "/empty": "HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nno",
      "/bodied": `HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 9999999\r\n\r\n`,
      "/300": leads("/end", 300),
      "/305": leads(`http://b.example:${other.port}/`, 305),
      "/301": leads("/end", 301),
      "/303": leads("/end", 303),
      "/307": leads("/end", 307),
      "/308": leads("/end", 308),
      "/fragment": leads("/end#part"),
    };
    const count = /^\/count\/(\d)$/.exec(path)?.[1];
    if (count !== undefined) {
      return await send(leads(count === "1" ? "/end" : `/count/${+count - 1}`));
    }
    await send(to[path] ?? OK);
  });
  const cases: readonly (readonly [string, string, number])[] = [
    ["/here", "200 hi", 0],
    ["/other", "NETWORK_DENIED", 0],
    ["/address", "NETWORK_DENIED", 0],
    ["/metadata", "NETWORK_DENIED", 0],
    ["/file", "NETWORK_ERROR redirect", 0],
    ["/data", "NETWORK_ERROR redirect", 0],
    ["/script", "NETWORK_ERROR redirect", 0],
    ["/ftp", "NETWORK_ERROR redirect", 0],
    ["/user", "NETWORK_ERROR redirect", 0],
    ["/broken", "NETWORK_ERROR redirect", 0],
    ["/loop", "NETWORK_ERROR redirect", 0],
    ["/empty", "302 no", 0],
    ["/bodied", "200 hi", 0],
    ["/300", "300 ", 0],
    ["/305", "305 ", 0],
    ["/301", "200 hi", 0],
    ["/303", "200 hi", 0],
    ["/307", "200 hi", 0],
    ["/308", "200 hi", 0],
    ["/fragment", "200 hi", 0],
    ["/count/5", "200 hi", 0],
    ["/count/6", "NETWORK_ERROR redirect", 0],
  ];
  for (const [path, expected] of cases) {
    const door = await ruledDoor([allow(["a.example"])], { names: () => ["93.184.216.34"] });
    assertEquals(
      await outcomeOf(door.fetch({ url: `http://a.example:${server.port}${path}` })),
      expected,
      path,
    );
  }
  assertEquals(other.connections, 0);
  // Nobody's password is said again, neither by the reason nor by the address.
  const door = await ruledDoor([allow(["a.example"])], { names: () => ["93.184.216.34"] });
  for (const path of ["/user", "/user-of-nothing", "/user-of-ftp"]) {
    const error = await failure(() =>
      door.fetch({ url: `http://a.example:${server.port}${path}` })
    );
    assert(!/me|secret/.test(error.message.replace("a.example", "")), error.message);
    assertStringIncludes(error.message, "//…@b.example");
  }
  assertEquals(other.connections, 0);
  const both = await ruledDoor([allow(["a.example", "b.example"])], {
    names: () => ["93.184.216.34"],
  });
  const { url, redirects } = await both.fetch({
    url: `http://a.example:${server.port}/other`,
    headers: { accept: "text/html", authorization: "secret", "x-own": "1" },
  });
  assertEquals([url, ...redirects], new Array(2).fill(`http://b.example:${other.port}/x`));
  const [heard = ""] = other.heads;
  assertStringIncludes(heard, "accept: text/html");
  assert(!/authorization|x-own|secret/i.test(heard), heard);
  await Promise.all([server.close(), other.close()]);
});

Deno.test("a POST is led on as its redirect says", async () => {
  const server = serveWire(({ head, send }) => {
    const path = /^\w+ (\S+)/.exec(head)?.[1] ?? "";
    return send(path === "/end" ? OK : leads("/end", Number(path.slice(1))));
  });
  for (
    const [status, method] of [[301, "GET"], [302, "GET"], [303, "GET"], [307, "POST"], [
      308,
      "POST",
    ]]
  ) {
    const { fetch } = openDoor();
    const url = `http://a.example:${server.port}/${status}`;
    await fetch({ url, method: "POST", body: new TextEncoder().encode("x=1") });
    assertStringIncludes(server.heads.at(-1) ?? "", `${method} /end HTTP/1.1`);
  }
  await server.close();
});

Deno.test("what cannot be reached says why, and the next address is tried", async () => {
  const server = serveWire(({ send }) => send(OK));
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port: unused } = closed.addr as Deno.NetAddr;
  closed.close();
  const nobody = openDoor({ names: () => [] });
  const none = await failure(() => nobody.fetch({ url: "http://a.example/" }));
  assertEquals([none.code, none.details?.reason], ["NETWORK_ERROR", "dns"]);
  assertStringIncludes(none.message, "no such name");
  assertEquals(
    await outcomeOf(openDoor().fetch({ url: `http://a.example:${unused}/` })),
    "NETWORK_ERROR refused",
  );
  const tries: string[] = [];
  const { fetch } = openDoor({
    names: () => ["1.1.1.1", "2.2.2.2", "3.3.3.3", "4.4.4.4"],
    async dial({ address }, signal) {
      tries.push(address);
      const { connect } = await import("../../../../src/host/network/_connection.ts");
      const to = {
        port: address === "3.3.3.3" ? server.port : unused,
        secure: null,
        authorities: [],
        place: "a",
      };
      return await connect({ ...to, address: "127.0.0.1" }, signal);
    },
  });
  assertEquals(await outcomeOf(fetch({ url: "http://a.example/" })), "200 hi");
  assertEquals(tries, ["1.1.1.1", "2.2.2.2", "3.3.3.3"]);
  await server.close();
});

Deno.test("a cancelled call ends at once wherever it is, and its connection with it", async () => {
  const gone = Promise.withResolvers<void>();
  const server = serveWire(async ({ send, hold }) => {
    await send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhe");
    await hold();
    gone.resolve();
  });
  for (const [reason, code] of [["CANCELLED", "CANCELLED"], ["TIMEOUT", "TIMEOUT"]] as const) {
    const controller = new AbortController();
    const { fetch } = openDoor({ signal: controller.signal });
    const working = outcomeOf(fetch({ url: `http://a.example:${server.port}/` }));
    while (server.heads.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(reason);
    assertEquals(await working, code);
  }
  await gone.promise;
  const before = new AbortController();
  before.abort("CANCELLED");
  const { fetch } = openDoor({ signal: before.signal });
  assertEquals(await outcomeOf(fetch({ url: "http://a.example:1/" })), "CANCELLED");
  await server.close();
});

Deno.test("addresses that are none of the web are refused before anything", async () => {
  const door = openDoor();
  const wrong = [
    ...["", "a.example", "/etc/passwd", "file:///etc/passwd", "ftp://a.example/", "data:,x"],
    ...["javascript:1", "http://", "http:///x", "https://:80/", "http://me@a.example/"],
    ...[
      "http://me:x@a.example/",
      "gopher://a.example",
      "ws://a.example",
      "http://a.example:99999/",
    ],
    ...["http://a b/", "http://[::1", "unix:///var/run/docker.sock", "blob:http://a.example/x"],
  ];
  for (const url of wrong) {
    const error = await failure(() => door.fetch({ url }));
    assertEquals(error.code, "INVALID_ARGUMENTS", url);
  }
  assertEquals([door.judged, door.lookedUp], [[], []]);
});

Deno.test("what is sent is one request, whatever the address holds", async () => {
  const server = serveWire(({ send }) => send(OK));
  const { fetch } = openDoor();
  await fetch({
    url: `http://a.example:${server.port}/a\r\nX-Evil: 1\r\n\r\nGET /b?q=\u{1f600} \t#frag`,
  });
  const [head = ""] = server.heads;
  assertEquals(head.split("\r\n").slice(0, 3), [
    "GET /aX-Evil:%201GET%20/b?q=%F0%9F%98%80%20 HTTP/1.1",
    `host: a.example:${server.port}`,
    "user-agent: Toolgate (tools of an agent, under a policy)",
  ]);
  assert(!/x-evil: 1$/im.test(head));
  await server.close();
});

Deno.test("the key of a provider goes to it alone, and comes back in nothing", async () => {
  const key = "s3cr3t-key/+=";
  const other = serveWire(({ head, send }) => send(`HTTP/1.1 200 OK\r\n\r\n${head}`));
  const server = serveWire(({ head, send }) =>
    send(
      head.includes("/lead")
        ? leads(`http://other.example:${other.port}/?k=${key}`)
        : head.includes("/away")
        ? leads(`ftp://other.example/${"x".repeat(230)}?k=${key}`)
        : head.includes("/packed")
        ? `HTTP/1.1 200 OK\r\nContent-Encoding: ${key}\r\n\r\nx`
        : `HTTP/1.1 200 OK\r\nX-Echo: ${key}\r\n\r\n${head}`,
    )
  );
  const base = `http://api.example:${server.port}`;
  const web = { github: { url: base, key: { env: "GITHUB_TOKEN" } } };
  const { fetch } = openDoor({ web, parts: { keys: { github: key } } });
  const use = {
    provider: "github",
    name: "authorization",
    prefix: "Bearer ",
    optional: true,
  } as const;
  const inHeader = await fetch({ url: `${base}/x`, provider: true, key: { ...use, in: "header" } });
  assertStringIncludes(server.heads[0] ?? "", `authorization: Bearer ${key}`);
  const inQuery = await fetch({
    url: `${base}/x?a=1`,
    key: { ...use, name: "key", prefix: "", in: "query" },
  });
  assertStringIncludes(server.heads[1] ?? "", `GET /x?a=1&key=${encodeURIComponent(key)} HTTP/1.1`);
  const led = await fetch({ url: `${base}/lead`, key: { ...use, in: "header" } });
  assert(!/authorization/i.test(other.heads[0] ?? ""));
  for (const answer of [inHeader, inQuery, led]) {
    const text = JSON.stringify({ ...answer, body: new TextDecoder().decode(answer.body) });
    for (const form of [key, encodeURIComponent(key)]) {
      // What another was led to with is no secret that this side gave it.
      if (answer !== inQuery || form === key) assert(!text.includes(form), `${form} in ${text}`);
    }
  }
  // Errors name what was answered: not that, and no beginning of it where they are cut.
  for (const path of ["/away", "/packed"]) {
    const refused = await failure(() =>
      fetch({ url: `${base}${path}`, key: { ...use, in: "header" } })
    );
    const text = JSON.stringify(refused.toResultError());
    assertStringIncludes(text, "[key]");
    assert(!text.includes(key.slice(0, 5)), text);
  }
  // It is of that origin alone: another port of the host is another.
  await fetch({ url: `http://api.example:${other.port}/`, key: { ...use, in: "header" } });
  assert(!/authorization/i.test(other.heads[1] ?? ""));
  const without = openDoor({ web });
  const error = await failure(() =>
    without.fetch({ url: `${base}/x`, key: { ...use, optional: false, in: "header" } })
  );
  assertEquals(error.code, "PROVIDER_NOT_CONFIGURED");
  assertEquals(server.connections, 5);
  await Promise.all([server.close(), other.close()]);
});

Deno.test("a provider that the policy names needs no rule, and nobody else gets through by it", async () => {
  const server = serveWire(({ send }) => send(OK));
  const base = `http://127.0.0.1:${server.port}`;
  const web = { github: { url: base, key: null } };
  const door = await ruledDoor([], { web });
  assertEquals(await outcomeOf(door.fetch({ url: `${base}/a`, provider: true })), "200 hi");
  assertEquals(await outcomeOf(door.fetch({ url: `${base}/a` })), "NETWORK_DENIED");
  const elsewhere = `http://localhost:${server.port}/`;
  assertEquals(await outcomeOf(door.fetch({ url: elsewhere, provider: true })), "NETWORK_DENIED");
  const denied = await ruledDoor([allow(["127.0.0.1"], { effect: "deny" })], { web });
  assertEquals(
    await outcomeOf(denied.fetch({ url: `${base}/a`, provider: true })),
    "NETWORK_DENIED",
  );
  assertEquals(server.connections, 1);
  await server.close();
});

Deno.test("robots.txt is asked first, remembered, and obeyed", async () => {
  const robots =
    "User-agent: *\nDisallow: /private\nAllow: /private/open$\n\nUser-agent: Other\nDisallow: /";
  const server = serveWire(({ head, send }) =>
    send(head.startsWith("GET /robots.txt") ? `HTTP/1.1 200 OK\r\n\r\n${robots}` : OK)
  );
  const at = (path: string) => ({ url: `http://a.example:${server.port}${path}`, robots: true });
  const { fetch } = openDoor();
  assertEquals(await outcomeOf(fetch(at("/a"))), "200 hi");
  assertEquals(await outcomeOf(fetch(at("/private/x"))), "NETWORK_DENIED");
  assertEquals(await outcomeOf(fetch(at("/private/open"))), "200 hi");
  assertEquals(server.heads.map((head) => head.split(" ")[1]), [
    "/robots.txt",
    "/a",
    "/private/open",
  ]);
  const ignoring = openDoor({ web: { robots: "ignore" } });
  assertEquals(await outcomeOf(ignoring.fetch(at("/private/x"))), "200 hi");
  await server.close();
  const failing = serveWire(({ send }) => send("HTTP/1.1 503 Busy\r\n\r\n"));
  const busy = await failure(() =>
    openDoor().fetch({ url: `http://a.example:${failing.port}/`, robots: true })
  );
  assertEquals(busy.code, "NETWORK_DENIED");
  assertStringIncludes(busy.message, "robots.txt cannot be had");
  await failing.close();
});

Deno.test("an answer is kept as it says, and asked after when it may have changed", async () => {
  const answers: Record<string, string> = {
    "/fresh": "Cache-Control: max-age=60",
    "/etag": 'ETag: "v1"',
    "/dated": "Last-Modified: Sat, 01 Nov 2025 00:00:00 GMT",
    "/none": "X: y",
    "/no-store": 'Cache-Control: no-store\r\nETag: "v1"',
    "/vary": 'Vary: *\r\nETag: "v1"',
  };
  const server = serveWire(({ head, send }) => {
    const path = head.split(" ")[1] ?? "";
    if (/if-none-match: "v1"|if-modified-since: Sat/.test(head)) {
      return send("HTTP/1.1 304 Not Modified\r\n\r\n");
    }
    return send(`HTTP/1.1 200 OK\r\n${answers[path]}\r\nContent-Length: 2\r\n\r\nhi`);
  });
  const expected: readonly (readonly [string, boolean, number])[] = [
    ["/fresh", true, 1],
    ["/etag", true, 2],
    ["/dated", true, 2],
    ["/none", false, 2],
    ["/no-store", false, 2],
    ["/vary", false, 2],
  ];
  const { fetch } = openDoor();
  for (const [path, kept, requests] of expected) {
    const before = server.connections;
    const request = { url: `http://a.example:${server.port}${path}`, cache: true };
    const first = await fetch(request);
    const second = await fetch(request);
    assertEquals([first.fromCache, second.fromCache], [false, kept], path);
    assertEquals(second.status, 200);
    assertEquals(second.body, first.body);
    assertEquals(server.connections - before, requests, path);
  }
  // What is kept is still judged.
  let open = true;
  const judged = openDoor({ allows: () => open });
  const request = { url: `http://a.example:${server.port}/fresh`, cache: true };
  await judged.fetch(request);
  open = false;
  assertEquals((await failure(() => judged.fetch(request)) as ToolError).code, "NETWORK_DENIED");
  await server.close();
});

Deno.test("a server that asks to be left alone is, and others are not", async () => {
  const busy = serveWire(({ send }) => send("HTTP/1.1 429 Slow\r\nRetry-After: 60\r\n\r\n"));
  const dated = serveWire(({ send }) =>
    send("HTTP/1.1 503 Later\r\nRetry-After: Sat, 01 Nov 2025 00:00:00 GMT\r\n\r\n")
  );
  const door = openDoor();
  const at = (port: number) => ({ url: `http://a.example:${port}/` });
  assertEquals(await outcomeOf(door.fetch(at(busy.port))), "429 ");
  const again = await failure(() => door.fetch(at(busy.port)));
  assertEquals([again.code, again.details], ["HTTP_ERROR", { status: 429, retry_after_s: 60 }]);
  assertEquals(busy.connections, 1);
  for (const _ of [1, 2]) assertEquals(await outcomeOf(door.fetch(at(dated.port))), "503 ");
  door.holdOff(`http://a.example:${dated.port}/x`, 5);
  assertEquals(await outcomeOf(door.fetch(at(dated.port))), "HTTP_ERROR");
  assertEquals(dated.connections, 2);
  await Promise.all([busy.close(), dated.close()]);
});
