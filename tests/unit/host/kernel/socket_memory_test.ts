import { assert, assertEquals } from "@std/assert";
import { SocketMemory } from "../../../../src/host/kernel/socket_memory.ts";
import { ProcessTable } from "../../../../src/host/kernel/process_table.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

const holder = (id: number) => ({ id, thread: id });
/** AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK (socketpair(2)) */
const LOCAL = 1;
const KIND = 1 | 0o2000000 | 0o4000;
const PIECE = new Uint8Array(32 * 1024);

const table = new ProcessTable(libc);
const all = () => table.list();
const stays = () => false;
const close = (descriptor: number) => libc.call(libc.numbers.close, descriptor);

/** Two connected ends, one of which has sent what the other has not read; and how much that is. */
function filledPair(): { readonly ends: readonly [number, number]; readonly sent: number } {
  assertEquals(libc.call(libc.numbers.socketpair, LOCAL, KIND, 0, libc.structAddress), 0);
  const [one, other] = [libc.struct.getInt32(0, true), libc.struct.getInt32(4, true)];
  let sent = 0;
  for (let count = 0; count >= 0; sent += Math.max(count, 0)) {
    count = libc.transfer(libc.numbers.write, one, PIECE, PIECE.length);
  }
  return { ends: [one, other], sent };
}

Deno.test("what nobody has read counts for who sent it, and where he is gone for who could read it", () => {
  const memory = new SocketMemory(libc);
  const before = memory.heldBy([holder(Deno.pid)], 0, all, stays);
  const { ends: [one, other], sent } = filledPair();
  const held = () => memory.heldBy([holder(Deno.pid)], 0, all, stays) - before;
  assert(sent > 100_000 && held() >= sent, `${sent} bytes, ${held()} held`);
  close(one);
  assert(held() >= sent, `${held()} held`);
  close(other);
  assert(held() < sent, `${held()} held`);
});

Deno.test("a filter of a socket counts for who has it, in each form that the kernel keeps of it", () => {
  const memory = new SocketMemory(libc);
  const { ends } = filledPair();
  const before = memory.heldBy([holder(Deno.pid)], 0, all, stays);
  // struct sock_fprog (include/uapi/linux/filter.h): BPF_LD | BPF_LEN, and BPF_RET | BPF_K with 65535 at the end.
  const length = 500;
  const program = new Uint8Array(8 * length);
  const view = new DataView(program.buffer);
  for (let at = 0; at < length; at++) view.setUint16(8 * at, 0x80, true);
  view.setUint16(8 * (length - 1), 0x06, true);
  view.setUint32(8 * length - 4, 0xffff, true);
  const address = BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(program)));
  libc.struct.setUint16(0, length, true);
  libc.struct.setBigUint64(8, address, true);
  const [SOL_SOCKET, SO_ATTACH_FILTER] = [1, 26];
  const setsockopt = Deno.build.arch === "x86_64" ? 54 : 208;
  try {
    const words = [ends[0], SOL_SOCKET, SO_ATTACH_FILTER, libc.structAddress, 16] as const;
    assertEquals(libc.call(setsockopt, ...words), 0);
    const held = memory.heldBy([holder(Deno.pid)], 0, all, stays) - before;
    assert(held >= 3 * program.length, `${held} bytes`);
  } finally {
    ends.forEach(close);
  }
});

Deno.test("a connection that nothing was sent by holds next to nothing, whatever room it has", async () => {
  const memory = new SocketMemory(libc);
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  // Nothing is so little room that those of TCP are not looked at.
  const held = () => memory.heldBy([holder(Deno.pid)], -1, all, stays);
  const before = held();
  const [one, other] = await Promise.all([
    Deno.connect({ hostname: "127.0.0.1", port: (listener.addr as Deno.NetAddr).port }),
    listener.accept(),
  ]);
  const much = held() - before;
  one.close();
  other.close();
  assert(much < 16 * 1024, `${much} bytes`);
});

Deno.test("what others hold is not a process's own, nor is less looked at than there is room for", async () => {
  const memory = new SocketMemory(libc);
  const child = new Deno.Command("sleep", { args: ["30"], stdin: "null", stdout: "null" }).spawn();
  const { ends, sent } = filledPair();
  try {
    assert(memory.most() >= sent, `${memory.most()} at most`);
    assertEquals(memory.heldBy([holder(child.pid)], 0, all, stays), 0);
    assertEquals(memory.heldBy([holder(Deno.pid)], 2 ** 50, all, stays), 0);
    // A number that nobody has.
    assertEquals(memory.heldBy([holder(2 ** 30)], 0, all, stays), 0);
  } finally {
    ends.forEach(close);
    child.kill("SIGKILL");
    await child.status;
  }
});

Deno.test("what nobody has open counts for who cannot be looked into, but not for one that is ending", () => {
  const closed: Libc = {
    ...libc,
    call: (number, ...words) =>
      number === libc.numbers.openat ? -ERRNO.EACCES : libc.call(number, ...words),
  };
  const memory = new SocketMemory(closed);
  const { ends, sent } = filledPair();
  try {
    const held = (isGone: () => boolean) => memory.heldBy([holder(Deno.pid)], 0, () => [], isGone);
    assert(held(stays) >= sent, `${held(stays)} held`);
    assertEquals(held(() => true), 0);
  } finally {
    ends.forEach(close);
  }
});
