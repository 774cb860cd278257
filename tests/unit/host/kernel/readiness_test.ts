import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

interface Said {
  readonly first: number | null;
  readonly then: number | null;
  readonly writable: boolean;
}

/** Starts a process that fills its standard output with what fits, says on standard error how much, and goes on when it may. */
async function fill(stdout: "piped" | "null"): Promise<{ said: Said; out: Uint8Array }> {
  const script = fromFileUrl(import.meta.resolve("./_filling.ts"));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "-A", script],
    stdin: "piped",
    stdout,
    stderr: "piped",
  }).spawn();
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await errors.read();
    assert(!done, `it ended: ${text}`);
    text += value;
  }
  await errors.cancel();
  await child.stdin.close();
  const out = stdout === "null"
    ? new Uint8Array()
    : new Uint8Array(await new Response(child.stdout).arrayBuffer());
  assertEquals((await child.status).code, 0);
  return { said: JSON.parse(text) as Said, out };
}

Deno.test("writeNow() writes what a pipe takes and no more, and never waits for its reader", async () => {
  const { said: { first, then, writable }, out } = await fill("piped");
  // What is behind it takes such writes since Linux 6.4 or so; where it does not, null says so and nothing was written.
  if (first === null) {
    assertEquals(out.length, 0);
    return;
  }
  assert(first >= 4096 && first < 4 << 20, `${first}`);
  assertEquals([then, writable], [0, false]);
  assertEquals(out.length, first);
  assert(out.every((byte, i) => byte === i % 251));
});

Deno.test("writeNow() takes all where nothing can block", async () => {
  const { said: { first } } = await fill("null");
  assert(first === null || first === 4 << 20, `${first}`);
});
