/** Worktrees that are removed while somebody writes into them what git is told to ignore: nothing of it is lost. */

import { assert, assertEquals } from "@std/assert";
import { git, makeRepository, said } from "../../unit/tools/git/_history.ts";
import {
  CHILD_POLICY,
  git as gitIn,
  repository,
  results,
  spawn,
  spawning,
  stopped,
} from "../gate/_child_agent.ts";
import { Gate } from "../_gate.ts";
import { call, Pipe } from "../toolgate.ts";

const POLICY = `
version: 1
risk: { allow: dangerous, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: [".git/**", ".toolgate/**"] }
commands: [{ allow: [git] }]
environment: { pass: [PATH] }
agents: { "*": { permissions: [all] } }
`;
const PLACE = ".toolgate/worktrees/apart";
const FOLDERS = Array.from({ length: 50 }, (_, at) => `files/${at}`);
const FILES_EACH = 60;
const LATE = "late.log";

const soon = () => new Promise((resolve) => setTimeout(resolve, 1));

function countIn(folder: string): number {
  try {
    return [...Deno.readDirSync(folder)].length;
  } catch {
    return 0;
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Where the folder is still there. */
function writeLate(folder: string): boolean {
  try {
    Deno.writeTextFileSync(`${folder}/${LATE}`, "nowhere else\n");
    return true;
  } catch {
    return false;
  }
}

Deno.test("git_worktree: what comes into a worktree while it is removed stays, with all of it", async () => {
  // Where it was over before anything came it is another matter: it is tried again.
  for (let came = false; !came;) {
    const outer = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      const root = `${outer}/workspace`;
      const place = `${root}/${PLACE}`;
      await makeRepository(root);
      Deno.writeTextFileSync(`${outer}/policy.yaml`, POLICY);
      Deno.writeTextFileSync(`${root}/.gitignore`, "*.log\n.toolgate\n");
      for (const folder of FOLDERS) {
        Deno.mkdirSync(`${root}/${folder}`, { recursive: true });
        for (let at = 0; at < FILES_EACH; at++) {
          Deno.writeTextFileSync(`${root}/${folder}/${at}`, `${at}\n`);
        }
      }
      await git(root, ["add", "--all"]);
      await git(root, ["commit", "-qm", "one"]);
      const flags = ["--policy", `${outer}/policy.yaml`, "--root", root];
      const ask = (args: Record<string, unknown>) =>
        call(["git_worktree", "--json", JSON.stringify(args), ...flags]);
      const { answer: made } = await ask({ action: "add", branch: "apart" });
      assertEquals(made.error, null);
      const removing = ask({ action: "remove", path: PLACE });
      const counts = () => FOLDERS.map((folder) => countIn(`${place}/${folder}`));
      while (counts().every((count) => count === FILES_EACH)) await soon();
      const late = FOLDERS.filter((folder) => writeLate(`${place}/${folder}`));
      const { answer } = await removing;
      came = late.length > 0;
      assertEquals(late.filter((folder) => !isThere(`${place}/${folder}/${LATE}`)), []);
      if (!came) continue;
      assertEquals(answer.error?.code, "GIT_ERROR");
      assert(answer.error?.message.includes(LATE), answer.error?.message);
      assertEquals(await said(place, ["status", "--porcelain"]), "");
      assertEquals(counts().reduce((all, count) => all + count), 3_000 + late.length);
      for (const folder of late) Deno.removeSync(`${place}/${folder}/${LATE}`);
      // What git does not speak of keeps nobody.
      Deno.mkdirSync(`${place}/empty/within`, { recursive: true });
      const { answer: gone } = await ask({ action: "remove", path: PLACE });
      assertEquals([gone.error, gone.output.removed.branch], [null, "apart"]);
      assertEquals([isThere(place), isThere(`${root}/.git/worktrees`)], [false, false]);
      await git(root, ["fsck", "--strict"]);
    } finally {
      Deno.removeSync(outer, { recursive: true });
    }
  }
});

Deno.test("git_worktree: one is made where no folder for it is there yet and none may be made by others, and made again by the same process, beside what is denied", async () => {
  const outer = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const root = `${outer}/workspace`;
    await makeRepository(root);
    Deno.writeTextFileSync(
      `${outer}/policy.yaml`,
      POLICY.replace("commands:", '  - { deny: [read, write], match: ["shut/**"] }\ncommands:'),
    );
    Deno.writeTextFileSync(`${root}/.git/info/exclude`, ".toolgate\n");
    for (const name of ["a", "shut/x"]) {
      Deno.mkdirSync(`${root}/shut`, { recursive: true });
      Deno.writeTextFileSync(`${root}/${name}`, "one\n");
    }
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "-qm", "one"]);
    const steps = [
      { action: "add", branch: "apart" },
      { action: "remove", path: PLACE },
      { action: "add", branch: "apart" },
    ];
    const requests = steps.map((args, id) => ({ id, tool: "git_worktree", args }));
    const pipe = new Pipe(["--policy", `${outer}/policy.yaml`, "--root", root]);
    const errors = [];
    for (const request of requests) errors.push((await pipe.ask(request)).error);
    await pipe.close();
    assertEquals(errors, [null, null, null]);
    assertEquals(Deno.readTextFileSync(`${root}/${PLACE}/a`), "one\n");
  } finally {
    Deno.removeSync(outer, { recursive: true });
  }
});

for (
  const [isolation, killed] of ["worktree", "clone"].flatMap((way) => [[way, false], [way, true]])
) {
  const ends = killed ? "after its gate was killed" : "when it ends";
  Deno.test(`child agents: what comes into a ${isolation} once it was found to hold nothing stays, ${ends}`, async () => {
    for (let came = false; !came;) {
      await using workspace = await repository({ ".gitignore": "*.log\n" });
      const folder = workspace.path(".toolgate/worktrees");
      const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
      const caller = await gate.connect();
      const task = killed ? "wait" : "exit 0";
      const { output: child } = await caller.ask(spawning([], { task, isolation }));
      const place = workspace.path(child.worktree);
      if (killed) {
        gate.process.kill("SIGKILL");
        await gate.process.status;
        caller.close();
      }
      const last = killed ? await Gate.start(workspace, { policy: CHILD_POLICY }) : gate;
      const isRemoved = () => {
        const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
        return !names.includes("child-1") || names.some((name) => name.startsWith(".removing-"));
      };
      while (!isRemoved()) await soon();
      came = writeLate(place);
      const asking = killed ? await last.connect() : caller;
      // Children wait for what earlier gates have left.
      if (killed) await spawn(asking, ["exit 0"]);
      await results(asking);
      await stopped(last, asking);
      if (!came) continue;
      assertEquals(Deno.readTextFileSync(`${place}/${LATE}`), "nowhere else\n");
      assertEquals(await gitIn(workspace, "-C", place, "status", "--porcelain"), "");
      const listed = (await gitIn(workspace, "worktree", "list")).includes("child-1");
      assertEquals(listed, isolation === "worktree");
      await gitIn(workspace, "-C", place, "fsck", "--strict");
      const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
      assertEquals(names, [".gitignore", "child-1"]);
    }
  });
}
