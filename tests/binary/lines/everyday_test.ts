/** A sample of the everyday lines of `deno task bench`: what works does what bash does, and what must be denied is. */

import { assert, assertEquals } from "@std/assert";
import { everyday, renderEveryday } from "../../bench/everyday/everyday.ts";
import { BINARY, Pipe, Workspace } from "../toolgate.ts";

Deno.test("everyday lines of git over a history, with approvals given: none is wrong, none hangs", async () => {
  const wanted = { project: "history", policy: "default", every: 29 };
  const verdicts = await everyday(BINARY, wanted);
  const worse = verdicts.filter(({ outcome }) => !["works", "refused"].includes(outcome));
  assertEquals(worse, []);
  const work = verdicts.filter(({ kind }) => kind === "works");
  const done = work.filter(({ outcome }) => outcome === "works");
  assert(done.length >= 0.8 * work.length, renderEveryday(verdicts));
  assert(verdicts.some(({ kind }) => kind === "denied"), "something must be denied");
});

Deno.test("a tool that the project has installed is run by npx with nobody asked, under the default policy", async () => {
  await using workspace = new Workspace({ "a.txt": "", "sub/b.txt": "" });
  const tsc = workspace.path("node_modules/.bin/tsc");
  Deno.mkdirSync(workspace.path("node_modules/.bin"), { recursive: true });
  Deno.writeTextFileSync(tsc, "#!/bin/sh\necho mine $*\n", { mode: 0o755 });
  const pipe = new Pipe([], { cwd: workspace.root });
  const decided = async (command: string): Promise<string> => {
    const args = { command };
    const { output } = await pipe.ask({ id: 1, op: "explain", tool: "run_command", args });
    return output.effect;
  };
  for (
    const [command, effect] of [
      ["npx tsc --noEmit | head -3", "allow"],
      ["npx eslint .", "ask"],
      ["npx tsc@5", "deny"],
      ["cd sub && npx tsc", "ask"],
    ] as const
  ) assertEquals(await decided(command), effect, command);
  await pipe.close();
});

Deno.test("what code is loaded and how it is built a line may say, under the default policy, and no more than that", async () => {
  await using workspace = new Workspace({
    "lib/given.py": "print('given')\n",
    "Makefile": "all:\n\t@echo $(CFLAGS)\n",
  });
  const pipe = new Pipe([], { cwd: workspace.root });
  const ran = async (command: string): Promise<string> => {
    const { output, error } = await pipe.ask({ id: 1, tool: "run_command", args: { command } });
    return output?.stdout ?? error?.code ?? "";
  };
  assertEquals(await ran("PYTHONPATH=lib python3 -c 'import given'"), "given\n");
  assertEquals(await ran("export PYTHONPATH=lib && python3 -c 'import given'"), "given\n");
  for (const name of ["PYTHONSTARTUP", "PYTHONHOME", "NODE_OPTIONS", "LD_PRELOAD", "PATH"]) {
    assertEquals(await ran(`${name}=lib python3 -c 1`), "COMMAND_DENIED", name);
  }
  for (
    const command of ["CFLAGS='-O2 -Wall' make", "PYTHONPATH=lib python3 -c 1 && git commit -m x"]
  ) {
    const asked = { id: 1, op: "explain", tool: "run_command", args: { command } };
    assertEquals((await pipe.ask(asked)).output.effect, "ask", command);
  }
  await pipe.close();
});

Deno.test("a program that is not there ends as in a shell, and no line with it; one that is there and not named does", async () => {
  await using workspace = new Workspace({ "a.txt": "a\n" });
  const pipe = new Pipe([], { cwd: workspace.root });
  const ran = async (command: string): Promise<string> => {
    const { output, error } = await pipe.ask({ id: 1, tool: "run_command", args: { command } });
    return output?.stdout ?? error?.code ?? "";
  };
  assertEquals(await ran("no-such-tool -v; echo $?"), "127\n");
  assertEquals(await ran("no-such-tool 2>/dev/null || cat a.txt"), "a\n");
  assertEquals(await ran("for t in no-such-tool cat; do $t a.txt 2>/dev/null; done"), "a\n");
  assertEquals(await ran("f() { g; }; f 2>/dev/null; echo $?; g() { echo g; }; f"), "127\ng\n");
  // Both are everywhere.
  assertEquals(await ran("setarch -V; echo $?"), "COMMAND_DENIED");
  assertEquals(await ran("c=setarch; $c -V; echo $?"), "COMMAND_DENIED");
  assertEquals(await ran("sudo-x -v || sudo -v"), "COMMAND_DENIED");
  assertEquals(await ran("no-such-tool"), "COMMAND_DENIED");
  assertEquals(await ran("timeout 5 no-such-tool; echo $?"), "COMMAND_DENIED");
  await pipe.close();
});

Deno.test("a line's umask holds for all that it makes, where programs hand over what they make too", async () => {
  await using workspace = new Workspace({ ".env": "K=1\n" });
  const pipe = new Pipe([], { cwd: workspace.root });
  const makes = (at: string): string =>
    `echo x > ${at}1; touch ${at}2; mkdir ${at}3; python3 -c 'open("${at}4", "w")'; cp ${at}1 ${at}5; ` +
    `(umask 027; touch ${at}6; echo x > ${at}7); touch ${at}8; stat -c %a ${at}[1-8]`;
  for (
    const [mask, modes] of [
      ["077", "600 600 700 600 600 640 640 600"],
      // Wider than that of whoever made the workspace.
      ["0", "666 666 777 666 666 640 640 666"],
    ] as const
  ) {
    const command = `umask ${mask}; ${makes(`m${mask}-`)}`;
    const { output, error } = await pipe.ask({ id: 1, tool: "run_command", args: { command } });
    assertEquals(output?.stdout.trim().replaceAll("\n", " "), modes, error?.message);
  }
  const denied = { id: 1, tool: "run_command", args: { command: "umask 0; echo x > .env" } };
  assertEquals((await pipe.ask(denied)).error?.code, "PATH_DENIED");
  await pipe.close();
});

Deno.test("a program that reads a denied file because it is there fails with the file, the rule, and who says what would allow it", async () => {
  await using workspace = new Workspace({
    ".env": "K=1\n",
    "load.py": "import os\nif os.path.exists('.env'): open('.env').read()\n",
  });
  const pipe = new Pipe([], { cwd: workspace.root });
  const args = { command: "python3 load.py" };
  const { error } = await pipe.ask({ id: 1, tool: "run_command", args });
  assertEquals(error?.code, "COMMAND_FAILED");
  const told = 'is denied by (built in) paths[2] (secrets); "toolgate policy explain read_file ' +
    'path=.env" says what would allow it)';
  assert(error?.message.endsWith(`(reading .env ${told}`), error?.message);
  const asked = { id: 1, op: "explain", tool: "read_file", args: { path: ".env" } };
  const { output } = await pipe.ask(asked);
  assertEquals(output.would_be_allowed_by.map(({ key }: { key: string }) => key), ["paths[2]"]);
  await pipe.close();
});
