/** Programs that are made and executed by one program, in a folder where some names are denied. */

import { assertEquals } from "@std/assert";
import { Pipe, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["**/.env", "secrets/**"] }
  - { deny: [write], match: ["pinned/**"] }
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
sandbox: { temporary: true }
`;

const NOBODY = { uid: 65_534, gid: 65_534 };

async function runsAs(
  user: typeof NOBODY | undefined,
  script: string,
): Promise<{ readonly stdout: string; readonly workspace: Readonly<Record<string, string>> }> {
  const files = {
    ".env": "#!/bin/sh\necho secret ran\n",
    "secrets/run": "#!/bin/sh\necho secret ran\n",
    "pinned/tool": "#!/bin/sh\necho pinned ran\n",
    "run.sh": script,
  };
  await using workspace = new Workspace(files);
  for (const name of [".env", "secrets/run", "pinned/tool"]) {
    Deno.chmodSync(workspace.path(name), 0o755);
  }
  const policy = workspace.policy(POLICY);
  if (user !== undefined) {
    Deno.chmodSync(workspace.base, 0o755);
    new Deno.Command("chown", {
      args: ["-R", `${user.uid}:${user.gid}`, workspace.root],
    }).outputSync();
  }
  const pipe = new Pipe(["--policy", policy], {
    cwd: workspace.root,
    ...(user === undefined ? {} : { user }),
  });
  await pipe.send({ id: 1, tool: "run_command", args: { command: "sh run.sh" } });
  const answer = await pipe.next();
  await pipe.close();
  const left = Object.fromEntries(
    [...Deno.readDirSync(workspace.root)].filter(({ isFile }) => isFile).map(({ name }) => [
      name,
      ((Deno.statSync(workspace.path(name)).mode ?? 0) & 0o7777).toString(8),
    ]),
  );
  return { stdout: String(answer?.output?.stdout ?? JSON.stringify(answer)), workspace: left };
}

const USERS = Deno.uid() === 0
  ? [["root", undefined], ["an ordinary user", NOBODY]] as const
  : [["an ordinary user", undefined]] as const;

for (const [who, user] of USERS) {
  Deno.test(`what a program makes it can execute, wherever it may make it (as ${who})`, async () => {
    const { stdout, workspace } = await runsAs(
      user,
      `cp /bin/echo made && ./made one && ./made again
rm made && cp /bin/echo made && ./made anew
mkdir -p build/deep && cp /bin/echo build/deep/tool && build/deep/tool deep
printf '#!/bin/sh\\necho a script\\n' > script && chmod 700 script && ./script
cp -p script other && touch -d '2001-02-03 04:05:06.789' other && ./other
stat -c '%a %y' other | cut -c1-27
ln -s other link && ./link
cp /bin/echo open && (exec 9>>open; ./open busy 2>/dev/null || echo still written; echo x >&9)
tail -c 2 open
`,
    );
    assertEquals(
      stdout,
      "one\nagain\nanew\ndeep\na script\na script\n700 2001-02-03 04:05:06.789\na script\nstill written\nx\n",
    );
    assertEquals(workspace, {
      ".env": "755",
      "made": "755",
      "open": "755",
      "other": "700",
      "run.sh": "644",
      "script": "700",
    });
  });

  Deno.test(`what it may not read it cannot execute so, nor change what it may not (as ${who})`, async () => {
    const { stdout } = await runsAs(
      user,
      `./.env 2>/dev/null || echo no
secrets/run 2>/dev/null || echo no
ln -s secrets/run near && ./near 2>/dev/null || echo no
ln -s ../.env secrets/near 2>/dev/null || echo no
stat -c %i pinned/tool > before
pinned/tool
stat -c %i pinned/tool | cmp - before && echo kept
cp /bin/echo made && ./made ok && mv made .env 2>/dev/null || echo no
cat .env 2>/dev/null || echo no
`,
    );
    assertEquals(stdout, "no\nno\nno\nno\npinned ran\nkept\nok\nno\nno\n");
  });
}
