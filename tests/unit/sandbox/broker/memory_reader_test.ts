import { assertEquals } from "@std/assert";
import { createMemoryReader } from "../../../../src/sandbox/broker/memory_reader.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import { LIBC as libc } from "../_libc.ts";

const reader = createMemoryReader(libc);
const encoder = new TextEncoder();

/** Bytes of this process, which may be read as any other's, and where they lie. */
function lying(bytes: Uint8Array<ArrayBuffer>): number {
  return Number(Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes)));
}

Deno.test("texts are read to their NUL, short and long ones", () => {
  for (
    const text of ["", "a.txt", "ü".repeat(100), "x".repeat(255), "x".repeat(256), "y".repeat(4095)]
  ) {
    const bytes = encoder.encode(`${text}\0behind`);
    assertEquals(reader.text(Deno.pid, lying(bytes)), text);
  }
});

Deno.test("what is too long, no UTF-8, or not there is told apart", () => {
  const long = encoder.encode("x".repeat(5000));
  assertEquals(reader.text(Deno.pid, lying(long)), -ERRNO.ENAMETOOLONG);
  const odd = Uint8Array.of(0x61, 0xff, 0);
  assertEquals(reader.text(Deno.pid, lying(odd)), "a\udcff");
  for (const address of [0, 8, 2 ** 53, 2 ** 63, 2 ** 64]) {
    assertEquals(reader.text(Deno.pid, address), -ERRNO.EPERM);
    assertEquals(reader.bytes(Deno.pid, address, 8), null);
  }
});

Deno.test("bytes are those that lie there, beyond what is read at once", () => {
  const bytes = Uint8Array.from({ length: 10_000 }, (_, index) => index % 251);
  assertEquals(reader.bytes(Deno.pid, lying(bytes), bytes.length), bytes);
  assertEquals(reader.bytes(Deno.pid, lying(bytes) + 3, 4), bytes.slice(3, 7));
});
