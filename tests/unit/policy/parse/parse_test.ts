import { assert, assertEquals } from "@std/assert";
import { DEFAULTS, type Policy, SILENT_POLICY } from "../../../../src/policy/model.ts";
import { parsePolicy, renderProblems } from "../../../../src/policy/parse/parse.ts";

function policyOf(yaml: string): Policy {
  const parsed = parsePolicy(yaml, "x.yaml");
  assert("policy" in parsed, "problems" in parsed ? renderProblems(parsed.problems) : "");
  return parsed.policy;
}

const WHOLE = `
version: 1
name: default
workspace: .
risk: { allow: moderate, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: [".git/**", ".toolgate/**"], reason: repository internals }
  - { ask: [read], match: ["/etc/hosts"] }
extensions: { read: { allow: [.md, .TS] }, write: { deny: [.exe, .tar.gz] } }
commands:
  - { allow: ["git {status,diff,log,show}", "npm test", python3, ls, cat, grep] }
  - { ask: ["git push"], exact: true, reason: leaves this machine }
  - { deny: [sudo, "rm -rf /"], match: ["sudo id"], not_match: ["rm -rf ./build"] }
programs:
  render: { risk: safe, operands: [read, write], options: { -o: write, --hook: run } }
  cat: {}
shell: { mode: direct }
environment: { pass: [PATH, HOME], set: { GIT_TERMINAL_PROMPT: "0", EMPTY: "" } }
network:
  - { allow: ["*.github.com", "api.stackexchange.com:443"], methods: [GET, HEAD] }
  - { ask: [localhost], allow_private: true, reason: this machine }
  - { allow: ["registry.example.org:443"], commands: ["npm {ci,install}"] }
secrets:
  - { host: API.example.org, header: Authorization, value: { env: API_KEY }, commands: [my-agent] }
  - { host: "a.example:8443", header: X-Key, value: { file: /run/key }, prefix: "Key ", commands: [a], variable: A_URL }
tools: { delete_file: { risk: dangerous }, web_search: { enabled: false }, shell.run: { timeout: 60s } }
timeouts: { default: 30s, kill_grace: 0 }
limits: { read: 1MiB, write: 10MiB, output: 1MiB, response: 5MiB, request: 16MiB, entries: 500, depth: 5, matches: 50, memory: 2GiB, processes: 64, file: 1GiB, cpu: 1h, concurrency: 8 }
backups: { keep: 5, age: 30d }
durability: full
agents:
  "*": { permissions: [file_read] }
  root: { permissions: [all], tokens: 1000000 }
  "child-*": { permissions: [file_read, file_write], tokens: 16000, worktree: true }
sandbox: { kernel: required, bubblewrap: off, network: deny, system: [/usr, /lib64], temporary: true }
approvals: { remember: 10m, expire: 5m }
audit: { file: .toolgate/audit.ndjson, redact: ["(?i)token", "password"] }
recovery: { timeout: { retries: 1, factor: 1.5 }, network: { retries: 2, backoff: 500ms }, permission: ask, alternatives: { search_files: [find_files] } }
web: { search: { provider: searxng, url: "http://127.0.0.1:8888" } }
git: { hooks: deny, protocols: [https, file], worktrees: .toolgate/worktrees, identity: { name: Agent, email: agent@example.org } }
children: { command: [my-agent, --task, "{task}"], protocol: acp, isolation: clone, network: [{ allow: [api.example.org] }], max: 3 }
callers: [{ uid: 1000, agent: root }, { uid: 1001, agent: child-1 }]
plugins: [./plugins/*.yaml]
`;

Deno.test("parsePolicy() reads the whole language", () => {
  const none = { match: [], notMatch: [] };
  const expected: Policy = {
    version: 1,
    name: "default",
    workspace: ".",
    risk: { allow: "moderate", ask: "dangerous" },
    paths: [
      { effect: "allow", access: ["read", "write"], match: ["**"] },
      {
        effect: "deny",
        access: ["write"],
        match: [".git/**", ".toolgate/**"],
        reason: "repository internals",
      },
      { effect: "ask", access: ["read"], match: ["/etc/hosts"] },
    ],
    extensions: {
      read: { allow: [".md", ".ts"], deny: [] },
      write: { allow: null, deny: [".exe", ".tar.gz"] },
    },
    commands: [
      {
        effect: "allow",
        patterns: ["git {status,diff,log,show}", "npm test", "python3", "ls", "cat", "grep"],
        exact: false,
        examples: none,
      },
      {
        effect: "ask",
        patterns: ["git push"],
        exact: true,
        reason: "leaves this machine",
        examples: none,
      },
      {
        effect: "deny",
        patterns: ["sudo", "rm -rf /"],
        exact: false,
        examples: { match: ["sudo id"], notMatch: ["rm -rf ./build"] },
      },
    ],
    programs: {
      render: {
        risk: "safe",
        operands: ["read", "write"],
        options: { "-o": "write", "--hook": "run" },
      },
      cat: { risk: null, operands: null, options: {} },
    },
    shell: { mode: "direct" },
    environment: { pass: ["PATH", "HOME"], set: { GIT_TERMINAL_PROMPT: "0", EMPTY: "" } },
    network: [
      {
        effect: "allow",
        hosts: ["*.github.com", "api.stackexchange.com:443"],
        methods: ["GET", "HEAD"],
        allowPrivate: false,
      },
      {
        effect: "ask",
        hosts: ["localhost"],
        methods: null,
        allowPrivate: true,
        reason: "this machine",
      },
      {
        effect: "allow",
        hosts: ["registry.example.org:443"],
        methods: null,
        allowPrivate: false,
        commands: ["npm {ci,install}"],
      },
    ],
    secrets: [
      {
        host: "api.example.org",
        port: 443,
        header: "Authorization",
        prefix: "",
        key: { env: "API_KEY" },
        commands: ["my-agent"],
        variable: "TOOLGATE_API_EXAMPLE_ORG",
      },
      {
        host: "a.example",
        port: 8443,
        header: "X-Key",
        prefix: "Key ",
        key: { file: "/run/key" },
        commands: ["a"],
        variable: "A_URL",
      },
    ],
    tools: {
      delete_file: { risk: "dangerous" },
      web_search: { enabled: false },
      "shell.run": { timeoutMs: 60_000 },
    },
    timeouts: { default: 30_000, killGrace: 0 },
    limits: DEFAULTS.limits,
    backups: { keep: 5, ageMs: 2_592_000_000 },
    durability: "full",
    agents: {
      "*": { permissions: ["file_read"] },
      root: { permissions: ["all"], tokens: 1_000_000 },
      "child-*": { permissions: ["file_read", "file_write"], tokens: 16_000, worktree: true },
    },
    sandbox: {
      kernel: "required",
      bubblewrap: "off",
      network: "deny",
      system: ["/usr", "/lib64"],
      temporary: true,
    },
    approvals: { rememberMs: 600_000, expireMs: 300_000 },
    audit: {
      file: ".toolgate/audit.ndjson",
      redact: ["(?i)token", "password"],
      required: null,
      sync: null,
      maxSize: null,
    },
    recovery: {
      timeout: { retries: 1, factor: 1.5 },
      network: { retries: 2, backoffMs: 500 },
      permission: "ask",
      alternatives: { search_files: ["find_files"] },
    },
    web: {
      robots: null,
      userAgent: null,
      cache: null,
      authorities: [],
      search: { provider: "searxng", url: "http://127.0.0.1:8888", key: null },
      github: null,
      stackoverflow: null,
      registries: null,
      proxy: null,
    },
    git: {
      hooks: "deny",
      filters: null,
      protocols: ["https", "file"],
      worktrees: ".toolgate/worktrees",
      identity: { name: "Agent", email: "agent@example.org" },
    },
    children: {
      command: ["my-agent", "--task", "{task}"],
      protocol: "acp",
      isolation: "clone",
      max: 3,
      depth: 1,
      timeout: 1_800_000,
      network: [{
        effect: "allow",
        hosts: ["api.example.org"],
        methods: null,
        allowPrivate: false,
      }],
    },
    callers: [{ uid: 1000, agent: "root" }, { uid: 1001, agent: "child-1" }],
    plugins: { manifests: ["./plugins/*.yaml"], registration: null },
  };
  assertEquals(policyOf(WHOLE), expected);
});

Deno.test("parsePolicy() answers plain data that goes to another thread unchanged", () => {
  const policy = policyOf(WHOLE);
  assertEquals(structuredClone(policy), policy);
  assertEquals(JSON.parse(JSON.stringify(policy)), policy);
});

Deno.test("parsePolicy() makes sections that are left out null", () => {
  assertEquals(policyOf("version: 1"), SILENT_POLICY);
});

const EQUAL: readonly [name: string, yaml: string, expected: Partial<Policy>][] = [
  ["a byte order mark", "\uFEFFversion: 1\nname: a\n", { name: "a" }],
  ["CRLF", "version: 1\r\npaths:\r\n  - allow: [read]\r\n    match:\r\n      - a\r\n", {
    paths: [{ effect: "allow", access: ["read"], match: ["a"] }],
  }],
  ["one document with its markers", "---\nversion: 1\n...\n", {}],
  [
    "tabs in comments, between words and in texts",
    "version:\t1\t# a\tb\n\t# c\n\t\nname: 'a\n\tb'\n",
    {
      name: "a b",
    },
  ],
  [
    "a tab inside a block scalar",
    "version: 1\nenvironment:\n  set:\n    A: |\n      x\n      \ty\n",
    {
      environment: { pass: [], set: { A: "x\n\ty\n" } },
    },
  ],
  ["an alias", "version: 1\nenvironment: { pass: &names [A, B] }\nplugins: *names\n", {
    environment: { pass: ["A", "B"], set: {} },
    plugins: { manifests: ["A", "B"], registration: null },
  }],
  [
    "texts that look like other things elsewhere",
    "version: 1\nname: 2026-01-01\nplugins: [yes, off]\n",
    {
      name: "2026-01-01",
      plugins: { manifests: ["yes", "off"], registration: null },
    },
  ],
  ["off where a YAML 1.1 writer made it false", "version: 1\nsandbox: { kernel: false }\n", {
    sandbox: { kernel: "off" },
  }],
  [
    "empty lists where they mean nothing at all",
    "version: 1\npaths: []\ncommands: []\nnetwork: []\n",
    {
      paths: [],
      commands: [],
      network: [],
    },
  ],
  [
    "sections in part",
    "version: 1\ntimeouts: { kill_grace: 1s }\nlimits: { read: 5 }\naudit: {}\n",
    {
      timeouts: { default: null, killGrace: 1_000 },
      limits: { read: 5 },
      audit: { file: null, redact: [], required: null, sync: null, maxSize: null },
    },
  ],
  [
    "defaults within sections",
    "version: 1\nchildren: { command: [a, ''] }\nrecovery: { timeout: { retries: 0 }, network: { retries: 1 } }\nweb: { search: { provider: brave } }\n",
    {
      children: {
        command: ["a", ""],
        protocol: "ndjson",
        isolation: "worktree",
        max: 4,
        depth: 1,
        timeout: 1_800_000,
        network: null,
      },
      recovery: { timeout: { retries: 0, factor: 2 }, network: { retries: 1, backoffMs: 500 } },
      web: {
        robots: null,
        userAgent: null,
        cache: null,
        authorities: [],
        search: { provider: "brave", url: null, key: null },
        github: null,
        stackoverflow: null,
        registries: null,
        proxy: null,
      },
    },
  ],
];

Deno.test("parsePolicy() takes", async (t) => {
  for (const [name, yaml, expected] of EQUAL) {
    await t.step(name, () => assertEquals(policyOf(yaml), { ...SILENT_POLICY, ...expected }));
  }
});

Deno.test("parsePolicy() reads 1,000 path rules and 1,000 command rules", () => {
  const paths = Array.from(
    { length: 1000 },
    (_, index) => `  - { deny: [read], match: [a${index}/**] }`,
  );
  const commands = Array.from({ length: 1000 }, (_, index) => `  - { allow: [tool${index}] }`);
  const policy = policyOf(
    `version: 1\npaths:\n${paths.join("\n")}\ncommands:\n${commands.join("\n")}\n`,
  );
  assertEquals([policy.paths?.length, policy.commands?.length], [1000, 1000]);
});
