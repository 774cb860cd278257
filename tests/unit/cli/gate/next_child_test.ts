import { assertEquals } from "@std/assert";
import {
  type ChildPowers,
  NextChild,
  powersBeforeFirst,
} from "../../../../src/cli/gate/_next_child.ts";
import { policyOfDelegation } from "../../../../src/policy/delegation.ts";
import { delegate } from "../../../../src/serve/gate/token.ts";
import { canonical } from "../../policy/_fixtures.ts";
import { Makers, TERMS } from "../../serve/gate/_makers.ts";

const W = canonical("/w");

function powers(agent: string, more: Partial<ChildPowers> = {}): ChildPowers {
  const permissions = ["file_read", "file_write"] as const;
  const policy = policyOfDelegation({ permissions, paths: null, commands: null });
  return {
    agent,
    policies: [{ source: `token ${agent}`, policy, workspace: W }],
    permissions,
    ...more,
  };
}

function ahead(isFree: (agent: string) => boolean = () => true) {
  const done: string[] = [];
  const next = new NextChild(({ agent }: ChildPowers) => {
    if (!isFree(agent)) return null;
    done.push(`begin ${agent}`);
    return {
      agent,
      drop() {
        done.push(`drop ${agent}`);
        return Promise.resolve();
      },
    };
  });
  return { next, done };
}

Deno.test("what is begun for the next child is taken by the one that it was begun for to the letter, and by no other", async () => {
  const [{ policy, source }] = powers("child-2").policies as [ChildPowers["policies"][number]];
  const narrowed = policyOfDelegation({
    permissions: ["file_read", "file_write"],
    paths: ["a/**"],
    commands: null,
  });
  const cases: readonly (readonly [string, ChildPowers, boolean])[] = [
    ["the next", powers("child-2"), true],
    ["a later name", powers("child-3"), false],
    ["another's child", powers("child-1-1"), false],
    ["fewer groups", powers("child-2", { permissions: ["file_read"] }), false],
    [
      "a narrower token",
      powers("child-2", {
        policies: [{ source, policy: narrowed, workspace: W }],
      }),
      false,
    ],
    [
      "one policy more",
      powers("child-2", {
        policies: [
          { source: "roots", policy: narrowed, workspace: W },
          { source, policy, workspace: W },
        ],
      }),
      false,
    ],
    ["nothing taken away", powers("child-2", { policies: [] }), false],
    [
      "another workspace",
      powers("child-2", {
        policies: [{ source, policy, workspace: canonical("/v") }],
      }),
      false,
    ],
  ];
  for (const [name, asked, taken] of cases) {
    const { next, done } = ahead();
    next.follow(powers("child-1")).ended();
    assertEquals(done, ["begin child-2"], name);
    assertEquals(next.take(asked)?.agent, taken ? "child-2" : undefined, name);
    // Once.
    assertEquals(next.take(powers("child-2")), null, name);
    await next.close();
    assertEquals(done.slice(1), taken ? [] : ["drop child-2"], name);
  }
});

Deno.test("one is begun ahead at most, whoever ends when, and none once its gate ends", async () => {
  const { next, done } = ahead((agent) => agent !== "child-5");
  const [first, second] = [next.follow(powers("child-1")), next.follow(powers("child-2"))];
  // The later one counts.
  first.ended();
  assertEquals(done, []);
  second.ended();
  second.ended();
  assertEquals(done, ["begin child-3"]);
  next.follow(powers("child-3")).ended();
  assertEquals(done, ["begin child-3"]);
  assertEquals(next.take(powers("child-3"))?.agent, "child-3");
  // A name that is somebody's, and a child's own child.
  next.follow(powers("child-4")).ended();
  next.follow(powers("child-4-1")).ended();
  assertEquals(done, ["begin child-3"]);
  // One that comes before those that were to be begun for it.
  const early = next.follow(powers("child-5"));
  assertEquals(next.take(powers("child-6")), null);
  early.ended();
  assertEquals(done, ["begin child-3"]);
  next.follow(powers("child-6")).ended();
  const waits = next.follow(powers("child-7"));
  await next.close();
  waits.ended();
  next.follow(powers("child-8")).ended();
  assertEquals(done, ["begin child-3", "begin child-7", "drop child-7"]);
});

Deno.test("what is begun for the first child is what one gets who hands on all that he has", () => {
  const makers = new Makers({
    agents: {
      root: { permissions: ["file_read", "file_write", "git_operations"] },
      "child-*": { permissions: ["file_read", "git_operations", "code_execution"] },
    },
  });
  const maker = makers.caller();
  const { agent, policies, permissions } = delegate(maker, { ...TERMS, agent: "child-0" }, {
    id: "child-0",
    alive: () => {},
    place: makers.place,
    named: true,
  });
  assertEquals(
    powersBeforeFirst(maker.rulebook, makers.place.workspace, maker.agent.name),
    { agent, policies, permissions },
  );
  assertEquals(permissions, ["file_read", "git_operations"]);
});
