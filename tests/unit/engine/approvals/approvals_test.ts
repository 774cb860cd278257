/** What is agreed to is one action and no other: who asks, what for, and the state of all that it touches. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type {
  ResolvedCapability,
  ResolvedFileCapability,
  ResolvedSpawnCapability,
} from "../../../../src/core/capability.ts";
import { createIdentityProbe } from "../../../../src/host/paths/identity.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type { CallRequest } from "../../../../src/core/request.ts";
import { toJsonText } from "../../../../src/core/result.ts";
import {
  type ApprovalAnswer,
  type ApprovalOutcome,
  Approvals,
  type PendingApproval,
} from "../../../../src/engine/approvals/approvals.ts";
import type { DecidedCall } from "../../../../src/engine/judge/decided_call.ts";
import type { Effect } from "../../../../src/policy/model.ts";
import type { Verdict } from "../../../../src/policy/rulebook.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { grantOf } from "../../host/_rulebook.ts";
import { canonical, program, WORKSPACE } from "../../policy/_fixtures.ts";
import { requestOf, toolOf } from "../_stand_ins.ts";

const HERE = canonical(WORKSPACE);
const YES: ApprovalAnswer = { answer: "approved", remember: "once" };
const ALWAYS: ApprovalAnswer = { answer: "approved", remember: "session" };

function verdictOf(effect: Effect): Verdict {
  return { effect, code: null, reason: `it is to ${effect}`, rule: null };
}

function reading(path: string, tree = false): ResolvedFileCapability {
  return { kind: "fs.read", path: canonical(path), requested: path, tree };
}

interface Parts {
  readonly effect?: Effect;
  readonly input?: unknown;
  readonly capabilities?: readonly ResolvedCapability[];
  /** Of each capability. */
  readonly verdict?: Effect;
  readonly tool?: Parameters<typeof toolOf>[0];
}

function judgementOf(
  { effect = "ask", input = {}, capabilities = [], verdict = "ask", tool = {} }: Parts = {},
): DecidedCall {
  const verdicts = capabilities.map((capability) => ({ capability, verdict: verdictOf(verdict) }));
  return {
    tool: toolOf(tool),
    input,
    decision: {
      ...verdictOf(effect),
      risk: "dangerous",
      verdicts,
      findings: () => Promise.reject(new Error("nobody asked why")),
    },
    grant: grantOf(HERE, {}),
  };
}

/** Approvals on a clock of their own, and all that they asked and told. */
function world(times = { rememberMs: 1000, expireMs: 500 }) {
  const clock = { now: 1_000_000 };
  const approvals = new Approvals({
    times,
    now: () => clock.now,
    probe: () => createIdentityProbe(null),
  });
  const asked: PendingApproval[] = [];
  const told: ApprovalOutcome[] = [];
  const obtain = (
    answer: ApprovalAnswer | ((round: number) => ApprovalAnswer),
    judgement = judgementOf(),
    {
      request = {},
      again = (): DecidedCall => judgement,
    }: { readonly request?: Partial<CallRequest>; readonly again?: () => DecidedCall } = {},
  ) =>
    approvals.obtain(requestOf("look", request), judgement, {
      approver: {
        ask(pending) {
          asked.push(pending);
          return Promise.resolve(typeof answer === "function" ? answer(asked.length) : answer);
        },
      },
      again: () => Promise.resolve(again()),
      preview: () => Promise.resolve(toJsonText({ previewed: true })),
      told: (outcome) => told.push(outcome),
    });
  return { approvals, asked, told, obtain, clock };
}

Deno.test("whoever is asked sees what it is, why, how risky, and until when", async () => {
  const { obtain, asked, told } = world();
  const judgement = judgementOf({ tool: { describe: () => "Delete file: a" } });
  assertEquals((await obtain(YES, judgement, { request: { agent: "kid" } })).call, judgement);
  const [pending] = asked;
  assertMatch(pending?.id ?? "", /^ap_[0-9a-f]{32}$/);
  assertEquals({ ...pending, id: "" }, {
    id: "",
    tool: "look",
    agent: "kid",
    description: "Delete file: a",
    risk: "dangerous",
    reason: "it is to ask",
    preview: toJsonText(null),
    onceBecause: null,
    expiresAt: 1_000_500,
  });
  assertEquals(told, [{ id: pending?.id ?? "", answer: "approved", reason: null }]);
});

Deno.test("what is not agreed to does not run, and each answer has its error", async () => {
  const cases: readonly (readonly [ApprovalAnswer, string, string, readonly string[]])[] = [
    [{ answer: "rejected", reason: null }, "APPROVAL_REJECTED", "look: rejected", ["rejected"]],
    [{ answer: "rejected", reason: "no" }, "APPROVAL_REJECTED", "rejected: no", ["rejected"]],
    [{ answer: "expired" }, "APPROVAL_EXPIRED", "ask again", ["expired"]],
    [{ answer: "cancelled" }, "CANCELLED", "before anybody", []],
    [{ answer: "nobody", hint: "use a pipe" }, "APPROVAL_REQUIRED", "ask; use a pipe", []],
  ];
  for (const [answer, code, words, outcomes] of cases) {
    const { obtain, told, asked, approvals } = world();
    const error = await assertRejects(() => obtain(answer), ToolError, words);
    assertEquals(error.code, code);
    assertEquals(told.map(({ answer }) => answer), outcomes, code);
    if (code !== "CANCELLED") assertEquals(error.details, { approval: asked[0]?.id });
    assertEquals(approvals.list(), []);
  }
});

Deno.test("an action has another name when anything of it is another", async () => {
  await using workspace = new Workspace({ "a.txt": "one", "tree/b.txt": "two" });
  const { obtain, asked } = world();
  const file = reading(workspace.path("a.txt"));
  const tree = reading(workspace.path("tree"), true);
  const command: ResolvedCapability = {
    kind: "process.spawn",
    argv: ["cat", "a.txt"],
    cwd: HERE,
    program: program(workspace.path("a.txt")),
    operands: [{ requested: "b", path: canonical(workspace.path("tree/b.txt")), directory: false }],
  };
  const nameOf = async (parts: Parts, request: Partial<CallRequest> = {}) => {
    await obtain(YES, judgementOf(parts), { request });
    return asked.at(-1)?.id ?? "";
  };
  const plain = await nameOf({ capabilities: [file, tree, command] });
  assertEquals(await nameOf({ capabilities: [file, tree, command] }), plain);
  // The words of the description are no part of it.
  const tool = { describe: () => "Something else" };
  assertEquals(await nameOf({ capabilities: [file, tree, command], tool }), plain);
  const others = [
    await nameOf({ capabilities: [file, tree] }),
    await nameOf({ capabilities: [file, tree, command], input: { a: 1 } }),
    await nameOf({ capabilities: [file, tree, command], tool: { name: "other" } }),
    await nameOf({ capabilities: [file, tree, command] }, { agent: "kid" }),
    await nameOf({ capabilities: [file, tree, command] }, { timeoutMs: 5 }),
    await nameOf({ capabilities: [file, tree, { ...command, argv: ["cat", "b.txt"] }] }),
    await nameOf({ capabilities: [file, tree, { kind: "env.read", name: "HOME" }] }),
    await nameOf({ capabilities: [file, tree, { kind: "net.connect", host: "a", port: 1 }] }),
  ];
  const changes: readonly (() => void)[] = [
    () => workspace.write("a.txt", "other"),
    () => workspace.write("tree/b.txt", "other"),
    () => workspace.write("tree/c.txt", "new"),
    () => Deno.chmodSync(workspace.path("a.txt"), 0o600),
    () => Deno.removeSync(workspace.path("tree/c.txt")),
  ];
  for (const change of changes) {
    change();
    others.push(await nameOf({ capabilities: [file, tree, command] }));
  }
  const names = [plain, ...others];
  assertEquals(new Set(names).size, names.length, names.join("\n"));
});

Deno.test("the state of a program and of what its words name is part of the action, each alone", async () => {
  await using workspace = new Workspace({ "program": "1", "operand": "2" });
  const { obtain, asked } = world();
  const command: ResolvedCapability = {
    kind: "process.spawn",
    argv: ["x"],
    cwd: HERE,
    program: program(workspace.path("program")),
    operands: [{ requested: "o", path: canonical(workspace.path("operand")), directory: false }],
  };
  const names: string[] = [];
  const note = async (capability: ResolvedCapability) => {
    await obtain(YES, judgementOf({ capabilities: [capability] }));
    names.push(asked.at(-1)?.id ?? "");
  };
  await note(command);
  workspace.write("program", "other");
  await note(command);
  workspace.write("operand", "other");
  await note(command);
  await note({ ...command, program: null });
  assertEquals(new Set(names).size, 4);
});

Deno.test("an approval for the session holds for the same action until its time is over or it is revoked", async () => {
  const { obtain, asked, told, approvals, clock } = world();
  await obtain(ALWAYS);
  await obtain(ALWAYS);
  assertEquals(asked.length, 1);
  assertEquals(told.map(({ answer }) => answer), ["approved", "remembered"]);
  assertEquals(approvals.list().map(({ id, until }) => [id, until]), [[asked[0]?.id, 1_001_000]]);
  await obtain(ALWAYS, judgementOf({ input: { other: true } }));
  assertEquals(asked.length, 2);
  clock.now += 999;
  await obtain(ALWAYS);
  assertEquals(asked.length, 2);
  clock.now += 1;
  assertEquals(approvals.list().length, 0);
  await obtain(ALWAYS);
  assertEquals(asked.length, 3);
  assertEquals(approvals.revoke(asked[2]?.id ?? ""), true);
  assertEquals(approvals.revoke(asked[2]?.id ?? ""), false);
  await obtain(ALWAYS);
  assertEquals(asked.length, 4);
});

Deno.test("an approval for once is for once; one for the session too, where the policy remembers nothing", async () => {
  const once = world();
  await once.obtain(YES);
  await once.obtain(YES);
  assertEquals([once.asked.length, once.approvals.list()], [2, []]);
  const forgetful = world({ rememberMs: 0, expireMs: 500 });
  await forgetful.obtain(ALWAYS);
  await forgetful.obtain(ALWAYS);
  assertEquals([forgetful.asked.length, forgetful.approvals.list()], [2, []]);
});

Deno.test("what changes while it is asked for is asked for again, three times at most", async () => {
  let version = 0;
  const changing = () => judgementOf({ input: { version: version++ } });
  const { obtain, asked, approvals } = world();
  const error = await assertRejects(
    () => obtain(ALWAYS, judgementOf(), { again: changing }),
    ToolError,
    "changed each time",
  );
  assertEquals([error.code, asked.length, approvals.list()], ["APPROVAL_EXPIRED", 3, []]);
  assertEquals(new Set(asked.map(({ id }) => id)).size, 3);
  const settling = world();
  const later = judgementOf({ input: { version: "last" } });
  assertEquals((await settling.obtain(YES, judgementOf(), { again: () => later })).call, later);
  assertEquals(settling.asked.length, 2);
});

Deno.test("once somebody was asked, another action is another question, also where it would be allowed", async () => {
  const other = { input: { changed: true } };
  const denied = world();
  const no = judgementOf({ effect: "deny", ...other });
  const refused = await denied.obtain(YES, judgementOf(), { again: () => no });
  assertEquals([refused.call, refused.changed, denied.asked.length], [no, true, 1]);

  const allowed = world();
  const now = judgementOf({ effect: "allow", ...other });
  const again = await allowed.obtain(YES, judgementOf(), { again: () => now });
  assertEquals([again.call, again.changed, allowed.asked.length], [now, true, 2]);
  assertMatch(allowed.asked[1]?.reason ?? "", /changed while it was asked for/);

  const same = world();
  const still = judgementOf({ effect: "allow" });
  const settled = await same.obtain(YES, judgementOf(), { again: () => still });
  assertEquals([settled.call, settled.changed, same.asked.length], [still, false, 1]);

  const unasked = world();
  assertEquals((await unasked.obtain(YES, still)).call, still);
  assertEquals(unasked.asked, []);
});

Deno.test("what runs other files is agreed to once, and whoever is asked is told", async () => {
  const command = (more: Partial<ResolvedSpawnCapability>) =>
    judgementOf({
      capabilities: [{
        kind: "process.spawn",
        argv: ["make", "deploy"],
        cwd: HERE,
        program: program("make"),
        operands: [],
        ...more,
      }],
    });
  const cases: readonly (readonly [Partial<ResolvedSpawnCapability>, RegExp | null])[] = [
    [{}, null],
    [{ runsFiles: true }, /make runs files/],
    [{ open: [1] }, /known only when it runs/],
    [{ runsFiles: true, opened: true }, null],
  ];
  for (const [more, because] of cases) {
    const { obtain, asked, approvals } = world();
    await obtain(ALWAYS, command(more));
    if (because === null) assertEquals(asked[0]?.onceBecause, null);
    else assertMatch(asked[0]?.onceBecause ?? "", because);
    assertEquals(approvals.list().length, because === null ? 1 : 0, JSON.stringify(more));
  }
});

Deno.test("what people are shown holds nothing that steers, turns or forges", async () => {
  const tool = {
    describe: () => "Run: x\u202egnp.exe\x1b]0;t\x07\r\n\nAsked by root; risk safe: fine",
  };
  const { obtain, asked } = world();
  await obtain(YES, judgementOf({ tool }), { request: { agent: "a\nb\x9b" } });
  const [{ description, agent } = { description: "", agent: "" }] = asked;
  for (const text of [description, agent]) assertEquals(/[\p{Cc}\p{Cf}]/u.test(text), false, text);
});

Deno.test("a preview reads, so it is made only where the call may read unasked", async () => {
  const preview = () => ({});
  const write: ResolvedCapability = { ...reading("a"), kind: "fs.write" };
  const cases: readonly (readonly [Parts, boolean])[] = [
    [{ capabilities: [reading("a")], verdict: "allow", tool: { preview } }, true],
    [{ capabilities: [reading("a")], verdict: "ask", tool: { preview } }, false],
    [{ capabilities: [write], verdict: "ask", tool: { preview } }, true],
    [{ capabilities: [write] }, false],
  ];
  for (const [parts, shown] of cases) {
    const { obtain, asked } = world();
    await obtain(YES, judgementOf(parts));
    const expected = shown ? toJsonText({ previewed: true }) : toJsonText(null);
    assertEquals(asked[0]?.preview, expected, JSON.stringify(parts));
  }
});

Deno.test("an action by the same words is another one where they lead elsewhere", async () => {
  await using workspace = new Workspace({ "a": "same", "b": "same" });
  const { obtain, asked } = world();
  for (const name of ["a", "b"]) {
    const path = canonical(workspace.path(name));
    await obtain(ALWAYS, judgementOf({ capabilities: [{ ...reading("link"), path }] }));
  }
  assertEquals(asked.length, 2);
  assert(asked[0]?.id !== asked[1]?.id);
});
