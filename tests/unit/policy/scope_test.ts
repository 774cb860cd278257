import { assert, assertEquals } from "@std/assert";
import { compileRulebook } from "../../../src/policy/compile_rulebook.ts";
import type { Policy } from "../../../src/policy/model.ts";
import type { PolicyScope } from "../../../src/policy/rulebook.ts";
import { Random } from "../../random.ts";
import { at, canonical, commandRule, pathRule, policy, rulebook } from "./_fixtures.ts";

function hosts(effect: "allow" | "ask" | "deny", list: readonly string[]) {
  return { effect, hosts: list, methods: null, allowPrivate: false };
}

const CASES: readonly [
  name: string,
  policies: readonly Partial<Policy>[],
  expected: Partial<PolicyScope>,
][] = [
  ["nothing allowed is nothing", [{}], {
    read: [],
    write: [],
    denyRead: [],
    denyWrite: [],
    programs: [],
    hosts: [],
  }],
  ["the workspace", [{ paths: [pathRule("allow", ["**"])] }], {
    read: [at(".")],
    write: [at(".")],
  }],
  ["up to the first wildcard", [{
    paths: [
      pathRule("allow", ["src/**/*.ts", "docs/*/x", "/data/{a,b}/**", "README.md"], ["read"]),
      pathRule("ask", ["out/**"], ["write"]),
    ],
  }], {
    read: ["/data/a", "/data/b", at("README.md"), at("docs"), at("src")].map(canonical),
    write: [at("out")],
  }],
  ["what lies in another is left out", [{
    paths: [pathRule("allow", ["src/a/**", "src/**", "src/a", "srcs/**"], ["read"])],
  }], { read: [at("src"), at("srcs")] }],
  ["what is denied does not count as reachable", [{ paths: [pathRule("deny", ["**"])] }], {
    read: [],
    denyRead: [at(".")],
  }],
  ["whole folders that are denied", [{
    paths: [
      pathRule("deny", [".git/**", "secrets", "a/{b,c}/**", "/etc/**"], ["write"]),
      pathRule("deny", ["**/.env", "x/*/**", "y/**/z", "w*"], ["read", "write"]),
    ],
  }], {
    denyWrite: ["/etc", at(".git"), at("a/b"), at("a/c"), at("secrets")].map(canonical),
    denyRead: [],
  }],
  ["programs", [{
    commands: [
      commandRule("allow", ["git {status,log}", "{npm,npx} test", "./x.sh"]),
      commandRule("ask", ["rm", "git push"]),
      commandRule("deny", ["sudo"]),
    ],
  }], { programs: ["./x.sh", "git", "npm", "npx", "rm"] }],
  ["programs by wildcard", [{ commands: [commandRule("allow", ["ls", "g*"])] }], {
    programs: "any",
  }],
  ["a wildcard that denies is none", [{
    commands: [commandRule("allow", ["ls"]), commandRule("deny", ["*"])],
  }], { programs: ["ls"] }],
  ["hosts", [{
    network: [hosts("allow", ["A.com", "b.com:443", "[::1]:80"]), hosts("deny", ["*"])],
  }], {
    hosts: ["a.com", "b.com"],
  }],
  ["hosts by wildcard", [{ network: [hosts("ask", ["*.a.com"])] }], { hosts: "any" }],
  ["several policies: what all cover", [
    { paths: [pathRule("allow", ["**"])], commands: [commandRule("allow", ["*"])] },
    {
      paths: [pathRule("allow", ["src/**", "/data/**"])],
      commands: [commandRule("allow", ["ls", "cat"])],
    },
    { paths: [pathRule("allow", ["src/a/**", "lib/**"])], commands: [commandRule("ask", ["cat"])] },
  ], { read: [at("src/a")], write: [at("src/a")], programs: ["cat"] }],
  ["several policies: silent ones take nothing away", [
    { paths: [pathRule("allow", ["**"])], commands: [commandRule("allow", ["ls"])] },
    {},
  ], { read: [at(".")], programs: ["ls"] }],
  ["several policies: empty ones take all", [
    { paths: [pathRule("allow", ["**"])], commands: [commandRule("allow", ["ls"])] },
    { paths: [], commands: [], network: [] },
  ], { read: [], programs: [], hosts: [] }],
  ["several policies: what any denies", [
    { paths: [pathRule("deny", ["a"])] },
    { paths: [pathRule("deny", ["b/**"])] },
  ], { denyRead: [at("a"), at("b")] }],
  ["several policies: a name and a path may be one program", [
    { commands: [commandRule("allow", ["python3", "ls"])] },
    { commands: [commandRule("allow", ["/usr/bin/python3"])] },
  ], { programs: ["/usr/bin/python3"] }],
  ["several policies: hosts", [
    { network: [hosts("allow", ["a.com", "b.com:80", "c.com:1"])] },
    { network: [hosts("allow", ["a.com:443", "b.com", "c.com:2", "d.com"])] },
    { network: [hosts("allow", ["*"])] },
  ], { hosts: ["a.com", "b.com"] }],
];

for (const [name, policies, expected] of CASES) {
  Deno.test(`scope: ${name}`, () => {
    const { scope } = rulebook(policies);
    for (const [key, value] of Object.entries(expected)) {
      assertEquals(scope[key as keyof PolicyScope], value, key);
    }
  });
}

Deno.test("scope: the globs of each policy start at its own workspace", () => {
  const place = (source: string, workspace: string, glob: string) => ({
    source,
    workspace: canonical(workspace),
    policy: policy({ paths: [pathRule("allow", [glob])] }),
  });
  const policies = [place("a", "/w", "x/**"), place("b", "/w/x", "**")];
  assertEquals(compileRulebook(policies, { system: [] }).scope.read, [canonical("/w/x")]);
});

Deno.test("fuzz: whatever is granted lies in the scope, whatever the scope denies is denied", () => {
  const random = new Random(11);
  const globs = [
    "**",
    "a",
    "a/**",
    "a/b/**",
    "*/b",
    "**/c",
    "b/*.x",
    "{a,b}/c",
    "/d/**",
    "/d/e",
    ".",
  ];
  const paths = [".", "a", "a/b", "a/b/c", "b/c", "b/y.x", "/d", "/d/e", "/d/e/f", "c", "a/c/x"]
    .map(at);
  const rules = () =>
    Array.from(
      { length: random.below(4) },
      () =>
        pathRule(random.pick(["allow", "allow", "ask", "deny"]), [
          random.pick(globs),
          random.pick(globs),
        ], [
          random.pick(["read", "write"]),
        ]),
    );
  let granted = 0;
  for (let round = 0; round < 1000; round++) {
    const policies = Array.from({ length: 1 + random.below(3) }, () => ({ paths: rules() }));
    const book = rulebook(policies);
    const lies = (path: string, within: readonly string[]) =>
      within.some((one) => path === one || path.startsWith(`${one}/`));
    for (const path of paths) {
      const label = () => `${JSON.stringify(policies)} ${path}`;
      for (const access of ["read", "write"] as const) {
        const { effect } = book.judgePath(access, path);
        const denied = access === "read" ? book.scope.denyRead : book.scope.denyWrite;
        if (effect !== "deny") {
          granted++;
          if (!lies(path, book.scope[access])) throw new Error(label());
        }
        if (lies(path, denied) && effect !== "deny") throw new Error(label());
      }
    }
  }
  assert(granted > 500);
});
