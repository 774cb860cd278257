/** Installed packages bring files called like secrets along: they can be read and removed, and are no way to real ones. */

import { assert, assertEquals } from "@std/assert";
import { own } from "../../attacks/_users.ts";
import { call, Workspace } from "../toolgate.ts";

const USER = Deno.uid() === 0 ? { user: { uid: 65532, gid: 65532 } } : {};
const FILES = {
  ".env": "SECRET=1\n",
  "conf/a.txt": "1\n",
  "conf/server.key": "SECRET\n",
  "node_modules/a/index.js": "1\n",
  "node_modules/a/test/server.key": "brought\n",
  "node_modules/a/test/ca.pem": "brought\n",
  "node_modules/b/.env": "BROUGHT=1\n",
  "lib/site-packages/c/roots.pem": "brought\n",
};

/** Lines, and what they leave of `node_modules`. */
const DONE: readonly (readonly [command: string, stdout: string])[] = [
  ["cat node_modules/a/test/server.key lib/site-packages/c/roots.pem", "brought\nbrought\n"],
  ["rm -rf node_modules && ls", "conf\nlib\n"],
  ["rm -rf node_modules/a lib && ls node_modules", "b\n"],
  ["python3 -c 'import shutil; shutil.rmtree(\"node_modules\")' && ls", "conf\nlib\n"],
  ["cp -r node_modules/a node_modules/c && ls node_modules/c/test", "ca.pem\nserver.key\n"],
];

/** Ways by which a secret could come to lie where nobody guards it, or out of there by the name of one. */
const CODE: readonly string[] = [
  'os.rename("conf", "node_modules/conf")',
  'os.rename("conf/server.key", "node_modules/x")',
  'os.link("conf/server.key", "node_modules/x")',
  'os.symlink("../conf/server.key", "node_modules/x"); open("node_modules/x").read()',
  'open("node_modules/x", "w").write(open("conf/server.key").read())',
  'os.rename("node_modules/a/test", "conf/test")',
  'os.rename("node_modules/a/test/server.key", "conf/server.key")',
  'os.rename("node_modules/b", "b")',
  'open("node_modules/../.env").read()',
];
const LINES: readonly string[] = [
  "mv conf node_modules/",
  "mv conf/server.key node_modules/x",
  "ln conf/server.key node_modules/x",
  "cp conf/server.key node_modules/x",
  "cat node_modules/../.env",
  "rm -rf conf",
];

function workspaceOf(): Workspace {
  const workspace = new Workspace(FILES);
  own(workspace.base, USER.user);
  return workspace;
}

Deno.test("what packages bring along is read and removed under the default policy", async () => {
  for (const [command, stdout] of DONE) {
    await using workspace = workspaceOf();
    const args = ["run_command", `command=${command}`, "--approve"];
    const { answer: { output, error } } = await call(args, { cwd: workspace.root, ...USER });
    assertEquals((output as { readonly stdout?: string })?.stdout, stdout, error?.message);
  }
});

Deno.test("and is no way to a secret of the workspace, for lines and for programs", async () => {
  await using workspace = workspaceOf();
  const lines = [
    ...LINES,
    ...CODE.map((code) => `python3 -c 'import os; ${code}'`),
  ];
  const inside = workspace.path("node_modules");
  for (const command of lines) {
    const args = ["run_command", `command=${command}`, "--approve"];
    const { answer: { success, error } } = await call(args, { cwd: workspace.root, ...USER });
    assert(!success && error?.code !== "COMMAND_UNPARSABLE", command);
    for (const [name, text] of Object.entries(FILES)) {
      assertEquals(Deno.readTextFileSync(workspace.path(name)), text, `${command}: ${name}`);
    }
    const made = [...Deno.readDirSync(inside)].filter(({ name }) => !["a", "b"].includes(name));
    for (const { name, isSymlink } of made) {
      if (!isSymlink) assertEquals(Deno.readTextFileSync(`${inside}/${name}`), "", command);
      Deno.removeSync(`${inside}/${name}`);
    }
  }
});
