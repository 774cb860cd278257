import { assert, assertEquals } from "@std/assert";
import {
  matchesCommand,
  parseCommandPattern,
  splitCommand,
} from "../../../src/policy/match/argv.ts";
import { matchesPathGlob, parsePathGlob } from "../../../src/policy/match/path.ts";
import {
  type Access,
  DEFAULTS,
  type Effect,
  EFFECTS,
  type Policy,
} from "../../../src/policy/model.ts";
import { parsePolicy, renderProblems } from "../../../src/policy/parse/parse.ts";

function shipped(name: string): Policy {
  const file = new URL(`../../../policy/${name}.yaml`, import.meta.url);
  const parsed = parsePolicy(Deno.readTextFileSync(file), `policy/${name}.yaml`);
  assert("policy" in parsed, "problems" in parsed ? renderProblems(parsed.problems) : "");
  return parsed.policy;
}

/** What the path rules alone say, the plain way: the strictest effect of those that match. */
function pathEffect(policy: Policy, access: Access, path: string): Effect {
  const effects = (policy.paths ?? [])
    .filter((rule) => rule.access.includes(access))
    .filter(({ match, outside = [] }) =>
      !path.split("/").slice(0, -1).some((name) => outside.includes(name)) &&
      match.some((glob) => matchesPathGlob(parsePathGlob(glob), "/w", `/w/${path}`))
    )
    .map((rule) => rule.effect);
  return strictest(effects);
}

/** As `pathEffect`, for commands. */
function commandEffect(policy: Policy, command: string): Effect {
  const argv = splitCommand(command);
  const effects = (policy.commands ?? [])
    .filter(({ patterns, exact, except = [] }) =>
      patterns.some((text) => matchesCommand(parseCommandPattern(text), argv, { exact })) &&
      !except.some((text) => matchesCommand(parseCommandPattern(text), argv, { exact: true }))
    )
    .map((rule) => rule.effect);
  return strictest(effects);
}

function strictest(effects: readonly Effect[]): Effect {
  return effects.length === 0
    ? "deny"
    : EFFECTS.findLast((effect) => effects.includes(effect)) ?? "deny";
}

const SECRETS = [
  ".env",
  "a/b/.env",
  ".env.local",
  ".env.production",
  ".env.development.local",
  ".env.staging",
  ".env.e",
  ".env.ex",
  ".env.s",
  ".env.sa",
  ".env.secret",
  ".env.test",
  ".env.example.local",
  "server.pem",
  "keys/server.key",
  "deep/er/cert.p12",
  "id_rsa",
  "x/id_ed25519.pub",
  ".ssh/config",
  "home/.aws/credentials",
  ".netrc",
  ".git-credentials",
];

Deno.test("every shipped policy closes secrets and leaves their neighbours open", () => {
  for (const name of ["default", "strict", "read-only", "ci"]) {
    const policy = shipped(name);
    for (const path of SECRETS) {
      assertEquals(pathEffect(policy, "read", path), "deny", `${name}: ${path}`);
      assertEquals(pathEffect(policy, "write", path), "deny", `${name}: ${path}`);
    }
    for (const path of ["src/a.ts", "a.env", "environment", "keys.ts", "monkey", ".gitignore"]) {
      assertEquals(pathEffect(policy, "read", path), "allow", `${name}: ${path}`);
    }
  }
  for (const path of [".env.example", "a/.env.sample", ".npmrc"]) {
    assertEquals(pathEffect(shipped("default"), "read", path), "allow", path);
  }
});

Deno.test("the shipped policies write where they say", () => {
  const cases: readonly [path: string, byDefault: Effect, strict: Effect][] = [
    ["src/a.ts", "allow", "allow"],
    ["README.md", "allow", "deny"],
    [".git/config", "deny", "deny"],
    ["vendor/x/.git/hooks/pre-commit", "deny", "deny"],
    ["src/.git", "deny", "deny"],
    // The log is guarded wherever it lies; a rule on a folder that is not there takes the top from programs.
    [".toolgate/audit.ndjson", "allow", "deny"],
  ];
  for (const [path, byDefault, strict] of cases) {
    assertEquals(pathEffect(shipped("default"), "write", path), byDefault, path);
    assertEquals(pathEffect(shipped("strict"), "write", path), strict, path);
    assertEquals(pathEffect(shipped("read-only"), "write", path), "deny", path);
  }
});

Deno.test("the default policy runs what is harmless, asks for what is not, refuses what never is", () => {
  const policy = shipped("default");
  const cases: Readonly<Record<Effect, readonly string[]>> = {
    allow: [
      "dd if=/dev/zero of=x",
      "ls -la",
      "cat a.txt",
      "grep -r x .",
      "true",
      "sed -n 1,20p a.txt",
      "timeout 5 ls",
      "git status",
      "git log --oneline",
      "git branch",
      "git branch -a",
      "git branch --show-current",
      "git branch -v --sort=-committerdate",
      "git branch --contains HEAD",
      "git remote -v",
      "git remote get-url origin",
      "git tag -l v1.*",
      "python3 tests/run.py",
      "npm test",
      "npm run build",
      "cargo test",
      "cargo new demo",
      "cargo init --vcs none",
      "rustc a.rs",
      "go vet ./...",
      "make all",
      "bash build.sh",
      "sh x.sh",
      "./configure",
      "node_modules/.bin/tsc -p .",
      ".venv/bin/pytest -q",
      "gcc -c a.c",
      "git --no-pager diff",
      "git -C src status",
      "git add a",
      "git stash list",
      "cp a b",
      "mkdir -p a/b",
      "rm a",
      "tee a",
      "env ls",
      "xargs grep x",
      "tar -xf a.tar",
    ],
    ask: [
      "git push origin main",
      "git commit -m x",
      "git branch -D main",
      "git tag v1",
      "git branch new",
      "git branch -v new",
      "git branch -a -D main",
      "git branch --list x -D main",
      "git tag -l -f v1 HEAD",
      "git remote add a b",
      "git remote show origin",
      "git stash",
      "git stash pop",
      "git worktree add ../x",
      "npm install left-pad",
      "pip3 install x",
      "cargo add serde",
      "cargo update",
      "curl https://example.org",
    ],
    deny: [
      "sudo ls",
      "rm -rf /",
      "rm -r -f /",
      "mkfs.ext4 /dev/sda",
      "zsh x.sh",
      "npm publish",
      "git -c alias.x=!id x",
      "ssh host",
      "unheard-of",
    ],
  };
  for (const effect of EFFECTS) {
    for (const command of cases[effect]) {
      assertEquals(commandEffect(policy, command), effect, command);
    }
  }
});

Deno.test("the default policy says what holds without it, too", () => {
  const policy = shipped("default");
  assertEquals(policy.limits, DEFAULTS.limits);
  assertEquals(policy.timeouts, DEFAULTS.timeouts);
  assertEquals(policy.risk, DEFAULTS.risk);
  // Where a policy of somebody's own says nothing of them, they stay closed: it may open a network to pip alone.
  assertEquals(policy.environment?.pass, [
    ...DEFAULTS.environment.pass,
    ...["PYTHONPATH", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "RUSTFLAGS"],
  ]);
  assertEquals(policy.agents?.["*"], { permissions: ["file_read"] });
  assertEquals(policy.network, []);
});

Deno.test("the strict policy runs nothing where the kernel cannot hold it, the read-only one no command", () => {
  const strict = shipped("strict");
  assertEquals([strict.sandbox?.kernel, strict.risk?.allow], ["required", "safe"]);
  assertEquals(commandEffect(strict, "python3 a.py"), "deny");
  const readOnly = shipped("read-only");
  assertEquals([readOnly.commands, readOnly.network], [[], []]);
  assertEquals(readOnly.agents, { "*": { permissions: ["file_read"] } });
});
