import { assertEquals, assertRejects } from "@std/assert";
import { BegunEngines } from "../../../../src/cli/gate/_begun_engines.ts";
import type { Worktree } from "../../../../src/engine/worktrees/place_policies.ts";
import { worktreeToBe } from "../../../../src/engine/worktrees/agent_worktree.ts";
import { canonical } from "../../policy/_fixtures.ts";

const TO_BE = worktreeToBe(canonical("/w"), ".toolgate/worktrees", "child-1");
/** As git has it where there was one of that name before. */
const OTHER: Worktree = { ...TO_BE, home: { ...TO_BE.home, own: `${TO_BE.home.own}1` } };

function engines(isHeld: (boolean | Error)[] = [], expected = TO_BE) {
  const done: string[] = [];
  const open = ({ home: { own } }: Worktree) => {
    const name = own.replace(/.*\//, "");
    done.push(`open ${name}`);
    return Promise.resolve({
      name,
      bind: (made: readonly string[]) => {
        done.push(`bind ${made.map((path) => path.replace(/.*\//, "")).join(" ")}`);
        const next = isHeld.shift() ?? true;
        if (next instanceof Error) throw next;
        return next;
      },
      makeSpares: (folder: string) =>
        void done.push(`spares ${folder.replace(/.*\//, "")} ${name}`),
      close: () => Promise.resolve(void done.push(`close ${name}`)),
    });
  };
  return { done, begun: new BegunEngines(open, expected) };
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

Deno.test("what starts programs is bound while git is at work, once all that holds it is there, and to no other folder", async () => {
  const base = Deno.realPathSync(Deno.makeTempDirSync());
  const made: Worktree = {
    root: canonical(`${base}/child-1`),
    home: { agent: "child-1", common: `${base}/git`, own: `${base}/git/worktrees/own` },
  };
  const make = () => {
    for (const path of [made.root, made.home.own]) Deno.mkdirSync(path, { recursive: true });
  };
  try {
    for (const isReplaced of [false, true]) {
      // Not there; half there; a folder that the kernel's rules name still missing; then all of it.
      const { done, begun } = engines([false, true], made);
      const seen: (Worktree | null | Error)[] = [null, new Error("half of one")];
      begun.begin();
      const bound = begun.bind(() => {
        const next = seen.shift();
        if (next instanceof Error) throw next;
        if (next === undefined) make();
        return next ?? (next === undefined ? made : null);
      });
      await bound;
      assertEquals(done, ["open own", "bind child-1 own", "bind child-1 own"]);
      if (isReplaced) {
        Deno.renameSync(made.root, `${base}/away`);
        make();
      }
      await begun.take(made);
      assertEquals(done.slice(3), isReplaced ? ["close own", "open own"] : []);
    }
    // What goes wrong then ends nothing else, and nobody is given it.
    const { done, begun } = engines([new Error("no thread")], made);
    begun.begin();
    await begun.bind(() => made);
    await begun.take(made);
    assertEquals(done.slice(2), ["close own", "open own"]);
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
});

Deno.test("what is made of the folder alone is made of the one that was expected, where anything was begun, and nobody has it yet", async () => {
  const { done, begun } = engines();
  await begun.furnish();
  assertEquals(done, []);
  begun.begin();
  await begun.furnish();
  assertEquals(done, ["open child-1", "spares child-1 child-1"]);
  await begun.take(TO_BE);
  await begun.furnish();
  assertEquals(done.length, 2);
  const broken = new BegunEngines(() => Promise.reject(new Error("no engine")), TO_BE);
  broken.begin();
  await broken.furnish();
});

Deno.test("nobody looks for a worktree any more that was taken, or is not to be", async () => {
  for (const end of ["take", "drop"] as const) {
    const { done, begun } = engines([], TO_BE);
    begun.begin();
    const looking = begun.bind(() => null);
    await (end === "take" ? begun.take(TO_BE) : begun.drop());
    await looking;
    assertEquals(done, ["open child-1", ...(end === "drop" ? ["close child-1"] : [])]);
  }
});
