import { assertEquals, assertThrows } from "@std/assert";
import { PolicyConflict } from "../../../src/policy/compile_rulebook.ts";
import type { WebRule } from "../../../src/policy/model.ts";
import { rulebook } from "./_fixtures.ts";

const SILENT: WebRule = {
  robots: null,
  userAgent: null,
  cache: null,
  authorities: [],
  search: null,
  github: null,
  stackoverflow: null,
  registries: null,
};
const web = (...rules: readonly (Partial<WebRule> | null)[]) =>
  rulebook(rules.map((rule) => ({ web: rule === null ? null : { ...SILENT, ...rule } }))).settings
    .web;
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
  assertEquals(scope.connect, { ports: [8080], names: "none", addresses: ["10.0.0.1"] });
  assertEquals(scope.hosts, []);
  // By its name it has to be looked up, in a sealed build too.
  const registries = { npm: "https://npm.example:8443/x" };
  const named = rulebook([{ web: { ...SILENT, github, registries } }]).scope;
  assertEquals(named.hosts, ["git.example", "npm.example"]);
  assertEquals(named.connect, { ports: [443, 8443], names: "all", addresses: [] });
});
