import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import type { Invocation } from "../../../../src/cli/invocation.ts";
import { testFile } from "../../../../src/cli/policy/_cases.ts";
import { fromSource } from "../../../../src/cli/from_source.ts";
import { UsageError } from "../../../../src/cli/usage_error.ts";

const POLICIES = fromFileUrl(new URL("../../../../policy", import.meta.url));

function invocation(values: Invocation["values"] = {}): Invocation {
  return { words: [], values, switches: new Set(), embedded: fromSource(), commands: {} };
}

/** Programs are looked for through the C library, which stays open as long as the process. */
const LIBRARY_STAYS = { sanitizeResources: false };

for (const name of ["default", "strict", "read-only", "ci"]) {
  const title = `the shipped policy ${name} says what the cases beside it expect`;
  Deno.test(title, LIBRARY_STAYS, async () => {
    const { failures, cases } = await testFile(invocation(), {
      file: join(POLICIES, `${name}.test.yaml`),
      policies: [join(POLICIES, `${name}.yaml`)],
    });
    assertEquals(failures, []);
    assertEquals(cases > 10, true);
  });
}

async function withFiles<T>(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
  try {
    for (const [name, text] of Object.entries(files)) {
      Deno.writeTextFileSync(join(folder, name), text);
    }
    return await use(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const POLICY = `version: 1
paths: [{ allow: [read], match: ["**"] }, { deny: [read], match: [secret] }]
commands: [{ allow: [ls] }, { deny: [rm] }]
`;

Deno.test("a case fails by its effect, its code, its rule, its risk, or by being no request at all", async () => {
  const cases = `version: 1
files: { link: { link: secret } }
cases:
  - { tool: read_file, args: { path: a }, effect: deny }
  - { tool: read_file, args: { path: secret }, effect: deny, code: PATH_OUTSIDE_WORKSPACE }
  - { tool: read_file, args: { path: secret }, effect: deny, rule: "paths[0]" }
  - { tool: read_file, args: { path: a }, effect: allow, risk: dangerous }
  - { tool: raed_file, args: { path: a }, effect: deny }
  - { tool: read_file, args: { pth: a }, effect: deny }
  - { tool: read_file, args: { pth: a }, effect: deny, code: INVALID_ARGUMENTS }
  - { tool: read_file, args: { path: link }, effect: deny, rule: "policy.yaml paths[1]" }
`;
  await withFiles({ "policy.yaml": POLICY, "x.yaml": cases }, async (folder) => {
    const { failures, missed, rules } = await testFile(invocation(), {
      file: join(folder, "x.yaml"),
      policies: [join(folder, "policy.yaml")],
    });
    assertEquals(failures.map(({ index, wrong }) => [index, ...wrong]), [
      [0, "effect"],
      [1, "code"],
      [2, "rule"],
      [3, "risk"],
      [4, "case"],
      [5, "case"],
    ]);
    assertEquals([rules, missed.map(({ index }) => index).sort()], [4, [
      "commands[0]",
      "commands[1]",
    ]]);
  });
});

Deno.test("what is laid out is gone afterwards, and nothing is laid out elsewhere", async () => {
  const before = () => [...Deno.readDirSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }))];
  assertEquals(before(), []);
  const through = `version: 1
files: { a: { link: OUTSIDE }, a/b: text }
cases: [{ tool: read_file, args: { path: x }, effect: allow }]
`;
  await withFiles({ "policy.yaml": POLICY }, async (folder) => {
    const outside = join(folder, "outside");
    Deno.mkdirSync(outside);
    Deno.writeTextFileSync(join(folder, "x.yaml"), through.replace("OUTSIDE", outside));
    const error = await assertRejects(
      () => testFile(invocation(), { file: join(folder, "x.yaml"), policies: [] }),
      UsageError,
    );
    assertStringIncludes(error.message, "laid out");
    assertEquals([...Deno.readDirSync(outside)], []);
  });
});

Deno.test("a named workspace is judged in, and nothing is laid out there", async () => {
  const plain = "version: 1\ncases: [{ tool: read_file, args: { path: here }, effect: allow }]\n";
  const files = { "policy.yaml": POLICY, "x.yaml": plain, "y.yaml": `${plain}files: { a: b }\n` };
  await withFiles(files, async (folder) => {
    const policies = [join(folder, "policy.yaml")];
    const at = (file: string) => ({ file: join(folder, file), policies });
    const { failures } = await testFile(invocation({ root: [folder] }), at("x.yaml"));
    assertEquals(failures, []);
    await assertRejects(
      () => testFile(invocation({ root: [folder] }), at("y.yaml")),
      UsageError,
      "--root",
    );
  });
});
