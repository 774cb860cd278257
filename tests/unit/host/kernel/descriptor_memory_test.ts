import { assert, assertEquals } from "@std/assert";
import { DescriptorMemory } from "../../../../src/host/kernel/descriptor_memory.ts";
import { ProcessTable } from "../../../../src/host/kernel/process_table.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

const PIECE = new Uint8Array(4096);
/** What a pipe takes unless it is told otherwise (pipe(7)): each write may have filled a page. */
const PIPE_BYTES = 1 << 16;

const table = new ProcessTable(libc);
const memory = new DescriptorMemory(libc);
const close = (descriptor: number) => libc.call(libc.numbers.close, descriptor);
const gone = (id: number) => table.held(id).slots === 0;
const heldBy = (id: number) => memory.heldBy([{ id, ...table.held(id) }], gone);
const held = () => heldBy(Deno.pid);

/** Lets go of what a program has open beyond its three streams: whoever runs the tests may have left it pipes of his own. */
const THREE_STREAMS =
  'for shown in /proc/$$/fd/*; do n=${shown##*/}; [ $n -le 2 ] || eval "exec $n>&-"; done;';

/**
 * What a program has open that does nothing but wait, with a pipe as its input: what this process has open changes with
 * whoever reads its output. `line`: of bash, which becomes a program of the name.
 */
async function withWaiting(
  line: string,
  name: string,
  use: (program: Waiting) => Promise<void>,
): Promise<void> {
  const program = new Deno.Command("bash", {
    args: ["-c", `${THREE_STREAMS} ${line}`],
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const input = program.stdin.getWriter();
  const isNamed = (name: string) =>
    Deno.readTextFileSync(`/proc/${program.pid}/comm`).trim() === name;
  try {
    await until(() => isNamed(name));
    await use({ held: () => heldBy(program.pid), input, isNamed });
  } finally {
    program.kill("SIGKILL");
    await Promise.all([input.close().catch(() => {}), program.status]);
  }
}

interface Waiting {
  readonly held: () => number;
  readonly input: WritableStreamDefaultWriter;
  readonly isNamed: (name: string) => boolean;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}

Deno.test("what lies in a pipe counts once, whoever has it open, until it is read or gone", async () => {
  for (const line of ["exec sleep 1000", "exec 3<&0 4<&0; exec sleep 1000"]) {
    await withWaiting(line, "sleep", async ({ held, input }) => {
      const empty = held();
      assert(empty > 0 && empty < 10_000, `${empty} bytes of an empty pipe, ${line}`);
      await input.write(PIECE);
      const full = held();
      assert(full >= PIECE.length && full < PIPE_BYTES + 10_000, `${full}, ${line}`);
      // Whoever wrote is gone, and what was written is not.
      await input.close();
      assert(held() >= PIECE.length, `${held()}, ${line}`);
    });
  }
  const line = `exec sh -c 'read line; exec sleep 1000'`;
  await withWaiting(line, "sh", async ({ held, input, isNamed }) => {
    await input.write(PIECE.fill(32));
    await input.write(new TextEncoder().encode("\n"));
    await until(() => isNamed("sleep"));
    // Of descriptors alone: its loader has some more for a moment.
    assert(held() < 3 * 1024 + PIECE.length, `${held()}`);
  });
});

Deno.test("each descriptor counts, and those of nobody do not", () => {
  const before = held();
  const made = Array.from({ length: 200 }, () => libc.call(libc.numbers.eventfd2, 0, 0o2000000));
  const grown = held() - before;
  assert(grown >= 200 * 256 && grown < 1_000_000, String(grown));
  made.forEach(close);
  // A number that nobody has.
  const nobody = { id: 2 ** 30, slots: 64, thread: 2 ** 30 };
  assertEquals(memory.heldBy([nobody], gone), 0);
  // One of whom nothing is shown, and who is there all the same.
  assertEquals(memory.heldBy([nobody], () => false), memory.most(64));
});

Deno.test("as many can hold no more than is said before they are looked at", () => {
  const { slots } = table.held(Deno.pid);
  assert(slots >= 64, String(slots));
  assert(memory.most(slots) >= held(), `${memory.most(slots)} and ${held()}`);
  assertEquals(memory.most(0), 0);
});
