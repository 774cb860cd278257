import { assertEquals } from "@std/assert";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { JsonBytes } from "../../../../src/core/json_bytes.ts";
import { Outbox } from "../../../../src/serve/gate/_outbox.ts";
import { LineBuffer } from "../../../../src/serve/line_buffer.ts";

const bytesOf = (text: string, giveBack?: (bytes: Uint8Array) => void) =>
  new JsonBytes(new TextEncoder().encode(text), giveBack);

/** A reader that takes so many bytes of each write, as long as it has room. */
class Reader {
  room = Infinity;
  #taken = "";

  constructor(readonly most = Infinity) {}

  get taken(): string {
    return this.#taken;
  }

  readonly libc = {
    numbers: { write: 1 },
    transfer: (_number: number, _descriptor: number, bytes: Uint8Array) => {
      const part = bytes.slice(0, Math.min(this.most, this.room));
      this.room -= part.length;
      // Text of one byte a letter: parts are whole.
      this.#taken += new TextDecoder().decode(part);
      return part.length === 0 ? -11 : part.length;
    },
  } as unknown as Libc;
}

function outboxOf(reader: Reader, encoded = new LineBuffer()): Outbox {
  return new Outbox(reader.libc, 5, encoded, () => {});
}

Deno.test("lines go out in order, whether of texts or with bytes between them", () => {
  const reader = new Reader(3);
  const outbox = outboxOf(reader);
  outbox.write("first");
  outbox.write('{"x":', bytesOf("1"), "}");
  outbox.write("last", bytesOf("!"));
  assertEquals(outbox.held, 'first\n{"x":1}\nlast!\n'.length);
  assertEquals([outbox.flush(), outbox.held], [true, 0]);
  assertEquals(reader.taken, 'first\n{"x":1}\nlast!\n');
  assertEquals(outbox.flush(), false);
});

Deno.test("what a slow reader leaves is his, whatever others send meanwhile and whatever becomes of the bytes", () => {
  const encoded = new LineBuffer();
  const [slow, quick] = [new Reader(), new Reader()];
  const [left, other] = [outboxOf(slow, encoded), outboxOf(quick, encoded)];
  slow.room = 4;
  left.write("0123456789");
  assertEquals([left.flush(), left.held, slow.taken], [true, 7, "0123"]);
  // Given back at once: who waits for a slow reader keeps no memory that others wait for.
  const released: string[] = [];
  const release = (bytes: Uint8Array) => {
    released.push(new TextDecoder().decode(bytes));
    bytes.fill(0);
  };
  left.write("<", bytesOf("value", release), ">");
  other.write("<", bytesOf("other", release), ">");
  assertEquals(released, ["value"]);
  other.flush();
  assertEquals(released, ["value", "other"]);
  for (let round = 0; round < 3; round++) {
    other.write("x".repeat(50));
    other.flush();
  }
  assertEquals(left.flush(), false);
  slow.room = Infinity;
  assertEquals([left.flush(), left.held], [true, 0]);
  assertEquals(slow.taken, "0123456789\n<value>\n");
  assertEquals(quick.taken, `<other>\n` + `${"x".repeat(50)}\n`.repeat(3));
});

Deno.test("who does not read is full, and there is room once he has read", async () => {
  const reader = new Reader();
  reader.room = 0;
  const outbox = outboxOf(reader);
  assertEquals([outbox.full, outbox.room()], [false, null]);
  outbox.write("y".repeat(2 << 20));
  outbox.flush();
  let room = false;
  void outbox.room()?.then(() => room = true);
  await null;
  assertEquals([outbox.full, room], [true, false]);
  reader.room = Infinity;
  outbox.flush();
  await null;
  await null;
  assertEquals([outbox.full, room, reader.taken.length], [false, true, (2 << 20) + 1]);
});
