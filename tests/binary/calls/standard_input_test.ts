/**
 * Standard input that does not wait: O_NONBLOCK is of the open file, which whoever started Toolgate has, too, and which the
 * runtime sets on a terminal of another user's.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { Terminal } from "../_terminal.ts";
import { BINARY, Workspace } from "../toolgate.ts";

/** Becomes the program behind it, with such an input; what `given` says comes once that has found nothing. */
const WITHOUT_WAITING = `
import fcntl, os, subprocess, sys, time
given, program = sys.argv[1], sys.argv[2:]
out, into = (0, None) if given == "" else os.pipe()
fcntl.fcntl(out, fcntl.F_SETFL, fcntl.fcntl(out, fcntl.F_GETFL) | os.O_NONBLOCK)
if given == "":
    os.execv(program[0], program)
child = subprocess.Popen(program, stdin=out)
os.close(out)
time.sleep(1)
try:
    os.write(into, given.encode())
    time.sleep(0.2)
except BrokenPipeError:
    pass
os.close(into)
sys.exit(child.wait())
`;

const ASKS = `version: 1
paths: [{ allow: [read], match: ["**"] }, { ask: [write], match: ["**"], reason: say so }]
`;

for (
  const [name, words, given, said] of [
    ["arguments", ["call", "read_file", "--json", "-"], '{"path": "a.txt"}', '"content":"one"'],
    ["the pipe", ["serve"], '{"id": 7, "op": "ping"}\n', '"pong":true'],
    ["MCP", ["mcp"], '{"jsonrpc": "2.0", "id": 7, "method": "ping"}\n', '"id":7,"result":{}'],
  ] as const
) {
  Deno.test(`${name}: what comes later over an input that does not wait is read`, async () => {
    await using workspace = new Workspace({ "a.txt": "one" });
    const { code, stdout, stderr } = await new Deno.Command("python3", {
      args: ["-c", WITHOUT_WAITING, given, BINARY, ...words, "--quiet"],
      cwd: workspace.root,
    }).output();
    const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assertStringIncludes(text, said);
    assertEquals(code, 0, text);
  });
}

Deno.test("whoever is asked at a terminal that does not wait can answer", async () => {
  await using workspace = new Workspace({ "a.txt": "two" });
  const policy = workspace.policy(ASKS);
  await using terminal = new Terminal();
  const call = ["call", "write_file", "path=a.txt", "content=one", "--policy", policy];
  terminal.start("python3", ["-c", WITHOUT_WAITING, "", BINARY, ...call], {
    cwd: workspace.root,
    env: { HOME: workspace.base, PATH: Deno.env.get("PATH") ?? "" },
  });
  await terminal.until((text) => text.includes("Agree?"));
  terminal.type("y\n");
  const { status, text } = await terminal.end();
  assertEquals(status, 0, text);
  assertEquals(workspace.read("a.txt"), "one");
});
