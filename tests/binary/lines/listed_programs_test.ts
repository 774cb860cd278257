/** Programs of which a rule says what they may start, and the loader that all of them need: as root and as an ordinary user. */

import { assert, assertEquals } from "@std/assert";
import { Pipe, Workspace } from "../toolgate.ts";

const LOADER = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].find((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}) ?? "";

/** Whether some name is denied is another way for programs to be held. */
const policyOf = (runs: string, denied: boolean): string =>
  `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
${denied ? '  - { deny: [read, write], match: ["**/.env"] }\n' : ""}
commands: [{ allow: [sh, awk, make], runs: ${runs} }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
`;

/** Each starts a program of the workspace that no rule names: what that prints is what it was told. */
const WAYS = [
  `${LOADER} ./tool told`,
  `${LOADER} --argv0 echo ./tool told`,
  `exec 3< ./tool; ${LOADER} /proc/self/fd/3 told`,
  `${LOADER} --preload ./tool ./tool told`,
  `ln -s ${LOADER} ld; ./ld ./tool told`,
  `cd sub; ${LOADER} ../tool told`,
  `(${LOADER} ./tool told) | (read x; echo "$x")`,
  `a=${LOADER}; $a "$PWD/tool" told & wait`,
  `n=0; while [ $n -lt 20 ]; do ${LOADER} ./tool told & n=$((n + 1)); done; wait`,
];
const FILES = {
  "attack.sh": `${WAYS.map((way) => `(${way}) 2>/dev/null`).join("\n")}\n:\n`,
  "attack.awk": `BEGIN { system("${LOADER} ./tool told 2>/dev/null; cat a.txt; echo listed") }\n`,
  Makefile: `all:\n\t-@${LOADER} ./tool told 2>/dev/null\n\t@cat a.txt\n\t@/bin/echo listed\n`,
  "honest.sh": "cat a.txt\n/bin/echo listed\nread line < a.txt; echo $line\n",
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
  Deno.copyFileSync("/bin/echo", workspace.path("tool"));
  Deno.chmodSync(workspace.base, 0o755);
  if (user !== undefined) {
    for (const path of ["", "sub"]) Deno.chownSync(workspace.path(path), user.uid, user.gid);
  }
  return workspace;
}

async function said(pipe: Pipe, ...argv: readonly string[]): Promise<string> {
  const answer = await pipe.ask({ id: 1, tool: "run_command", args: { argv } });
  assert(answer.success, JSON.stringify(answer));
  return answer.output.stdout;
}

for (const [who, user] of USERS) {
  const identity = user === undefined ? {} : { user };
  const open = (workspace: Workspace, policy: string) =>
    new Pipe(["--policy", workspace.policy(policy)], { cwd: workspace.root, ...identity });

  Deno.test(`${who}: the loader of listed programs starts nothing that is not listed`, async () => {
    assert(LOADER !== "", "glibc has a loader");
    await using free = openWorkspace(user);
    const any = open(free, policyOf("any", true));
    const control = await said(any, "sh", "attack.sh");
    assertEquals(control.match(/told/g)?.length, WAYS.length - 1 + 20, control);
    assertEquals((await any.close()).status, 0);
    for (const denied of [true, false]) {
      await using workspace = openWorkspace(user);
      const pipe = open(workspace, policyOf("[sh, cat, echo, ln]", denied));
      assertEquals((await said(pipe, "sh", "attack.sh")).trim(), "");
      assertEquals(await said(pipe, "awk", "-f", "attack.awk"), "text\nlisted\n");
      assertEquals(await said(pipe, "make"), "text\nlisted\n");
      assertEquals(await said(pipe, "sh", "honest.sh"), "text\nlisted\ntext\n");
      assertEquals((await pipe.close()).status, 0);
    }
  });
}
