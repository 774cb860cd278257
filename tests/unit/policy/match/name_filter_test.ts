import { assert, assertEquals } from "@std/assert";
import { matchesSegment, parseSegment } from "../../../../src/core/glob_segment.ts";
import { createNameFilter } from "../../../../src/policy/match/name_filter.ts";
import { Random } from "../../../random.ts";
import { at, pathRule, rulebook } from "../_fixtures.ts";

const ENCODER = new TextEncoder();

/** Whether the filter wants the name judged; it stands in the middle of other bytes. */
function suspects(filter: ReturnType<typeof createNameFilter>, name: string): boolean {
  const bytes = ENCODER.encode(`.env\0${name}\0.env`);
  return filter.suspects(bytes, 5, bytes.length - 5);
}

const CASES: readonly (readonly [
  rules: readonly string[],
  suspected: readonly string[],
  passed: readonly string[],
])[] = [
  [[".env"], [".env"], [".envrc", ".en", "env", "a.env", ".ENV"]],
  [[".env.*"], [".env.", ".env.local"], [".env", "x.env.local"]],
  [["*.pem"], [".pem", "a.pem"], ["pem", "a.pem.txt", "a.PEM"]],
  [["id_rsa*"], ["id_rsa", "id_rsa.pub"], ["id_rs", "my_id_rsa"]],
  [["a*z"], ["az", "abcz"], ["a", "z", "abc"]],
  [["*secret*"], ["secret", "my-secret.txt"], ["secre", "sec-ret"]],
  [["?"], ["a", "ab"], []],
  [["[ab]*"], ["a", "c"], []],
  [["\\*"], ["*"], ["a"]],
  [["größe", "*ß"], [], ["groesse", "ss"]],
  [[], [], ["a", ".env"]],
];

for (const [rules, suspected, passed] of CASES) {
  Deno.test(`names that ${rules.join(" and ") || "no rule"} could speak of`, () => {
    const filter = createNameFilter(rules.map(parseSegment), []);
    for (const name of suspected) assert(suspects(filter, name), name);
    for (const name of passed) assert(!suspects(filter, name), name);
  });
}

Deno.test("endings are those of names in any case", () => {
  const filter = createNameFilter([], [".exe", ".so", "~"]);
  for (const name of ["a.exe", ".EXE", "a.eXe", "lib.SO", "a~"]) {
    assert(suspects(filter, name), name);
  }
  for (const name of ["exe", "a.ex", "so", "a.sos"]) assert(!suspects(filter, name), name);
});

Deno.test("no pattern matches an ASCII name that the filter passes, over generated patterns and names", () => {
  const random = new Random(4_711);
  const pieces = ["a", "b", ".", "env", "A", "*", "?", "[ab]", "[!a]", "\\*", "ß", "_"];
  const letters = ["a", "b", ".", "env", "A", "_", "*", "-"];
  let matched = 0;
  let passed = 0;
  for (let round = 0; round < 3_000; round++) {
    const sources = Array.from({ length: 1 + random.below(4) }, () => random.text(5, pieces))
      .filter((source) => source !== "");
    const rules = sources.map(parseSegment);
    const filter = createNameFilter(rules, []);
    for (let tried = 0; tried < 8; tried++) {
      const name = `${random.pick(letters)}${random.text(5, letters)}`;
      const matches = rules.some((rule) =>
        typeof rule === "string" ? rule === name : matchesSegment(rule, name)
      );
      const suspected = suspects(filter, name);
      if (matches) {
        matched++;
        assert(suspected, `${JSON.stringify(sources)} matches ${JSON.stringify(name)}`);
      }
      if (!suspected) passed++;
    }
  }
  assert(matched > 2_000 && passed > 2_000, `${matched} matched, ${passed} passed`);
});

Deno.test("names that the filter passes fare as usual, over generated policies", () => {
  const random = new Random(815);
  const globs = [
    "**/.env",
    "**/*.pem",
    "a/**",
    "*/b",
    "**/.git/**",
    "b/**/c*",
    "**/[ab]",
    "**",
    "a/b/c",
  ];
  const names = ["a", "b", "c", "cx", ".env", "x.pem", ".git", "plain", "y.exe", "Z.EXE"];
  let passed = 0;
  for (let round = 0; round < 400; round++) {
    const policies = Array.from({ length: 1 + random.below(2) }, () => ({
      paths: Array.from(
        { length: 1 + random.below(4) },
        () => {
          const effect = random.pick(["allow", "allow", "ask", "deny"] as const);
          const outside = [random.pick(["a", "cx"])];
          return pathRule(effect, [random.pick(globs)], undefined, {
            ...(effect !== "allow" && random.once(3) ? { outside } : {}),
          });
        },
      ),
      extensions: {
        read: random.once(3) ? { allow: random.once(2) ? [".pem"] : null, deny: [".exe"] } : null,
        write: null,
      },
    }));
    let judge = rulebook(policies).judgeBelow("read", at("."));
    for (let depth = random.below(3); depth > 0; depth--) judge = judge.into(random.pick(names));
    const told = judge.names();
    assert(told !== null);
    const filter = createNameFilter(told.rules, told.endings);
    const judges: string[] = [];
    for (const name of names) {
      if (suspects(filter, name)) continue;
      passed++;
      for (const kind of ["file", "directory"] as const) {
        assertEquals(judge.effectOf(name, kind), told.usual[kind], `${name} in round ${round}`);
      }
      const below = judge.into(name);
      judges.push(JSON.stringify([below.mayDeny, below.names()]));
    }
    assertEquals(new Set(judges).size, Math.min(judges.length, 1));
  }
  assert(passed > 1_000, `${passed}`);
});

Deno.test("where case is ignored, every name is to be judged", () => {
  const policies = [{ paths: [pathRule("allow", ["**"]), pathRule("deny", ["**/.env"])] }];
  assertEquals(
    rulebook(policies, { caseInsensitive: true }).judgeBelow("read", at(".")).names(),
    null,
  );
  assert(rulebook(policies).judgeBelow("read", at(".")).names() !== null);
});
