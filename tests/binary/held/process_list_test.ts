/** What programs see of processes: those of their own call, and no others, whatever they ask by. */

import { assert, assertEquals } from "@std/assert";
import { Pipe, Workspace } from "../toolgate.ts";
import { USERS } from "./_users.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }, { deny: [read, write], match: ["**/.env"] }]
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
sandbox: { temporary: true }
`;

const LOOKER = `import os
seen = [name for name in os.listdir("/proc/") if name.isdigit()]
print(str(os.getpid()) in seen, len(seen) < 5)
for name in os.environ["OTHERS"].split():
    print(name in seen)
    try:
        print(open(f"/proc/{name}/cmdline").read())
    except OSError as error:
        print(type(error).__name__)
# From a descriptor of the list, as browsers do and what else counts its own threads.
proc = os.open("/proc/", os.O_RDONLY | os.O_DIRECTORY)
read = lambda path: os.read(os.open(path, os.O_RDONLY, dir_fd=proc), 4096)
print(os.stat("self/task/", dir_fd=proc).st_nlink, os.listdir(os.open("self/task", 0, dir_fd=proc)) == [str(os.getpid())])
print(read("self/cmdline") == read(f"{os.getpid()}/cmdline") != b"")
for name in os.environ["OTHERS"].split():
    try:
        print(read(f"{name}/cmdline"))
    except OSError as error:
        print(type(error).__name__)
`;

for (const [who, user] of USERS) {
  Deno.test(`programs see the processes of their own call (as ${who})`, async () => {
    await using workspace = new Workspace({ "look.py": LOOKER });
    Deno.chmodSync(workspace.base, 0o755);
    Deno.chmodSync(workspace.root, 0o777);
    const outsider = new Deno.Command("sleep", { args: ["1234"], ...(user ?? {}) }).spawn();
    const pipe = new Pipe(["--policy", workspace.policy(POLICY)], {
      cwd: workspace.root,
      ...(user === undefined ? {} : { user }),
    });
    let number = 0;
    const run = async (command: string): Promise<readonly string[]> => {
      await pipe.send({ id: ++number, tool: "run_command", args: { command } });
      const answer = await pipe.next();
      return String(answer?.output?.stdout ?? JSON.stringify(answer)).trim().split("\n");
    };
    try {
      // Another call's, which goes on meanwhile.
      await pipe.send({ id: "other", tool: "run_command", args: { command: "sleep 2345" } });
      assertEquals(await run("ps -eo args="), ["ps -eo args="]);
      // In whatever order the folder that stands for the list has them.
      const own = await run("sleep 3456 & ps -eo comm= | cat; kill $!");
      assertEquals(own.toSorted(), ["cat", "ps", "sleep"]);
      const [header = ""] = await run("ps aux | head -1");
      assert(header.startsWith("USER "), header);
      assertEquals(await run("pgrep -f '[s]leep [12]'"), [""]);
      const others = `${outsider.pid} ${Deno.pid} 1`;
      const seen = await run(`OTHERS='${others}' /usr/bin/python3 look.py`);
      assertEquals(seen, [
        "True True",
        ...others.split(" ").flatMap(() => ["False", "PermissionError"]),
        "3 True",
        "True",
        ...others.split(" ").map(() => "FileNotFoundError"),
      ]);
      await pipe.send({ id: "end", op: "cancel", target: "other" });
    } finally {
      outsider.kill("SIGKILL");
      await outsider.status;
      await pipe.close();
    }
  });
}
