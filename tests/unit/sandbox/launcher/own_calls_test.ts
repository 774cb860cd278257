import { assert, assertEquals } from "@std/assert";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import { openOwnCalls, withOwnCalls } from "../../../../src/sandbox/launcher/own_calls.ts";
import { LIBC } from "../_libc.ts";

const own = openOwnCalls(LIBC);
const libc = withOwnCalls(LIBC, own);
const { numbers } = libc;
/** AT_FDCWD, O_RDONLY | O_CLOEXEC (include/uapi/linux/fcntl.h, asm-generic/fcntl.h) */
const AT_FDCWD = -100;
const FLAGS = 0o2000000;

Deno.test("calls of our own answer as those of the C library, errors in the same step", () => {
  assert(own !== null);
  const path = Deno.makeTempFileSync();
  try {
    Deno.writeTextFileSync(path, "0123456789");
    for (const one of [LIBC, libc]) {
      assertEquals(one.call(numbers.openat, AT_FDCWD, one.path("/no/where"), FLAGS), -ERRNO.ENOENT);
      assertEquals(one.call(numbers.close, -1), -ERRNO.EBADF);
      assertEquals(one.callWide(numbers.lseek, -1, 0, 0), -ERRNO.EBADF);
      const file = one.call(numbers.openat, AT_FDCWD, one.path(path), FLAGS);
      assert(file > 2);
      const buffer = new Uint8Array(16);
      assertEquals(one.transfer(numbers.read, file, buffer, 4), 4);
      assertEquals(new TextDecoder().decode(buffer.subarray(0, 4)), "0123");
      // Beyond 32 bits, and behind the end.
      assertEquals(one.callWide(numbers.lseek, file, 2 ** 40 + 3, 0), 2 ** 40 + 3);
      assertEquals(one.transfer(numbers.read, file, buffer, 4), 0);
      assertEquals(one.call(numbers.close, file), 0);
    }
  } finally {
    Deno.removeSync(path);
  }
});

Deno.test("a call that has to wait holds up nobody, and its result comes as the kernel gives it", async () => {
  assert(own !== null);
  const pair = new Int32Array(2);
  libc.structBytes.fill(0, 0, 8);
  assertEquals(libc.call(numbers.pipe2, libc.structAddress, FLAGS), 0);
  pair.set(new Int32Array(libc.structBytes.slice(0, 8).buffer));
  const [read = -1, write = -1] = pair;
  const buffer = new Uint8Array(4);
  const waiting = own.waiting(numbers.read, read, buffer, 4);
  assertEquals(libc.transfer(numbers.write, write, Uint8Array.of(1, 2, 3), 3), 3);
  assertEquals([await waiting, ...buffer], [3, 1, 2, 3, 0]);
  for (const one of pair) libc.call(numbers.close, one);
  assertEquals(await own.waiting(numbers.read, read, buffer, 4), -ERRNO.EBADF);
});

Deno.test("where no memory may be executed there are none, and the C library stays", () => {
  assertEquals(withOwnCalls(LIBC, null), LIBC);
  const refusing = { ...LIBC, call: () => -ERRNO.EACCES };
  assertEquals(openOwnCalls(refusing), null);
});
