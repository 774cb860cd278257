import { assertEquals, assertRejects } from "@std/assert";
import { BegunEngines } from "../../../../src/cli/gate/_begun_engines.ts";
import type { Worktree } from "../../../../src/engine/worktrees/place_policies.ts";
import { worktreeToBe } from "../../../../src/engine/worktrees/agent_worktree.ts";
import { canonical } from "../../policy/_fixtures.ts";

const TO_BE = worktreeToBe(canonical("/w"), ".toolgate/worktrees", "child-1");
/** As git has it where there was one of that name before. */
const OTHER: Worktree = { ...TO_BE, home: { ...TO_BE.home, own: `${TO_BE.home.own}1` } };

function engines() {
  const done: string[] = [];
  const open = ({ home: { own } }: Worktree) => {
    const name = own.replace(/.*\//, "");
    done.push(`open ${name}`);
    return Promise.resolve({ name, close: () => Promise.resolve(void done.push(`close ${name}`)) });
  };
  return { done, begun: new BegunEngines(open, TO_BE) };
}

Deno.test("engines begun for the worktree that there will be are taken for it, and for no other", async () => {
  assertEquals(TO_BE, {
    root: canonical("/w/.toolgate/worktrees/child-1"),
    home: { agent: "child-1", common: "/w/.git", own: "/w/.git/worktrees/child-1" },
  });
  const same = engines();
  same.begun.begin();
  assertEquals((await same.begun.take({ ...TO_BE })).name, "child-1");
  assertEquals(same.done, ["open child-1"]);
  const other = engines();
  other.begun.begin();
  assertEquals((await other.begun.take(OTHER)).name, "child-11");
  assertEquals(other.done, ["open child-1", "close child-1", "open child-11"]);
  const late = engines();
  assertEquals((await late.begun.take(TO_BE)).name, "child-1");
  const dropped = engines();
  await dropped.begun.drop();
  dropped.begun.begin();
  await dropped.begun.drop();
  assertEquals(dropped.done, ["open child-1", "close child-1"]);
});

Deno.test("what cannot be begun is told to who takes it", async () => {
  const begun = new BegunEngines(() => Promise.reject(new Error("no engine")), TO_BE);
  begun.begin();
  await begun.drop();
  await assertRejects(() => begun.take(TO_BE), Error, "no engine");
});
