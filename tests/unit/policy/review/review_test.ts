import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { compileRulebook } from "../../../../src/policy/compile_rulebook.ts";
import { parsePolicy, renderProblems } from "../../../../src/policy/parse/parse.ts";
import { type PolicyWarning, reviewPolicies } from "../../../../src/policy/review/review.ts";
import { createRegistry } from "../../../../src/tools/registry.ts";
import { ACTIONS, canonical, WORKSPACE } from "../_fixtures.ts";

const KEY = "secrets:\n  - { host: a.com, header: X-Key, value: { env: K }, commands: [npm] }";

function placed(yaml: string, source: string, workspace = WORKSPACE) {
  const parsed = parsePolicy(`version: 1\n${yaml}`, source);
  assert("policy" in parsed, "problems" in parsed ? renderProblems(parsed.problems) : "");
  return { source, policy: parsed.policy, workspace: canonical(workspace) };
}

function review(yamls: readonly string[], steps?: number): readonly PolicyWarning[] {
  const policies = yamls.map((yaml, at) => placed(yaml, `p${at + 1}.yaml`));
  return reviewPolicies(policies, {
    reviewed: policies.length,
    rulebook: compileRulebook(policies, { system: [], actions: ACTIONS }),
    tools: createRegistry(),
    ...(steps === undefined ? {} : { steps }),
  });
}

/** One policy, or several: the keys that are warned of (`p2:` before those of a further one), with a word of each. */
const CASES: readonly (readonly [
  name: string,
  policies: readonly string[],
  expected: readonly (readonly [key: string, word: string])[],
])[] = [
  [
    "nothing odd",
    ['paths: [{ allow: [read], match: ["**"] }, { deny: [read], match: ["a/**"] }]'],
    [],
  ],
  ["allowed, and as risky as it is", [
    "commands: [{ allow: [rm] }, { allow: [rm -r], risk: dangerous }]",
  ], []],
  ["allowed, and denied whole", [
    'paths: [{ allow: [read], match: ["secret/**"] }, { deny: [read], match: ["s*/**"] }]',
  ], [["paths[0].match[0]", "paths[1]"]]],
  ["denied by a folder above", [
    "paths: [{ allow: [read], match: [a/b/c] }, { deny: [read], match: [a] }]",
  ], [["paths[0].match[0]", "denied by paths[1]"]]],
  ["denied by two together", [
    'paths: [{ ask: [write], match: ["{a,b}/**"] }, { deny: [write], match: ["a"] }, { deny: [write], match: [b] }]',
  ], [["paths[0].match[0]", "paths[1] and paths[2]"]]],
  ["for one of two accesses", [
    'paths: [{ allow: [read, write], match: [a] }, { deny: [write], match: ["*"] }]',
  ], [["paths[0].match[0]", "never allow writing"]]],
  ["not quite denied", [
    'paths: [{ allow: [read], match: ["a*"] }, { deny: [read], match: ["a?*"] }]',
  ], []],
  ["classes", [
    'paths: [{ allow: [read], match: ["[b-d]"] }, { deny: [read], match: ["[a-z]"] }]',
  ], [["paths[0].match[0]", "denied"]]],
  ["said twice", [
    'paths: [{ allow: [read], match: ["**"] }, { allow: [read], match: ["src/**"] }]',
  ], [["paths[1].match[0]", "paths[0] says the same"]]],
  ["said twice in one rule", [
    'paths: [{ deny: [read], match: ["a/**", a/b] }]',
  ], [["paths[0].match[1]", "another entry of this rule"]]],
  ["an ask above grants nothing below", [
    'paths: [{ ask: [read], match: [a] }, { ask: [read], match: ["a/**"] }]',
  ], []],
  ["a further policy that would widen", [
    'paths: [{ allow: [read], match: ["**"] }]',
    'paths: [{ allow: [read], match: ["**", "/srv/**"] }, { allow: [write], match: ["**"] }]',
  ], [["p2:paths[0].match[1]", "only tighten"], ["p2:paths[1].match[0]", "only tighten"]]],
  ["denied by a further policy", [
    "paths: [{ allow: [read], match: [a, b] }]",
    'paths: [{ allow: [read], match: ["**"] }, { deny: [read], match: [a] }]',
  ], [["paths[0].match[0]", "p2.yaml paths[1]"]]],
  ["a command that is always denied", [
    "commands: [{ allow: [git push --dry-run, git log] }, { deny: [git push] }]",
  ], [["commands[0].allow[0]", "commands[1] denies"]]],
  ["a command that is always asked for", [
    "commands: [{ allow: [rm x] }, { ask: [rm] }]",
  ], [["commands[0].allow[0]", "asks for"]]],
  ["a command within a group", [
    'commands: [{ ask: ["git {push,pull}"] }, { deny: [git push] }, { deny: ["git pu?l", git pull] }]',
  ], [["commands[0].ask[0]", "commands[1] and commands[2]"]]],
  ["an exact rule covers only itself", [
    "commands: [{ allow: [git log] }, { deny: [git log], exact: true }]",
  ], []],
  ["what a rule leaves to others", [
    "commands: [{ allow: [git tag -l] }, { ask: [git tag], except: [git tag -l] }]",
  ], []],
  // The second also holds where options stand before its word: "git -C a x".
  ["a word that an option may go before", [
    'commands: [{ deny: ["git {x,-y}"] }, { deny: [git x] }]',
  ], []],
  ["a command said twice", ["commands: [{ allow: [ls] }, { allow: [ls -l] }]"], [
    ["commands[1].allow[0]", "commands[0] says the same"],
  ]],
  ["a further policy cannot allow another program", [
    "commands: [{ allow: [ls] }]",
    "commands: [{ allow: [ls, git] }]",
  ], [["p2:commands[0].allow[1]", "only tighten"]]],
  ["hosts", [
    'network: [{ allow: [a.com, b.com] }, { deny: ["*.com"] }]',
  ], [["network[0].allow[0]", "denies"], ["network[0].allow[1]", "denies"]]],
  ["a host at another port", ['network: [{ allow: ["a.com:80"] }, { deny: ["a.com:443"] }]'], []],
  ["a key for a host that is opened", [
    `network: [{ allow: [a.com], commands: [npm] }]\n${KEY}`,
  ], []],
  ["a key for a host that only tools reach", [`network: [{ allow: [a.com] }]\n${KEY}`], [
    ["secrets[0].host", "never used"],
  ]],
  ...[
    "[pip]",
    '["npm ci"]',
    '["/opt/x/npm {ci,audit}"]',
  ].map((commands): typeof CASES[number] => [
    `a key for other programs than ${commands}`,
    [
      `network: [{ allow: [a.com], commands: ${commands} }]\n${
        KEY.replace("[npm]", '["npm install"]')
      }`,
    ],
    [["secrets[0].host", "never used"]],
  ]),
  ...[
    '["npm {ci,install}"]',
    '["npm i*"]',
    '["*"]',
    "[/usr/bin/npm]",
    '["npm install --force"]',
    "[pip, npm]",
  ].map((commands): typeof CASES[number] => [
    `a key for what may be among ${commands}`,
    [
      `network: [{ allow: [a.com], commands: ${commands} }]\n${
        KEY.replace("[npm]", '["npm install"]')
      }`,
    ],
    commands === '["*"]' ? [["network[0].allow[0]", "whatever"]] : [],
  ]),
  ["two keys in one variable", [
    `network: [{ allow: [a.com], commands: [npm] }]\n${KEY}\n${KEY.split("\n")[1]}`,
  ], [["secrets[1]", "same variable"]]],
  [
    "a host for other programs",
    ["network: [{ allow: [a.com], commands: [npm] }, { allow: [a.com], commands: [pip] }, { allow: [a.com] }]"],
    [],
  ],
  ["a host for the same program twice", [
    "network: [{ allow: [a.com], commands: [npm, pip] }, { allow: [a.com], commands: [npm] }]",
  ], [["network[1].allow[0]", "says the same"]]],
  ["a host for a program that all are denied", [
    "network: [{ allow: [a.com], commands: [npm] }, { deny: [a.com] }]",
  ], [["network[0].allow[0]", "denies"]]],
  ["every host for a program", ['network: [{ allow: ["*"], commands: [npm] }]'], [
    ["network[0].allow[0]", "opens every public host"],
  ]],
  ["a host for every program", ['network: [{ allow: [a.com], commands: ["* x", npm] }]'], [
    ["network[0].allow[0]", "whatever"],
  ]],
  ["private without leave", ["network: [{ allow: [127.0.0.1, localhost] }]"], [
    ["network[0].allow[0]", "allow_private"],
    ["network[0].allow[1]", "allow_private"],
  ]],
  ["endings", ["extensions: { write: { allow: [.ts, .d.ts], deny: [.d.ts] } }"], [
    ["extensions.write.allow[1]", "also denied"],
  ]],
  ["agents", ['agents: { "a*": { permissions: [all] }, "a**": { permissions: [] } }'], [
    ['agents["a**"]', '"a*"'],
  ]],
  ["tools", ["tools: { raed_file: { enabled: false }, read_file: { risk: safe }, fs.read: {} }"], [
    ["tools.raed_file", "read_file"],
    ['tools["fs.read"]', "same tool"],
  ]],
  ["other tools for one that fails", [
    "recovery: { alternatives: { search_files: [find_fils, list_directory] } }",
  ], [["recovery.alternatives.search_files[0]", "no tool named"]]],
  ["no kernel", ["sandbox: { kernel: off }"], [["sandbox.kernel", "auto"]]],
  ["no kernel, and required after all", [
    "sandbox: { kernel: off }",
    "sandbox: { kernel: required }",
  ], []],
  ["transports that the git tools do not speak", [
    "git: { protocols: [https, http, file, ssh, git] }",
  ], [["git.protocols[3]", "ssh"], ["git.protocols[4]", "write https"]]],
  ["and where lines could use them", [
    "git: { protocols: [ssh] }\nsandbox: { network: allow }",
  ], [["git.protocols[0]", "in command lines alone"]]],
  ["all risks", ["risk: { allow: dangerous, ask: dangerous }"], [["risk.allow", "moderate"]]],
];

for (const [name, policies, expected] of CASES) {
  Deno.test(`review: ${name}`, () => {
    const found = review(policies);
    const key = ({ policy, key }: PolicyWarning) => (policy > 0 ? `p${policy + 1}:` : "") + key;
    assertEquals(found.map(key), expected.map(([at]) => at), JSON.stringify(found, null, 1));
    expected.forEach(([, word], at) => assertStringIncludes(found[at]?.message ?? "", word));
  });
}

const WRITABLE = 'paths: [{ allow: [read, write], match: ["**"] }]\n';

Deno.test("interpreters that may run anything are named with what they could run, and with what to write", () => {
  const programs = [
    "python3",
    "python3.11",
    "node",
    "bash",
    "sh",
    "perl",
    "ruby",
    "deno",
  ];
  for (const program of programs) {
    const found = review([`${WRITABLE}commands: [{ allow: [ls, ${program}] }]`]);
    assertEquals(found.map(({ key }) => key), ["commands[0].allow[1]"], program);
    assertStringIncludes(found[0]?.message ?? "", `run "${program} `);
  }
  const wild = review([`${WRITABLE}commands: [{ allow: ["*"] }]`]);
  assertEquals(wild.map(({ key }) => key), ["commands[0].allow[0]"]);
  assertStringIncludes(wild[0]?.message ?? "", "every program");
});

Deno.test("interpreters that are limited, asked for, denied or meant are no warning", () => {
  for (
    const commands of [
      "[{ allow: [python3 -m pytest, node --test, deno test, perl tools/x.pl] }]",
      "[{ ask: [python3] }]",
      "[{ allow: [bash], exact: true }]",
      "[{ allow: [python3] }, { ask: [python3] }]",
      // What these start is judged as if it stood alone.
      "[{ allow: [ls, env, timeout, nice, find] }]",
    ]
  ) {
    const found = review([`${WRITABLE}commands: ${commands}`]);
    assertEquals(found.filter(({ message }) => message.includes("lets an agent")), [], commands);
  }
  const meant = review([`${WRITABLE}commands: [{ allow: [python3], reason: our scripts }]`]);
  assertEquals(meant.map(({ accepted }) => accepted), ["our scripts"]);
});

Deno.test("code in an argument counts where the policy lets what is dangerous run", () => {
  const bash = (risk: string) =>
    review([`${WRITABLE}risk: ${risk}\ncommands: [{ allow: ["python3 -c"] }]`])
      .some(({ key }) => key.startsWith("commands"));
  assertEquals(bash("{ allow: moderate, ask: dangerous }"), false);
  assertEquals(bash("{ allow: dangerous, ask: dangerous }"), true);
});

Deno.test("a stricter policy beside it takes the warning away", () => {
  const loose = `${WRITABLE}commands: [{ allow: [python3] }]`;
  assertEquals(review([loose]).length, 1);
  assertEquals(
    review([loose, "risk: { allow: safe, ask: dangerous }"]).filter(({ message }) =>
      message.includes("lets an agent")
    ),
    [],
  );
});

Deno.test("a review ends where its steps do, and says so", () => {
  const rules = Array.from(
    { length: 3000 },
    (_, at) => `  - { allow: [read], match: ["**/*${at}?x*"] }`,
  );
  const yaml = `paths:\n${rules.join("\n")}\n  - { deny: [read], match: ["**"] }`;
  const found = review([yaml], 10_000);
  assertStringIncludes(found.at(-1)?.message ?? "", "too many rules");
  const all = review([yaml.replaceAll("?x", "")]);
  assertEquals(all.length, 3000);
});
