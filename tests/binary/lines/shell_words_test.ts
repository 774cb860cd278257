/** What the shell itself says in a line, beside bash: by the same name, of the same line, to the same place. */

import { assert, assertEquals } from "@std/assert";
import { Pipe, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [cat, no-such-program, "true", sh, ./made, sort] }]
risk: { allow: dangerous, ask: dangerous }
`;

const LINES: readonly string[] = [
  "true; no-such-program x",
  "true\n\nno-such-program x 2>&1 | sort",
  "cat < not-there",
  "cat < not-there; true\ntrue > folder",
  "f() { no-such-program; }; f",
  "f() {\n  true\n  cd not-there\n}\nf",
  "x=\nif true; then\n  true ${x:?is empty}\nfi",
  "set -u\ntrue $unset",
  "sh -c 'no-such-program; cat < not-there'",
  "sh -c 'cat < not-there || : < not-there; true'",
  "( cd not-there )\nno-such-program &\nwait $!",
];

Deno.test("what the shell says of a line is what bash says", async () => {
  await using workspace = new Workspace({ "folder/file": "" });
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  let id = 0;
  for (const line of LINES) {
    const { output, error } = await pipe.ask({
      id: ++id,
      tool: "run_command",
      args: { command: line },
    });
    assert(output !== null, `${line}: ${error?.message}`);
    const { stdout, stderr, exit_code: status } = output as {
      readonly stdout: string;
      readonly stderr: string;
      readonly exit_code: number;
    };
    // By its bare name, by which it calls itself.
    const args = ["bash", "-c", line];
    const bash = await new Deno.Command("env", { args, cwd: workspace.root }).output();
    const said = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    assertEquals(
      { stdout, stderr, status },
      { stdout: said(bash.stdout), stderr: said(bash.stderr), status: bash.code },
      line,
    );
  }
  assertEquals((await pipe.close()).status, 0);
});
