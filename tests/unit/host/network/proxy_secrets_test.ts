import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { gzipSync } from "node:zlib";
import { joinedBytes } from "../../../../src/core/bytes.ts";
import { connect } from "../../../../src/host/network/_connection.ts";
import { KeyFilter } from "../../../../src/host/network/_key_filter.ts";
import type { ProxySecret } from "../../../../src/host/network/proxy_route.ts";
import type { NetworkRule } from "../../../../src/policy/model.ts";
import { createAuthority } from "./_certificates.ts";
import { openProxy, type SayOptions } from "./_proxy.ts";

const KEY = "k3y-nobody-sees";
const PUBLIC = "93.184.216.34";
const NAMES = {
  "api.example": [[PUBLIC]],
  "bad.example": [[PUBLIC]],
  "lan.example": [["10.0.0.1"]],
};
const RULE: NetworkRule = {
  effect: "allow",
  hosts: ["api.example:443", "bad.example", "lan.example"],
  methods: ["GET", "POST"],
  allowPrivate: false,
  commands: ["client"],
};

function secret(host: string, parts: Partial<ProxySecret> = {}): ProxySecret {
  return {
    host,
    port: 443,
    header: "Authorization",
    value: `Bearer ${KEY}`,
    key: KEY,
    ...parts,
  };
}

/** Says back what it was asked, over TLS. */
async function echo(folder: string) {
  const authority = await createAuthority(folder, "known");
  const certificate = await authority.issue("DNS:api.example,DNS:lan.example,DNS:closed.example");
  const asked: { readonly method: string; readonly path: string; readonly headers: Headers }[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, ...certificate, onListen: () => {} },
    async ({ method, url, headers, body }) => {
      asked.push({ method, path: new URL(url).pathname, headers });
      await body?.cancel();
      const said = [...headers].map(([name, value]) => `${name}: ${value}`).join("\n");
      return new Response(`${said}\n`.repeat(1000), { headers: { "x-echo": KEY } });
    },
  );
  return { asked, server, authorities: [authority.cert] };
}

Deno.test("a program uses a key at the stand-in of its host, over TLS, and never sees it", async (t) => {
  const folder = await Deno.makeTempDir();
  const { asked, server, authorities } = await echo(folder);
  const secrets = [
    secret("api.example"),
    secret("closed.example"),
    secret("bad.example"),
    secret("lan.example"),
    secret("api.example", { value: null, key: null }),
  ];
  const { port } = server.addr;
  const say = async (text: string, options: SayOptions) => {
    const opened = openProxy(port, [RULE], {
      names: NAMES,
      authorities,
      secrets,
      dial: (to, signal) => connect({ ...to, address: "127.0.0.1", port }, signal),
    });
    const said = await opened.say(text, options);
    opened.proxy.close();
    return said;
  };
  const get = (path: string, ...more: readonly string[]) =>
    [`GET ${path} HTTP/1.1`, "Host: 127.84.71.2", ...more, "", ""].join("\r\n");
  const rows: readonly (readonly [string, string, number, string])[] = [
    ["a path", get("/v1/things?a=b"), 1, "200"],
    ["its own header", get("/", "Authorization: Bearer mine", "accept-encoding: gzip"), 1, "200"],
    ["its own in other letters, twice", get("/", "AUTHORIZATION: a", "authorization: b"), 1, "200"],
    [
      "by the proxy, in the open",
      get("http://api.example/").replace("127.84.71.2", "api.example"),
      0,
      "200",
    ],
    ["another method", get("/").replace("GET", "DELETE"), 1, "403"],
    ["a host that no rule opens", get("/"), 2, "403"],
    ["a certificate for another", get("/"), 3, "502"],
    ["on a private network", get("/"), 4, "403"],
    ["a key that is not there", get("/"), 5, "502"],
    ["a tunnel", "CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\n\r\n", 1, "400"],
    ["another host's address", get("http://closed.example/"), 1, "400"],
    ["TRACE", get("/").replace("GET", "TRACE"), 1, "400"],
    ["no stand-in", get("/"), 6, ""],
    ["SOCKS", "\x05\x01\x00", 1, "502"],
  ];
  for (const [name, text, place, status] of rows) {
    await t.step(name, async () => {
      const before = asked.length;
      const said = await say(text, { place });
      assertEquals(said.split("\r\n")[0]?.split(" ")[1] ?? "", status, said.slice(0, 300));
      assert(!said.includes(KEY));
      assertEquals(asked.length - before, status === "200" ? 1 : 0);
      if (status !== "200") return;
      assertEquals(asked.at(-1)?.headers.get("authorization"), `Bearer ${KEY}`);
      assertEquals(asked.at(-1)?.headers.get("host"), "api.example");
      assertEquals(asked.at(-1)?.headers.get("accept-encoding"), "identity");
      assertStringIncludes(said, `authorization: Bearer ${"*".repeat(KEY.length)}\n`);
      assertStringIncludes(said, `x-echo: ${"*".repeat(KEY.length)}`);
    });
  }
  await server.shutdown();
  await Deno.remove(folder, { recursive: true });
});

/** Answers, over TLS, what a row says; `asked`: what it was asked. */
async function answering(folder: string) {
  const authority = await createAuthority(folder, "raw");
  const certificate = await authority.issue("DNS:api.example");
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...certificate });
  const asked: string[] = [];
  let answer = new Uint8Array();
  const serve = async () => {
    for await (const conn of listener) {
      const buffer = new Uint8Array(4096);
      asked.push(new TextDecoder().decode(buffer.subarray(0, await conn.read(buffer) ?? 0)));
      const writer = conn.writable.getWriter();
      await writer.write(answer).then(() => writer.close()).catch(() => {});
    }
  };
  return {
    asked,
    port: listener.addr.port,
    authorities: [authority.cert],
    set: (bytes: Uint8Array<ArrayBuffer>) => answer = bytes,
    served: serve(),
    close: () => listener.close(),
  };
}

/** What chunks carry, to the last one, with what stands behind that. */
function unchunked(text: string): string {
  const [size = ""] = text.split("\r\n", 1);
  const begin = size.length + 2;
  const end = begin + parseInt(size, 16);
  return end === begin
    ? text.slice(begin + 2)
    : text.slice(begin, end) + unchunked(text.slice(end + 2));
}

Deno.test("a key comes back in no chunks, no trailer, no part and not compressed", async (t) => {
  const folder = await Deno.makeTempDir();
  const server = await answering(folder);
  const latin = (text: string) => Uint8Array.from(text, (one) => one.charCodeAt(0));
  const gzip = new Uint8Array(gzipSync(KEY));
  const stars = "*".repeat(KEY.length);
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const letters = [...`${KEY}, after`].map((one) => `1\r\n${one}\r\n`).join("");
  const rows: readonly (readonly [string, string, string | Uint8Array<ArrayBuffer>, string])[] = [
    ["a letter a chunk", "GET", `${chunked}${letters}0\r\n\r\n`, `${stars}, after`],
    ["an extension", "GET", `${chunked}2;k=${KEY}\r\nok\r\n0\r\n\r\n`, "ok"],
    ["a trailer", "GET", `${chunked}2\r\nok\r\n0\r\nX: ${KEY}\r\n\r\n`, "ok"],
    ["a length", "GET", `HTTP/1.1 200 OK\r\nContent-Length: ${KEY.length}\r\n\r\n${KEY}`, stars],
    ["no length", "GET", `HTTP/1.1 200 OK\r\n\r\n${KEY}`, stars],
    ["a head alone", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", ""],
    [
      "compressed",
      "GET",
      joinedBytes([latin("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), gzip]),
      "Toolgate: api.example:443: its answer is compressed, which was not asked for: it cannot be " +
      "looked through for the key\n",
    ],
  ];
  const opened = openProxy(server.port, [{ ...RULE, methods: ["GET", "HEAD"] }], {
    names: NAMES,
    authorities: server.authorities,
    secrets: [secret("api.example")],
  });
  for (const [name, method, answer, body] of rows) {
    await t.step(name, async () => {
      server.set(typeof answer === "string" ? latin(answer) : answer);
      const said = await opened.say(
        `${method} / HTTP/1.1\r\nHost: 127.84.71.2\r\nRange: bytes=0-0\r\nIf-Range: "a"\r\n\r\n`,
        { place: 1 },
      );
      const [head = "", ...rest] = said.split("\r\n\r\n");
      const behind = rest.join("\r\n\r\n");
      const pieces = /^transfer-encoding/im.test(head) ? unchunked(behind) : behind;
      assertEquals(pieces, body, said);
      assertStringIncludes(server.asked.at(-1) ?? "", KEY);
      assert(!/range/i.test(server.asked.at(-1) ?? ""));
    });
  }
  opened.proxy.close();
  server.close();
  await server.served;
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a key is hidden wherever its bytes are cut, and nothing else is", () => {
  const encode = (text: string) => new TextEncoder().encode(text);
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const text = "a aab aaaab xaab aab aa";
  const expected = "a *** aa*** x*** *** aa";
  for (let size = 1; size <= text.length; size++) {
    const filter = new KeyFilter("aab");
    let shown = "";
    for (let at = 0; at < text.length; at += size) {
      shown += decode(filter.next(encode(text.slice(at, at + size))));
    }
    assertEquals(shown + decode(filter.end()), expected, String(size));
  }
});
