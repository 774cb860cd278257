import { assert, assertEquals } from "@std/assert";
import { ownFiles } from "../../../src/sandbox/own_files.ts";
import { rulebook } from "../policy/_fixtures.ts";
import { parsePolicy } from "../../../src/policy/parse/parse.ts";

Deno.test("ownFiles: where keys and authorities lie, and no variable", () => {
  assertEquals(ownFiles({}), []);
  const text = `version: 1
web:
  search: { provider: brave, key: { env: BRAVE } }
  github: { token: { file: /keys/github } }
  authorities: [/keys/ca.pem]
secrets:
  - { host: a.example, header: Authorization, value: { file: /keys/a }, commands: [a] }
  - { host: b.example, header: Authorization, value: { env: B }, commands: [b] }
`;
  const parsed = parsePolicy(text, "p.yaml");
  assert("policy" in parsed, JSON.stringify(parsed));
  const { settings } = rulebook([parsed.policy]);
  assertEquals(ownFiles(settings), ["/keys/github", "/keys/a", "/keys/ca.pem"]);
});
