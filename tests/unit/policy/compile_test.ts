import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { compileRulebook, PolicyConflict } from "../../../src/policy/compile_rulebook.ts";
import { DEFAULTS, type GitRule, type Policy } from "../../../src/policy/model.ts";
import type { Settings } from "../../../src/policy/rulebook.ts";
import { canonical, commandRule, pathRule, policy, READER, rulebook, RUNNER } from "./_fixtures.ts";

const GIT: GitRule = {
  hooks: null,
  filters: null,
  protocols: null,
  worktrees: null,
  identity: null,
};

const SETTINGS: readonly [
  name: string,
  policies: readonly Partial<Policy>[],
  expected: Partial<Settings>,
][] = [
  ["a silent policy takes the defaults", [{}], {
    limits: DEFAULTS.limits,
    timeoutMs: 30_000,
    killGraceMs: 5_000,
    environment: { pass: [...DEFAULTS.environment.pass], set: {} },
    sandbox: DEFAULTS.sandbox,
    shell: "direct",
  }],
  ["the first policy may go beyond the defaults", [{
    limits: { read: 99_000_000 },
    timeouts: { default: 60_000, killGrace: null },
    shell: { mode: "sh" },
    sandbox: { kernel: "off", network: "allow" },
  }], {
    limits: { ...DEFAULTS.limits, read: 99_000_000 },
    timeoutMs: 60_000,
    killGraceMs: 5_000,
    shell: "sh",
    sandbox: { ...DEFAULTS.sandbox, kernel: "off", network: "allow" },
  }],
  ["what changes survive is little where nobody asks for more", [{}, { durability: "atomic" }], {
    durability: "atomic",
  }],
  ["what changes survive is what any policy asks for", [
    { durability: "atomic" },
    { durability: "full" },
    {},
  ], { durability: "full" }],
  ["a further policy takes filters of git away, and adds none", [
    { git: { ...GIT, filters: ["lfs"] } },
    { git: { ...GIT, filters: [] } },
  ], { git: DEFAULTS.git }],
  ["what the first policy did not let run stays so", [
    { git: GIT },
    { git: { ...GIT, filters: ["lfs"] } },
  ], { git: DEFAULTS.git }],
  ["a further policy that says nothing of filters leaves them", [
    { git: { ...GIT, filters: ["lfs"] } },
    { git: GIT },
  ], { git: { ...DEFAULTS.git, filters: ["lfs"] } }],
  ["of limits and timeouts the least", [
    { limits: { read: 10, write: 5 }, timeouts: { default: 9, killGrace: 9 } },
    { limits: { read: 20, depth: 1 }, timeouts: { default: 7, killGrace: null } },
    { limits: { write: 1 } },
  ], {
    limits: { ...DEFAULTS.limits, read: 10, write: 1, depth: 1 },
    timeoutMs: 7,
    killGraceMs: 9,
  }],
  ["a further policy cannot raise a default", [{}, { limits: { read: 99_000_000 } }], {
    limits: DEFAULTS.limits,
  }],
  ["the environment that all pass", [
    { environment: { pass: ["A", "B", "C"], set: { X: "1" } } },
    { environment: { pass: ["C", "B", "D"], set: { X: "1", A: "2" } } },
    {},
  ], { environment: { pass: ["B", "C"], set: { X: "1", A: "2" } } }],
  ["a variable that is set is not passed too", [
    { environment: { pass: ["A", "B"], set: { A: "1" } } },
  ], { environment: { pass: ["B"], set: { A: "1" } } }],
  ["of the sandbox the stricter", [
    {
      sandbox: {
        kernel: "off",
        bubblewrap: "auto",
        network: "allow",
        temporary: false,
        caches: "auto",
      },
    },
    { sandbox: { kernel: "required", bubblewrap: "off", network: "deny", temporary: true } },
    { sandbox: { kernel: "auto", network: "allow", temporary: false, caches: "off" } },
  ], {
    sandbox: {
      kernel: "required",
      bubblewrap: "auto",
      network: "deny",
      system: null,
      temporary: true,
      caches: "off",
    },
  }],
  ["of the system what all name", [
    { sandbox: { system: ["/usr", "/etc/ssl/certs", "/opt"] } },
    { sandbox: { system: ["/usr/lib", "/etc", "/usr/lib2", "/srv"] } },
  ], {
    sandbox: { ...DEFAULTS.sandbox, system: ["/etc/ssl/certs", "/usr/lib", "/usr/lib2"] },
  }],
  ["of the built-in system what a further policy names", [
    {},
    { sandbox: { system: ["/usr/bin", "/srv"] } },
  ], { sandbox: { ...DEFAULTS.sandbox, system: ["/usr/bin"] } }],
  ["direct is stricter than sh", [{ shell: { mode: "sh" } }, { shell: { mode: "direct" } }], {
    shell: "direct",
  }],
  ["a further policy cannot hand lines to a shell", [{}, { shell: { mode: "sh" } }], {
    shell: "direct",
  }],
  ["a further silent policy leaves sh", [{ shell: { mode: "sh" } }, {}], { shell: "sh" }],
];

for (const [name, policies, expected] of SETTINGS) {
  Deno.test(`settings: ${name}`, () => {
    const settings = rulebook(policies).settings;
    for (const [key, value] of Object.entries(expected)) {
      assertEquals(settings[key as keyof Settings], value, key);
    }
  });
}

const CONFLICTS: readonly [
  name: string,
  policies: readonly Partial<Policy>[],
  says: readonly string[],
][] = [
  ["a variable set to another value", [
    { environment: { pass: [], set: { A: "1" } } },
    { environment: { pass: [], set: { A: "2" } } },
  ], ["p2.yaml environment.set.A", "p1.yaml"]],
  ["a variable set to another value by a later one", [
    { environment: { pass: ["A"], set: {} } },
    { environment: { pass: [], set: { A: "1" } } },
    { environment: { pass: [], set: { A: "2" } } },
  ], ["p3.yaml environment.set.A", "p2.yaml"]],
  ["a variable that the first does not know", [
    { environment: { pass: ["B"], set: {} } },
    { environment: { pass: [], set: { LD_PRELOAD: "x" } } },
  ], ["p2.yaml environment.set.LD_PRELOAD", "p1.yaml"]],
];

for (const [name, policies, says] of CONFLICTS) {
  Deno.test(`conflict: ${name}`, () => {
    const error = assertThrows(() => rulebook(policies), PolicyConflict);
    for (const part of says) assertStringIncludes(error.message, part);
  });
}

function placed(...workspaces: readonly string[]) {
  return workspaces.map((workspace, index) => ({
    source: `p${index + 1}.yaml`,
    policy: policy({ paths: [pathRule("allow", ["**"])] }),
    workspace: canonical(workspace),
  }));
}

Deno.test("workspaces: a further one lies within the one before, and the last holds", () => {
  const book = compileRulebook(placed("/w", "/w/a", "/w/a"), { system: [] });
  assertEquals(book.settings.workspace, "/w/a");
  assertEquals(book.judgePath("read", canonical("/w/a/x")).effect, "allow");
  assertEquals(book.judgePath("read", canonical("/w/b")).code, "PATH_OUTSIDE_WORKSPACE");
  for (const wider of ["/", "/w2", "/w/ab", "/x"]) {
    const error = assertThrows(
      () => compileRulebook(placed("/w", "/w/a", wider), { system: [] }),
      PolicyConflict,
    );
    assertStringIncludes(error.message, "p3.yaml workspace");
    assertStringIncludes(error.message, "p2.yaml");
  }
});

Deno.test("the root of the file system can be the workspace", () => {
  const book = compileRulebook(placed("/"), { system: [] });
  assertEquals(book.judgePath("read", canonical("/etc/x")).effect, "allow");
  assertEquals(book.mayDenyBelow("read", canonical("/etc")), false);
});

Deno.test("no policy at all is an error, not a permission", () => {
  assertThrows(() => compileRulebook([], { system: [] }), RangeError);
});

Deno.test("timeouts of tools: the tool's own, the least of all policies, else the default", () => {
  const book = rulebook([
    { tools: { a: { timeoutMs: 60_000 }, b: { timeoutMs: 9 } } },
    { tools: { a: { timeoutMs: 50_000 }, b: { timeoutMs: 10 } } },
  ]);
  assertEquals(["a", "b", "c"].map(book.timeoutOf), [50_000, 9, 30_000]);
});

Deno.test("tools may be named by their aliases", () => {
  const names: Readonly<Record<string, string>> = { "fs.read": "read_file", old: "read_file" };
  const canonicalToolName = (name: string) => names[name] ?? name;
  const off = rulebook([{ tools: { "fs.read": { enabled: false } } }], { canonicalToolName });
  const decision = off.decide(READER, []);
  assertEquals([decision.code, decision.rule?.index], ["TOOL_DENIED", "tools.fs.read"]);
  // Named twice, the stricter of each value holds.
  const twice = rulebook([{
    tools: {
      read_file: { enabled: true, risk: "safe", timeoutMs: 5 },
      old: { enabled: false, risk: "moderate", timeoutMs: 9 },
    },
  }], { canonicalToolName });
  assertEquals(twice.timeoutOf("read_file"), 5);
  assertEquals(twice.decide(READER, []).rule?.index, "tools.old");
  assertEquals(twice.decide(READER, []).risk, "moderate");
});

Deno.test("devices may be read by commands whatever the policy's list of the system says", () => {
  const book = rulebook([{
    commands: [commandRule("allow", ["cat"])],
    sandbox: { system: ["/opt"] },
  }], { devices: ["/dev/null"] });
  const reading = (path: string) =>
    book.decide(RUNNER, [{
      kind: "process.spawn",
      argv: ["cat", path],
      cwd: canonical("/w/project"),
      program: null,
      operands: [{ requested: path, path: canonical(path) }],
    }]).effect;
  assertEquals(["/dev/null", "/opt/x", "/dev/sda"].map(reading), ["allow", "allow", "deny"]);
});

const ALL = { paths: [pathRule("allow", ["**"])] };
const OFFERS: readonly [
  name: string,
  policies: readonly Partial<Policy>[],
  subject: Partial<typeof READER>,
  expected: boolean,
][] = [
  ["a tool that is allowed", [ALL], {}, true],
  ["a tool that is asked for", [ALL], { risk: "dangerous" }, true],
  [
    "a tool that is switched off",
    [{ ...ALL, tools: { read_file: { enabled: false } } }],
    {},
    false,
  ],
  ["an agent without the group", [{ ...ALL, agents: { root: { permissions: [] } } }], {}, false],
  ["an agent without the group, a tool without", [{ agents: { root: { permissions: [] } } }], {
    permission: null,
  }, true],
  ["an unknown agent", [ALL], { agent: "x" }, false],
  [
    "a risk above all",
    [{ ...ALL, risk: { allow: "safe", ask: "safe" } }],
    { risk: "moderate" },
    false,
  ],
  [
    "a risk that depends on the command",
    [{
      commands: [commandRule("allow", ["ls"])],
      risk: { allow: "safe", ask: "safe" },
    }],
    { risk: "dangerous", riskOfPrograms: true, permission: "code_execution" },
    true,
  ],
  [
    "a risk that the policy sets",
    [{
      ...ALL,
      tools: { read_file: { risk: "dangerous" } },
      risk: { allow: "safe", ask: "moderate" },
    }],
    {},
    false,
  ],
  ["no path to read", [{}], {}, false],
  ["no path to write", [{ paths: [pathRule("allow", ["**"], ["read"])] }], {
    permission: "file_write",
  }, false],
  ["no command", [ALL], { permission: "code_execution" }, false],
  ["no host", [ALL], { permission: "network_access" }, false],
  [
    "switched off by a further policy",
    [ALL, { tools: { read_file: { enabled: false } } }],
    {},
    false,
  ],
];

for (const [name, policies, subject, expected] of OFFERS) {
  Deno.test(`offers(): ${name}`, () => {
    assertEquals(rulebook(policies).offers({ ...READER, ...subject }), expected);
  });
}
