import { assertEquals, assertThrows } from "@std/assert";
import { constants, zstdCompressSync } from "node:zlib";
import { carry, type Part } from "../../../scripts/_carried.ts";
import { cutDenort } from "../../../src/cli/seal/compiled_binary.ts";
import { ToolError } from "../../../src/core/errors.ts";
import { readCarried } from "../../../src/host/carried/_read_carried.ts";
import { LIBC } from "../sandbox/_libc.ts";

/** A part for each name: the name itself. */
const PARTS: readonly Part[] = ["ruff", "tree-sitter", "go", "größe"].map((name) => ({
  name,
  data: new Uint8Array(zstdCompressSync(new TextEncoder().encode(`what is carried for ${name}`), {
    params: { [constants.ZSTD_c_checksumFlag]: 1 },
  })),
}));
const PARTS_SIZE = PARTS.reduce((sum, { data }) => sum + data.length, 0);

/** A binary as `deno compile` makes it, of some bytes before and some appended. */
function compiled(appended: number): Uint8Array {
  const binary = new Uint8Array(1_000 + appended + 16).fill(7);
  const trailer = new DataView(binary.buffer, binary.length - 16);
  trailer.setUint32(0, 0x501e, true);
  trailer.setUint32(4, 0x2a7, true);
  trailer.setBigUint64(8, BigInt(appended), true);
  return binary;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** What a thread reads from an executable of these bytes. */
function read(binary: Uint8Array, name = "ruff"): Uint8Array {
  if (LIBC === null) throw new Error("the C library is missing here");
  const path = Deno.makeTempFileSync();
  try {
    Deno.writeFileSync(path, binary);
    const descriptor = LIBC.call(LIBC.numbers.openat, -100, LIBC.path(path), 0);
    try {
      return readCarried(name, LIBC, descriptor);
    } finally {
      LIBC.call(LIBC.numbers.close, descriptor);
    }
  } finally {
    Deno.removeSync(path);
  }
}

Deno.test("what the build puts in an executable is what a thread reads", () => {
  const binary = compiled(300);
  const carrying = join(carry(binary, PARTS));
  for (const { name } of PARTS) {
    assertEquals(new TextDecoder().decode(read(carrying, name)), `what is carried for ${name}`);
  }
  // What the runtime looks for stays where it looks for it.
  assertEquals(carrying.subarray(-316), binary.subarray(-316));
  assertEquals(cutDenort(carrying).subarray(0, 1_000), cutDenort(binary));
});

Deno.test("what carries nothing, or damaged data, is an error that says what to do", () => {
  const good = join(carry(compiled(300), PARTS));
  const damaged = good.slice();
  damaged.fill(0, 1_010, 1_020);
  const footerAt = good.length - 316 - 16;
  const long = good.slice();
  new DataView(long.buffer).setBigUint64(footerAt + 8, 1n << 40n, true);
  // The index: longer than all of the data, none, no JSON, and of parts that are longer than the data.
  const indexOf = (size: number) => {
    const binary = good.slice();
    new DataView(binary.buffer).setUint32(footerAt - 4, size, true);
    return binary;
  };
  const garbled = good.slice();
  garbled[1_000 + PARTS_SIZE] = 0x7b;
  const miscounted = good.slice();
  const digit = new TextDecoder("latin1").decode(good).indexOf(",", 1_000 + PARTS_SIZE) + 1;
  miscounted[digit] = 0x39;
  const indices = [indexOf(1 << 30), indexOf(0), garbled, miscounted];
  const wrong = good.slice();
  new DataView(wrong.buffer).setBigUint64(wrong.length - 8, 1n << 60n, true);
  const none = [compiled(300), new Uint8Array(), good.slice(0, 8)];
  for (const binary of [damaged, long, ...indices, wrong, ...none]) {
    const error = assertThrows(() => read(binary), ToolError, "validate_syntax: false");
    assertEquals(error.code, "EXECUTION_ERROR");
  }
  assertThrows(() => read(miscounted, "go"), ToolError, "the parser (go)");
  assertThrows(() => read(good, "none"), ToolError, "the parser (none)");
});
