/** What programs reach by connections of their own: names by stand-ins, addresses as they are, each judged and dialled. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { NetworkRule } from "../../../../src/policy/model.ts";
import { greetingOf, PLACES } from "../../../../src/host/network/proxy_route.ts";
import { type OpenedProxy, openProxy } from "./_proxy.ts";
import { serveWire } from "./_wire.ts";

const PUBLIC = "93.184.216.34";
const NAMES = {
  "fine.example": [[PUBLIC]],
  "other.example": [["93.184.216.99"]],
  "private.example": [["10.0.0.1"]],
  "mixed.example": [[PUBLIC, "127.0.0.1"]],
  "rebinding.example": [[PUBLIC], ["127.0.0.1"]],
  "lan.example": [["10.0.0.7"]],
  "denied.wild.example": [[PUBLIC]],
  "localhost": [["127.0.0.1", "::1"]],
};
const rule = (hosts: readonly string[], parts: Partial<NetworkRule> = {}): NetworkRule => ({
  effect: "allow",
  hosts,
  methods: null,
  allowPrivate: false,
  commands: ["client"],
  ...parts,
});
const RULES = [
  rule(["fine.example", "private.example", "mixed.example", "rebinding.example", "*.wild.example"]),
  rule(["missing.example", "one.example:8443", PUBLIC + ":22", "93.184.216.50"]),
  rule(["lan.example:5432", "localhost:8080"], { allowPrivate: true }),
  rule(["denied.wild.example", "93.184.216.50:25"], { effect: "deny" }),
  rule(["methods.example"], { methods: ["GET"] }),
];
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";

/** Questions with their lengths in front, as over TCP. */
function question(name: string, type = 1): Uint8Array {
  const labels = name.split(".").flatMap((label) => [
    label.length,
    ...new TextEncoder().encode(label),
  ]);
  const bytes = [0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, type, 0, 1];
  return Uint8Array.of(bytes.length >> 8, bytes.length & 255, ...bytes);
}

/** The address of the answer, or its code. */
async function named(opened: OpenedProxy, name: string): Promise<string | number> {
  const said = await opened.say(question(name), { place: PLACES.names });
  const bytes = Array.from(said, (letter) => letter.charCodeAt(0)).slice(2);
  return bytes[7] === 1 ? bytes.slice(-4).join(".") : bytes[3]! & 15;
}

async function reached(opened: OpenedProxy, address: string, port: number): Promise<string> {
  const made = await opened.proxy.reach(opened.token, { address, port });
  if (typeof made === "string") return made;
  const greeting = greetingOf(made.token, PLACES.dialled);
  const said = await opened.say("GET / HTTP/1.1\r\n\r\n", {
    greeting: new TextDecoder().decode(greeting),
  });
  return said.split(" ")[1] ?? "nothing";
}

function server() {
  return serveWire(async ({ send }) => await send(OK));
}

Deno.test("names that rules open stand for addresses of their own, and others are no names", async () => {
  const wire = server();
  const opened = openProxy(wire.port, RULES, { names: NAMES });
  assertEquals(await named(opened, "fine.example"), "127.84.72.0");
  assertEquals(await named(opened, "FINE.example"), "127.84.72.0");
  assertEquals(await named(opened, "private.example"), "127.84.72.1");
  assertEquals(opened.asked, ["fine.example", "private.example"]);
  // Nothing of what no rule opens is asked of anybody: that would tell them.
  for (
    const name of [
      ...["other.example", "secret.evil.example", "fine.example.evil.example", "wild.example"],
      ...["denied.wild.example", "127.0.0.1", "x"],
    ]
  ) assertEquals(await named(opened, name), 3, name);
  assertEquals(opened.asked.length, 2);
  assertEquals(await named(opened, "missing.example"), 2);
  // One connection may ask for many, and for what there is not.
  const both = await opened.say(
    Uint8Array.of(...question("fine.example"), ...question("fine.example", 28)),
    { place: PLACES.names },
  );
  assertEquals([both.charCodeAt(1), both.charCodeAt(9), both.charCodeAt(57)], [46, 1, 0]);
  const { refused } = opened.report();
  assertEquals(refused.map(({ host }) => host), [
    ...["other.example", "secret.evil.example", "wild.example", "denied.wild.example"],
  ]);
  assertStringIncludes(refused[0]?.reason ?? "", "allowed hosts: fine.example");
  opened.proxy.close();
  await wire.close();
});

Deno.test("what a name stood for when it was asked for is judged with the port, and dialled", async () => {
  const wire = server();
  const opened = openProxy(wire.port, RULES, { names: NAMES });
  const standIns = new Map<string, string>();
  for (const name of ["fine.example", "private.example", "mixed.example", "rebinding.example"]) {
    standIns.set(name, String(await named(opened, name)));
  }
  const at = (name: string, port = 443) => reached(opened, standIns.get(name)!, port);
  assertEquals(await at("fine.example"), "200");
  assertEquals(await at("private.example"), "denied");
  assertEquals(await at("mixed.example"), "denied");
  assertEquals(await at("rebinding.example"), "200");
  // What it stands for meanwhile is asked by nobody.
  assertEquals(await at("rebinding.example"), "200");
  assertEquals(opened.asked.length, 4);
  assertEquals(opened.dialled, [`${PUBLIC}:443`, `${PUBLIC}:443`, `${PUBLIC}:443`]);
  // Another port of a host whose rule names one; a stand-in that stands for nothing.
  assertEquals(await named(opened, "one.example"), 2);
  assertEquals(await reached(opened, "127.84.72.200", 443), "refused");
  assertEquals(await reached(opened, "127.84.80.0", 443), "refused");
  const { reached: hosts, refused } = opened.report();
  assertEquals(hosts.map(({ host, connections }) => [host, connections]), [
    ["fine.example:443", 1],
    ["rebinding.example:443", 2],
  ]);
  assertEquals(refused.map(({ host }) => host), ["private.example:443", "mixed.example:443"]);
  opened.proxy.close();
  await wire.close();
});

Deno.test("an address is judged as itself, or as a host of a rule that stands for it", async () => {
  const wire = server();
  const opened = openProxy(wire.port, RULES, { names: NAMES });
  const rows: readonly (readonly [string, number, string])[] = [
    [PUBLIC, 22, "200"],
    ["93.184.216.50", 443, "200"],
    // It is that of `fine.example`, of which every port is open.
    [PUBLIC, 25, "200"],
    ["10.0.0.7", 5432, "200"],
    ["127.0.0.1", 8080, "200"],
    ["::1", 8080, "200"],
    // Denied, whatever stands for it.
    ["93.184.216.50", 25, "denied"],
    ["93.184.216.99", 443, "denied"],
    ["10.0.0.7", 5433, "denied"],
    ["10.0.0.1", 443, "denied"],
    ["127.0.0.1", 5432, "refused"],
    ["127.0.0.2", 8080, "refused"],
    ["169.254.169.254", 80, "denied"],
    ["::ffff:10.0.0.7", 5432, "denied"],
    ["2001:db8::1", 443, "denied"],
  ];
  for (const [address, port, expected] of rows) {
    assertEquals(await reached(opened, address, port), expected, `${address}:${port}`);
  }
  assertEquals(opened.dialled.length, 6);
  assert(!opened.asked.some((name) => /methods|denied|\*/.test(name)), opened.asked.join());
  const { refused } = opened.report();
  // Who looks for a server of their own on the loopback is not told of each time.
  assertEquals(refused.map(({ host }) => host), [
    ...["93.184.216.50:25", "93.184.216.99:443", "10.0.0.7:5433", "10.0.0.1:443"],
    ...["169.254.169.254:80", "[::ffff:10.0.0.7]:5432", "[2001:db8::1]:443"],
  ]);
  opened.proxy.close();
  await wire.close();
});

Deno.test("a connection that was made is taken once, by whoever was told, while its program runs", async () => {
  const wire = server();
  const opened = openProxy(wire.port, RULES, { names: NAMES });
  const to = { address: PUBLIC, port: 22 };
  const made = await opened.proxy.reach(opened.token, to);
  assert(typeof made !== "string");
  const say = (token: string, place: number) =>
    opened.say("GET / HTTP/1.1\r\n\r\n", {
      greeting: new TextDecoder().decode(greetingOf(token, place)),
    }).catch(() => "");
  assertEquals(await say("0".repeat(32), PLACES.dialled), "");
  // Neither is the token of one the other.
  assertEquals(await say(made.token, PLACES.proxy), "");
  assertEquals(await say(opened.token, PLACES.dialled), "");
  assertStringIncludes(await say(made.token, PLACES.dialled), "200 OK");
  assertEquals(await say(made.token, PLACES.dialled), "");
  const left = await opened.proxy.reach(opened.token, to);
  assert(typeof left !== "string");
  opened.report();
  assertEquals(await say(left.token, PLACES.dialled), "");
  assertEquals(await opened.proxy.reach(opened.token, to), "unreachable");
  assertEquals(opened.dialled.length, 2);
  opened.proxy.close();
  await wire.close();
});

Deno.test("who refuses, is not there or does not answer is told apart", async () => {
  const wire = server();
  await wire.close();
  const refusing = openProxy(wire.port, RULES, { names: NAMES });
  assertEquals(await reached(refusing, PUBLIC, 22), "refused");
  refusing.proxy.close();
  const begun = Promise.withResolvers<void>();
  const hanging = openProxy(wire.port, RULES, {
    names: NAMES,
    dial(_, signal) {
      begun.resolve();
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason))
      );
    },
  });
  const waiting = reached(hanging, PUBLIC, 22);
  await begun.promise;
  hanging.report();
  assertEquals(await waiting, "unreachable");
  hanging.proxy.close();
});
