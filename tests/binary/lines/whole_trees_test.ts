/** Folders that a program goes through and that hold a denied name: all of it is changed, or nothing. */

import { assert, assertEquals } from "@std/assert";
import { own } from "../../attacks/_users.ts";
import { Pipe, Workspace } from "../toolgate.ts";

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
commands:
  - { allow: [rm, chmod, chgrp, echo, ls, timeout, mv, rmdir, cp, find, mkdir, head, sort, tar, zip, cat, sed, grep, xargs, test, patch, unzip, gzip, "true", "false", env, nice] }
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
  ["mv secret elsewhere", "secret/below/.env"],
  ["mv plain secret asked/", "secret/below/.env"],
  ["cp -r secret copy", "secret/below/.env"],
  ["cp -a plain secret asked", "secret/below/.env"],
  ["cp -rt asked secret", "secret/below/.env"],
  // To be read it is open, and no name of it may be made.
  ["cp -r repository copy", "copy/deep/.git"],
  ["mv repository copy", "repository/deep/.git"],
  ["tar cf a.tar plain secret", "secret/below/.env"],
  ["tar -czf a.tgz .", "secret/below/.env"],
  ["zip -qr a.zip secret", "secret/below/.env"],
  ["find secret -delete", "secret/below/.env"],
  ["find . -type f -delete", "secret/below/.env"],
  ["find secret -type f -exec rm {} +", "secret/below/.env"],
  ["find . -name '.e*' -exec rm -f {} ';'", "secret/below/.env"],
  ["find . -name below -exec rm -rf {} +", "secret/below/.env"],
  ["find . -type f -exec sed -i s/1/2/ {} +", "secret/below/.env"],
  [
    "find plain repository -name '[Hb]*' -exec chmod 600 {} ';' -print",
    "repository/deep/.git/HEAD",
  ],
  ["find secret -execdir rm {} ';'", "secret/below/.env"],
  // What follows hangs on how the command before it ends.
  ["find secret -type f -exec true {} ';' -exec rm {} ';'", "secret/below/.env"],
  ["find secret -type f -exec false {} ';' -exec rm {} ';'", "secret/below/.env"],
  ["find . -name a -exec false {} ';' -o -type f -exec rm {} ';'", "secret/below/.env"],
  ["find secret -name '*' -exec test -d {} ';' -o -name .env -delete", "secret/below/.env"],
  ["timeout 9 find secret -type f -delete", "secret/below/.env"],
  ["env A=1 nice find secret -type f -exec rm {} +", "secret/below/.env"],
  // What is left out is the program's to say.
  ["tar -czf a.tgz --exclude=plain .", "secret/below/.env"],
  ["tar czf a.tgz . --exclude .env", "secret/below/.env"],
  ["timeout 9 tar -cf a.tar --exclude=plain --exclude repository .", "secret/below/.env"],
  ["tar -cf a.tar -C secret .", "secret/below/.env"],
  ["tar -cf a.tar plain -C secret below", "secret/below/.env"],
  ["tar -rf a.tar --newer=2000-01-01 plain secret", "secret/below/.env"],
  ["tar --exclude=z --remove-files -cf a.tar repository", "repository/deep/.git"],
  ["find . -type f | tar -cf a.tar -T -", "secret/below/.env"],
  ["tar -cf a.tar -C plain --files-from=- <<< ../secret", "secret/below/.env"],
  ["zip -qr a.zip . -x 'plain/*'", "secret/below/.env"],
  ["zip -rq a.zip . -i '*/below/*'", "secret/below/.env"],
  ["find . -type f | zip -q a.zip -@", "secret/below/.env"],
  ["zip -qR a.zip '*env' '*.env'", "secret/below/.env"],
  ["zip -qrm a.zip repository -x '*/z'", "repository/deep/.git"],
  ["gzip -r secret", "secret/below/.env"],
  ["gzip -rk plain secret", "secret/below/.env"],
  // What is in an archive or a patch.
  ["tar xf .odd.tar", "packed/.env"],
  ["tar -xf .odd.tar -C plain", "plain/packed/.env"],
  ["cat .odd.tar | tar x --strip-components=1", ".env"],
  ["tar x < .odd.tar", "packed/.env"],
  ["tar --extract --file .odd.tar --transform s/packed.a/x/", "packed/.env"],
  ["timeout 9 tar xzf .odd.tgz", "packed/.env"],
  ["unzip -q .odd.zip", "packed/.env"],
  ["unzip -qj .odd.zip -d plain", "plain/.env"],
  ["patch -p1 < .odd.patch", "secret/below/.env"],
  ["cat .odd.patch | patch -p1", "secret/below/.env"],
  ["patch -p1 -i .odd.patch", "secret/below/.env"],
  ["cd secret && patch -p2 -i ../.odd.patch", "secret/below/.env"],
  ["patch -d secret -p2 < .odd.patch", "secret/below/.env"],
];

const DONE: readonly (readonly [command: string, left: string])[] = [
  ["rm -rf to-secret && ls", "asked\nplain\nrepository\nsecret\n"],
  ["rm -rf secret/z && ls secret", "a\nbelow\n"],
  ["rm -rf plain not-there && ls", "asked\nrepository\nsecret\n"],
  ["chmod -R go-rwx asked && rm -r asked && ls", "repository\nsecret\n"],
  ["rmdir secret; rm secret; ls secret", "a\nbelow\n"],
  ["find . -name z -type f -delete; find secret repository -name z", ""],
  [
    "mkdir b && echo 1 > b/c && cp -r b d && mv b e && find . -name c -exec sed -i s/1/2/ {} + && cat d/c e/c",
    "2\n2\n",
  ],
  [
    "find . -name c -exec chmod 600 {} + && find . -name c -exec cp {} {}.bak ';' && find d e -exec echo {} + | xargs -n1 | sort",
    "d\nd/c\nd/c.bak\ne\ne/c\ne/c.bak\n",
  ],
  [
    "find . -name '*.bak' | xargs -I F mv F d/new; find . -name d -prune -exec rm -rf {} +; ls",
    "e\nrepository\nsecret\n",
  ],
  [
    "find secret -name .env -exec grep -c KEY {} ';' ; tar cf a.tar --exclude=.env secret e && tar tf a.tar | sort",
    "e/\ne/c\nsecret/\nsecret/a\nsecret/below/\n",
  ],
  [
    "zip -qr a.zip secret -x '*.env' && test -s a.zip && ls *.zip",
    "a.zip\n",
  ],
  [
    "find secret -name z -exec grep -q 2 {} ';' -exec rm {} ';' ; find secret -name a -exec grep -q 1 {} ';' -exec sed -i s/1/2/ {} ';' && cat secret/a",
    "2",
  ],
  [
    "cd secret && tar -cf ../b.tar -C ../e . -C ../secret --exclude below . && cd .. && tar tf b.tar | sort",
    "./\n./\n./a\n./c\n",
  ],
  [
    "mkdir f && find e secret -type f ! -name .env | tar -cf - -T - | tar x -C f && find f -type f | sort",
    "f/e/c\nf/secret/a\n",
  ],
  ["tar xf .odd.tar --exclude .env && find packed -type f", "packed/a\n"],
  ["tar -xf .odd.tar packed/a -O", "1"],
  ["unzip -qo .odd.zip -x '*.env' -d g && find g -type f", "g/packed/a\n"],
  ["zip -qr - packed -x q > h.zip && unzip -l h.zip | grep -c packed", "2\n"],
  [
    "echo old > t; patch <<< $'--- t\\n+++ t\\n@@ -1 +1 @@\\n-old\\n+new' && cat t",
    "patching file t\nnew\n",
  ],
  ["gzip -r g && find g -type f", "g/packed/a.gz\n"],
];

/** Archives that hold a denied name, and a patch that changes one. */
function pack(folder: string): void {
  const script = `mkdir packed && echo -n 1 > packed/a && echo -n KEY=1 > packed/.env
tar cf .odd.tar packed && tar czf .odd.tgz packed && zip -qr .odd.zip packed && rm -r packed
printf '%s\\n' '--- a/plain/a' '+++ b/plain/a' '@@ -1 +1 @@' -1 '\\ No newline at end of file' +2 '\\ No newline at end of file' \\
  '--- a/secret/below/.env' '+++ b/secret/below/.env' '@@ -1 +1 @@' -KEY=1 '\\ No newline at end of file' +KEY=2 '\\ No newline at end of file' > .odd.patch`;
  const { success } = new Deno.Command("sh", { args: ["-ec", script], cwd: folder }).outputSync();
  assert(success);
}

Deno.test("what goes through a folder with a denied name in it is refused whole, and by that name", async () => {
  await using workspace = new Workspace(FILES);
  Deno.symlinkSync("secret", workspace.path("to-secret"));
  pack(workspace.path("."));
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
    assertEquals(output?.stdout, left, `${command}: ${error?.message}`);
  }
  assertEquals((await pipe.close()).status, 0);
});
