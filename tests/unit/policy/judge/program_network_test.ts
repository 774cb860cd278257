import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { ConnectCapability, Program } from "../../../../src/core/capability.ts";
import { PolicyConflict } from "../../../../src/policy/compile_rulebook.ts";
import type { NetworkRule, Policy, SecretRule } from "../../../../src/policy/model.ts";
import { canonical, READER, rulebook, WORKSPACE } from "../_fixtures.ts";

const CWD = canonical(WORKSPACE);

function rule(hosts: readonly string[], parts: Partial<NetworkRule> = {}): NetworkRule {
  return { effect: "allow", hosts, methods: null, allowPrivate: false, ...parts };
}

function found(name: string, path = `/usr/bin/${name}`): Program {
  return { path: canonical(path), start: path, names: [name, path] };
}

interface Asked {
  readonly argv?: readonly string[];
  readonly program?: Program | null;
  readonly host?: string;
  readonly method?: string;
  readonly addresses?: readonly string[];
  readonly proxied?: true;
}

function judged(policies: readonly Partial<Policy>[], asked: Asked) {
  const { argv = ["npm", "ci"], program = found(argv[0] ?? ""), host = "r.example.org", ...more } =
    asked;
  const capability: ConnectCapability = {
    kind: "net.connect",
    host,
    port: 443,
    by: "program",
    command: { argv, program, cwd: CWD },
    ...more,
  };
  const rules = rulebook(policies);
  const { verdicts } = rules.decide(READER, [capability]);
  return { ...verdicts[0]!.verdict, network: rules.networkOf({ argv, program, cwd: CWD }) };
}

const NPM = rule(["r.example.org:443"], { commands: ["npm {ci,install}"] });
const TOOLS = rule(["r.example.org"]);

Deno.test("a rule for programs opens its hosts to these programs, and to nobody else", () => {
  const rows: readonly (readonly [Partial<Policy>, Asked, "allow" | "ask" | "deny"])[] = [
    [{ network: [NPM] }, {}, "allow"],
    [{ network: [NPM] }, { argv: ["npm", "install", "x"] }, "allow"],
    [{ network: [NPM] }, { argv: ["npm", "publish"] }, "deny"],
    [{ network: [NPM] }, { argv: ["npm"] }, "deny"],
    [{ network: [NPM] }, { argv: ["env", "npm", "ci"] }, "deny"],
    // Of that name, and found elsewhere.
    [{ network: [NPM] }, {
      argv: ["./npm", "ci"],
      program: { ...found("npm", `${WORKSPACE}/npm`), names: [`${WORKSPACE}/npm`] },
    }, "deny"],
    [{ network: [NPM] }, { program: null, argv: ["./npm", "ci"] }, "deny"],
    [{ network: [NPM] }, { host: "other.example.org" }, "deny"],
    [{ network: [NPM] }, { addresses: ["93.184.216.34"] }, "allow"],
    [{ network: [NPM] }, { addresses: ["10.0.0.1"] }, "deny"],
    [{ network: [NPM] }, { addresses: ["93.184.216.34", "::ffff:127.0.0.1"] }, "deny"],
    [{ network: [{ ...NPM, allowPrivate: true }] }, { addresses: ["10.0.0.1"] }, "allow"],
    [{ network: [{ ...NPM, methods: ["GET"] }] }, {}, "deny"],
    [{ network: [{ ...NPM, methods: ["GET"] }] }, { method: "GET" }, "allow"],
    [{ network: [{ ...NPM, methods: ["GET"] }] }, { method: "POST" }, "deny"],
    // What tools may a program may not, unless programs have all of the network.
    [{ network: [TOOLS] }, {}, "deny"],
    [{ network: [TOOLS], sandbox: { network: "allow" } }, {}, "allow"],
    [{ network: [NPM], sandbox: { network: "allow" } }, {}, "allow"],
    // Strictest first; one that names no programs binds them too, one that names others does not.
    [{ network: [NPM, rule(["*.example.org"], { effect: "deny" })] }, {}, "deny"],
    [{ network: [NPM, rule(["*.example.org"], { effect: "ask" })] }, {}, "ask"],
    [{ network: [NPM, { ...NPM, effect: "deny" }] }, {}, "deny"],
    [{ network: [NPM, rule(["*"], { effect: "deny", commands: ["pip"] })] }, {}, "allow"],
    [{ network: [NPM, rule(["*"], { effect: "deny", commands: ["npm"] })] }, {}, "deny"],
    [
      { network: [NPM, rule(["*"], { effect: "deny", commands: ["npm ci"] })] },
      { argv: ["npm", "install"] },
      "allow",
    ],
    [{ network: [rule(["*"], { effect: "ask", commands: ["npm"] })] }, {}, "ask"],
    // Where it would be led to what its own call serves it needs a rule, by way of the proxy.
    [{ network: [NPM] }, { host: "127.0.0.1" }, "allow"],
    [{ network: [NPM] }, { host: "127.0.0.1", proxied: true }, "deny"],
    [{ network: [NPM] }, { host: "localhost", proxied: true }, "deny"],
  ];
  for (const [policy, asked, effect] of rows) {
    assertEquals(judged([policy], asked).effect, effect, JSON.stringify([policy, asked]));
  }
});

Deno.test("a rule for programs opens nothing to tools, and does not bind them", () => {
  const effect = (network: readonly NetworkRule[]) => {
    const rules = rulebook([{ network }]);
    const capability = { kind: "net.connect", host: "r.example.org", port: 443 } as const;
    return rules.decide(READER, [capability]).verdicts[0]!.verdict.effect;
  };
  assertEquals(effect([NPM]), "deny");
  assertEquals(effect([TOOLS, { ...NPM, effect: "deny" }]), "allow");
  const rules = rulebook([{ network: [NPM] }]);
  assertEquals(rules.scope.connect, []);
});

Deno.test("every policy that speaks of hosts must name some for the program", () => {
  const rows: readonly (readonly [readonly Partial<Policy>[], readonly string[] | null])[] = [
    [[{ network: [NPM] }], ["r.example.org:443"]],
    [[{ network: [TOOLS] }], null],
    [[{ network: [{ ...NPM, effect: "deny" }] }], null],
    [[{ network: [{ ...NPM, effect: "ask" }] }], ["r.example.org:443"]],
    [[{}], null],
    [[{ network: [NPM] }, {}], ["r.example.org:443"]],
    [[{ network: [NPM] }, { network: [] }], null],
    [[{ network: [NPM] }, { network: [TOOLS] }], null],
    [[{ network: [NPM], sandbox: { network: "allow" } }], null],
    [[{ network: [NPM], sandbox: { kernel: "off" } }], null],
  ];
  for (const [policies, hosts] of rows) {
    assertEquals(judged(policies, {}).network?.hosts ?? null, hosts, JSON.stringify(policies));
  }
});

Deno.test("who is refused reads which hosts are open to that program, and how rules are written", () => {
  const tools = judged([{ network: [TOOLS] }], {});
  assertEquals(tools.code, "NETWORK_DENIED");
  assertStringIncludes(tools.reason, "rules are for tools unless commands names programs");
  const other = judged([{ network: [NPM, TOOLS] }], { host: "evil.example" });
  assertStringIncludes(other.reason, "allowed hosts: r.example.org:443");
  assert(!judged([{ network: [TOOLS, NPM] }], { argv: ["pip"] }).reason.includes("allowed hosts"));
});

Deno.test("keys are for the programs that they name, and a further policy only takes some away", () => {
  const secret = (host: string, commands: readonly string[]): SecretRule => ({
    host,
    port: 443,
    header: "Authorization",
    prefix: "",
    key: { env: "KEY" },
    commands,
    variable: "URL",
  });
  const secrets = [secret("r.example.org", ["npm ci"]), secret("r.example.org", ["pip"])];
  const hostsOf = (policies: readonly Partial<Policy>[], argv: readonly string[]) =>
    judged(policies, { argv }).network?.secrets.map(({ commands }) => commands[0]) ?? null;
  const network = [rule(["r.example.org"], { commands: ["npm", "pip"] })];
  assertEquals(hostsOf([{ network, secrets }], ["npm", "ci"]), ["npm ci"]);
  assertEquals(hostsOf([{ network, secrets }], ["npm", "i"]), []);
  assertEquals(hostsOf([{ network, secrets }, {}], ["pip"]), ["pip"]);
  assertEquals(hostsOf([{ network, secrets }, { secrets: [] }], ["pip"]), []);
  assertEquals(hostsOf([{ network, secrets }, { secrets: [secrets[1]!] }], ["npm", "ci"]), []);
  assertThrows(
    () => rulebook([{ secrets }, { secrets: [secret("other.example", ["npm"])] }]),
    PolicyConflict,
    "secrets[0]",
  );
  const environment = { pass: ["KEY", "PATH"], set: {} };
  assertEquals(rulebook([{ environment, secrets }]).settings.environment.pass, ["PATH"]);
});

Deno.test("no shell is handed a line where hosts are open to programs by their names", () => {
  assertEquals(rulebook([{ network: [TOOLS] }]).limitsRuns, false);
  assertEquals(rulebook([{ network: [TOOLS] }, { network: [NPM] }]).limitsRuns, true);
});

Deno.test("loopback is what a call's programs serve each other, where nothing else opens it, and no way out", () => {
  const { sandbox } = rulebook([{}]).settings;
  const opening = (hosts: readonly string[]): Partial<Policy> => ({
    sandbox: { ...sandbox, kernel: "off" },
    network: [rule(hosts, { commands: ["npm test"] })],
  });
  const own: Asked = { argv: ["npm", "test"], host: "127.0.0.1" };
  const rows: readonly (readonly [readonly string[], Asked, "allow" | "deny"])[] = [
    [["loopback"], own, "allow"],
    [["loopback:443"], { ...own, host: "localhost", addresses: ["127.0.0.1", "::1"] }, "allow"],
    [["127.0.0.1"], own, "deny"],
    [["loopback:80"], own, "deny"],
    [["loopback"], { ...own, host: "10.0.0.1" }, "deny"],
    [["loopback"], { ...own, host: "localhost", addresses: ["10.0.0.1"] }, "deny"],
    [["loopback"], { ...own, argv: ["npm", "ci"] }, "deny"],
    [["loopback"], { ...own, proxied: true }, "deny"],
  ];
  for (const [hosts, asked, effect] of rows) {
    const { effect: found, network } = judged([opening(hosts)], asked);
    assertEquals(found, effect, JSON.stringify([hosts, asked]));
    if (hosts[0] !== "127.0.0.1") assertEquals(network, null);
  }
  const held = { network: [rule(["loopback"], { commands: ["npm test"] })] };
  assertEquals(judged([held], own).effect, "allow");
  assertEquals(judged([held], { ...own, proxied: true }).effect, "deny");
});

Deno.test("a rule that denies by any name of the loopback closes it to programs, where they would reach their own call's", () => {
  const deny = (hosts: readonly string[], parts: Partial<NetworkRule> = {}) =>
    rule(hosts, { effect: "deny", ...parts });
  const python = ["python3", "x.py"];
  const rows: readonly (readonly [
    readonly NetworkRule[],
    readonly string[],
    "denied" | "by port" | "open",
  ])[] = [
    [[], python, "open"],
    [[rule(["loopback"], { commands: ["npm test"] })], python, "open"],
    [[deny(["localhost", "127.0.0.1"])], python, "denied"],
    [[deny(["localhost"])], python, "denied"],
    [[deny(["LOCALHOST."])], python, "denied"],
    [[deny(["*.localhost"])], python, "denied"],
    [[deny(["127.0.0.1"])], python, "denied"],
    [[deny(["127.1.2.3"])], python, "denied"],
    [[deny(["0x7f.1"])], python, "denied"],
    [[deny(["0.0.0.0"])], python, "denied"],
    [[deny(["::1"])], python, "denied"],
    [[deny(["[::ffff:127.0.0.1]"])], python, "denied"],
    [[deny(["loopback"])], python, "denied"],
    [[deny(["*"])], python, "denied"],
    [[deny(["*"], { methods: ["POST"] })], python, "denied"],
    [[rule(["loopback"], { commands: ["python3"] }), deny(["localhost"])], python, "denied"],
    // At its port alone.
    [[deny(["localhost:443"])], python, "by port"],
    [[deny(["*:443", "r.example.org"])], python, "by port"],
    [[deny(["r.example.org", "10.0.0.1", "*.example.org", "::2"])], python, "open"],
    // To its programs alone, and to those that start them by their words.
    [[deny(["loopback"], { commands: ["python3"] })], python, "denied"],
    [[deny(["loopback"], { commands: ["python3"] })], ["env", ...python], "denied"],
    [[deny(["loopback"], { commands: ["python3"] })], ["timeout", "5", ...python], "denied"],
    [[deny(["loopback"], { commands: ["python3"] })], ["node", "x.js"], "open"],
    [[deny(["loopback"], { commands: ["node"] })], python, "open"],
    // Nobody is asked while it runs.
    [[rule(["loopback"], { effect: "ask" })], python, "open"],
  ];
  for (const [network, argv, expected] of rows) {
    const denied = rulebook([{ network }])
      .deniedLoopbackOf({ argv, program: found(argv[0]!), cwd: CWD });
    const at = (port: number) => denied?.("connect", { host: "127.0.0.1", port })?.effect ?? "open";
    const row = JSON.stringify([network, argv]);
    const said = at(443) === "open" ? "open" : at(80) === "open" ? "by port" : "denied";
    assertEquals(said, expected, row);
    assertEquals(denied === null, expected === "open", row);
  }
});

Deno.test("what words say of the loopback is denied by any of its names, too, and the rule is named", async () => {
  const network = [rule(["127.0.0.1"], { effect: "deny" })];
  for (const host of ["localhost", "a.localhost", "127.0.0.1", "127.0.0.2", "::1"]) {
    const { effect, rule } = judged([{ network }], { argv: ["curl"], host });
    assertEquals([effect, rule?.index], ["deny", "network[0]"], host);
  }
  assertEquals(judged([{ network: [] }], { argv: ["curl"], host: "localhost" }).effect, "allow");
  const words = { kind: "net.connect", host: "localhost", port: 443, by: "program" } as const;
  const { capabilities: [asked] } = await rulebook([{ network }]).decide(READER, [words])
    .findings();
  const { winner, matching } = asked![0]!.policies[0]!;
  assertEquals([winner, matching.map(({ pattern }) => pattern)], ["network[0]", ["127.0.0.1"]]);
  const place = { host: "127.0.0.1", port: 8000 };
  const of = (policies: readonly Partial<Policy>[], child?: true) =>
    rulebook(policies).deniedLoopbackOf({
      argv: ["npm"],
      program: found("npm"),
      cwd: CWD,
      ...(child === undefined ? {} : { child }),
    });
  const verdict = of([{ network: [NPM] }, { network }])?.("listen", place);
  assertStringIncludes(verdict?.reason ?? "", "listening at 127.0.0.1:8000 is denied by ");
  assertEquals([verdict?.code, verdict?.rule?.index], ["NETWORK_DENIED", "network[0]"]);
  const six = of([{ network }])?.("connect", { host: "::1", port: 80 });
  assertStringIncludes(six?.reason ?? "", "connecting to [::1]:80 is denied by ");
  // What is denied to all is denied to child agents.
  assertEquals(of([{ network }], true)?.("connect", place)?.effect, "deny");
});
