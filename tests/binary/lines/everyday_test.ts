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
