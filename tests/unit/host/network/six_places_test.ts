/** Which addresses a thread is given for a place that has none but those of IPv6: judged as each connection is. */

import { assertEquals } from "@std/assert";
import { addressesOfSix } from "../../../../src/host/network/six_places.ts";
import { judgeConnection } from "../../../../src/engine/pool/_connections.ts";
import type { NetworkRule } from "../../../../src/policy/model.ts";
import { DEFAULT_WEB } from "../../tools/_memory_context.ts";
import { rulebook } from "../../policy/_fixtures.ts";

const SIX = "2606:2800:220:1::1";
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "six.example": [SIX],
  "posted.example": [SIX],
  "many.example": [1, 2, 3, 4, 5].map((last) => `2606:2800:220:1::${last}`),
  "both.example": ["93.184.216.34", SIX],
  "local.example": ["fd00::1"],
  "mapped.example": ["::ffff:10.0.0.1"],
  "partly.example": [SIX, "fd00::1"],
  "lan.example": ["fd00::1"],
  "other.test": [SIX],
  "provider.test": [SIX],
};
const RULES: readonly NetworkRule[] = [
  { effect: "allow", hosts: ["*.example:80"], methods: ["GET"], allowPrivate: false },
  { effect: "allow", hosts: ["lan.example:80"], methods: null, allowPrivate: true },
  { effect: "allow", hosts: ["posted.example:81"], methods: ["POST"], allowPrivate: false },
];

Deno.test("a place is given what it stands for where the policies let the call there, and nothing otherwise", async () => {
  const rules = rulebook([{ network: RULES }]);
  await rules.prepare([{ kind: "net.connect" }]);
  const subject = {
    tool: "fetch_url",
    agent: "root",
    risk: "safe" as const,
    permission: "network_access" as const,
    riskOfPrograms: false,
  };
  const lookedUp: string[] = [];
  const web = {
    ...DEFAULT_WEB,
    github: { url: "http://provider.test:80", key: null },
  };
  const found = (place: string, granted: readonly string[] = []) =>
    addressesOfSix(place, {
      judge: (connection) => judgeConnection(rules, subject, granted, connection),
      resolve: (host) => {
        lookedUp.push(host);
        const addresses = NAMES[host];
        return Promise.resolve(addresses === undefined ? { failure: "none" } : { addresses });
      },
      web,
      granted,
    });
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["six.example:80", [`[${SIX}]:80`]],
    ["posted.example:81", [`[${SIX}]:81`]],
    ["many.example:80", [1, 2, 3].map((last) => `[2606:2800:220:1::${last}]:80`)],
    ["lan.example:80", ["[fd00::1]:80"]],
    // It can be dialled as it is.
    ["both.example:80", []],
    // Not by name alone: by what it stands for.
    ["local.example:80", []],
    ["mapped.example:80", []],
    ["partly.example:80", []],
    ["unknown.example:80", []],
    ["[2606:2800:220:1::1]:80", []],
    ["six.example", []],
    ["six.example:0", []],
  ];
  for (const [place, expected] of rows) assertEquals(await found(place), expected, place);
  // What no rule names is not looked up, whatever a thread says.
  lookedUp.length = 0;
  for (const place of ["other.test:80", "six.example:82", "provider.test:80"]) {
    assertEquals(await found(place), [], place);
  }
  assertEquals(lookedUp, []);
  // A provider is for calls that were granted it, at its own place.
  assertEquals(await found("provider.test:80", ["provider.test:80"]), [`[${SIX}]:80`]);
  assertEquals(await found("other.test:80", ["other.test:80"]), []);
});
