/** `pkill`, `killall` and `kill` in lines: they reach what their own call has started, whatever it made of itself, and nobody else. */

import { assertEquals } from "@std/assert";
import { Pipe, Workspace } from "../toolgate.ts";

/** No rule names them, and none needs to: nobody but the call's own processes is there for them. */
const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [echo, sleep, sh, setsid, env, python3, pgrep, kill, bash] }]
risk: { allow: dangerous, ask: dangerous }
`;

/** Lines with what they say; each waits for what it began until somebody ends that. */
const LINES: readonly (readonly [line: string, stdout: string, stderr?: string])[] = [
  ["sleep 100 & sleep 101 & pkill sleep; echo $?; wait; echo over", "0\nover\n"],
  [
    "sleep 100 & pkill -9 -x slee; echo $?; pkill -KILL -x sleep; echo $?; wait $!; echo $?",
    "1\n0\n137\n",
  ],
  [
    "sleep 100 & sleep 101 & pkill -f 'sleep 10[1]$'; wait $!; echo $?; pkill -f '^sleep 100'; wait; echo over",
    "143\nover\n",
  ],
  ["sleep 100 & pkill -i SLEEP; wait $!; echo $?; pkill SLEEP; echo $?", "143\n1\n"],
  ["sleep 100 & killall sleep; wait $!; echo $?; killall -q sleep; echo $?", "143\n1\n"],
  ["killall -s INT sleep; echo $?", "1\n", "sleep: no process found\n"],
  // What came of it beside what was begun: by a shell, in a session of its own, without an environment.
  [
    "sh -c 'setsid sleep 102 & env -i sleep 103 & wait' & until pgrep -f '^sleep 102$' && pgrep -f '^sleep 103$'; do sleep 0.05; done > numbers; pkill -x sleep; wait; echo over",
    "over\n",
  ],
  [
    "sh -c 'sleep 104 & wait' & until pgrep -f '^sleep 104' > number; do sleep 0.05; done; kill $(cat number); wait; echo over",
    "over\n",
  ],
  ["command -v pkill; type -t killall", "/usr/bin/pkill\nfile\n"],
];

Deno.test("what a call has started is ended by its name, by its words and by its number", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(POLICY.replace("bash]", "bash, grep, cat]"));
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  for (const [command, stdout, stderr = ""] of LINES) {
    const answer = await pipe.ask({ id: 1, tool: "run_command", args: { command } });
    assertEquals(answer.output?.stdout, stdout, `${command}: ${JSON.stringify(answer)}`);
    assertEquals(answer.output?.stderr, stderr, command);
  }
  assertEquals((await pipe.close()).status, 0);
});

function isThere(path: string): boolean {
  try {
    return Deno.lstatSync(path).isFile;
  } catch {
    return false;
  }
}

/** Ends when a file is there, and says so. */
const WAITING = "import os,time\nwhile not os.path.exists('stop'): time.sleep(.05)\nprint('whole')";

Deno.test("what others have started is not there for them", async () => {
  await using workspace = new Workspace();
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const outside = new Deno.Command("sleep", { args: ["205.25"] }).spawn();
  await pipe.send({
    ...{ id: 2, tool: "run_command" },
    args: { argv: ["python3", "-c", `open('begun', 'w')\n${WAITING}`] },
  });
  while (!isThere(workspace.path("begun"))) await new Promise((then) => setTimeout(then, 10));
  for (
    const command of [
      "pkill sleep; pkill -f 'sleep 205'; pkill -9 .; pkill -9 -f .; killall -9 sleep python3 toolgate",
      `pkill -9 -f toolgate; kill -9 ${outside.pid}; kill -9 ${Deno.pid}; kill -9 ${pipe.process.pid}`,
    ]
  ) {
    const answer = await pipe.ask({ id: 3, tool: "run_command", args: { command } });
    assertEquals([answer.id, answer.success], [3, false], JSON.stringify(answer));
  }
  workspace.write("stop", "");
  const answer = await pipe.next();
  assertEquals([answer?.id, answer?.output?.stdout], [2, "whole\n"], JSON.stringify(answer));
  assertEquals((await pipe.close()).status, 0);
  // To a shell's own it is there.
  await new Deno.Command("pkill", { args: ["-f", "sleep 205[.]25$"] }).output();
  assertEquals((await outside.status).signal, "SIGTERM");
});
