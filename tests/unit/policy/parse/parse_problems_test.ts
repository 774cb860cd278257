import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  parsePolicy,
  type PolicyProblem,
  renderProblems,
} from "../../../../src/policy/parse/parse.ts";

function problemsOf(yaml: string): readonly PolicyProblem[] {
  const parsed = parsePolicy(yaml, "x.yaml");
  assert("problems" in parsed, `loaded: ${JSON.stringify(yaml)}`);
  assert(parsed.problems.length > 0);
  return parsed.problems;
}

/** What stands below `version: 1`, the key of the one problem, part of its message. */
type Case = readonly [body: string, key: string, message: string];

async function each(t: Deno.TestContext, cases: readonly Case[]): Promise<void> {
  for (const [body, key, message] of cases) {
    await t.step(body, () => {
      const problems = problemsOf(`version: 1\n${body}\n`);
      assertEquals(problems.map((problem) => problem.key), [key], renderProblems(problems));
      assertStringIncludes(problems[0]?.message ?? "", message);
    });
  }
}

Deno.test("keys that are unknown name the nearest one", (t) =>
  each(t, [
    ["path: []", "path", "did you mean paths?"],
    ["zzz: 1", "zzz", "known are version, name"],
    ["PATHS: []", "PATHS", "did you mean paths?"],
    ["risk: { alow: safe, allow: safe, ask: safe }", "risk.alow", "did you mean allow?"],
    ["commands: [{ allow: [a], not-match: [b] }]", "commands[0].not-match", "not_match"],
    ["timeouts: { killGrace: 1s }", "timeouts.killGrace", "did you mean kill_grace?"],
    ["limits: { raed: 1 }", "limits.raed", "did you mean read?"],
    ["sandbox: { landlock: auto }", "sandbox.landlock", "known are kernel, bubblewrap"],
    ["tools: { read_file: { enable: true } }", "tools.read_file.enable", "did you mean enabled?"],
    ["__proto__: { paths: [] }", "__proto__", "no key that is known"],
    ["constructor: 1", "constructor", "no key that is known"],
    ["limits: { __proto__: { read: 1 } }", "limits.__proto__", "no key that is known"],
    ["<<: { name: a }", '["<<"]', "no key that is known"],
    ["? [a, b]\n: 1", '["a,b"]', "no key that is known"],
    ["? { a: 1 }\n: 1", '["[object Object]"]', "no key that is known"],
    ["2: 1", '["2"]', "no key that is known"],
  ]));

Deno.test("programs say what they may hold", (t) =>
  each(t, [
    ["programs: [cat]", "programs", "found a list; write a mapping of names"],
    ["programs: { /usr/bin/x: {} }", 'programs["/usr/bin/x"]', "without its folder"],
    ["programs: { x: { risk: low } }", "programs.x.risk", "write safe, moderate or dangerous"],
    ["programs: { x: { operands: [reed] } }", "programs.x.operands[0]", "did you mean read?"],
    ["programs: { x: { operands: [] } }", "programs.x.operands", "empty list"],
    ["programs: { x: { operands: [read..., write...] } }", "programs.x.operands", "... twice"],
    ["programs: { x: { options: { o: read } } }", "programs.x.options.o", "with its dashes"],
    [
      "programs: { x: { options: { -o: rite } } }",
      'programs.x.options["-o"]',
      "did you mean write?",
    ],
    ["programs: { x: { reads: [a] } }", "programs.x.reads", "known are risk, operands, options"],
  ]));

Deno.test("wrong types say what was found and what to write", (t) =>
  each(t, [
    ["name: 5", "name", "found the number 5; write a short name, in quotes"],
    ["name: true", "name", "in quotes"],
    ["name: [a]", "name", "found a list"],
    ["name: ''", "name", "empty text"],
    ["name:", "name", "has no value; give it one or leave the key out"],
    ['name: "a\\nb"', "name", "one line"],
    ["workspace: ~", "workspace", "has no value"],
    ['workspace: "a\\0b"', "workspace", "NUL"],
    ["paths:", "paths", "has no value"],
    ["paths: { allow: [read], match: [a] }", "paths", "found a mapping; write a list"],
    ["paths: [read]", "paths[0]", 'found the text "read"; write a mapping with allow, ask, deny'],
    ["risk: safe", "risk", "write a mapping with allow or ask"],
    ["agents: [root]", "agents", "found a list; write a mapping of names"],
    ["plugins: a.yaml", "plugins", 'write a list, even for one entry: ["a.yaml"]'],
    ["plugins: [1]", "plugins[0]", "found the number 1"],
    ["plugins: [~]", "plugins[0]", "found nothing"],
    [
      "tools: { a: { enabled: yes } }",
      "tools.a.enabled",
      'found the text "yes"; write true or false',
    ],
    ["agents: { a: { permissions: [], worktree: 1 } }", "agents.a.worktree", "write true or false"],
    ["shell: { mode: bash }", "shell.mode", "write direct or sh"],
    ["shell: {}", "shell.mode", "is missing"],
    ["sandbox: { kernel: true }", "sandbox.kernel", "found true; write auto, required or off"],
    ["sandbox: { kernel: of }", "sandbox.kernel", "did you mean off?"],
    ["sandbox: { network: off }", "sandbox.network", "write allow or deny"],
    ["recovery: { permission: retry }", "recovery.permission", "write ask or fail"],
  ]));

Deno.test("the version must be 1", () => {
  const cases: [string, string][] = [
    ["name: a", "is missing: the version of this language; write version: 1"],
    ["version: 2", "found the number 2; this Toolgate reads 1"],
    ["version: '1'", "without quotes"],
    ["version: true", "found true"],
    ["version:", "has no value"],
    ["version: .nan", "found the number NaN"],
  ];
  for (const [yaml, message] of cases) {
    const [problem] = problemsOf(yaml);
    assertEquals(problem?.key, "version");
    assertStringIncludes(problem?.message ?? "", message);
  }
});

Deno.test("durations, sizes and counts name their units and bounds", (t) =>
  each(t, [
    ["durability: sometimes", "durability", "atomic or full"],
    ["timeouts: { default: 30 }", "timeouts.default", "without a unit; write 30ms, 30s, 30m"],
    ["timeouts: { default: '30' }", "timeouts.default", "has no unit"],
    ["timeouts: { default: 0 }", "timeouts.default", "write 1ms to 1d"],
    ["timeouts: { default: 2d }", "timeouts.default", "write 1ms to 1d"],
    ["timeouts: { default: soon }", "timeouts.default", "is no duration"],
    ["timeouts: { default: -5s }", "timeouts.default", "is no duration"],
    ["timeouts: { default: .nan }", "timeouts.default", "NaN"],
    ["timeouts: { kill_grace: [1s] }", "timeouts.kill_grace", "found a list; write a duration"],
    ["timeouts: { kill_grace: 1 }", "timeouts.kill_grace", "without a unit"],
    ["tools: { a: { timeout: 5 } }", "tools.a.timeout", "without a unit"],
    ["approvals: { expire: 0 }", "approvals.expire", "write 1ms to 20d"],
    ["approvals: { remember: 25d }", "approvals.remember", "write 0 to 20d"],
    ["limits: { read: 1M }", "limits.read", "as in 1MiB"],
    ["limits: { read: 0 }", "limits.read", "write 1B to 512MiB"],
    ["limits: { read: -1 }", "limits.read", "write a size such as"],
    ["limits: { read: 1.5 }", "limits.read", "write a size such as"],
    ["limits: { read: .inf }", "limits.read", "write a size such as"],
    ["limits: { read: 1e400 }", "limits.read", "write a size such as"],
    ["limits: { read: 1GiB }", "limits.read", "write 1B to 512MiB"],
    ["limits: { read: true }", "limits.read", "found true; write a size"],
    ["limits: { request: 10 }", "limits.request", "write 1KiB to 512MiB"],
    ["limits: { memory: 1KiB }", "limits.memory", "write 1MiB to 1024GiB"],
    ["limits: { depth: 0 }", "limits.depth", "a whole number from 1 to 1000"],
    ["limits: { entries: 2.5 }", "limits.entries", "a whole number from 1"],
    ["limits: { matches: '50' }", "limits.matches", "without quotes"],
    ["limits: { processes: .nan }", "limits.processes", "NaN"],
    ["limits: { concurrency: 0 }", "limits.concurrency", "from 1 to 256"],
    ["limits: { concurrency: 257 }", "limits.concurrency", "from 1 to 256"],
    ["agents: { a: { permissions: [], tokens: 1e99 } }", "agents.a.tokens", "a whole number"],
    ["recovery: { timeout: { retries: 11 } }", "recovery.timeout.retries", "from 0 to 10"],
    ["recovery: { timeout: { retries: 1, factor: 0.5 } }", "recovery.timeout.factor", "1 to 10"],
    ["recovery: { network: { retries: 1, backoff: 1 } }", "recovery.network.backoff", "unit"],
  ]));

Deno.test("risk thresholds stand in order", (t) =>
  each(t, [
    ["risk: { allow: dangerous, ask: safe }", "risk.ask", "safe is below allow (dangerous)"],
    ["risk: { allow: low, ask: safe }", "risk.allow", "write safe, moderate or dangerous"],
    ["risk: { allow: safe }", "risk.ask", "is missing"],
  ]));

Deno.test("rules have one effect, and something to hold for", (t) =>
  each(t, [
    ["paths: [{ match: [a] }]", "paths[0]", "names no effect; write allow, ask or deny"],
    ["paths: [{ allow: [read], deny: [write], match: [a] }]", "paths[0]", "allow and deny"],
    ["paths: [{ allow: [read] }]", "paths[0].match", "is missing"],
    ["paths: [{ allow: [], match: [a] }]", "paths[0].allow", "empty list"],
    ["paths: [{ allow: [read], match: [] }]", "paths[0].match", "empty list"],
    [
      "paths: [{ allow: read, match: [a] }]",
      "paths[0].allow",
      'write a list, even for one entry: ["read"]',
    ],
    ["paths: [{ allow: [execute], match: [a] }]", "paths[0].allow[0]", "write read or write"],
    ["paths: [{ allow: [read], match: [''] }]", "paths[0].match[0]", "empty"],
    ["paths: [{ allow: [read], match: ['a['] }]", "paths[0].match[0]", "[ is not closed"],
    ["paths: [{ allow: [read], match: ['../a'] }]", "paths[0].match[0]", ".. is not taken"],
    [
      "paths: [{ allow: [read], match: ['a**'] }]",
      "paths[0].match[0]",
      "** must be a whole segment",
    ],
    ["paths: [{ allow: [read], match: [a], reason: 5 }]", "paths[0].reason", "in quotes"],
    ["paths: [{ allow: [read], match: ['**'], outside: [a] }]", "paths[0].outside", "ask or deny"],
    ["paths: [{ deny: [read], match: [a/b], outside: [c] }]", "paths[0].outside", "leave it out"],
    ["paths: [{ deny: [read], match: ['**/b'], outside: [a/c] }]", "paths[0].outside[0]", "plain"],
    ["paths: [{ deny: [read], match: ['**/b'], outside: ['*'] }]", "paths[0].outside[0]", "plain"],
    ["paths: [{ deny: [read], match: ['**/b'], outside: [..] }]", "paths[0].outside[0]", "plain"],
    ["paths: [{ deny: [read], match: ['**/b'], outside: [] }]", "paths[0].outside", "empty list"],
    ["commands: [{ exact: true }]", "commands[0]", "names no effect"],
    ["commands: [{ allow: ls }]", "commands[0].allow", "write a list"],
    ["commands: [{ allow: [ls], runs: no }]", "commands[0].runs", "write none or any"],
    ["commands: [{ allow: [ls], runs: [a/b] }]", "commands[0].runs[0]", "no bare name"],
    ["commands: [{ deny: [ls], runs: none }]", "commands[0].runs", "leave it out"],
    ["commands: [{ deny: [ls], limits: { memory: 1MiB } }]", "commands[0].limits", "leave it out"],
    ["commands: [{ deny: [ls], timeout: 1s }]", "commands[0].timeout", "leave it out"],
    ["commands: [{ allow: [ls], limits: {} }]", "commands[0].limits", "says nothing"],
    ["commands: [{ allow: [ls], limits: { read: 1MiB } }]", "commands[0].limits.read", "no key"],
    ["commands: [{ allow: [ls], limits: { memory: 1KiB } }]", "commands[0].limits.memory", "1MiB"],
    ["commands: [{ ask: [ls], timeout: 0 }]", "commands[0].timeout", "write"],
    ["commands: [{ ask: [ls], risk: dangerous }]", "commands[0].risk", "leave it out"],
    ["commands: [{ allow: [ls], risk: high }]", "commands[0].risk", "dangerous"],
    ["commands: [{ allow: [ls] }, { deny: ['rm {a'] }]", "commands[1].deny[0]", "{ is not closed"],
    ["commands: [{ allow: [true] }]", "commands[0].allow[0]", "in quotes"],
    ["commands: [{ allow: [ls], exact: 1 }]", "commands[0].exact", "write true or false"],
    ["commands: [{ allow: [ls], except: [ls -R] }]", "commands[0].except", "ask or deny"],
    ["commands: [{ deny: [ls], except: [] }]", "commands[0].except", "empty list"],
    ["network: [{ allow: ['http://a'] }]", "network[0].allow[0]", "cannot be read"],
    ["network: [{ allow: ['a/b'] }]", "network[0].allow[0]", "without scheme"],
    ["network: [{ allow: ['a:99999'] }]", "network[0].allow[0]", "port"],
    ["web: { proxy: { url: 'https://p.example' } }", "web.proxy.url", "no address of a proxy"],
    ["web: { proxy: { url: 'http://me:pw@p.example' } }", "web.proxy.url", "without user"],
    ["web: { proxy: { url: 'http://p.example/x' } }", "web.proxy.url", "or path"],
    ["web: { proxy: { url: 'http://p.example', key: {} } }", "web.proxy.key", "does not say where"],
    ["web: { proxy: { names: here } }", "web.proxy.url", "is missing"],
    ["network: [{ allow: loopback }]", "network[0].allow", "names no programs"],
    ["network: [{ allow: a.example }]", "network[0].allow", "write a list"],
    ["network: [{ allow: [a], methods: [] }]", "network[0].methods", "empty list"],
    ["network: [{ allow: [a], methods: [get] }]", "network[0].methods[0]", "did you mean GET?"],
    ["network: [{ deny: [a], allow_private: true }]", "network[0].allow_private", "leave it out"],
  ]));

Deno.test("examples of command rules hold", (t) =>
  each(t, [
    [
      "commands: [{ allow: [git status], match: [git push] }]",
      "commands[0].match[0]",
      'does not match the example "git push"',
    ],
    [
      "commands: [{ deny: [sudo], match: [sudo id], not_match: [ls, sudo ls] }]",
      "commands[0].not_match[1]",
      'matches the example "sudo ls"',
    ],
    [
      "commands: [{ allow: [git status], exact: true, match: [git status -s] }]",
      "commands[0].match[0]",
      "git status -s",
    ],
    [
      "commands: [{ ask: [git tag], except: [git tag -l], match: [git tag -l] }]",
      "commands[0].match[0]",
      "git tag -l",
    ],
    [
      "commands: [{ ask: [git tag], except: [git tag -l], not_match: [git tag -l x] }]",
      "commands[0].not_match[0]",
      "git tag -l x",
    ],
    ['commands: [{ allow: [ls], match: ["ls \'a"] }]', "commands[0].match[0]", "is not closed"],
    ["commands: [{ allow: [ls], match: ls }]", "commands[0].match", "write a list"],
  ]));

Deno.test("names, paths and addresses have their form", (t) =>
  each(t, [
    ["extensions: { write: { deny: [exe] } }", "extensions.write.deny[0]", "as in .exe"],
    ["extensions: { write: { deny: ['*.exe'] } }", "extensions.write.deny[0]", "as in .exe"],
    ["extensions: { write: { deny: [.] } }", "extensions.write.deny[0]", "is no ending"],
    ["extensions: { write: { deny: [./a] } }", "extensions.write.deny[0]", "is no ending"],
    ["extensions: { write: {} }", "extensions.write", "names no endings"],
    ["environment: { pass: ['LC_*'] }", "environment.pass[0]", "no wildcards"],
    ["environment: { pass: [1A] }", "environment.pass[0]", "no digit first"],
    ["environment: { set: { A-B: x } }", "environment.set.A-B", "is no name of a variable"],
    ["environment: { set: { A: 0 } }", "environment.set.A", "write the value as text, in quotes"],
    [
      "environment: { set: { __proto__: x } }",
      "environment.set.__proto__",
      "cannot be used as a name",
    ],
    ["tools: { 'read file': {} }", 'tools["read file"]', "is no name of a tool"],
    ["tools: { constructor: {} }", "tools.constructor", "cannot be used as a name"],
    ["agents: { 'a b': { permissions: [] } }", 'agents["a b"]', "is no name of agents"],
    ["agents: { a: { permissions: [files] } }", "agents.a.permissions[0]", "file_read"],
    ["agents: { a: {} }", "agents.a.permissions", "is missing"],
    ["agents: { 'x-*': { permissions: all } }", 'agents["x-*"].permissions', "write a list"],
    ["sandbox: { system: [usr] }", "sandbox.system[0]", "is not absolute"],
    ["sandbox: { system: [/usr/../etc] }", "sandbox.system[0]", "write where it leads"],
    ["sandbox: { system: ['/usr/*'] }", "sandbox.system[0]", "wildcard"],
    ["audit: { redact: ['('] }", "audit.redact[0]", "is no regular expression"],
    ["audit: { redact: ['a(?i)'] }", "audit.redact[0]", "is no regular expression"],
    ["web: { search: { provider: A B } }", "web.search.provider", "searxng"],
    ["web: { search: { provider: searxng } }", "web.search.url", "is where you run it"],
    ["web: { github: { token: {} } }", "web.github.token", "does not say where"],
    ["web: { github: { token: { file: key } } }", "web.github.token", "absolute path"],
    ["web: { github: { token: { env: A, file: /b } } }", "web.github.token", "env, or file"],
    ["web: { robots: maybe }", "web.robots", "honor"],
    ['web: { user_agent: "a\\nb" }', "web.user_agent", "printable ASCII"],
    ["web: { authorities: [ca.pem] }", "web.authorities[0]", "not absolute"],
    ["web: { registries: { npm: { url: 'ftp://a' } } }", "web.registries.npm.url", "is no http"],
    ["web: { search: { provider: brave, url: 'file:///etc' } }", "web.search.url", "is no http"],
    ["web: { search: { provider: brave, url: 'http://' } }", "web.search.url", "is no http"],
    ["children: { command: [] }", "children.command", "empty list"],
    ["callers: [{ uid: -1, agent: a }]", "callers[0].uid", "from 0"],
    ["callers: [{ uid: 1000, agent: 'a b' }]", "callers[0].agent", "is no name of an agent"],
    ["callers: [{ uid: 1000 }]", "callers[0].agent", "missing"],
    ["children: { command: [a], max: 0 }", "children.max", "from 1 to 256"],
    ["recovery: { alternatives: { a: [] } }", "recovery.alternatives.a", "empty list"],
    [
      "recovery: { alternatives: { a: [b c] } }",
      "recovery.alternatives.a[0]",
      "is no name of a tool",
    ],
  ]));

Deno.test("values of environment.set stay out of messages", () => {
  const problems = problemsOf(
    "version: 1\nenvironment: { set: { KEY: 4242424242, B: [hunter2] } }\n",
  );
  const rendered = renderProblems(problems);
  assert(!rendered.includes("4242424242") && !rendered.includes("hunter2"), rendered);
});

Deno.test("what is no policy text at all is said with its line", async (t) => {
  const cases: [name: string, yaml: string, key: string, message: string, line?: number][] = [
    ["empty", "", "", "is empty"],
    ["blank", " \n\n", "", "is empty"],
    ["comments only", "# a\n", "", "is empty"],
    ["null", "~\n", "", "is empty"],
    ["a text", "hello\n", "", 'holds the text "hello"'],
    ["a list", "- a\n", "", "holds a list"],
    ["two documents", "version: 1\n---\nversion: 1\n", "", "one policy", 2],
    ["a duplicate key", "version: 1\nname: a\nversion: 1\n", "version", "second time", 3],
    [
      "a duplicate key in a rule",
      "version: 1\npaths:\n  - allow: [read]\n    match: [a]\n    allow: [write]\n",
      "paths[0].allow",
      "second time",
      5,
    ],
    ["an open bracket", "version: 1\npaths: [\nname: a\n", "paths", "is no YAML", 4],
    ["an unknown tag", "version: 1\nname: !secret a\n", "name", "is no YAML", 2],
    ["an unknown alias", "version: 1\nname: *a\n", "name", "is no YAML", 2],
    ["a control character", "version: 1\nname: \x07\n", "name", "is no YAML", 2],
    ["depth beyond the stack", "version: 1\nname: " + "[".repeat(50_000), "", "nests too deeply"],
    [
      "more depth than the language has",
      `version: 1\nname: ${"[".repeat(30)}${"]".repeat(30)}`,
      `name${"[0]".repeat(16)}`,
      "nests too deeply",
      2,
    ],
    ["too long", "#".repeat(5 * 1024 * 1024), "", "is too long"],
  ];
  for (const [name, yaml, key, message, line] of cases) {
    await t.step(name, () => {
      const [problem, ...others] = problemsOf(yaml);
      assertEquals(others, []);
      assertStringIncludes(problem?.message ?? "", message);
      assertEquals([problem?.key, problem?.line], [key, line]);
    });
  }
});

Deno.test("tabs that indent are refused, line by line", async (t) => {
  const cases: [yaml: string, lines: number[]][] = [
    ["\tversion: 1\n", [1]],
    ["version: 1\nlimits:\n\tread: 1\n", [3]],
    ["version: 1\nplugins:\n  \t- a\n", [3]],
    ["version: 1\nplugins: [a,\n\tb]\n", [3]],
    ["version: 1\npaths:\n-\tallow: [read]\n \tmatch: [a]\n", [3, 4]],
  ];
  for (const [yaml, lines] of cases) {
    await t.step(JSON.stringify(yaml), () => {
      const tabs = problemsOf(yaml).filter((problem) => problem.message.includes("tab"));
      assertEquals(tabs.map((problem) => problem.line), lines);
    });
  }
});

Deno.test("aliases can neither circle nor explode", () => {
  const [circle] = problemsOf("version: 1\nplugins: &a [*a]\n");
  assertStringIncludes(circle?.message ?? "", "nests too deeply");
  const [self] = problemsOf("&top\nversion: 1\nname: *top\n");
  assertStringIncludes(self?.message ?? "", "nests too deeply");

  const levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 10; level++) {
    levels.push(`a${level}: &a${level} [${Array(10).fill(`*a${level - 1}`).join(", ")}]`);
  }
  const [bomb] = problemsOf(`version: 1\n${levels.join("\n")}\n`);
  assertStringIncludes(bomb?.message ?? "", "aliases");
});

Deno.test("a text made to exhaust the reader is refused like any other", () => {
  const million = 1_000_000;
  const texts = [
    `\tx\n${"- ".repeat(million)}`,
    `a: '${"''".repeat(million)}`,
    `[${"[],".repeat(million)}`,
    "&a ".repeat(million),
    `\ta: ${" ".repeat(million)}b`,
  ];
  for (const text of texts) assert(problemsOf(text).length > 0);
});

Deno.test("all problems are found at once, each with its line, as they follow each other", () => {
  const problems = problemsOf(
    [
      "version: 1",
      "nmae: x",
      "paths:",
      "  - { allow: [read], match: ['a['] }",
      "  # between",
      "  - allow: [run]",
      "    match:",
      "    - a",
      "    - 5",
      'agents: { "child-*": { permissions: [none] } }',
      "limits:",
      "  read: 1M",
      "  depth: 0",
    ].join("\n"),
  );
  assertEquals(problems.map(({ key, line }) => [key, line]), [
    ["nmae", 2],
    ["paths[0].match[0]", 4],
    ["paths[1].allow[0]", 6],
    ["paths[1].match[1]", 9],
    ['agents["child-*"].permissions[0]', 10],
    ["limits.read", 12],
    ["limits.depth", 13],
  ]);
});

Deno.test("renderProblems() writes one line a problem, and no more than people read", () => {
  const problem = { source: "policy/x.yaml", key: "commands[3].allow", message: "found 5" };
  assertEquals(renderProblems([problem]), "policy/x.yaml: commands[3].allow: found 5");
  assertEquals(
    renderProblems([{ ...problem, key: "", line: 7 }]),
    "policy/x.yaml:7: found 5",
  );
  const lines = renderProblems(Array(70).fill(problem)).split("\n");
  assertEquals([lines.length, lines.at(-1)], [51, "and 20 more"]);
});

Deno.test("what a policy holds cannot move a terminal's cursor in a message", () => {
  const rendered = renderProblems(
    problemsOf('version: 1\n"a\\e[2J": 1\nshell: { mode: "\\e]0;x\\a\\u202e" }\n'),
  );
  // deno-lint-ignore no-control-regex -- these are what must not be there
  assert(!/[\u0000-\u0009\u000b-\u001f\u202e]/.test(rendered), JSON.stringify(rendered));
});

Deno.test("patterns that come to more than can be held are refused before they are written out", () => {
  const glob = "{a,b}".repeat(10);
  const rules = Array.from(
    { length: 20_000 },
    (_, at) => `  - { allow: [read], match: ["${glob}/${at}"] }`,
  );
  const problems = problemsOf(`version: 1\npaths:\n${rules.join("\n")}\n`);
  assertEquals(problems.map(({ key }) => key), ["paths[97].match[0]"]);
  assertStringIncludes(problems[0]?.message ?? "", "100000 patterns");
  const command = `${"{a,b}".repeat(9)} x`;
  const commands = Array.from({ length: 1000 }, () => `  - { allow: ["${command}"] }`);
  const [problem] = problemsOf(`version: 1\ncommands:\n${commands.join("\n")}\n`);
  assertStringIncludes(problem?.message ?? "", "100000 patterns");
});

Deno.test("a policy of ten thousand rules with groups loads", () => {
  const rules = Array.from(
    { length: 10_000 },
    (_, at) => `  - { deny: [read], match: ["{a,b,c}/${at}"] }`,
  );
  assert("policy" in parsePolicy(`version: 1\npaths:\n${rules.join("\n")}\n`, "x.yaml"));
});
