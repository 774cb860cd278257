import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { call, start, type StartOptions, Workspace } from "../toolgate.ts";

const OPEN = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["closed/**"] }
commands:
  - { allow: [cp, sh, touch, mkdir, rm, mv, ln] }
risk: { allow: dangerous, ask: dangerous }
`;

/** A home of its own: the entries in it, and the options of starts that have it. */
function home(workspace: Workspace, folder: string) {
  const state = join(folder, ".local", "state", "toolgate");
  const options: StartOptions = {
    cwd: workspace.root,
    env: { HOME: folder },
  };
  const entries = () => {
    try {
      return [...Deno.readDirSync(join(state, "policies"))].map(({ name }) =>
        join(state, "policies", name)
      );
    } catch {
      return [];
    }
  };
  return { state, options, entries };
}

Deno.test("a policy is parsed once: what was kept of it is taken, and of no other text", async () => {
  await using workspace = new Workspace({ "a.txt": "a", "closed/b": "b" });
  const { options, entries } = home(workspace, join(workspace.outside, "home"));
  const file = join(workspace.root, "p.yaml");
  const read = async (path: string) =>
    (await call(["read_file", `path=${path}`, "--policy", file], options)).answer.error?.code ??
      null;
  Deno.writeTextFileSync(file, OPEN);
  assertEquals([await read("a.txt"), await read("closed/b")], [null, "PATH_DENIED"]);
  const [entry = "", ...others] = entries();
  assertEquals(others, []);
  // That it is taken shows where it says something else than the text.
  const kept = Deno.readTextFileSync(entry);
  const other = kept.replace(/"match":\["closed\/\*\*"\]/, '"match":["a.txt"]');
  assert(other !== kept);
  Deno.writeTextFileSync(entry, other);
  assertEquals([await read("a.txt"), await read("closed/b")], ["PATH_DENIED", null]);
  // Once others might have written it, it is nobody's word.
  Deno.chmodSync(entry, 0o620);
  assertEquals([await read("a.txt"), await read("closed/b")], [null, "PATH_DENIED"]);
  assertEquals(Deno.statSync(entry).mode! & 0o777, 0o600);
  // A text that changed is another text, and one that is wrong stays wrong.
  Deno.writeTextFileSync(file, OPEN.replace("closed/**", "a.*"));
  assertEquals([await read("a.txt"), await read("closed/b")], ["PATH_DENIED", null]);
  Deno.writeTextFileSync(file, `${OPEN}nothing: 1\n`);
  for (let turn = 0; turn < 2; turn++) {
    const args = ["call", "read_file", "path=a.txt", "--policy", file];
    assertEquals((await start(args, options)).status, 2);
  }
  assertEquals(entries().length, 2);
});

Deno.test("no tool and no program writes what policies were parsed to, wherever the workspace lies", async () => {
  await using workspace = new Workspace({ "a.txt": "forged" });
  const { state, options, entries } = home(workspace, workspace.root);
  const policy = workspace.policy(OPEN);
  // Where the workspace holds the home nothing is put there; what another start put stays.
  Deno.mkdirSync(join(workspace.root, "sub"));
  const within = ["read_file", "path=x", "--policy", policy];
  await call(within, options);
  assertEquals(entries(), []);
  await call([...within, "--root", join(workspace.root, "sub")], options);
  const run = async (...args: string[]) =>
    (await call([...args, "--policy", policy], options)).answer;
  assertEquals((await run("read_file", "path=a.txt")).error, null);
  const before = entries().map((path) => [path, Deno.readTextFileSync(path)]);
  assertEquals(before.length, 1);
  const [entry = ""] = entries();
  const folder = ".local/state/toolgate/policies";
  const attempts: readonly (readonly string[])[] = [
    ["write_file", `path=${entry}`, "content=forged"],
    ["create_file", `path=${folder}/new.json`, "content=forged"],
    ["delete_file", `path=${entry}`],
    ["move_file", "path=a.txt", `to=${folder}/moved.json`],
    ["run_command", `command=cp a.txt ${entry}`],
    ["run_command", `command=touch ${folder}/new.json`],
    ["run_command", `command=rm ${entry}`],
    ["run_command", `command=mv ${folder} elsewhere`],
    ["run_command", `command=mv .local elsewhere`],
    [
      "run_command",
      `argv=sh,-c,echo forged > ${entry}; mv .local/state elsewhere; ln -s a.txt ${folder}/l`,
    ],
  ];
  for (const attempt of attempts) {
    const { success } = await run(...attempt);
    assert(!success || attempt.includes("argv"), attempt.join(" "));
    assertEquals(entries().map((path) => [path, Deno.readTextFileSync(path)]), before);
  }
  // The same beside it goes through: it is this folder that is kept.
  assertEquals((await run("run_command", `command=touch ${state}/beside`)).error, null);
});

Deno.test("where nothing can be kept policies are parsed each time, silently", async () => {
  await using workspace = new Workspace({ "a.txt": "a" });
  const policy = workspace.policy(OPEN);
  Deno.writeTextFileSync(join(workspace.root, "file"), "no folder");
  for (const env of [{ HOME: "" }, { HOME: join(workspace.root, "file") }, { HOME: "/proc" }]) {
    const options = { cwd: workspace.root, env };
    const started = await call(["read_file", "path=a.txt", "--policy", policy, "--quiet"], options);
    assertEquals([started.status, started.answer.output.content, started.stderr], [0, "a", ""]);
  }
});
