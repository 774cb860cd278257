import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

interface Said {
  readonly first: number | null;
  readonly then: number | null;
  readonly writable: boolean;
}

const FILLING = ["run", "--quiet", "--no-check", "-A"];

/**
 * Starts a process that fills its standard output with what fits, says on standard error how much, and goes on when it may.
 * A path: that of a named pipe.
 */
async function fill(stdout: "piped" | "null" | { readonly path: string }) {
  const script = fromFileUrl(import.meta.resolve("./_filling.ts"));
  const named = typeof stdout === "object" ? stdout.path : null;
  const command = named === null
    ? new Deno.Command(Deno.execPath(), {
      args: [...FILLING, script],
      stdin: "piped",
      stdout: typeof stdout === "object" ? "null" : stdout,
      stderr: "piped",
    })
    : new Deno.Command("/bin/sh", {
      args: ["-c", 'exec "$@" >"$0"', named, Deno.execPath(), ...FILLING, script],
      stdin: "piped",
      stdout: "null",
      stderr: "piped",
    });
  const child = command.spawn();
  const reader = named === null ? null : await Deno.open(named);
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await errors.read();
    assert(!done, `it ended: ${text}`);
    text += value;
  }
  await errors.cancel();
  await child.stdin.close();
  const from = reader?.readable ?? (stdout === "piped" ? child.stdout : null);
  const out = new Uint8Array(await new Response(from).arrayBuffer());
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

Deno.test("writeNow() never waits for the reader of a pipe that has a name, which knows no write without waiting", async () => {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-test-" });
  try {
    const path = join(folder, "out");
    assert((await new Deno.Command("mkfifo", { args: [path] }).output()).success);
    const { said: { first, then, writable }, out } = await fill({ path });
    assert(first !== null && first >= 4096 && first < 4 << 20, `${first}`);
    assertEquals([then, writable], [0, false]);
    assertEquals(out.length, first);
    assert(out.every((byte, i) => byte === i % 251));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("writeNow() takes all where nothing can block", async () => {
  const { said: { first } } = await fill("null");
  assert(first === null || first === 4 << 20, `${first}`);
});
