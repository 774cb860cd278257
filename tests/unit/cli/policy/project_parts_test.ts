import { assert, assertEquals } from "@std/assert";
import {
  type ProjectFiles,
  projectParts,
  projectWorkflows,
} from "../../../../src/cli/policy/_project_parts.ts";
import { composePolicy } from "../../../../src/policy/compose.ts";
import { compileRulebook } from "../../../../src/policy/compile_rulebook.ts";
import { parsePolicy, renderProblems } from "../../../../src/policy/parse/parse.ts";
import type { Rulebook } from "../../../../src/policy/rulebook.ts";
import { reviewPolicies } from "../../../../src/policy/review/review.ts";
import { createRegistry } from "../../../../src/tools/registry.ts";
import { Random } from "../../../random.ts";
import { ACTIONS, canonical, program, RUNNER, spawn, WORKSPACE } from "../../policy/_fixtures.ts";

function files(contents: Readonly<Record<string, string>>): ProjectFiles {
  return {
    has: (name) => Object.hasOwn(contents, name),
    read: (name) => contents[name] ?? null,
  };
}

const DEFAULT = (() => {
  const file = new URL("../../../../policy/default.yaml", import.meta.url);
  const parsed = parsePolicy(Deno.readTextFileSync(file), "default.yaml");
  assert("policy" in parsed);
  return parsed.policy;
})();

/** The policy for a project: it loads, and nothing in it is odd. */
function policyFor(contents: Readonly<Record<string, string>>) {
  const project = files(contents);
  const text = composePolicy(projectParts(project), projectWorkflows(project), DEFAULT);
  const parsed = parsePolicy(text, "x");
  assert("policy" in parsed, "problems" in parsed ? renderProblems(parsed.problems) + text : "");
  const placed = [{ source: "x", policy: parsed.policy, workspace: canonical(WORKSPACE) }];
  const rulebook = compileRulebook(placed, { system: [], actions: ACTIONS });
  const tools = createRegistry();
  const warnings = reviewPolicies(placed, { reviewed: 1, rulebook, tools });
  assertEquals(warnings.filter(({ accepted }) => accepted === undefined), [], text);
  const { policy } = parsed;
  return { text, policy, effect: (command: string) => effectOf(rulebook, command) };
}

function effectOf(rulebook: Rulebook, command: string) {
  const argv = command.split(" ");
  const [name = ""] = argv;
  // As the finder would: a path from the workspace.
  const found = program(name.startsWith("./") ? `${WORKSPACE}/${name.slice(2)}` : name);
  return rulebook.decide(RUNNER, [spawn(argv, { program: found })]).effect;
}

const DEFAULT_RULEBOOK = compileRulebook(
  [{ source: "default.yaml", policy: DEFAULT, workspace: canonical(WORKSPACE) }],
  { system: [], actions: ACTIONS },
);

const PROJECTS: readonly (readonly [
  name: string,
  contents: Readonly<Record<string, string>>,
  allowed: readonly string[],
  asked: readonly string[],
])[] = [
  ["nothing", {}, ["ls -l"], []],
  ["git", { ".git": "" }, ["git status -s", "git log"], ["git commit -m x", "git push"]],
  [
    "npm",
    {
      "package.json": JSON.stringify({
        scripts: { test: "x", "lint:css": "x", deploy: "x" },
        devDependencies: { eslint: "1", typescript: "5" },
      }),
    },
    ["npm test", "npm run lint:css", "npx --no-install tsc"],
    ["npm install x"],
  ],
  ["pnpm", { "package.json": '{"scripts":{"test":"x","build":"y"}}', "pnpm-lock.yaml": "" }, [
    "pnpm test",
    "pnpm run build",
  ], ["pnpm add x"]],
  ["yarn", { "package.json": '{"scripts":{"test":"x"}}', "yarn.lock": "" }, ["yarn test"], [
    "yarn add x",
  ]],
  ["bun", { "package.json": '{"scripts":{"test":"x"}}', "bun.lock": "" }, ["bun test"], [
    "bun add x",
  ]],
  ["Deno", { "deno.json": '{"tasks":{"check":"x","start":"y"}}' }, [
    "deno test",
    "deno lint",
    "deno task check",
  ], ["deno add x"]],
  ["Python", { "pyproject.toml": "[tool.ruff]\n[tool.mypy]\n", "uv.lock": "" }, [
    "pytest -q",
    "python3 -m pytest",
    "ruff check .",
    "mypy src",
    "uv run pytest",
  ], ["pip install x", "uv add x"]],
  ["requirements", { "requirements.txt": "flask\n" }, ["python -m unittest"], ["pip3 install x"]],
  ["Rust", { "Cargo.toml": "" }, ["cargo test", "cargo clippy"], ["cargo install x"]],
  ["Go", { "go.mod": "", ".golangci.yml": "" }, ["go test ./...", "golangci-lint run"], [
    "go get x",
  ]],
  ["make", { Makefile: "X := 1\ntest lint: dep\n\techo\ndeploy:\n\tx\n" }, [
    "make test",
    "make lint",
  ], []],
  ["Maven", { "pom.xml": "", mvnw: "" }, ["mvn test", "./mvnw verify"], []],
  ["Gradle", { "build.gradle.kts": "", gradlew: "" }, ["./gradlew check"], []],
  ["Ruby", { Gemfile: "" }, ["bundle exec rspec"], ["bundle install"]],
  ["CMake", { "CMakeLists.txt": "" }, ["ctest", "cmake --build build"], []],
  ["containers", { Dockerfile: "", ".github": "" }, ["cat Dockerfile"], []],
];

for (const [name, contents, allowed, asked] of PROJECTS) {
  Deno.test(`a policy for ${name}: its own commands run, and no others`, () => {
    const { effect } = policyFor(contents);
    for (const command of allowed) assertEquals(effect(command), "allow", command);
    for (const command of asked) assertEquals(effect(command), "ask", command);
    for (const command of ["docker run x", "sudo ls", "deno run x.ts", "npm publish"]) {
      assertEquals(effect(command), "deny", command);
    }
    // What holds without a policy of one's own holds with it.
    for (const { examples } of DEFAULT.commands ?? []) {
      for (const command of [...examples.match, ...examples.notMatch]) {
        const expected = effectOf(DEFAULT_RULEBOOK, command);
        assertEquals(effect(command), expected, command);
      }
    }
  });
}

Deno.test("beside commands a policy for a project lets through what the default lets through", () => {
  const { policy } = policyFor({ "package.json": "{}" });
  const shared = [
    "git",
    "network",
    "shell",
    "environment",
    "timeouts",
    "tools",
  ] as const;
  for (const key of shared) assertEquals(policy[key], DEFAULT[key], key);
});

Deno.test("all of it at once", () => {
  const contents = Object.assign({}, ...PROJECTS.map(([, one]) => one));
  const { effect } = policyFor(contents);
  for (const command of ["npm test", "cargo test", "make lint", "mvn test"]) {
    assertEquals(effect(command), "allow", command);
  }
});

Deno.test("whatever a manifest calls its scripts, nothing more is allowed, and the policy loads", () => {
  const random = new Random(51);
  const pieces = [
    "test",
    "lint",
    ":",
    " ",
    "*",
    "{a,b}",
    "\n- allow: [bash]",
    '"',
    "'",
    "#",
    "\\",
    "]",
    "ü",
    "\t",
  ];
  const others: readonly string[] = [
    "bash -c x",
    "docker run x",
    "deno run x.ts",
    "sudo ls",
    "bun x",
  ];
  for (let round = 0; round < 100; round++) {
    const name = () => random.text(6, pieces);
    const scripts = Object.fromEntries(Array.from({ length: 4 }, () => [name(), "x"]));
    const { effect } = policyFor({
      "package.json": JSON.stringify({ scripts, devDependencies: { [name()]: "1" } }),
      Makefile: `${name()}: ${name()}\n\t${name()}\n`,
      "pyproject.toml": name(),
    });
    for (const command of others) {
      const expected = effectOf(DEFAULT_RULEBOOK, command);
      assertEquals(effect(command), expected, JSON.stringify(scripts));
    }
  }
});

Deno.test("manifests that are none are read over", () => {
  for (const text of ["", "{", "null", "[]", '{"scripts": 5}', "\u0000"]) {
    policyFor({ "package.json": text, "deno.json": text, Makefile: text, "pyproject.toml": text });
  }
});

Deno.test("what a project's programs may use: what the default says, and more for what installs", () => {
  const memoryOf = (commands: typeof DEFAULT.commands, pattern: string) =>
    (commands ?? []).filter(({ patterns }) => patterns.some((one) => one.includes(pattern)))
      .map(({ limits, timeoutMs }) => [limits?.memory ?? null, timeoutMs ?? null]);
  const { policy } = policyFor({ "package.json": "{}", "yarn.lock": "" });
  const GiB = 2 ** 30;
  for (const { commands } of [DEFAULT, policy]) {
    assertEquals(memoryOf(commands, "realpath"), [[GiB / 2, 300_000]]);
    assertEquals(memoryOf(commands, "unexpand"), [[GiB, null]]);
    assertEquals(memoryOf(commands, "npm {install,"), [[4 * GiB, null]]);
    // Builds and tests, and what starts them, have the policy's own.
    for (const pattern of ["npm {test,", "go {build,", "pytest", "xargs", "find"]) {
      assertEquals(memoryOf(commands, pattern), [[null, null]], pattern);
    }
  }
  assertEquals(memoryOf(policy.commands, "yarn install"), [[4 * GiB, null]]);
  assertEquals(policy.limits?.memory, 2 * GiB);
});
