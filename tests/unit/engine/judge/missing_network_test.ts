/** A command that could only fail for want of a network is refused, and no other. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { CanonicalPath, ResolvedSpawnCapability } from "../../../../src/core/capability.ts";
import { missingNetwork } from "../../../../src/engine/judge/missing_network.ts";
import type { Settings } from "../../../../src/policy/rulebook.ts";
import { withDirectory } from "../../host/files/_temporary.ts";
import { rulebook, spawn } from "../../policy/_fixtures.ts";

const { settings: HELD } = rulebook([{ risk: { allow: "dangerous", ask: "dangerous" } }]);
const withSandbox = (sandbox: Partial<Settings["sandbox"]>) => ({
  networkOf: () => null,
  settings: {
    ...HELD,
    sandbox: {
      ...HELD.sandbox,
      network: "deny",
      kernel: "auto",
      ...sandbox,
    } as Settings["sandbox"],
  },
});

const install = spawn(["npm", "install", "x"]) as ResolvedSpawnCapability;

Deno.test("it is refused by name, with the key that would let it, and another way", () => {
  const error = missingNetwork("run_command", install, withSandbox({}));
  assertEquals(error?.code, "NETWORK_DENIED");
  for (const part of ['"npm install"', "sandbox.network: allow", "--offline"]) {
    assertStringIncludes(error?.message ?? "", part);
  }
});

Deno.test("where programs have a network, or nothing takes it from them, it may work", () => {
  for (const sandbox of [{ network: "allow" }, { kernel: "off" }] as const) {
    assertEquals(missingNetwork("run_command", install, withSandbox(sandbox)), null);
  }
});

Deno.test("what rules open to a program by name is its network", () => {
  const rules = {
    ...withSandbox({}),
    networkOf: ({ argv }: ResolvedSpawnCapability) => argv[0] === "npm" ? { hosts: ["a"] } : null,
  };
  assertEquals(missingNetwork("run_command", install, rules), null);
  const other = spawn(["pip", "install", "x"]) as ResolvedSpawnCapability;
  assertEquals(missingNetwork("run_command", other, rules)?.code, "NETWORK_DENIED");
});

Deno.test("of a repository's remotes each must be another machine's, as its own settings have it", () =>
  withDirectory((base) => {
    Deno.mkdirSync(`${base}/.git`);
    Deno.mkdirSync(`${base}/sub`);
    const held = withSandbox({});
    const rules = { ...held, settings: { ...held.settings, workspace: base } };
    const codeOf = (config: string | null, cwd: string = base) => {
      if (config !== null) Deno.writeTextFileSync(`${base}/.git/config`, config);
      const push = {
        ...spawn(["git", "push", "origin"]),
        cwd: cwd as CanonicalPath,
      } as ResolvedSpawnCapability;
      return missingNetwork("run_command", push, rules)?.code ?? null;
    };
    const far = '[remote "origin"]\n\turl = git@example.org:a/b.git\n';
    assertEquals(codeOf(null), null);
    assertEquals(codeOf("[core]\n\tbare = false\n"), null);
    assertEquals(codeOf(far), "NETWORK_DENIED");
    assertEquals(codeOf(null, `${base}/sub`), "NETWORK_DENIED");
    assertEquals(codeOf(`${far}[remote "b"]\n\turl = ../other\n`), null);
    assertEquals(codeOf(`${far}\tpushurl = /srv/b\n`), null);
    assertEquals(codeOf(`${far}[url "/srv/"]\n\tinsteadOf = git@example.org:\n`), null);
    assertEquals(codeOf(`${far}[include]\n\tpath = more\n`), null);
    assertEquals(codeOf(`${far}${"#".repeat(70_000)}`), null);
  }));
