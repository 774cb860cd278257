import { assert, assertEquals } from "@std/assert";
import { DescriptorMemory } from "../../../../src/host/kernel/descriptor_memory.ts";
import { ProcessTable } from "../../../../src/host/kernel/process_table.ts";
import { openPipe, setNonBlocking } from "../../../../src/host/kernel/pipes.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

const PIECE = new Uint8Array(4096);
/** F_DUPFD_CLOEXEC (include/uapi/linux/fcntl.h) */
const DUPLICATE = 1030;

const table = new ProcessTable(libc);
const memory = new DescriptorMemory(libc);
const close = (descriptor: number) => libc.call(libc.numbers.close, descriptor);
const gone = (id: number) => table.held(id).slots === 0;
const held = () => memory.heldBy([{ id: Deno.pid, ...table.held(Deno.pid) }], gone);

Deno.test("what lies in a pipe counts once, whoever has it open, until it is read or gone", () => {
  const before = held();
  const { read, write } = openPipe(libc);
  setNonBlocking(libc, write);
  const empty = held();
  assert(empty - before < 10_000, `${empty - before} bytes of an empty pipe`);
  let written = 0;
  for (let count = 0; count >= 0; written += Math.max(count, 0)) {
    count = libc.transfer(libc.numbers.write, write, PIECE, PIECE.length);
  }
  assert(written >= 4096, `${written} bytes written`);
  assert(held() - empty >= written, `${held() - empty} of ${written}`);
  const again = libc.call(libc.numbers.fcntl, read, DUPLICATE, 0);
  assert(held() - empty < written + 10_000, `${held() - empty} of ${written}`);
  [again, write].forEach(close);
  // Whoever wrote is gone, and what was written is not.
  assert(held() - before >= written, `${held() - before} of ${written}`);
  close(read);
  assert(held() - before < written, `${held() - before} held`);
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
