import { assert, assertEquals } from "@std/assert";
import { hostOf, isPrivateHost, publicIpv4Networks } from "../../../src/policy/match/addresses.ts";
import { networkReach } from "../../../src/sandbox/network_reach.ts";
import { Random } from "../../random.ts";
import { rulebook } from "../policy/_fixtures.ts";

const numberOf = (address: string) =>
  address.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
const textOf = (address: number) =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");

Deno.test("the public networks are exactly what is not private, at every edge and anywhere", () => {
  const networks = publicIpv4Networks().map((text) => {
    const [start = "", bits = ""] = text.split("/");
    return { start: numberOf(start), size: 2 ** (32 - Number(bits)) };
  });
  const isPublic = (address: number) =>
    networks.some(({ start, size }) => address >= start && address < start + size);
  const random = new Random(17);
  const addresses = [
    ...networks.flatMap(({ start, size }) => [start - 1, start, start + size - 1, start + size]),
    ...Array.from({ length: 20_000 }, () => random.below(2 ** 32)),
  ].filter((address) => address >= 0 && address < 2 ** 32);
  for (const address of addresses) {
    const host = hostOf(textOf(address));
    assert(host !== null);
    assertEquals(isPublic(address), !isPrivateHost(host), textOf(address));
  }
});

Deno.test("networkReach: addresses with ports, never names", () => {
  const connect = (network: Parameters<typeof rulebook>[0][0]["network"], web = null) =>
    rulebook([{ network: network ?? [], web }]).scope.connect;
  const rule = { effect: "allow", methods: null, allowPrivate: false } as const;
  const scopeOf = (hosts: readonly string[], allowPrivate = false) =>
    connect([{ ...rule, hosts, allowPrivate }]);
  assertEquals(networkReach(connect([])), []);
  assertEquals(networkReach(connect([{ ...rule, effect: "deny", hosts: ["*"] }])), []);
  assertEquals(networkReach(scopeOf(["8.8.8.8:443", "[2001:4860::1]:80"])), [
    ...["8.8.8.8:80", "8.8.8.8:443", "[2001:4860::1]:80", "[2001:4860::1]:443"],
  ]);
  assertEquals(networkReach(scopeOf(["8.8.8.8"])), ["8.8.8.8"]);
  const named = networkReach(scopeOf(["a.example:443"]));
  assertEquals(named, publicIpv4Networks().map((network) => `${network}:443`));
  assertEquals(networkReach(scopeOf(["*"])), publicIpv4Networks());
  assertEquals(networkReach(scopeOf(["a.example:80"], true)), ["0.0.0.0/0:80"]);
  assertEquals(scopeOf(["a.example:80", "b.example"]).ports, "any");
});
