import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type Finding,
  finding,
  isHealthy,
  notEnforced,
  table,
} from "../../../../src/cli/doctor/_findings.ts";

const AUTO = { kernel: "auto", bubblewrap: "off" } as const;

function one(layer: Finding["layer"], holds: boolean | null, absent = false): Finding {
  const made = finding(layer, "file read", "a", holds, "d");
  return absent ? { ...made, absent: true } : made;
}

Deno.test("healthy: nothing there lets through, nothing required is missing", () => {
  const cases: readonly (readonly [Finding, Parameters<typeof isHealthy>[1], boolean])[] = [
    [one("policy", true), AUTO, true],
    [one("policy", false), AUTO, false],
    [one("runtime", false), { ...AUTO, kernel: "off" }, false],
    [one("landlock", null), { ...AUTO, kernel: "required" }, true],
    [one("landlock", false, true), AUTO, true],
    [one("landlock", false, true), { ...AUTO, kernel: "required" }, false],
    // A layer that is here and lets something through is worse than none.
    [one("landlock", false), AUTO, false],
    [one("seccomp", false), { ...AUTO, kernel: "required" }, false],
    [one("bubblewrap", false), AUTO, true],
    [one("bubblewrap", false), { ...AUTO, bubblewrap: "auto" }, true],
    [one("bubblewrap", false), { ...AUTO, bubblewrap: "required" }, false],
    [one("bubblewrap", true), { ...AUTO, bubblewrap: "required" }, true],
  ];
  for (const [found, required, healthy] of cases) {
    assertEquals(isHealthy([found], required), healthy, JSON.stringify([found, required]));
  }
});

Deno.test("what a platform leaves open is said", () => {
  for (const [os, name] of [["darwin", "macOS"], ["windows", "Windows"]] as const) {
    const lines = notEnforced(os, []);
    assertStringIncludes(lines[0] ?? "", name);
    assertStringIncludes(lines[0] ?? "", "programs");
  }
  assertEquals(notEnforced("linux", [one("landlock", true)]), []);
  assert(notEnforced("linux", [one("landlock", false, true)])[0]?.includes("landlock"));
});

Deno.test("the table has a line for each where the screen has room for it, and wraps what was tried where not", () => {
  const findings = [
    finding("policy", "file read", "judge a path", true, "judged: deny"),
    finding("landlock", "network connect", "connect to a port", null, "the policy has none"),
  ];
  const wide = [
    "policy      file read        holds      judge a path       judged: deny",
    "landlock    network connect  not tried  connect to a port  the policy has none",
  ];
  assertEquals(table(findings, null), wide.join("\n"));
  assertEquals(table(findings, 78), wide.join("\n"));
  const narrow = [
    "policy      file read        holds",
    "    judge a path: judged: deny",
    "landlock    network connect  not tried",
    "    connect to a port: the policy has",
    "    none",
  ];
  assertEquals(table(findings, 40), narrow.join("\n"));
});
