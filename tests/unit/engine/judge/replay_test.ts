import { assert, assertEquals } from "@std/assert";
import { REDACTED } from "../../../../src/audit/secrets.ts";
import type { ReadRecord } from "../../../../src/audit/select.ts";
import { replayDecision, type Unjudged } from "../../../../src/engine/judge/replay.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { commandRule, pathRule } from "../../policy/_fixtures.ts";
import { openEngine } from "../_stand_ins.ts";

/** The C library is opened once a process and never closed. */
const LIBRARY_STAYS = { sanitizeResources: false };

const NOW: Partial<Policy> = {
  risk: { allow: "dangerous", ask: "dangerous" },
  paths: [pathRule("allow", ["**"]), pathRule("deny", ["shut/**"])],
  commands: [commandRule("allow", ["cat"]), commandRule("deny", ["rm"])],
  agents: { root: { permissions: ["all"] } },
};

const RECORD: ReadRecord = {
  time: "2026-11-22T12:00:00.000Z",
  call: "c-1",
  agent: "root",
  tool: "read_file",
  description: "Read file: a",
  effect: "allow",
  rule: "old.yaml paths[9]",
  capabilities: [{ kind: "fs.read", path: "a", tree: false }],
};

async function replayed(parts: Readonly<Record<string, unknown>>, sections = NOW) {
  await using workspace = new Workspace({ "a": "x" });
  const engine = openEngine(workspace.root, sections);
  const result = await replayDecision(engine, { ...RECORD, ...parts });
  await engine.runner.close();
  return result;
}

Deno.test(
  "a decision is told as it was and as it would be, with the rules behind both",
  LIBRARY_STAYS,
  async () => {
    assertEquals(await replayed({}), {
      time: "2026-11-22T12:00:00.000Z",
      call: "c-1",
      agent: "root",
      tool: "read_file",
      description: "Read file: a",
      then: "allow",
      now: "allow",
      rules: { then: "old.yaml paths[9]", now: null },
      reason: "reading a is allowed by p1.yaml paths[0]",
      redacted: false,
    });
  },
);

Deno.test("what was needed then is judged by the rules of now", LIBRARY_STAYS, async () => {
  const file = (path: string, kind = "fs.read") => ({ kind, path, tree: false });
  const spawn = (...argv: readonly string[]) => ({ kind: "process.spawn", argv, cwd: "." });
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, string, string | null])[] = [
    [{ capabilities: [file("shut/a")] }, "deny", "p1.yaml paths[1]"],
    [{ capabilities: [file("x/../shut/a")] }, "deny", "p1.yaml paths[1]"],
    [{ capabilities: [file("../outside")] }, "deny", "p1.yaml paths"],
    [{ capabilities: [file("/etc/passwd")] }, "deny", "p1.yaml paths"],
    [{ tool: "run_command", capabilities: [spawn("cat", "a")] }, "allow", null],
    [{ tool: "run_command", capabilities: [spawn("rm", "a")] }, "deny", "p1.yaml commands[1]"],
    [
      { capabilities: [{ kind: "net.connect", host: "a.example", port: 443 }] },
      "deny",
      "p1.yaml network",
    ],
    [{ agent: "stranger" }, "deny", "p1.yaml agents"],
  ];
  for (const [parts, now, rule] of cases) {
    const result = await replayed({ ...parts, effect: "ask" });
    assert(typeof result === "object", JSON.stringify([parts, result]));
    assertEquals([result.then, result.now, result.rules.now], ["ask", now, rule], result.reason);
  }
});

Deno.test(
  "what a program touched by its words is judged as a program's, by the words as they are now",
  LIBRARY_STAYS,
  async () => {
    const spawn = { kind: "process.spawn", argv: ["curl", "http://a.example/x"], cwd: "." };
    const connect = { kind: "net.connect", host: "a.example", port: 80 };
    const named: Partial<Policy> = {
      ...NOW,
      commands: [commandRule("allow", ["curl", "cat"])],
      network: [{
        effect: "allow",
        hosts: ["a.example"],
        methods: null,
        allowPrivate: false,
        commands: ["curl"],
      }],
    };
    const system = { kind: "fs.read", path: "/usr/share/x", tree: false, by: "program" };
    const cat = { kind: "process.spawn", argv: ["cat", "/usr/share/x"], cwd: "." };
    const cases: readonly (readonly [readonly unknown[], string])[] = [
      [[spawn, { ...connect, by: "program" }], "allow"],
      // It would be a tool's: the rule is for a program.
      [[spawn, connect], "deny"],
      [[{ ...connect, by: "program" }], "deny"],
      [[{ ...spawn, argv: ["curl", "http://b.example/"] }, { ...connect, by: "program" }], "deny"],
      [[cat, system], "allow"],
      [[cat, { ...system, by: undefined }], "deny"],
    ];
    for (const [capabilities, now] of cases) {
      const result = await replayed({ tool: "run_command", capabilities }, named);
      assert(typeof result === "object", JSON.stringify([capabilities, result]));
      assertEquals(result.now, now, `${JSON.stringify(capabilities)}: ${result.reason}`);
    }
  },
);

Deno.test(
  "what the log left out is said to be missing; what is no whole record is not judged",
  LIBRARY_STAYS,
  async () => {
    const cut = [
      [{ kind: "env.read", name: REDACTED }],
      [{ kind: "env.read", name: `A[12 characters, sha256 ${"0".repeat(64)}]` }],
      [{ kind: "env.read", name: "[3 more]" }],
    ];
    for (const capabilities of cut) {
      const result = await replayed({ capabilities });
      assert(typeof result === "object" && result.redacted, JSON.stringify(capabilities));
    }
    const whole = await replayed({ capabilities: [{ kind: "env.read", name: "[x more]" }] });
    assertEquals(typeof whole === "object" && whole.redacted, false);
    const odd: readonly (readonly [Readonly<Record<string, unknown>>, Unjudged])[] = [
      [{ effect: "perhaps" }, "not whole"],
      [{ effect: undefined }, "not whole"],
      [{ capabilities: null }, "not whole"],
      [{ capabilities: ["12 more"] }, "not whole"],
      [{ capabilities: [{ kind: "fs.read" }] }, "not whole"],
      [{ capabilities: [{ kind: "process.spawn", argv: ["a", 1], cwd: "." }] }, "not whole"],
      [{ capabilities: [{ kind: "net.connect", host: "a" }] }, "not whole"],
      [{ capabilities: [{ kind: "fs.chmod", path: "a" }] }, "not whole"],
      [{ agent: 7 }, "not whole"],
      [{ tool: "no_such" }, "no such tool"],
      [{ tool: undefined }, "no such tool"],
      [{
        tool: "run_command",
        capabilities: [{ kind: "process.spawn", argv: Array(10_001).fill("a"), cwd: "." }],
      }, "cannot be resolved"],
    ];
    for (const [parts, why] of odd) assertEquals(await replayed(parts), why);
  },
);

Deno.test(
  "whether a pipe might still change the custom tools is what the policies say of that",
  LIBRARY_STAYS,
  async () => {
    for (const registration of ["allow", "deny", null] as const) {
      const plugins = { manifests: [], registration };
      for (const tool of ["plugin.register", "plugin.unregister"]) {
        const result = await replayed({ tool, capabilities: [] }, { ...NOW, plugins });
        assert(typeof result === "object");
        assertEquals(result.now, registration === "allow" ? "allow" : "deny");
        assertEquals(result.rules.now, registration === "allow" ? null : "plugins.registration");
      }
    }
  },
);
