/** Working files that a process was killed over: found by the mark beside them, and nothing else with them. */

import { assertEquals, assertRejects } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import {
  dropHalfMade,
  endHalfLeft,
  mendHalfRemoved,
  removeClone,
  whileLeaving,
  whileMaking,
  whileRemoving,
} from "../../../../src/engine/worktrees/making.ts";
import type { ProcessTable } from "../../../../src/host/kernel/process_table.ts";
import { withDirectory } from "../../host/files/_temporary.ts";

const WORKTREES = ".toolgate/worktrees";
type Table = Pick<ProcessTable, "facts">;

/** Processes by number, with the time of their start. */
const tableOf = (processes: Readonly<Record<number, number>>): Table => ({
  facts: (id) => (id in processes ? { began: processes[id] } : null) as ReturnType<Table["facts"]>,
});

/** But for what keeps git from showing the folder. */
const namesIn = (folder: string) =>
  [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name !== ".gitignore")
    .sort();

Deno.test("a mark is there while working files are made, and gone however that ends", async () => {
  const table = tableOf({ [Deno.pid]: 7 });
  await withDirectory(async (root) => {
    const place = { workspace: root as CanonicalPath, worktrees: WORKTREES };
    const folder = `${root}/${WORKTREES}`;
    const seen = await whileMaking(place, "a.b", table, () => Promise.resolve(namesIn(folder)));
    assertEquals(seen, [`.making-${Deno.pid}-7-a%2Eb`]);
    assertEquals(namesIn(folder), []);
    assertEquals(Deno.readTextFileSync(`${folder}/.gitignore`), "*\n");
    const full = () => Promise.reject(new Error("No space left on device (os error 28): mkdir"));
    const error = await assertRejects(() => whileMaking(place, "a", table, full), ToolError);
    assertEquals([error.code, error.message.includes("No space left")], ["GIT_ERROR", true]);
    assertEquals(namesIn(folder), []);
  });
});

/** As the tool that takes them away answers: that they are gone, or why they are not; what it was asked for. */
function taking(folder: string, kept: Readonly<Record<string, string>> = {}) {
  const asked: string[] = [];
  const take = (agent: string) => {
    asked.push(agent);
    if (kept[agent] === undefined) Deno.removeSync(`${folder}/${agent}`, { recursive: true });
    return Promise.resolve(kept[agent] ?? null);
  };
  return { asked, of: { isWanted: () => true, take } };
}

Deno.test("what a process that is gone had begun goes, with what git kept of it, and nothing else", async () => {
  await withDirectory(async (root) => {
    const place = { workspace: root as CanonicalPath, worktrees: WORKTREES };
    const folder = `${root}/${WORKTREES}`;
    const known = `${root}/.git/worktrees`;
    for (const name of ["dead", "alive", "whole", "elsewhere", "held"]) {
      Deno.mkdirSync(`${folder}/${name}`, { recursive: true });
      Deno.mkdirSync(`${known}/${name}`, { recursive: true });
      Deno.writeTextFileSync(`${folder}/${name}/a.txt`, "a");
      const at = name === "elsewhere" ? "/elsewhere" : `${folder}/${name}`;
      Deno.writeTextFileSync(`${known}/${name}/gitdir`, `${at}/.git\n`);
    }
    // Killed before git had said where it lies, and where git gave another name since that one was taken.
    Deno.mkdirSync(`${known}/early`);
    Deno.mkdirSync(`${known}/dead1`);
    Deno.writeTextFileSync(`${known}/dead1/gitdir`, `${folder}/dead/.git\n`);
    Deno.mkdirSync(`${root}/.git/refs/heads/toolgate`, { recursive: true });
    Deno.writeTextFileSync(`${root}/.git/refs/heads/toolgate/dead.lock`, "");
    const marks = ["11-1-dead", "12-2-alive", "13-3-early", "11-1-elsewhere", "12-9-gone"];
    for (const mark of [...marks, "11-1-held"]) {
      Deno.writeTextFileSync(`${folder}/.making-${mark}`, "");
    }
    const table = tableOf({ 12: 2, 13: 4, [Deno.pid]: 7 });
    const { asked, of } = taking(folder, { held: "somebody's" });
    const ended = await dropHalfMade(place, table, of);
    assertEquals(
      ended.map(({ agent, kept }) => `${agent}: ${kept}`).sort(),
      ["dead: null", "early: null", "elsewhere: null", "gone: null", "held: somebody's"],
    );
    assertEquals(asked.sort(), ["dead", "elsewhere", "held"]);
    assertEquals(namesIn(folder), [".making-12-2-alive", "alive", "held", "whole"]);
    assertEquals(namesIn(`${folder}/held`), ["a.txt"]);
    assertEquals(namesIn(known), ["alive", "elsewhere", "held", "whole"]);
    assertEquals(namesIn(`${root}/.git/refs/heads/toolgate`), []);
    assertEquals(await dropHalfMade(place, table, of), []);
  });
});

Deno.test("before a file was laid out only what leads to the repository goes, and not where a file was, or may be", async () => {
  const rows: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
    ["nothing", {}, true],
    ["of git", { ".git": "gitdir: OWN\n" }, true],
    ["empty", { ".git": "" }, true],
    ["of somebody", { ".git": "gitdir: elsewhere\n" }, false],
    ["with a file", { ".git": "gitdir: OWN\n", "mine": "m" }, false],
    ["indexed", { ".git": "gitdir: OWN\n", "OWN/index": "" }, false],
    ["being indexed", { ".git": "gitdir: OWN\n", "OWN/index.lock": "" }, false],
  ];
  for (const [what, files, goes] of rows) {
    await withDirectory(async (root) => {
      const place = { workspace: root as CanonicalPath, worktrees: WORKTREES };
      const folder = `${root}/${WORKTREES}`;
      const own = `${root}/.git/worktrees/a`;
      for (const made of [`${folder}/a`, own]) Deno.mkdirSync(made, { recursive: true });
      Deno.writeTextFileSync(`${own}/gitdir`, `${folder}/a/.git\n`);
      for (const [name, text] of Object.entries(files)) {
        const path = name.startsWith("OWN") ? name.replace("OWN", own) : `${folder}/a/${name}`;
        Deno.writeTextFileSync(path, text.replace("OWN", own));
      }
      Deno.writeTextFileSync(`${folder}/.making-11-1-a`, "");
      const before = goes ? [] : namesIn(`${folder}/a`);
      const { asked, of } = taking(folder, { a: "kept" });
      await dropHalfMade(place, tableOf({}), of);
      assertEquals([what, asked, namesIn(folder)], goes ? [what, [], []] : [what, ["a"], ["a"]]);
      if (!goes) assertEquals(namesIn(`${folder}/a`), before);
    });
  }
});

Deno.test("what could not be taken is found again, and by one alone; who asks for one agent's hears of no other", async () => {
  await withDirectory(async (root) => {
    const place = { workspace: root as CanonicalPath, worktrees: WORKTREES };
    const folder = `${root}/${WORKTREES}`;
    const table = tableOf({ [Deno.pid]: 7 });
    for (const name of ["a", "b"]) {
      Deno.mkdirSync(`${folder}/${name}/file`, { recursive: true });
      Deno.writeTextFileSync(`${folder}/.making-11-1-${name}`, "");
    }
    const isWanted = (name: string) => name === "a";
    const take = async () => {
      const mine = `.making-${Deno.pid}-7-a`;
      // What a number is called by decides where its name is in the order.
      assertEquals(namesIn(folder), [".making-11-1-b", mine, "a", "b"].sort());
      assertEquals(await dropHalfMade(place, table, { isWanted, take }), []);
      throw new ToolError("TIMEOUT", "too slow");
    };
    const [ended] = await dropHalfMade(place, table, { isWanted, take });
    assertEquals([ended?.agent, ended?.kept, ended?.failed?.code], ["a", null, "TIMEOUT"]);
    assertEquals(namesIn(folder), [".making-11-1-a", ".making-11-1-b", "a", "b"]);
  });
});

Deno.test("half of what was being removed is put back, what is gone is forgotten, and a clone's rest goes", async () => {
  await withDirectory(async (root) => {
    const place = { workspace: root as CanonicalPath, worktrees: WORKTREES };
    const folder = `${root}/${WORKTREES}`;
    const known = `${root}/.git/worktrees`;
    for (const name of ["half", "stuck", "gone"]) {
      if (name !== "gone") Deno.mkdirSync(`${folder}/${name}`, { recursive: true });
      Deno.mkdirSync(`${known}/${name}`, { recursive: true });
      Deno.writeTextFileSync(`${known}/${name}/gitdir`, `${folder}/${name}/.git\n`);
      Deno.writeTextFileSync(`${folder}/.removing-11-1-${name}`, "");
    }
    Deno.mkdirSync(`${folder}/.removing-11-1-clone/files`, { recursive: true });
    Deno.writeTextFileSync(`${folder}/.removing-12-2-alive`, "");
    const asked: string[] = [];
    await mendHalfRemoved(place, tableOf({ 12: 2 }), (agent) => {
      asked.push(agent);
      return Promise.resolve(agent !== "stuck");
    });
    assertEquals(asked.sort(), ["half", "stuck"]);
    assertEquals(namesIn(folder), [
      ".removing-11-1-stuck",
      ".removing-12-2-alive",
      "half",
      "stuck",
    ]);
    assertEquals(namesIn(known), ["half", "stuck"]);
    assertEquals(Deno.readTextFileSync(`${folder}/half/.git`), `gitdir: ${known}/half\n`);
  });
});

Deno.test("a mark is there while working files are removed", async () => {
  const table = tableOf({ [Deno.pid]: 7 });
  await withDirectory(async (root) => {
    const place = { workspace: root as CanonicalPath, worktrees: WORKTREES };
    const folder = `${root}/${WORKTREES}`;
    Deno.mkdirSync(`${folder}/a/deep`, { recursive: true });
    const seen = await whileRemoving(place, "b", table, () => Promise.resolve(namesIn(folder)));
    assertEquals(seen, [`.removing-${Deno.pid}-7-b`, "a"]);
    assertEquals(namesIn(folder), ["a"]);
  });
});

/** A clone with one file, as far as one is looked at from without. */
function layClone(folder: string): string {
  const root = `${folder}/a`;
  Deno.mkdirSync(`${root}/deep`, { recursive: true });
  Deno.mkdirSync(`${root}/.git/refs/heads`, { recursive: true });
  Deno.writeTextFileSync(`${root}/.git/HEAD`, "ref: refs/heads/a\n");
  Deno.writeTextFileSync(`${root}/.git/refs/heads/a`, "c0ffee\n");
  Deno.writeTextFileSync(`${root}/file`, "a\n");
  return root;
}

const isEmptied = (folder: string): boolean => {
  try {
    Deno.removeSync(`${folder}/deep`);
    Deno.removeSync(folder);
    return true;
  } catch {
    return false;
  }
};

Deno.test("a clone goes file by file, its repository last; what comes meanwhile keeps all of it", async () => {
  const table = tableOf({ [Deno.pid]: 7 });
  const within = ["look", "take", "restore"];
  const rows: readonly (readonly [string, (root: string) => void, readonly string[]])[] = [
    ["nothing", () => {}, ["look", "take"]],
    ["a file", (root) => Deno.writeTextFileSync(`${root}/mine`, "m"), [...within, "look"]],
    ["a commit", (root) => {
      Deno.writeTextFileSync(`${root}/.git/refs/heads/new`, "c0ffee\n");
      Deno.renameSync(`${root}/.git/refs/heads/new`, `${root}/.git/refs/heads/a`);
    }, [...within, "look"]],
    ["a branch", (root) => Deno.writeTextFileSync(`${root}/.git/refs/heads/b`, "b\n"), [
      ...within,
      "look",
    ]],
    ["a stage", (root) => Deno.writeTextFileSync(`${root}/.git/index`, "i"), [...within, "look"]],
  ];
  for (const [what, come, asked] of rows) {
    await withDirectory(async (workspace) => {
      const place = { workspace: workspace as CanonicalPath, worktrees: WORKTREES };
      const folder = `${workspace}/${WORKTREES}`;
      const root = layClone(folder);
      const steps: string[] = [];
      const step = (name: string, act = () => {}) => () => {
        steps.push(name);
        act();
        return Promise.resolve();
      };
      const removed = removeClone(place, "a", table, {
        look: step("look"),
        take: step("take", () => {
          assertEquals(namesIn(folder), [`.removing-${Deno.pid}-7-a`, "a"]);
          Deno.removeSync(`${root}/file`);
          come(root);
        }),
        restore: step("restore", () => Deno.writeTextFileSync(`${root}/file`, "a\n")),
        removeEmpty: isEmptied,
      });
      if (what === "nothing") await removed;
      else await assertRejects(() => removed, ToolError, "somebody worked in a");
      assertEquals([what, steps], [what, asked]);
      assertEquals(namesIn(folder), what === "nothing" ? [] : ["a"]);
      if (what === "nothing") return;
      assertEquals(Deno.readTextFileSync(`${root}/file`), "a\n");
      assertEquals(Deno.readTextFileSync(`${root}/.git/HEAD`), "ref: refs/heads/a\n");
    });
  }
});

Deno.test("a clone that holds something, or is but a link, is not touched", async () => {
  const table = tableOf({ [Deno.pid]: 7 });
  await withDirectory(async (workspace) => {
    const place = { workspace: workspace as CanonicalPath, worktrees: WORKTREES };
    const folder = `${workspace}/${WORKTREES}`;
    const root = layClone(folder);
    const never = () => Promise.reject(new Error("asked"));
    const holds = () => Promise.reject(new ToolError("GIT_ERROR", "it holds something"));
    const removal = { look: holds, take: never, restore: never, removeEmpty: () => false };
    await assertRejects(() => removeClone(place, "a", table, removal), ToolError, "it holds");
    Deno.renameSync(root, `${workspace}/elsewhere`);
    Deno.symlinkSync("../../elsewhere", root);
    const looked = { ...removal, look: () => Promise.resolve() };
    await assertRejects(() => removeClone(place, "a", table, looked), ToolError, "no longer");
    assertEquals([namesIn(folder), namesIn(`${root}/.git`)], [["a"], ["HEAD", "refs"]]);
  });
});

Deno.test("a clone whose removal was killed is whole again, at each moment of it", async () => {
  await withDirectory(async (workspace) => {
    const place = { workspace: workspace as CanonicalPath, worktrees: WORKTREES };
    const folder = `${workspace}/${WORKTREES}`;
    const mark = `${folder}/.removing-11-1-a`;
    const mended = async (whole: boolean) => {
      const asked: string[] = [];
      await mendHalfRemoved(place, tableOf({}), (agent) => {
        asked.push(agent);
        return Promise.resolve(whole);
      });
      return [asked, namesIn(folder)];
    };
    const root = layClone(folder);
    Deno.mkdirSync(mark);
    assertEquals(await mended(false), [["a"], [".removing-11-1-a", "a"]]);
    assertEquals(await mended(true), [["a"], ["a"]]);
    // Its repository lies beside it.
    Deno.mkdirSync(mark);
    Deno.renameSync(`${root}/.git`, `${mark}/.git`);
    assertEquals(await mended(true), [["a"], ["a"]]);
    assertEquals(namesIn(`${root}/.git`), ["HEAD", "refs"]);
    // Somebody has made another there: neither goes.
    Deno.mkdirSync(`${mark}/.git`, { recursive: true });
    Deno.writeTextFileSync(`${mark}/.git/HEAD`, "");
    assertEquals(await mended(true), [[], [".removing-11-1-a", "a"]]);
    // Its folder is gone: it held nothing.
    Deno.removeSync(root, { recursive: true });
    assertEquals(await mended(true), [[], []]);
  });
});

Deno.test("nothing is removed where the folder of worktrees leads elsewhere", async () => {
  await withDirectory(async (root) => {
    Deno.mkdirSync(`${root}/other/a`, { recursive: true });
    Deno.writeTextFileSync(`${root}/other/.making-11-1-a`, "");
    Deno.mkdirSync(`${root}/.toolgate`);
    Deno.symlinkSync("../other", `${root}/${WORKTREES}`);
    const place = { workspace: root as CanonicalPath, worktrees: WORKTREES };
    assertEquals(await dropHalfMade(place, tableOf({}), taking(`${root}/other`).of), []);
    assertEquals(namesIn(`${root}/other`), [".making-11-1-a", "a"]);
  });
});

Deno.test("what a process that is gone had begun to leave is ended with the commit that it began at", async () => {
  await withDirectory(async (root) => {
    const place = { workspace: root as CanonicalPath, worktrees: WORKTREES };
    const folder = `${root}/${WORKTREES}`;
    Deno.mkdirSync(folder, { recursive: true });
    const alive = tableOf({ [Deno.pid]: 7 });
    const ended: unknown[] = [];
    const end = (left: unknown) => Promise.resolve(void ended.push(left));
    const leaving = { agent: "child-1", base: "c0ffee" };
    await whileLeaving(place, leaving, alive, async () => {
      assertEquals(namesIn(folder), [`.leaving-${Deno.pid}-7-child-1`]);
      await endHalfLeft(place, alive, end);
      assertEquals([ended, await dropHalfMade(place, tableOf({}), taking(folder).of)], [[], []]);
      await endHalfLeft(place, tableOf({}), end);
    });
    assertEquals([ended, namesIn(folder)], [[leaving], []]);
    // A disk that takes no mark keeps nobody from leaving.
    Deno.removeSync(folder);
    assertEquals(await whileLeaving(place, leaving, alive, () => Promise.resolve(3)), 3);
  });
});
