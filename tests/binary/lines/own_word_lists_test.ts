/**
 * Programs that start what their own words say (`timeout 5 X`, `find -exec X`), or a rule where their words say which files they
 * read, and the loader that all of them need: as root and as an ordinary user. The attacker is a shell that a policy says only reads: what it starts its words do not say.
 */

import { assert, assertEquals } from "@std/assert";
import { SYSTEM_PATHS } from "../../../src/sandbox/system_paths.ts";
import { type Answer, Pipe, Workspace } from "../toolgate.ts";

const LOADER = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].find((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}) ?? "";

/** `known`: the shell is said to read its operands and to start nothing. */
const policyOf = (
  folder: string,
  { known, denied, ruled }: {
    readonly known: boolean;
    readonly denied: boolean;
    /** A rule says what the shell starts, by itself. */
    readonly ruled: boolean;
  },
): string =>
  `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
${denied ? '  - { deny: [read, write], match: ["**/.env"] }\n' : ""}
commands:
${ruled ? "  - { allow: [runner], runs: [runner, timeout, cat] }\n" : ""}  - { allow: ["*"] }
${known ? 'programs: { runner: { risk: safe, operands: ["read..."] } }\n' : ""}
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
sandbox: { system: ${JSON.stringify([...SYSTEM_PATHS, folder])} }
`;

/** Each starts a program of the workspace that no word names: what that prints is what it was told. */
const WAYS = [
  `${LOADER} ./tool told`,
  `${LOADER} --argv0 timeout ./tool told`,
  `exec 3< ./tool; ${LOADER} /proc/self/fd/3 told`,
  `exec 3< ${LOADER}; /proc/self/fd/3 ./tool told`,
  `exec 3< ${LOADER}; /dev/fd/3 ./tool told`,
  `./ld ./tool told`,
  `./sub/../ld ./tool told`,
  `cd sub; ../ld ../tool told`,
  `sub/system${LOADER} ./tool told`,
  `PATH=sub/system${LOADER.replace(/\/[^/]*$/, "")}; ${LOADER.split("/").at(-1)} ./tool told`,
  `(${LOADER} ./tool told) | (read x; echo "$x")`,
  `n=0; while [ $n -lt 20 ]; do ${LOADER} ./tool told & n=$((n + 1)); done; wait`,
];
/** Here alone a link is changed all the time: now it leads to a listed program, now to the loader. */
const RACE =
  "n=0; while [ $n -lt 400 ]; do ./swap ./tool told 2>/dev/null; n=$((n + 1)); done; :\n";
const FILES = {
  "attack.sh": `${WAYS.map((way) => `(${way}) 2>/dev/null`).join("\n")}\n:\n`,
  "race.sh": RACE,
  "inner.sh": "read line < a.txt; echo $line\n",
  "honest.sh": "timeout 5 runner inner.sh a.txt\n/usr/bin/timeout 5 runner inner.sh a.txt\n",
  "a.txt": "text\n",
  "sub/b.txt": "text\n",
};

/** The kernel's nobody (include/linux/highuid.h) */
const NOBODY = { uid: 65_534, gid: 65_534 };
const USERS = Deno.uid() === 0
  ? [["root", undefined], ["an ordinary user", NOBODY]] as const
  : [["an ordinary user", undefined]] as const;

function openWorkspace(user: typeof NOBODY | undefined): Workspace {
  const workspace = new Workspace(FILES);
  Deno.mkdirSync(`${workspace.base}/programs`);
  Deno.copyFileSync("/bin/sh", `${workspace.base}/programs/runner`);
  Deno.copyFileSync("/bin/echo", workspace.path("tool"));
  Deno.symlinkSync(LOADER, workspace.path("ld"));
  Deno.symlinkSync("/", workspace.path("sub/system"));
  Deno.symlinkSync("/usr/bin/timeout", workspace.path("swap"));
  for (const path of [workspace.base, `${workspace.base}/programs`]) Deno.chmodSync(path, 0o755);
  if (user !== undefined) {
    for (const path of ["", "sub"]) Deno.chownSync(workspace.path(path), user.uid, user.gid);
  }
  return workspace;
}

function outputOf(answer: Answer): string {
  assert(answer.success, JSON.stringify(answer));
  return answer.output.stdout;
}

for (const [who, user] of USERS) {
  const open = (
    workspace: Workspace,
    { known = true, denied = false, ruled = false } = {},
  ) => {
    const folder = `${workspace.base}/programs`;
    const policy = policyOf(folder, { known, denied, ruled });
    return new Pipe(["--policy", workspace.policy(policy)], {
      cwd: workspace.root,
      env: { PATH: `${folder}:/usr/bin:/bin` },
      ...(user === undefined ? {} : { user }),
    });
  };
  const run = async (pipe: Pipe, ...argv: readonly string[]): Promise<string> =>
    outputOf(await pipe.ask({ id: 1, tool: "run_command", args: { argv } }));

  Deno.test(`${who}: the loader of what a command's own words name starts nothing that they do not`, async () => {
    assert(LOADER !== "", "glibc has a loader");
    const attack = ["timeout", "20", "runner", "attack.sh", "tool"];
    await using free = openWorkspace(user);
    const any = open(free, { known: false });
    const control = await run(any, ...attack);
    assertEquals(control.match(/told/g)?.length, WAYS.length - 1 + 20, control);
    assertEquals((await any.close()).status, 0);
    for (const denied of [true, false]) {
      await using workspace = openWorkspace(user);
      const pipe = open(workspace, { denied });
      assertEquals((await run(pipe, ...attack)).trim(), "");
      const find = ["find", ".", "-name", "attack.sh", "-exec", "runner", "{}", "tool", ";"];
      assertEquals((await run(pipe, ...find)).trim(), "");
      const honest = ["timeout", "20", "runner", "honest.sh", "inner.sh", "a.txt"];
      assertEquals(await run(pipe, ...honest), "text\ntext\n");
      assertEquals((await pipe.close()).status, 0);
      const ruled = open(workspace, { denied, ruled: true });
      assertEquals((await run(ruled, "runner", "attack.sh", "tool")).trim(), "");
      assertEquals(await run(ruled, "runner", "honest.sh", "inner.sh", "a.txt"), "text\ntext\n");
      assertEquals((await ruled.close()).status, 0);
    }
  });

  Deno.test(`${who}: a link that leads to the loader between two looks at it starts nothing`, async () => {
    await using workspace = openWorkspace(user);
    const pipe = open(workspace);
    const swap = (target: string) => {
      Deno.symlinkSync(target, workspace.path("next"));
      Deno.renameSync(workspace.path("next"), workspace.path("swap"));
    };
    const swapping = setInterval(() => {
      for (let turn = 0; turn < 20; turn++) {
        swap(LOADER);
        swap("/usr/bin/timeout");
      }
    });
    const said = await run(pipe, "timeout", "60", "runner", "race.sh", "tool");
    clearInterval(swapping);
    assertEquals(said, "");
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: what starts the program of its words goes on`, async () => {
    await using workspace = new Workspace({
      "a.txt": "text\n",
      "sub/b.txt": "text\n",
      Makefile: "all:\n\t@cat a.txt\n",
      "script.sh": "#!/bin/sh\ncat a.txt\n",
    });
    Deno.chmodSync(workspace.base, 0o755);
    Deno.chmodSync(workspace.path("script.sh"), 0o755);
    if (user !== undefined) {
      for (const path of ["", "sub"]) Deno.chownSync(workspace.path(path), user.uid, user.gid);
    }
    const pipe = open(workspace, { denied: true });
    const rows: readonly (readonly [string, string])[] = [
      ["find . -name *.txt -exec grep -c text {} ;", "1\n1\n"],
      ["find sub -name *.txt -exec grep -H text {} +", "sub/b.txt:text\n"],
      ["timeout 5 cat a.txt", "text\n"],
      ["timeout 5 /usr/bin/cat a.txt", "text\n"],
      ["timeout 20 make", "text\n"],
      ["timeout 5 ./script.sh", "text\n"],
      ["env A=1 nice sort a.txt", "text\n"],
      ["env A=1 ./script.sh", "text\n"],
      ["xargs echo", "\n"],
      ["timeout 5 awk {print} a.txt", "text\n"],
      ["tar czf a.tgz a.txt", ""],
      ["timeout 5 tar xzOf a.tgz", "text\n"],
      ["gzip -k a.txt", ""],
      ["zcat a.txt.gz", "text\n"],
      ["sort --compress-program=gzip a.txt", "text\n"],
    ];
    for (const [line, expected] of rows) {
      assertEquals(await run(pipe, ...line.split(" ")), expected, line);
    }
    assertEquals((await pipe.close()).status, 0);
  });
}
