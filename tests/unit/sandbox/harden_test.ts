import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

Deno.test("a hardened process belongs to root in /proc, and still works", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "-A",
      "--no-config",
      "--no-lock",
      fromFileUrl(import.meta.resolve("./_hardened.ts")),
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  const answer = JSON.parse(value);
  const memory = Deno.statSync(`/proc/${child.pid}/mem`);
  await child.stdin.close();
  while (!(await reader.read()).done);
  await child.status;
  assertEquals(answer, {
    before: 1,
    failure: null,
    after: 0,
    child: "child",
    worker: "worker",
    executable: true,
    file: true,
  });
  // proc(5): the files of a process that is not dumpable belong to root, so its own user is kept out.
  assertEquals(memory.uid, 0);
});
