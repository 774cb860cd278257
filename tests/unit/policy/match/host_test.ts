import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { hostOf, isPrivateHost } from "../../../../src/policy/match/addresses.ts";
import {
  HostError,
  matchesHost,
  namesLoopback,
  parseHostPattern,
} from "../../../../src/policy/match/host.ts";

const MATCHES: readonly [pattern: string, hosts: string[], others: string[]][] = [
  ["api.example.com", ["api.example.com:443", "API.Example.COM.:80"], [
    "example.com:443",
    "xapi.example.com:1",
  ]],
  ["*.github.com", ["api.github.com:443", "a.b.github.com:80"], [
    "github.com:443",
    "evilgithub.com:443",
    "github.com.evil.org:443",
  ]],
  ["example.com:443", ["example.com:443"], ["example.com:80"]],
  ["*:443", ["a.b:443", "1.2.3.4:443"], ["a.b:80"]],
  ["*", ["a.b:1", "[::1]:1"], []],
  ["bücher.example", ["xn--bcher-kva.example:443", "BÜCHER.example:1"], ["bucher.example:443"]],
  ["127.0.0.1", ["127.0.0.1:80", "127.1:80", "0x7f000001:80", "2130706433:80", "0177.0.0.1:1"], [
    "127.0.0.2:80",
  ]],
  ["[::1]:80", ["[::1]:80", "[0:0:0:0:0:0:0:1]:80"], ["[::1]:81", "[::2]:80"]],
  ["2001:DB8::1", ["[2001:db8:0::1]:9"], ["[2001:db8::2]:9"]],
];

function split(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(":");
  const host = hostOf(text.slice(0, colon));
  assert(host !== null, text);
  return { host: host.text, port: Number(text.slice(colon + 1)) };
}

for (const [pattern, hosts, others] of MATCHES) {
  Deno.test(`host pattern ${pattern}`, () => {
    const parsed = parseHostPattern(pattern);
    for (const text of hosts) {
      const { host, port } = split(text);
      assert(matchesHost(parsed, host, port), `matches ${text}`);
    }
    for (const text of others) {
      const { host, port } = split(text);
      assert(!matchesHost(parsed, host, port), `does not match ${text}`);
    }
  });
}

const WRONG: readonly [pattern: string, message: string][] = [
  ["", "empty"],
  ["https://example.com", "scheme"],
  ["example.com/path", "path"],
  ["user@example.com", "user"],
  ["a b.com", "no host name"],
  ["a%2eb.com", "no host name"],
  ["git*.com", "leading labels"],
  ["*.*.com", "leading labels"],
  ["*.1.2.3.4", "address"],
  ["example.com:", "port"],
  ["example.com:0", "port"],
  ["example.com:65536", "port"],
  ["example.com:https", "port"],
  ["[::1", "no host name"],
  ["10.0.0.0/8", "no host name"],
  ["a..b", "no host name"],
];

for (const [pattern, message] of WRONG) {
  Deno.test(`host pattern error ${pattern}`, () => {
    assertStringIncludes(assertThrows(() => parseHostPattern(pattern), HostError).message, message);
  });
}

Deno.test("hostOf() refuses what is no host", () => {
  for (
    const text of [
      "",
      "a/b",
      "a?b",
      "a#b",
      "a@b",
      "a\\b",
      "a\tb",
      "a\nb",
      "[x]",
      "[a.b]",
      "::g",
      "fe80::1%eth0",
      ".",
      "256.1.1.1.1.0x",
    ]
  ) {
    assertEquals(hostOf(text), null, text);
  }
});

const PRIVATE = [
  ...["localhost", "a.localhost", "LOCALHOST.", "printer.local", "metadata.google.internal"],
  ...["127.0.0.1", "127.1", "0.0.0.0", "0", "10.1.2.3", "100.64.0.1", "169.254.169.254"],
  ...["172.16.0.1", "172.31.255.255", "192.168.1.1", "198.19.0.1", "224.0.0.1", "255.255.255.255"],
  ...["192.0.2.1", "::", "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1"],
  ...["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::"],
  ...["2002:c0a8:101::1", "2001:db8::1", "2001::1", "100::1", "::ffff:0:7f00:1"],
];
const PUBLIC = [
  ...[
    "example.com",
    "localhost.example.com",
    "notlocalhost",
    "8.8.8.8",
    "172.15.0.1",
    "172.32.0.1",
  ],
  ...["100.63.0.1", "100.128.0.1", "192.0.1.1", "223.255.255.255", "2606:4700::1111"],
  ...["::ffff:8.8.8.8", "2002:808:808::1", "64:ff9b::808:808", "2001:4860::8888"],
];

Deno.test("isPrivateHost()", () => {
  for (const text of PRIVATE) assert(isPrivateHost(hostOf(text)!), `${text} is private`);
  for (const text of PUBLIC) assert(!isPrivateHost(hostOf(text)!), `${text} is public`);
});

Deno.test("loopback is this machine by each name and address that leads there", () => {
  const pattern = parseHostPattern("loopback");
  const matches = (host: string) => matchesHost(pattern, hostOf(host)!.text, 8080);
  for (
    const host of [
      ...["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::"],
      ...["::ffff:127.0.0.1", "::ffff:0.0.0.0"],
    ]
  ) assert(matches(host), host);
  for (
    const host of [
      ...[
        "loopback",
        "localhost.example",
        "10.0.0.1",
        "128.0.0.1",
        "1::1",
        "::2",
        "::ffff:8.8.8.8",
      ],
      "::127.0.0.1",
    ]
  ) assert(!matches(host), host);
  assert(!matchesHost(parseHostPattern("loopback:80"), "localhost", 8080));
});

Deno.test("which patterns name the loopback, and at which ports", () => {
  const all = ["*", "loopback", "localhost", "*.localhost", "127.0.0.1", "127.9.9.9", "::1", "::"];
  for (const text of all) {
    assert(namesLoopback(parseHostPattern(text), 80), text);
    const ported = parseHostPattern(text.includes("::") ? `[${text}]:80` : `${text}:80`);
    assertEquals([80, 81].map((port) => namesLoopback(ported, port)), [true, false], text);
  }
  for (const text of ["local", "*.local", "128.0.0.1", "10.0.0.1", "::2", "localhost.example"]) {
    assert(!namesLoopback(parseHostPattern(text), 80), text);
  }
});
