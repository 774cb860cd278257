import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { ProgramShares } from "../../../../src/host/run/_program_shares.ts";
import { SHARES } from "../../../../src/host/kernel/run_marks.ts";
import type { Grant, SpawnGrant } from "../../../../src/policy/grant.ts";
import { DEFAULTS } from "../../../../src/policy/model.ts";
import type { CommandLimits, Started } from "../../../../src/policy/rulebook.ts";
import { canonical, program, WORKSPACE } from "../../policy/_fixtures.ts";

const MiB = 2 ** 20;
const cwd = canonical(WORKSPACE);
const rule = (at: number) => ({ file: "p.yaml", index: `commands[${at}]` });

const SAID: Readonly<Record<string, CommandLimits>> = {
  small: {
    limits: { ...DEFAULTS.limits, memory: 64 * MiB },
    timeoutMs: null,
    rules: { memory: rule(0) },
  },
  timed: {
    limits: { ...DEFAULTS.limits, processes: 8 },
    timeoutMs: 5_000,
    rules: { processes: rule(1), timeout: rule(1) },
  },
};

function shares(spawn: readonly SpawnGrant[] = []): ProgramShares {
  const grant: Pick<Grant, "limits" | "spawn"> = { limits: DEFAULTS.limits, spawn };
  return new ProgramShares(grant, ({ argv: [name = ""] }) => {
    const at = /^other(\d+)$/.exec(name)?.[1];
    if (at === undefined) return SAID[name] ?? null;
    return { limits: DEFAULTS.limits, timeoutMs: Number(at), rules: { timeout: rule(2) } };
  });
}

const started = (...argv: readonly string[]): Started => ({
  argv,
  program: program(argv[0] ?? ""),
  cwd,
});

Deno.test("programs of which no rule says anything have the policy's limits, and one share", () => {
  const all = shares();
  const share = all.of(started("cat"));
  assertEquals([share.told.number, share.limits, share.timeoutMs], [0, DEFAULTS.limits, null]);
  assertEquals([all.of(started("ls")), all.of(null)], [share, share]);
  assertEquals(all.saying(0, "memory"), null);
});

Deno.test("programs of the same limits have one share, others another", () => {
  const all = shares();
  const [small, timed] = [all.of(started("small", "a")), all.of(started("timed"))];
  assertEquals(all.of(started("small", "b")), small);
  assertEquals([small.told.number, timed.told.number], [1, 2]);
  assertEquals([small.told.memory, timed.told.processes], [64 * MiB, 8]);
  assertEquals(all.saying(1, "memory"), {
    rule: rule(0),
    limit: "memory",
    value: 64 * MiB,
    text: "64MiB",
  });
  assertEquals(all.saying(2, "timeout")?.text, "5s");
  // What the rule does not say the policy does.
  assertEquals(all.saying(2, "memory"), null);
});

Deno.test("how long a child agent lives is not for a rule of commands to say", () => {
  const share = shares().of({ ...started("timed"), child: true });
  assertEquals([share.timeoutMs, share.limits.processes], [null, 8]);
});

Deno.test("a shell in the words of a command has no more than any that its script could start", () => {
  const entry = (argv: readonly string[], more: Partial<SpawnGrant> = {}): SpawnGrant => ({
    argv,
    program: program(argv[0] ?? ""),
    cwd,
    ...more,
  });
  const script = "small x && timed y";
  const all = shares([
    entry(["nice", "sh", "-c", script], { scripts: [script] }),
    entry(["small", "x"]),
    entry(["timed", "y"]),
  ]);
  const { limits, timeoutMs, rules } = all.of(started("nice", "sh", "-c", script));
  assertEquals([limits.memory, limits.processes, timeoutMs], [64 * MiB, 8, 5_000]);
  assertEquals(rules, { memory: rule(0), processes: rule(1), timeout: rule(1) });
  assertEquals(all.of(started("cat", "x")).told.number, 0);
});

Deno.test("there are only so many shares of one line", () => {
  const all = shares();
  for (let at = 1; at < SHARES; at++) {
    assertEquals(all.of(started(`other${at}`)).told.number, at);
  }
  const error = assertThrows(() => all.of(started(`other${SHARES}`)), ToolError);
  assertEquals(error.code, "RESOURCE_LIMIT");
  assertEquals(all.of(started("other3")).told.number, 3);
});
