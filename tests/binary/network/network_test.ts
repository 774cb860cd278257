import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { deflateSync } from "node:zlib";
import { createAuthority } from "../../unit/host/network/_certificates.ts";
import { type Behaviour, serveWire } from "../../unit/host/network/_wire.ts";
import { WRONG_SERVERS } from "../../unit/host/network/_wrong_servers.ts";
import { BINARY, call, Pipe, serveAll, start, Workspace } from "../toolgate.ts";

const answer = (type: string, body: string, more = ""): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const PAGE =
  "<title>T</title><nav>around</nav><main><h1>Hi</h1><p>\u00e9 <a href='/x'>l</a></main>";
const LONG = Array.from({ length: 300 }, (_, line) => `line ${line} \u{1f600}`).join("\n");
const utf8 = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

const ANSWERS: Readonly<Record<string, string>> = {
  "/page": answer("text/html; charset=iso-8859-1", PAGE),
  "/long": answer("text/plain", utf8(LONG), 'ETag: "1"\r\n'),
  "/json": answer("application/json", '{"a":1}'),
  "/binary": answer("image/png", "\x89PNG\r\n\x00"),
  "/charset": answer("text/plain; charset=martian", "x"),
  "/missing": "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\ngone",
  "/away": "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{other}/x\r\n\r\n",
  "/robots.txt": answer("text/plain", "User-agent: toolgate\nDisallow: /private"),
  "/private": answer("text/plain", "private"),
  "/guide": answer(
    "text/html",
    '<title>G</title><nav><h2>Menu</h2></nav><main><h1 id="g">Guide</h1><pre class="language-sh">x</pre>' +
      '<dl class="py function"><dt id="m.f">m.f(a)</dt><dd><p>Does f.</p></dd></dl></main>',
  ),
  "/llms.txt": answer("text/plain", "# P\n- [A](/a.md): about a\n"),
  "/objects.inv": answer(
    "application/octet-stream",
    String.fromCharCode(...inventory("m.f py:function 1 api.html#$ -\n")),
  ),
  "/bomb/objects.inv": answer(
    "application/octet-stream",
    String.fromCharCode(...inventory("m.f py:function 1 api.html#$ -\n".repeat(400_000))),
  ),
  "/cookie": answer("text/plain", "x", "Set-Cookie: a=b\r\nServer: secretive\r\n"),
};

/** Of Sphinx, version 2. */
function inventory(lines: string): Uint8Array {
  const head = "# Sphinx inventory version 2\n# Project: P\n# Version: 1.0\n# packed by zlib\n";
  return new Uint8Array([...new TextEncoder().encode(head), ...deflateSync(lines)]);
}

function serve(answers: Readonly<Record<string, string>>, other: number): Behaviour {
  return ({ head, send }) => {
    const path = head.split(" ")[1] ?? "";
    if (head.includes('if-none-match: "1"')) return send("HTTP/1.1 304 Not Modified\r\n\r\n");
    return send(answers[path]?.replace("{other}", String(other)) ?? "HTTP/1.1 404 No\r\n\r\n");
  };
}

const BASE = "version: 1\nrisk: { allow: moderate, ask: dangerous }\n" +
  'agents: { root: { permissions: [all] }, weak: { permissions: [file_read] } }\npaths: [{ allow: [read], match: ["**"] }]\ntimeouts: { default: 1h }\n';
const rules = (port: number) =>
  `${BASE}network: [{ allow: ["127.0.0.1:${port}"], methods: [GET], allow_private: true }]\n`;

Deno.test("fetch_url over a pipe: pages, parts, errors, and nobody reached whom no rule names", async () => {
  await using workspace = new Workspace({ "a.txt": "x" });
  const other = serveWire(({ send }) => send(answer("text/plain", "other")));
  const server = serveWire(serve(ANSWERS, other.port));
  const policy = workspace.policy(rules(server.port));
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  const fetch = (args: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    pipe.ask({ id: 1, tool: "fetch_url", args, ...more });
  const page = await fetch({ url: at("/page") });
  assertEquals(page.success, true, JSON.stringify(page));
  const { title, content, status, untrusted, url, truncated, total } = page.output;
  assertEquals([title, status, untrusted, url, truncated], ["T", 200, true, at("/page"), false]);
  assertEquals(content, `# Hi\n\n\u00e9 [l](${at("/x")})\n`);
  assertEquals(total, content.length);
  assertEquals(page.risk, "safe");
  const layers = page.usage.layers as string[];
  for (const layer of ["policy", "runtime", "landlock"]) {
    assert(layers.includes(layer), layers.join());
  }
  assertStringIncludes((await fetch({ url: at("/page"), format: "html" })).output.content, "<nav>");
  assertEquals(
    (await fetch({ url: at("/page"), format: "text" })).output.content,
    "Hi\n\n\u00e9 l\n",
  );
  assertEquals((await fetch({ url: at("/json") })).output.content, '{"a":1}');

  // Parts join back to the whole, from memory where the server says that nothing changed.
  const parts: string[] = [];
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const { output } = await fetch({ url: at("/long"), offset, length: 97 });
    assertEquals(output.from_cache, offset > 0);
    parts.push(output.content);
    offset = output.next_offset;
  }
  assertEquals(parts.join(""), LONG);
  assert(parts.every((part) => part.isWellFormed()));
  const read = (args: Record<string, unknown>) =>
    pipe.ask({ id: 1, tool: "parse_documentation", args });
  const guide = (await read({ url: at("/guide") })).output;
  assertEquals([guide.source, guide.title, guide.untrusted], ["html", "G", true]);
  assertEquals(guide.sections[0].heading, "Guide");
  assertEquals(guide.sections[0].code, [{ language: "sh", text: "x" }]);
  assertEquals(guide.symbols, [
    {
      name: "m.f",
      kind: "function",
      signature: "m.f(a)",
      summary: "Does f.",
      url: at("/guide#m.f"),
    },
  ]);
  const index = (await read({ url: at("/llms.txt") })).output;
  assertEquals([index.source, index.symbols[0].url], ["llms.txt", at("/a.md")]);
  const listed = (await read({ url: at("/objects.inv"), query: "M.F" })).output;
  assertEquals([listed.source, listed.version], ["objects.inv", "1.0"]);
  assertEquals(listed.symbols, [{ name: "m.f", kind: "function", url: at("/api.html#m.f") }]);
  for (
    const [url, code] of [
      [at("/bomb/objects.inv"), "RESOURCE_LIMIT"],
      [at("/json"), "UNSUPPORTED_LANGUAGE"],
      [at("/binary"), "BINARY_FILE"],
      [at("/missing"), "HTTP_ERROR"],
      [at("/private"), "NETWORK_DENIED"],
      [at("/away"), "NETWORK_DENIED"],
      [`http://127.0.0.1:${other.port}/`, "NETWORK_DENIED"],
    ]
  ) {
    assertEquals((await read({ url })).error?.code, code, url);
  }

  const bytes = await fetch({ url: at("/binary"), format: "bytes", offset: 1, length: 3 });
  assertEquals([bytes.output.content, bytes.output.total], [btoa("PNG"), 7]);

  const refused: readonly (readonly [Record<string, unknown>, string, string])[] = [
    [{ url: at("/binary") }, "BINARY_FILE", "format: bytes"],
    [{ url: at("/charset") }, "INVALID_ENCODING", "martian"],
    [{ url: at("/missing") }, "HTTP_ERROR", "404"],
    [{ url: at("/away") }, "NETWORK_DENIED", `127.0.0.1:${other.port}`],
    [{ url: at("/private") }, "NETWORK_DENIED", "robots.txt disallows"],
    [{ url: `http://127.0.0.1:${other.port}/` }, "NETWORK_DENIED", "no rule names this host"],
    [{ url: `http://localhost:${server.port}/` }, "NETWORK_DENIED", "no rule names this host"],
    [{ url: `http://[::ffff:127.0.0.1]:${server.port}/` }, "NETWORK_DENIED", "no rule names"],
    [{ url: "file:///etc/passwd" }, "INVALID_ARGUMENTS", "http or https"],
    [{ url: "http://me:pw@127.0.0.1/" }, "INVALID_ARGUMENTS", "password"],
    [{ url: at("/page"), timeout: 0 }, "INVALID_ARGUMENTS", "timeout"],
    [{ url: at("/page"), timeout: 301 }, "INVALID_ARGUMENTS", "timeout"],
    [{ url: at("/page"), agent: 1 }, "INVALID_ARGUMENTS", "agent"],
  ];
  for (const [args, code, why] of refused) {
    const { error } = await fetch(args);
    assertEquals(error?.code, code, JSON.stringify(error));
    assertStringIncludes(error?.message ?? "", why);
  }
  assertEquals((await fetch({ url: at("/missing") })).output.content, "gone");
  assertEquals(
    (await fetch({ url: at("/page") }, { agent: "weak" })).error?.code,
    "PERMISSION_DENIED",
  );
  const { headers } = (await fetch({ url: at("/cookie") })).output;
  assertEquals([headers["set-cookie"], headers.server], [undefined, undefined]);
  const preview = await pipe.ask({ id: 2, tool: "read_file", args: { path: "a.txt" } });
  assertEquals(preview.output.content, "x");
  await pipe.close();
  assertEquals(other.connections, 0);

  // One call alone, held as well, and by no proxy that its environment names.
  const proxy = `http://127.0.0.1:${other.port}`;
  const { answer: alone } = await call(
    ["fetch_url", `url=${at("/page")}`, "--policy", policy],
    { cwd: workspace.root, env: { HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy } },
  );
  assertEquals(alone.output?.title, "T", JSON.stringify(alone));
  const { answer: denied } = await call(
    ["fetch_url", `url=http://127.0.0.1:${other.port}/`, "--policy", policy],
    { cwd: workspace.root },
  );
  assertEquals(denied.error?.code, "NETWORK_DENIED");
  // Sealed, the process itself can do no more.
  const sealed = `${workspace.base}/sealed`;
  const made = await start(["seal", "--policy", policy, "-o", sealed], { cwd: workspace.root });
  assertEquals(made.status, 0, made.stderr);
  const own = await call(["fetch_url", `url=${at("/json")}`], {
    cwd: workspace.root,
    binary: sealed,
  });
  assertEquals(own.answer.output?.content, '{"a":1}', own.stdout);
  // Without rules there is nobody to reach.
  const { answer: none } = await call(["fetch_url", `url=${at("/page")}`], { cwd: workspace.root });
  assertEquals(none.error?.code, "NETWORK_DENIED");
  assertEquals(other.connections, 0);
  await Promise.all([server.close(), other.close()]);
});

Deno.test(`${WRONG_SERVERS.length} servers, most of which do something wrong: a code each, and the pipe goes on`, async () => {
  await using workspace = new Workspace({ "a.txt": "x" });
  const servers = WRONG_SERVERS.map(([, behaviour]) => serveWire(behaviour));
  const places = servers.map(({ port }) => `"127.0.0.1:${port}"`).join(", ");
  const policy = workspace.policy(
    `${BASE}limits: { response: 1000, concurrency: 64 }\nweb: { robots: ignore, cache: { size: 0 } }\n` +
      `network: [{ allow: [${places}], methods: [GET], allow_private: true }]\n`,
  );
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  const request = (id: number, timeout: number) => {
    const url = `http://127.0.0.1:${servers[id]?.port}/`;
    return { id, tool: "fetch_url", args: { url, format: "bytes", timeout } };
  };
  const isSlow = (id: number) => WRONG_SERVERS[id]?.[2] === "TIMEOUT";
  for (const id of servers.keys()) await pipe.send(request(id, isSlow(id) ? 1 : 300));
  const outcomes = new Map<unknown, string>();
  while (outcomes.size < servers.length) {
    const answer = await pipe.next();
    assert(answer !== null, "the pipe ended");
    const { id, error, output } = answer;
    if (output === null) {
      const reason = error?.details?.reason;
      outcomes.set(id, `${error?.code}${reason === undefined ? "" : ` ${reason}`}`);
      continue;
    }
    const { status, content, truncated } = output;
    assertEquals(error?.code, status < 300 ? undefined : "HTTP_ERROR");
    const text = atob(content);
    const shown = text.length > 60 ? `${text.length} bytes` : text;
    outcomes.set(id, `${status} ${shown}${truncated ? " +" : ""}`);
  }
  for (const [id, [name, , expected]] of WRONG_SERVERS.entries()) {
    assertEquals(outcomes.get(id), expected, name);
    // Its time may have been over before it had a place among the others.
    for (
      let time = 2;
      isSlow(id) && servers[id]?.connections === 0;
      time = Math.min(2 * time, 300)
    ) {
      assertEquals((await pipe.ask(request(id, time))).error?.code, expected, name);
    }
    assertEquals(servers[id]?.connections, 1, name);
  }
  const read = await pipe.ask({ id: "after", tool: "read_file", args: { path: "a.txt" } });
  assertEquals(read.output.content, "x");
  await pipe.close();
  await Promise.all(servers.map((server) => server.close()));
});

Deno.test("recovery.network tries again, and says so; a server without end costs its time and no more", async () => {
  await using workspace = new Workspace({});
  let left = 2;
  const server = serveWire(({ send }) =>
    left-- > 0 ? undefined : send(answer("text/plain", "at last"))
  );
  const slow = serveWire(async ({ send, hold }) => {
    await send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx");
    await hold();
  });
  const policy = workspace.policy(
    `${BASE}web: { robots: ignore }\nrecovery: { network: { retries: 2, backoff: 1ms } }\n` +
      `network: [{ allow: ["127.0.0.1"], allow_private: true }]\n`,
  );
  const args = (port: number, timeout: number) => ({ url: `http://127.0.0.1:${port}/`, timeout });
  const { answers } = await serveAll(
    [
      { id: 1, tool: "fetch_url", args: args(server.port, 300) },
      { id: 2, tool: "fetch_url", args: args(slow.port, 1) },
    ],
    ["--policy", policy],
    { cwd: workspace.root },
  );
  const [found, ended] = [1, 2].map((id) => answers.find((one) => one.id === id));
  assertEquals(found?.output.content, "at last");
  const steps = (found as unknown as { recovery: { strategy: string }[] }).recovery;
  assertEquals(steps.map(({ strategy }) => strategy), ["network", "network"]);
  assertEquals(server.connections, 3);
  assertEquals(ended?.error?.code, "TIMEOUT");
  await Promise.all([server.close(), slow.close()]);
});

Deno.test("certificates: by the authorities of the policy, for the name", async () => {
  await using workspace = new Workspace({});
  const authority = await createAuthority(workspace.base, "own");
  const serveTls = async (names: string) => {
    const certificate = await authority.issue(names);
    return Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {}, ...certificate },
      () => new Response("secret", { headers: { "content-type": "text/plain" } }),
    );
  };
  const [good, bad] = [await serveTls("IP:127.0.0.1"), await serveTls("DNS:b.example")];
  const policyWith = (web: string) =>
    workspace.policy(`${BASE}network: [{ allow: ["127.0.0.1"], allow_private: true }]\n${web}`);
  const ask = async (policy: string, port: number) =>
    (await call(
      ["fetch_url", `url=https://127.0.0.1:${port}/`, "--policy", policy],
      { cwd: workspace.root },
    )).answer;
  const trusting = policyWith(
    `web: { robots: ignore, authorities: ["${workspace.base}/own-ca.pem"] }\n`,
  );
  assertEquals((await ask(trusting, good.addr.port)).output?.content, "secret");
  assertEquals((await ask(trusting, bad.addr.port)).error?.details?.reason, "certificate");
  const plain = policyWith("web: { robots: ignore }\n");
  assertEquals((await ask(plain, good.addr.port)).error?.details?.reason, "certificate");
  await Promise.all([good.shutdown(), bad.shutdown()]);
});

/** By the proxy, or by connections of its own: what each address answers with. */
const GET = `import errno, sys, urllib.request
opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if sys.argv[1] == "direct" else []))
for url in sys.argv[2:]:
  try: print(opener.open(url).read().decode())
  except urllib.error.HTTPError as error: print(error.code)
  except urllib.error.URLError as error: print(errno.errorcode.get(error.reason.errno, error.reason.errno))
`;

Deno.test("names that stand for special addresses, at once or later, lead nowhere, tools and programs", async () => {
  await using workspace = new Workspace({ "get.py": GET });
  // What is refused comes first: an address that one name stands for is open to the program that asked for that.
  const names = [
    ...["private", "lan", "metadata", "mixed", "unknown", "local-six", "six-and-loopback"],
    ...["fine", "rebinding", "six", "both"],
  ].map((name) => `${name}.example`);
  const policyOf = (hosts: string, more = "") =>
    workspace.policy(
      `${BASE.replace("allow: moderate", "allow: dangerous")}` +
        `web: { robots: ignore, cache: { size: 0 } }\ncommands: [{ allow: [/usr/bin/python3] }]\n` +
        `network: [{ allow: [${hosts}]${more} }, { allow: [${hosts}]${more}, commands: [/usr/bin/python3] }]\n`,
    );
  const runIn = async (binary: string, policy: string) => {
    const script = fromFileUrl(new URL("_named_network.ts", import.meta.url));
    const flags = ["run", "--quiet", "--no-check", "-A", "--unstable-net", script];
    const { stdout, stderr } = await new Deno.Command("unshare", {
      args: [
        "--net",
        "--mount",
        "--map-root-user",
        Deno.execPath(),
        ...flags,
        binary,
        policy,
        "get.py",
        ...names,
      ],
      cwd: workspace.root,
    }).output();
    const text = new TextDecoder();
    assert(stdout.length > 0, text.decode(stderr));
    return JSON.parse(text.decode(stdout));
  };
  const run = (hosts: string, more = "") => runIn(BINARY, policyOf(hosts, more));
  const held = await run('"*.example"');
  const twice = (one: string) => [one, one];
  assertEquals(held.outcomes, {
    "fine.example": twice("93.184.216.34"),
    "private.example": twice("NETWORK_DENIED"),
    "lan.example": twice("NETWORK_DENIED"),
    "metadata.example": twice("NETWORK_DENIED"),
    "mixed.example": twice("NETWORK_DENIED"),
    "rebinding.example": ["93.184.216.34", "NETWORK_DENIED"],
    "unknown.example": twice("NETWORK_ERROR"),
    // The runtime's permissions cannot say which networks of IPv6 a thread may dial: it has this address written out.
    "six.example": twice("2606:2800:220:1::1"),
    "both.example": twice("93.184.216.34"),
    "local-six.example": twice("NETWORK_DENIED"),
    "six-and-loopback.example": twice("NETWORK_DENIED"),
  });
  assertEquals(held.programs, {
    "fine.example": twice("93.184.216.34"),
    "private.example": twice("403"),
    "lan.example": twice("403"),
    "metadata.example": twice("403"),
    "mixed.example": twice("403"),
    "rebinding.example": ["93.184.216.34", "403"],
    "unknown.example": twice("502"),
    "six.example": twice("2606:2800:220:1::1"),
    "both.example": twice("93.184.216.34"),
    "local-six.example": twice("403"),
    "six-and-loopback.example": twice("403"),
  });
  // A connection of its own is judged by what its name stood for when it was looked up.
  assertEquals(held.direct, {
    "fine.example": twice("93.184.216.34"),
    "private.example": twice("EACCES"),
    "lan.example": twice("EACCES"),
    "metadata.example": twice("EACCES"),
    "mixed.example": twice("EACCES"),
    "rebinding.example": ["93.184.216.34", "EACCES"],
    "unknown.example": twice("-2"),
    "six.example": twice("2606:2800:220:1::1"),
    "both.example": twice("93.184.216.34"),
    "local-six.example": twice("EACCES"),
    "six-and-loopback.example": twice("EACCES"),
  });
  assertEquals(held.connections, { "93.184.216.34": 15, "2606:2800:220:1::1": 6 });
  // Each request looked its name up once.
  for (
    const name of ["fine", "program-fine", "program-rebinding", "direct-fine", "direct-rebinding"]
  ) {
    assertEquals(held.asked[`${name}.example`], 2, name);
  }
  // The control: where a rule says so, they do lead there.
  const open = await run('"*.example", "[2606:2800:220:1::1]:80"', ", allow_private: true");
  assertEquals(open.outcomes["six.example"], twice("2606:2800:220:1::1"));
  for (const by of [open.outcomes, open.programs, open.direct]) {
    assertEquals(by["metadata.example"], twice("169.254.169.254"));
    assertEquals(by["rebinding.example"], ["93.184.216.34", "127.0.0.1"]);
  }
  // Sealed, its names are written out, and what they stand for nobody knew then.
  const seal = async (hosts: string, more = "") => {
    const binary = `${workspace.base}/sealed`;
    const made = await start(["seal", "--policy", policyOf(hosts, more), "-o", binary]);
    assertEquals(made.status, 0, made.stderr);
    return await runIn(binary, "");
  };
  const places = names.flatMap((name) =>
    ["", "program-", "direct-"].map((by) => `"${by}${name}:80"`)
  );
  const sealed = await seal(places.join(", "));
  // Its process has networks, which are of IPv4 alone.
  const ofFour = { "six.example": twice("502") };
  assertEquals(sealed.outcomes, { ...held.outcomes, "six.example": twice("NATIVE_DENIED") });
  assertStringIncludes(sealed.messages["six.example"], '"[2606:2800:220:1::1]:80" beside the name');
  assertEquals(sealed.programs, { ...held.programs, ...ofFour });
  assertEquals(sealed.direct, { ...held.direct, "six.example": twice("EHOSTUNREACH") });
  assertEquals(sealed.connections, { "93.184.216.34": 15 });
  const other = await seal('"fine.example:81", "both.example:80"');
  assertEquals(other.outcomes["both.example"], twice("93.184.216.34"));
  assertEquals(other.outcomes["fine.example"], twice("NETWORK_DENIED"));
  assertEquals(other.connections, { "93.184.216.34": 2 });
  const openSealed = await seal(places.join(", "), ", allow_private: true");
  assertEquals(openSealed.outcomes["rebinding.example"], ["93.184.216.34", "127.0.0.1"]);
});

Deno.test("providers of the policy: their key goes to them, and into nothing else", async () => {
  await using workspace = new Workspace({});
  const key = "k3y-that-nobody-sees";
  const other = serveWire(({ send }) => send(answer("text/plain", "other")));
  const items = JSON.stringify({
    total_count: 1,
    items: [{
      full_name: "a/b",
      html_url: "h",
      description: `you sent ${key}`,
      stargazers_count: 1,
    }],
  });
  const server = serveWire(({ send }) => send(answer("application/json", items)));
  const base = `http://127.0.0.1:${server.port}`;
  const log = `${workspace.base}/audit.ndjson`;
  const policy = workspace.policy(
    `${BASE}commands: [{ allow: [env] }]\nenvironment: { pass: [PATH, GH_KEY] }\naudit: { file: ${log} }\n` +
      `web: { github: { url: "${base}", token: { env: GH_KEY } }, ` +
      `search: { provider: brave, url: "${base}", key: { file: "${workspace.base}/none" } } }\n`,
  );
  const { answers, stdout, stderr } = await serveAll(
    [
      { id: 1, tool: "search_github", args: { query: "x" } },
      { id: 2, tool: "run_command", args: { command: "env" } },
      { id: 3, tool: "fetch_url", args: { url: `${base}/` } },
      { id: 4, tool: "web_search", args: { query: "x" } },
      { id: 5, tool: "search_stackoverflow", args: { query: "x" } },
      { id: 6, tool: "fetch_url", args: { url: `http://127.0.0.1:${other.port}/` } },
    ],
    ["--policy", policy],
    { cwd: workspace.root, env: { GH_KEY: key } },
  );
  const found = (id: number) => answers.find((one) => one.id === id);
  assertEquals(found(1)?.output?.results[0].repository, "a/b", stdout);
  assertEquals(found(1)?.output?.untrusted, true);
  assertStringIncludes(server.heads[0] ?? "", `authorization: Bearer ${key}`);
  assertEquals(found(2)?.success, true, stdout);
  assertEquals([3, 5, 6].map((id) => found(id)?.error?.code), new Array(3).fill("NETWORK_DENIED"));
  assertEquals(found(4)?.error?.code, "PROVIDER_NOT_CONFIGURED");
  for (const text of [stdout, stderr, await Deno.readTextFile(log)]) {
    assert(!text.includes(key), text);
  }
  assertEquals([server.connections, other.connections], [1, 0]);
  await Promise.all([server.close(), other.close()]);
});
