import { assert, assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { PERMISSION_GROUPS } from "../../../../src/core/tool.ts";
import { EFFECTS } from "../../../../src/policy/model.ts";
import type { TokenTerms } from "../../../../src/serve/_read_token.ts";
import { delegate, type Maker, type Token } from "../../../../src/serve/gate/token.ts";
import { Random } from "../../../random.ts";
import { READER } from "../../policy/_fixtures.ts";
import { Maker as PolicyMaker } from "../../policy/_maker.ts";
import { Makers, TERMS, UID } from "./_makers.ts";

const makers = new Makers({
  agents: {
    root: { permissions: ["all"] },
    "child-*": { permissions: ["file_read", "file_write"] },
    alice: { permissions: ["file_read"] },
  },
});
const ALICE: Partial<Maker> = {
  uid: UID + 1,
  agent: { name: "alice", pinned: true },
  operator: false,
};

let last = 0;
const make = (maker: Maker, terms: Partial<TokenTerms> = {}, world = makers): Token =>
  delegate(maker, { ...TERMS, ...terms }, {
    id: `tk_${++last}`,
    alive: () => {},
    place: world.place,
  });

Deno.test("a token is for whom its maker may speak, and gives what he has", () => {
  const root = makers.caller();
  const child = makers.bearer(make(root, { agent: "child-1", permissions: ["file_read"] }));
  const table: readonly [
    what: string,
    maker: Maker,
    terms: Partial<TokenTerms>,
    expected: string,
  ][] = [
    ["all that there is", root, {}, "root: all"],
    ["what the policy gives that name", root, { agent: "child-1" }, "child-1: read,write"],
    ["less of it", root, { agent: "child-1", permissions: ["file_read"] }, "child-1: read"],
    [
      "a group that the name lacks",
      root,
      { agent: "child-1", permissions: ["git_operations"] },
      "child-1: ",
    ],
    ["no group", root, { permissions: [] }, "root: "],
    ["a name that no rule knows", root, { agent: "stranger" }, "agent: no rule"],
    ["another's name", makers.caller(ALICE), { agent: "child-1" }, "agent: yours are alice"],
    ["a name that only begins alike", makers.caller(ALICE), { agent: "alicea" }, "agent: yours"],
    ["a group that he lacks", makers.caller(ALICE), { permissions: ["file_write"] }, "file_write"],
    ["a user who is heard", root, { uid: UID + 1 }, "root: all"],
    ["a user who is not", root, { uid: UID + 2 }, "does not hear"],
    ["below a token", child, { agent: "child-1-1" }, "child-1-1: read"],
    ["more below a token", child, { permissions: ["file_write"] }, "file_write cannot be"],
    ["another's name below a token", child, { agent: "child-2" }, "agent: yours are child-1"],
    ["no glob", root, { paths: ["~"] }, "paths[0]"],
  ];
  for (const [what, maker, terms, expected] of table) {
    let shown: string;
    try {
      const { agent, permissions } = make(maker, terms);
      const groups = permissions.map((group) => group.replace("file_", "")).join();
      const all = permissions.length === PERMISSION_GROUPS.length;
      shown = `${agent}: ${all ? "all" : groups}`;
    } catch (error) {
      assert(error instanceof ToolError);
      shown = error.message.includes(expected) ? expected : error.message;
    }
    assertEquals(shown, expected, what);
  }
});

Deno.test("a token ends with the one that it was made with, and is asked for above", async () => {
  const root = makers.caller({
    approver: { ask: () => Promise.resolve({ answer: "rejected", reason: "above" }) },
  });
  const first = make(root, { agent: "child-1", expiresMs: 5_000 });
  const second = make(makers.bearer(first), { expiresMs: 60_000 });
  assertEquals(second.expiresAt, makers.now + 5_000);
  assertEquals(make(makers.bearer(first)).expiresAt, makers.now + 5_000);
  const pending = {} as Parameters<typeof second.approver.ask>[0];
  assertEquals(await second.approver.ask(pending), { answer: "rejected", reason: "above" });
  let bearer = makers.bearer(first);
  for (let depth = 1; depth < 8; depth++) bearer = makers.bearer(make(bearer));
  assertThrows(() => make(bearer), ToolError, "in a row");
});

Deno.test("whatever tokens are made with each other, none decides laxer than who made it", () => {
  const random = new Random(18);
  const generate = new PolicyMaker(random);
  let made = 0;
  let tightened = 0;
  for (let round = 0; round < 600; round++) {
    const groups = ["all", "file_read", "file_write", "code_execution"] as const;
    const world = new Makers({
      ...generate.policy(),
      agents: {
        ab: { permissions: [random.pick(groups), random.pick(groups)] },
        "ab-*": { permissions: [random.pick(groups), random.pick(groups)] },
      },
    });
    let maker = world.caller({ agent: { name: "ab", pinned: random.once(2) } });
    for (let depth = 0; depth < 4; depth++) {
      let token: Token;
      try {
        token = make(maker, {
          agent: random.once(2) ? null : `${maker.agent.name}-c`,
          permissions: random.once(2) ? null : PERMISSION_GROUPS.filter(() => random.once(2)),
          paths: random.once(2) ? null : generate.list(0, 3, () => generate.glob()),
          commands: random.once(2)
            ? null
            : generate.list(0, 3, () => random.pick(["git", "rm x", "*", "g*"])),
        }, world);
      } catch (error) {
        assert(error instanceof ToolError, String(error));
        continue;
      }
      made++;
      const bearer = world.bearer(token);
      for (let asked = 0; asked < 6; asked++) {
        const section = random.pick(["paths", "commands", "network", "extensions"] as const);
        const capabilities = [generate.capability(section)];
        const subject = {
          ...READER,
          permission: random.pick([...PERMISSION_GROUPS, null]),
        };
        const by = ({ rulebook, agent }: Maker) =>
          EFFECTS.indexOf(
            rulebook.decide({ ...subject, agent: agent.name }, capabilities).effect,
          );
        const [was, is] = [by(maker), by(bearer)];
        if (is > was) tightened++;
        assert(is >= was, JSON.stringify({ token, subject, capabilities }));
      }
      const mine = maker.rulebook.permissionsOf(maker.agent.name) ?? [];
      assert(token.permissions.every((group) => mine.includes(group)));
      maker = bearer;
    }
  }
  assert(made > 800 && tightened > 150, `${made} made, ${tightened} tightened`);
});
