import { assert, assertEquals } from "@std/assert";
import { hostOf, isPrivateHost, publicIpv4Networks } from "../../../src/policy/match/addresses.ts";
import { networkReach, processReach, surplusReach } from "../../../src/sandbox/network_reach.ts";
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
  // Each at its own ports: what one rule opens at one of them is not open at another's.
  assertEquals(
    networkReach(scopeOf(["8.8.8.8:443", "[2001:4860::1]:80", "8.8.8.8:443", "8.8.8.8:22"])),
    ["8.8.8.8:443", "[2001:4860::1]:80", "8.8.8.8:22"],
  );
  assertEquals(networkReach(scopeOf(["8.8.8.8"])), ["8.8.8.8"]);
  const named = networkReach(scopeOf(["a.example:443"]));
  assertEquals(named, publicIpv4Networks().map((network) => `${network}:443`));
  assertEquals(networkReach(scopeOf(["*"])), publicIpv4Networks());
  assertEquals(networkReach(scopeOf(["a.example:80"], true)), ["0.0.0.0/0:80"]);
  assertEquals(networkReach(scopeOf(["a.example:80", "b.example"])), publicIpv4Networks());
  const mixed = connect([
    { ...rule, hosts: ["a.example:443", "b.example:443", "c.example:80", "10.0.0.1:5432"] },
    { ...rule, hosts: ["d.example:80"], allowPrivate: true },
    { ...rule, hosts: ["8.8.8.8"] },
  ]);
  assertEquals(networkReach(mixed), [
    ...publicIpv4Networks().map((network) => `${network}:443`),
    ...["10.0.0.1:5432", "0.0.0.0/0:80", "8.8.8.8"],
  ]);
});

Deno.test("processReach names what is looked up without a port; surplusReach is what a thread has no use for", () => {
  const rule = { effect: "allow", methods: null, allowPrivate: false } as const;
  const commands = ["x"];
  const reach = (...network: Parameters<typeof rulebook>[0][0]["network"] & readonly unknown[]) => {
    const { scope } = rulebook([{ network }]);
    const all = processReach(scope);
    return {
      all: all === "any"
        ? all
        : all.filter((place) => !publicIpv4Networks().includes(place.split(":")[0]!)),
      surplus: surplusReach(scope),
    };
  };
  const named = { ...rule, hosts: ["a.example:443"] };
  const programs = { ...rule, hosts: ["b.example:443", "10.0.0.5:8443"], commands };
  assertEquals(reach(), { all: [], surplus: [] });
  assertEquals(reach(named), { all: ["a.example"], surplus: ["a.example", "127.0.0.1:0"] });
  assertEquals(reach(named, programs), {
    all: ["a.example", "b.example", "10.0.0.5:8443", "127.0.0.1:0"],
    surplus: ["a.example", "b.example", "10.0.0.5:8443", "127.0.0.1:0"],
  });
  assertEquals(reach({ ...rule, hosts: ["*"] }), { all: "any", surplus: [] });
  // Without names a thread's set names its addresses, and has nothing to give up.
  assertEquals(reach({ ...rule, hosts: ["10.0.0.1:443"] }, programs).surplus, []);
  // An address that lies in a network of the thread's own is kept: the runtime would give up the network with it.
  assertEquals(reach({ ...named, allowPrivate: true }, programs).surplus, [
    "a.example",
    "b.example",
  ]);
  assertEquals(
    reach(named, { ...rule, hosts: ["8.8.8.8:443", "[2001:4860::1]:443"], commands }).surplus,
    [
      ...["a.example", "[2001:4860::1]:443", "127.0.0.1:0"],
    ],
  );
  // As one that it has at any port.
  assertEquals(reach({ ...rule, hosts: ["a.example", "127.0.0.1"] }).surplus, ["a.example"]);
});
