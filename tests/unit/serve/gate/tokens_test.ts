import { assert, assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { Tokens } from "../../../../src/serve/gate/tokens.ts";
import type { Maker } from "../../../../src/serve/gate/token.ts";
import { Makers, TERMS, UID } from "./_makers.ts";

const POLICY = {
  agents: {
    root: { permissions: ["all"] },
    "root-*": { permissions: ["all"] },
    alice: { permissions: ["all"] },
    apart: { permissions: ["all"], worktree: true },
    "apart-help": { permissions: ["all"] },
  },
} as const;

Deno.test("only the very secret is good, for one user, until it expires", () => {
  const makers = new Makers(POLICY);
  const tokens = new Tokens(makers.place);
  const { secret, token } = tokens.make(makers.caller(), { ...TERMS, expiresMs: 60_000 });
  assert(/^tg_[A-Za-z0-9_-]{43}$/.test(secret), secret);
  assertEquals(tokens.shown(secret, UID), token);
  const last = secret.endsWith("A") ? "B" : "A";
  const forged = [
    "",
    "tg_",
    secret.slice(0, -1),
    secret.slice(0, -1) + last,
    `${secret}A`,
    ` ${secret}`,
    secret.slice(3),
    secret.toUpperCase(),
    token.id,
  ];
  for (const one of forged) assertEquals(tokens.shown(one, UID), null, one);
  assertEquals(tokens.shown(secret, UID + 1), null);
  assertEquals(tokens.shown(secret, 0), null);
  token.budget.charge("root", 0);
  makers.now += 60_000;
  assertEquals(tokens.shown(secret, UID), null);
  assertEquals(tokens.follow(token, { kind: "connection", end: () => {} }), null);
  assertThrows(() => token.budget.charge("root", 0), ToolError, "expired or was revoked");
  tokens.close();
});

Deno.test("who works in a worktree hands nothing on to who works in the folder of all", () => {
  const makers = new Makers(POLICY);
  const tokens = new Tokens(makers.place);
  const { token } = tokens.make(makers.caller(), { ...TERMS, agent: "apart" });
  const pinned = makers.caller({ agent: { name: "apart", pinned: true }, operator: false });
  for (const maker of [pinned, makers.bearer(token)]) {
    const help = () => tokens.make(maker, { ...TERMS, agent: "apart-help" });
    assertThrows(help, ToolError, "which works in the folder of all");
    assertEquals(tokens.make(maker, TERMS).token.agent, "apart");
  }
  assertEquals(
    tokens.make(makers.caller(), { ...TERMS, agent: "apart-help" }).token.agent,
    "apart-help",
  );
  tokens.close();
});

Deno.test("who ends a token ends what was made with it, and whoever came with those", () => {
  const makers = new Makers(POLICY);
  const tokens = new Tokens(makers.place);
  const root = makers.caller();
  const first = tokens.make(root, TERMS);
  const second = tokens.make(makers.bearer(first.token), { ...TERMS, agent: "root-1" });
  const third = tokens.make(makers.bearer(second.token), TERMS);
  const other = tokens.make(root, TERMS);
  const ended: string[] = [];
  for (const { token } of [first, second, third, other]) {
    tokens.follow(token, { kind: "connection", end: () => ended.push(token.id) });
  }
  const back = tokens.follow(third.token, {
    kind: "connection",
    end: () => ended.push("taken back"),
  });
  back?.();
  tokens.follow(third.token, { kind: "child", end: () => {} });
  assertEquals(tokens.report(root).map(({ connections }) => connections), [1, 1, 1, 1]);
  // Nobody ends what is above his own token, nor another's.
  assertEquals(tokens.revoke(first.token.id, makers.bearer(second.token)), false);
  assertEquals(tokens.revoke(other.token.id, makers.bearer(first.token)), false);
  const alice = makers.caller({ agent: { name: "alice", pinned: true }, operator: false });
  assertEquals(tokens.revoke(first.token.id, alice), false);
  assertEquals(tokens.report(alice), []);
  assertEquals(tokens.report(makers.bearer(second.token)).map(({ token }) => token), [
    second.token.id,
    third.token.id,
  ]);
  assertEquals(tokens.revoke(second.token.id, makers.bearer(first.token)), true);
  assertEquals(ended, [second.token.id, third.token.id]);
  assertEquals(tokens.shown(third.secret, UID), null);
  assertThrows(() => third.token.budget.charge("root-1", 1), ToolError);
  assertEquals(tokens.shown(first.secret, UID), first.token);
  assertEquals(tokens.revoke(second.token.id, root), false);
  assertEquals(tokens.report(root).map(({ token }) => token), [first.token.id, other.token.id]);
  tokens.close();
  assertEquals(tokens.shown(other.secret, UID), null);
});

Deno.test("tokens of one maker, and of all, are bounded", () => {
  const makers = new Makers(POLICY);
  const tokens = new Tokens(makers.place);
  const alice = (uid: number) =>
    makers.caller({ uid, agent: { name: "alice", pinned: true }, operator: false });
  for (let made = 0; made < 256; made++) tokens.make(alice(UID), TERMS);
  assertThrows(() => tokens.make(alice(UID), TERMS), ToolError, "revoke some");
  for (const uid of [UID + 1, UID + 2, UID + 3]) {
    for (let made = 0; made < 256; made++) tokens.make(alice(uid), TERMS);
  }
  assertThrows(() => tokens.make(alice(UID + 4), TERMS), ToolError, "revoke some");
  tokens.close();
  tokens.make(alice(UID), TERMS);
});

Deno.test("a token is over by the clock that nobody sets back, before anything has been told so", () => {
  const makers = new Makers(POLICY);
  const tokens = new Tokens(makers.place);
  const { secret, token } = tokens.make(makers.caller(), { ...TERMS, expiresMs: 1 });
  const made = performance.now();
  while (performance.now() < made + 2);
  // Its timer has had no turn, and the clock on the wall stands.
  assertEquals(tokens.shown(secret, UID), null);
  assertThrows(() => token.budget.charge("root", 0), ToolError);
  tokens.close();
});

Deno.test("who made a token is asked on a later connection where he has asked about it, and nobody else", async () => {
  const makers = new Makers(POLICY);
  const tokens = new Tokens(makers.place);
  const asked: string[] = [];
  const gone = new Set<string>();
  const from = (name: string, parts: Partial<Maker> = {}) =>
    makers.caller({
      ...parts,
      approver: {
        ask: () => {
          asked.push(name);
          return Promise.resolve({ answer: "nobody", hint: name });
        },
        get gone() {
          return gone.has(name);
        },
      },
    });
  const first = tokens.make(from("first"), TERMS).token;
  const below = tokens.make(makers.bearer(first), { ...TERMS, agent: "root-1" }).token;
  const alice = { name: "alice", pinned: true };
  tokens.report(from("another user", { uid: UID + 1 }));
  tokens.report(from("another agent", { agent: alice }));
  tokens.report(from("a bearer", { token: first }));
  tokens.report(from("later"));
  const pending = {} as Parameters<Maker["approver"]["ask"]>[0];
  for (const token of [first, below]) await token.approver.ask(pending);
  gone.add("first");
  for (const token of [first, below]) await token.approver.ask(pending);
  assertEquals(asked, ["first", "first", "first", "later", "first", "later"]);
  tokens.close();
});
