import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { ConnectCapability } from "../../../src/core/capability.ts";
import { PolicyConflict } from "../../../src/policy/compile_rulebook.ts";
import type { WebRule } from "../../../src/policy/model.ts";
import { READER, rulebook } from "./_fixtures.ts";

const SILENT: WebRule = {
  robots: null,
  userAgent: null,
  cache: null,
  authorities: [],
  search: null,
  github: null,
  stackoverflow: null,
  registries: null,
  proxy: null,
};
const web = (...rules: readonly (Partial<WebRule> | null)[]) =>
  rulebook(rules.map((rule) => ({ web: rule === null ? null : { ...SILENT, ...rule } }))).settings
    .web;
const PROXY = { host: "proxy.example", port: 3128, names: "here", key: null } as const;
const github = { url: "https://git.example", key: { env: "KEY" } } as const;

Deno.test("a policy that says nothing of the web honours robots.txt and names nobody", () => {
  const { robots, github, search, registries, authorities } = web(null);
  assertEquals([robots, github, search, registries, authorities], ["honor", null, null, {}, []]);
});

Deno.test("a further policy only narrows the web", () => {
  assertEquals(web({ robots: "ignore" }, { robots: "honor" }).robots, "honor");
  assertEquals(web({ robots: "ignore" }, {}).robots, "ignore");
  assertEquals(web({ robots: "honor" }, { robots: "ignore" }).robots, "honor");
  const cached = (size: number, ageMs: number) => ({ cache: { size, ageMs } });
  assertEquals(web(cached(10, 50), cached(20, 5)).cache, { size: 10, ageMs: 5 });
  assertEquals(web({ github }, { github }).github, github);
  const loosening: readonly Partial<WebRule>[] = [
    { github },
    { userAgent: "x" },
    { authorities: ["/ca.pem"] },
    { stackoverflow: github },
    { proxy: PROXY },
    { search: { ...github, provider: "brave" } },
    { registries: { npm: "https://npm.example" } },
  ];
  for (const further of loosening) {
    assertThrows(() => web({}, further), PolicyConflict, "p2.yaml web.");
  }
  assertThrows(() => web({ github }, { github: { ...github, url: null } }), PolicyConflict);
});

Deno.test("no program gets the variable of a key, though environment.pass names it", () => {
  const { settings } = rulebook([{
    web: { ...SILENT, github },
    environment: { pass: ["PATH", "KEY"], set: {} },
  }]);
  assertEquals(settings.environment.pass, ["PATH"]);
});

Deno.test("what the policy names under web may be connected to, and nothing else for it", () => {
  const { scope } = rulebook([{
    web: { ...SILENT, github: { url: "http://10.0.0.1:8080", key: null } },
  }]);
  assertEquals(scope.connect, [{ to: "10.0.0.1", port: 8080 }]);
  assertEquals(scope.hosts, []);
  // By its name it has to be looked up, in a sealed build too.
  const registries = { npm: "https://npm.example:8443/x" };
  const named = rulebook([{ web: { ...SILENT, github, registries } }]).scope;
  assertEquals(named.hosts, ["git.example", "npm.example"]);
  assertEquals(named.connect, [{ to: "all", port: 443 }, { to: "all", port: 8443 }]);
});

Deno.test("a proxy is what may be connected to where there is anything to reach by it, and this machine itself", () => {
  const rule = { effect: "allow" as const, methods: null, allowPrivate: false };
  const open = { ...rule, allowPrivate: true };
  const connect = (
    network: readonly (typeof rule & { readonly hosts: readonly string[] })[],
    proxy: Partial<NonNullable<WebRule["proxy"]>> = {},
  ) =>
    rulebook([{ web: { ...SILENT, proxy: { ...PROXY, host: "10.0.0.9", ...proxy } }, network }])
      .scope.connect;
  const only = [{ to: "10.0.0.9", port: 3128 }];
  assertEquals(connect([]), []);
  assertEquals(connect([{ ...rule, hosts: ["a.example:443", "8.8.8.8"] }]), only);
  assertEquals(connect([{ ...open, hosts: ["10.0.0.1:80"] }]), only);
  assertEquals(connect([{ ...open, hosts: ["127.0.0.1:80"] }]), [
    { to: "127.0.0.1", port: 80 },
    ...only,
  ]);
  // A name may stand for this machine, where it is looked up here.
  assertEquals(connect([{ ...open, hosts: ["a.example:80"] }]), [{ to: "all", port: 80 }, ...only]);
  assertEquals(connect([{ ...open, hosts: ["a.example:80"] }], { names: "proxy" }), only);
  const named = connect([{ ...rule, hosts: ["a.example:80"] }], { host: "proxy.example" });
  assertEquals(named, [{ to: "all", port: 3128 }]);
});

Deno.test("what a proxy looks up may stand for anything, and takes a rule that lets it", () => {
  const judge = (allowPrivate: boolean, more: Partial<ConnectCapability> = {}) => {
    const network = [{
      effect: "allow" as const,
      methods: null,
      allowPrivate,
      hosts: ["a.example"],
    }];
    const asked = { kind: "net.connect" as const, host: "a.example", port: 80, ...more };
    return rulebook([{ network }]).decide(READER, [asked]).verdicts[0]?.verdict;
  };
  assertEquals(judge(false)?.effect, "allow");
  assertEquals(judge(false, { elsewhere: true })?.effect, "deny");
  assertStringIncludes(
    judge(false, { elsewhere: true })?.reason ?? "",
    "web.proxy looks its name up",
  );
  assertEquals(judge(true, { elsewhere: true })?.effect, "allow");
});
