import { assert, assertEquals } from "@std/assert";
import { parse as parseYaml } from "@std/yaml";
import { Ajv } from "ajv";
import { policyJsonSchema } from "../../../../src/policy/parse/json_schema.ts";
import { parsePolicy } from "../../../../src/policy/parse/parse.ts";

/** Ajv's default build knows an earlier draft, in which the keywords used here mean the same. */
function validator() {
  const { $schema: _, ...schema } = policyJsonSchema();
  return new Ajv({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);
}

Deno.test("the schema of the policy language agrees with the parser about shapes", async (t) => {
  const valid = validator();
  const bodies: readonly [body: string, right: boolean][] = [
    ["name: a", true],
    ["nmae: a", false],
    ["name: 5", false],
    ["name:", false],
    ["risk: { allow: safe, ask: moderate }", true],
    ["risk: { allow: safe }", false],
    ["paths: [{ allow: [read], match: ['**'] }]", true],
    ["paths: [{ match: ['**'] }]", false],
    ["paths: [{ allow: [read], deny: [write], match: ['**'] }]", false],
    ["paths: [{ allow: [], match: ['**'] }]", false],
    ["paths: [{ allow: [run], match: ['**'] }]", false],
    ["commands: [{ allow: ls }]", false],
    ["commands: [{ allow: [ls], runs: none }]", true],
    ["commands: [{ ask: [npm], runs: any }]", true],
    ["commands: [{ allow: [npm], runs: [sh, git] }]", true],
    ["commands: [{ allow: [npm], runs: some }]", false],
    ["commands: [{ allow: [npm], runs: [] }]", false],
    ["commands: [{ allow: [npm], runs: [/bin/sh] }]", false],
    ["commands: [{ allow: [npm], limits: { memory: 4GiB, processes: 9 }, timeout: 5m }]", true],
    ["commands: [{ ask: [npm], limits: { file: 1MiB, cpu: 1h } }]", true],
    ["commands: [{ allow: [npm], limits: { read: 1MiB } }]", false],
    ["commands: [{ allow: [npm], limits: {} }]", false],
    ["commands: [{ allow: [npm], timeout: 5 }]", false],
    ["network: [{ allow: [a], methods: [GET] }]", true],
    ["network: [{ allow: [a], methods: [BREW] }]", false],
    ["extensions: { write: { deny: [.exe] } }", true],
    ["extensions: { write: { deny: [exe] } }", false],
    ["timeouts: { default: 30s, kill_grace: 0 }", true],
    ["timeouts: { default: 30 }", false],
    ["timeouts: { default: 0 }", false],
    ["limits: { read: 1MiB, write: 5 }", true],
    ["limits: { read: 1M }", false],
    ["limits: { depth: 0 }", false],
    ["agents: { 'a*': { permissions: [all] } }", true],
    ["agents: { 'a b': { permissions: [all] } }", false],
    ["agents: { a: { permissions: [some] } }", false],
    ["sandbox: { kernel: off }", true],
    ["sandbox: { kernel: false }", true],
    ["sandbox: { kernel: on }", false],
    ["sandbox: { system: [usr] }", false],
    ["environment: { set: { A: '1' } }", true],
    ["environment: { set: { A: 1 } }", false],
    ["environment: { pass: ['A*'] }", false],
    ["recovery: { timeout: { retries: 1, factor: 1.5 } }", true],
    ["recovery: { timeout: { retries: 1.5 } }", false],
  ];
  for (const [body, right] of bodies) {
    await t.step(body, () => {
      const yaml = `version: 1\n${body}\n`;
      assertEquals("policy" in parsePolicy(yaml, "x"), right, "the parser");
      assertEquals(valid(parseYaml(yaml, { schema: "core" })), right, "the schema");
    });
  }
});

Deno.test("the shipped policies fit the schema", async (t) => {
  const valid = validator();
  for (const name of ["default", "strict", "read-only", "ci"]) {
    await t.step(name, () => {
      const file = new URL(`../../../../policy/${name}.yaml`, import.meta.url);
      const value = parseYaml(Deno.readTextFileSync(file), { schema: "core" });
      assert(valid(value), JSON.stringify(valid.errors));
    });
  }
});

Deno.test("every key has a description", () => {
  const walk = (node: unknown, key: string): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, child] of Object.entries(node)) {
      if (name !== "properties") {
        walk(child, `${key}/${name}`);
        continue;
      }
      for (const [property, schema] of Object.entries(child as Record<string, object>)) {
        assert("description" in schema, `${key}/${property}`);
        walk(schema, `${key}/${property}`);
      }
    }
  };
  walk(policyJsonSchema(), "");
});

Deno.test("policy/policy.schema.json is what the one definition makes", () => {
  const file = new URL("../../../../policy/policy.schema.json", import.meta.url);
  // Made by: toolgate policy schema > policy/policy.schema.json
  assertEquals(JSON.parse(Deno.readTextFileSync(file)), policyJsonSchema());
});
