/** Folders that a program goes through and that hold a denied name: all of it is changed, or nothing. */

import { assert, assertEquals } from "@std/assert";
import { own } from "../attacks/_users.ts";
import { Pipe, Workspace } from "./toolgate.ts";

const USER = Deno.uid() === 0 ? { user: { uid: 65532, gid: 65532 } } : {};
const FILES = {
  "secret/a": "1",
  "secret/below/.env": "KEY=1",
  "secret/z/z": "1",
  "repository/a": "1",
  "repository/deep/.git/HEAD": "ref",
  "repository/z": "1",
  "asked/config/a": "1",
  "plain/a": "1",
  "plain/below/b": "1",
};
const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**"], reason: internals }
  - { deny: [read, write], match: ["**/.env"], reason: secrets }
commands: [{ allow: [rm, chmod, chgrp, echo, ls, timeout, mv, rmdir] }]
risk: { allow: dangerous, ask: dangerous }
`;

/** Everything that could have been left half done. */
function state(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    const mode = Deno.lstatSync(path).mode?.toString(8);
    return [`${path} ${mode}`, ...(isDirectory ? state(path) : [])];
  }).sort();
}

const REFUSED: readonly (readonly [command: string, denied: string])[] = [
  ["rm -rf secret", "secret/below/.env"],
  ["rm -r ./secret/", "secret/below/.env"],
  ["rm --rec -f plain secret", "secret/below/.env"],
  ["rm -fR secret/below/..", "secret/below/.env"],
  ["timeout 9 rm -rf repository", "repository/deep/.git"],
  ["rm -rf repository || echo failed", "repository/deep/.git"],
  ["rm -rf sec*", "secret/below/.env"],
  ["for d in secret; do rm -rf $d; done", "secret/below/.env"],
  ["chmod -R go-rwx repository", "repository/deep/.git"],
  ["chmod -R go-rwx to-secret/", "secret/below/.env"],
  ["chgrp -R 65532 secret", "secret/below/.env"],
];

const DONE: readonly (readonly [command: string, left: string])[] = [
  ["rm -rf to-secret && ls", "asked\nplain\nrepository\nsecret\n"],
  ["rm -rf secret/z && ls secret", "a\nbelow\n"],
  ["rm -rf plain not-there && ls", "asked\nrepository\nsecret\n"],
  ["chmod -R go-rwx asked && rm -r asked && ls", "repository\nsecret\n"],
  ["rmdir secret; rm secret; ls secret", "a\nbelow\n"],
];

Deno.test("what goes through a folder with a denied name in it is refused whole, and by that name", async () => {
  await using workspace = new Workspace(FILES);
  Deno.symlinkSync("secret", workspace.path("to-secret"));
  own(workspace.base, USER.user);
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root, ...USER });
  let id = 0;
  const run = (command: string) => pipe.ask({ id: ++id, tool: "run_command", args: { command } });
  const before = state(workspace.root);
  for (const [command, denied] of REFUSED) {
    const { error } = await run(command);
    assertEquals(error?.code, "PATH_DENIED", command);
    const { message = "" } = error ?? {};
    assert(message.includes(denied) && message.includes("not started"), message);
    assertEquals(state(workspace.root), before, command);
  }
  for (const [command, left] of DONE) {
    const { output, error } = await run(command);
    const { stdout } = output as { readonly stdout: string };
    assertEquals(stdout, left, `${command}: ${error?.message}`);
  }
  assertEquals((await pipe.close()).status, 0);
});
