import { assert, assertEquals, assertThrows } from "@std/assert";
import { sealedPermissions } from "../../../../src/cli/seal/sealed_permissions.ts";
import { permissionFlags } from "../../../../src/sandbox/permission_flags.ts";
import { parsePolicy } from "../../../../src/policy/parse/parse.ts";

function flagsOf(text: string): readonly string[] {
  const parsed = parsePolicy(`version: 1\n${text}`, "test.yaml");
  assert("policy" in parsed, JSON.stringify(parsed));
  return permissionFlags(sealedPermissions({ source: "test.yaml", policy: parsed.policy }));
}

function valuesOf(flags: readonly string[], name: string): string[] | undefined {
  const flag = flags.find((text) => text.startsWith(`${name}=`));
  return flag?.slice(name.length + 1).split(",");
}

const PATHS = 'paths:\n  - { allow: [read], match: ["src/**", /opt/data/x] }\n' +
  '  - { allow: [write], match: ["out/**"] }\n  - { deny: [read], match: ["src/secret/**"] }\n';

Deno.test("sealedPermissions() names paths of the workspace from where the binary will be started", () => {
  const flags = flagsOf(PATHS);
  assertEquals(valuesOf(flags, "--allow-read"), ["./src", "/opt/data/x", "./out"]);
  assertEquals(valuesOf(flags, "--allow-write"), ["./out"]);
  assertEquals(valuesOf(flags, "--deny-read"), ["./src/secret"]);
});

Deno.test("sealedPermissions() puts a workspace below that directory before them", () => {
  assertEquals(valuesOf(flagsOf(`workspace: sub/\n${PATHS}`), "--allow-write"), ["./sub/out"]);
});

Deno.test("sealedPermissions() takes an absolute workspace as it is", () => {
  const flags = flagsOf(`workspace: /srv/site\n${PATHS}`);
  assertEquals(valuesOf(flags, "--allow-write"), ["/srv/site/out"]);
  assertEquals(valuesOf(flags, "--deny-read"), ["/srv/site/src/secret"]);
});

for (const workspace of ["..", "../other", "sub/../.."]) {
  Deno.test(`sealedPermissions() refuses the workspace ${workspace}`, () => {
    assertThrows(
      () => flagsOf(`workspace: ${workspace}\n${PATHS}`),
      Error,
      "leads out of the directory",
    );
  });
}

Deno.test("sealedPermissions() grants nothing that the policy has no use for", () => {
  const flags = flagsOf(PATHS);
  for (const name of ["--allow-run", "--allow-net", "--allow-sys", "--allow-all"]) {
    assertEquals(flags.filter((flag) => flag.startsWith(name)), []);
  }
});
