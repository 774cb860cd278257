/** Signals that are sent by no call for it: by who owns a descriptor, and by processes' own. As root and as an ordinary user. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Pipe, Workspace } from "../toolgate.ts";

const PYTHON = "/usr/bin/python3";
const ATTACKS = fromFileUrl(new URL("_signals_by_descriptor.py", import.meta.url));

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
DENIED
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
`;

/** As many as the attacks have ways, the last two of which are there since Linux 6.9. */
const WAYS = 11;
const NEW_WAYS = 2;

/** The kernel's nobody (include/linux/highuid.h) */
const NOBODY = { uid: 65_534, gid: 65_534 };
const USERS = Deno.uid() === 0
  ? [["root", {}], ["an ordinary user", NOBODY]] as const
  : [["an ordinary user", {}]] as const;

/** Processes that each lead a group of their own and have nothing to do with Toolgate. */
async function withOthers(
  user: Partial<typeof NOBODY>,
  run: (ids: readonly string[]) => Promise<void>,
): Promise<readonly (string | null)[]> {
  const others = Array.from(
    { length: WAYS },
    () => new Deno.Command("setsid", { args: ["sleep", "600"], ...user }).spawn(),
  );
  try {
    // Before that a signal to its group would be one to these tests.
    for (const { pid } of others) {
      while (Number(sessionOf(pid)) !== pid) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await run(others.map(({ pid }) => String(pid)));
  } finally {
    // The first signal that ends it is the one that is told of it.
    for (const other of others) {
      try {
        other.kill("SIGTERM");
      } catch {
        // It has ended, and said by what.
      }
    }
  }
  return await Promise.all(others.map(async ({ status }) => (await status).signal));
}

/** proc_pid_stat(5) */
function sessionOf(id: number): string | undefined {
  return Deno.readTextFileSync(`/proc/${id}/stat`).split(") ").at(-1)?.split(" ")[3];
}

function openWorkspace({ uid, gid }: Partial<typeof NOBODY>): Workspace {
  const workspace = new Workspace({ "attack.py": Deno.readTextFileSync(ATTACKS), ".env": "x" });
  Deno.chmodSync(workspace.base, 0o755);
  if (uid !== undefined && gid !== undefined) Deno.chownSync(workspace.root, uid, gid);
  return workspace;
}

for (const [who, user] of USERS) {
  Deno.test(`${who}: no descriptor of a program's sends a signal to who is not of its call`, async () => {
    const all = `${WAYS} tried\n`;
    const [major = 0, minor = 0] = Deno.osRelease().split(".").map(Number);
    const ways = major > 6 || major === 6 && minor >= 9 ? WAYS : WAYS - NEW_WAYS;
    await using free = openWorkspace(user);
    const control = await withOthers(user, async (ids) => {
      const { stdout } = await new Deno.Command(PYTHON, {
        args: ["attack.py", ...ids],
        cwd: free.root,
        ...user,
      }).output();
      assertEquals(new TextDecoder().decode(stdout).endsWith(all), true);
    });
    assertEquals(control.filter((signal) => signal === "SIGKILL").length, ways);

    for (const denied of ["", '  - { deny: [read, write], match: ["**/.env"] }']) {
      await using workspace = openWorkspace(user);
      const policy = workspace.policy(
        POLICY.replace("DENIED\n", denied === "" ? "" : `${denied}\n`),
      );
      const pipe = new Pipe(["--policy", policy], {
        cwd: workspace.root,
        ...("uid" in user ? { user } : {}),
      });
      const ended = await withOthers(user, async (ids) => {
        const argv = [PYTHON, "attack.py", ...ids];
        const answer = await pipe.ask({ id: 1, tool: "run_command", args: { argv } });
        assertEquals([answer.success, answer.output?.stdout.endsWith(all)], [true, true]);
      });
      assertEquals(ended, ended.map(() => "SIGTERM"));
      assertEquals((await pipe.close()).status, 0);
    }
  });
}
