import { assertEquals, assertThrows } from "@std/assert";
import { rebaked } from "../../../../src/cli/seal/compiled_binary.ts";
import { Random } from "../../../random.ts";

type Files = Readonly<Record<string, string>>;

const text = (value: string) => new TextEncoder().encode(value);
const number = (value: number) => {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setBigUint64(0, BigInt(value), true);
  return new Uint8Array(bytes.buffer);
};
const join = (parts: readonly Uint8Array[]) => new Uint8Array(parts.flatMap((part) => [...part]));

/** A binary in the form of `deno compile`; the contents of the files stand in the order of `order`. */
function compiled(files: Files, permissions: unknown, order = Object.keys(files)): Uint8Array {
  const metadata = text(JSON.stringify({ argv: [], permissions, entrypoint_key: "a" }));
  const offsets = new Map<string, number>();
  let size = 0;
  for (const name of order) {
    offsets.set(name, size);
    size += text(files[name] ?? "").length;
  }
  const list = text(JSON.stringify(
    Object.keys(files).map((name) => ({
      File: { n: name, o: [offsets.get(name), text(files[name] ?? "").length], u: true, t: 0 },
    })),
  ));
  const contents = join(order.map((name) => text(files[name] ?? "")));
  const appended = join([
    text("16 fixed bytes.."),
    text("d3n0l4nd"),
    number(metadata.length),
    metadata,
    new Uint8Array(20),
    number(list.length),
    list,
    number(contents.length),
    contents,
    text("d3n0l4nd"),
  ]);
  const trailer = new DataView(new ArrayBuffer(16));
  trailer.setUint32(0, 0x501e, true);
  trailer.setUint32(4, 0x2a7, true);
  trailer.setBigUint64(8, BigInt(appended.length), true);
  return join([text("the base"), appended, new Uint8Array(trailer.buffer)]);
}

const OPEN = { allow_read: [], deny_read: null, allow_net: null, prompt: false };
const CLOSED = { ...OPEN, allow_read: ["."], deny_read: ["./closed"] };

Deno.test("rebaked() is what would have been compiled: any files in any order, any text", () => {
  const random = new Random(7);
  const word = () => "äx1 \n".slice(0, random.below(6)).repeat(random.below(40));
  for (let round = 0; round < 300; round++) {
    const names = ["a", "b", "embedded.txt", "z"].slice(random.below(3));
    const files = Object.fromEntries(
      names.map((name) => [name, name === "embedded.txt" ? `{${word()}}` : word()]),
    );
    const order = names.toSorted(() => random.below(3) - 1);
    const wanted = word();
    const made = rebaked(compiled(files, OPEN, order), {
      name: "embedded.txt",
      text: wanted,
      permissions: { allow_read: ["."], deny_read: ["./closed"] },
    });
    assertEquals(
      join(made),
      compiled({ ...files, "embedded.txt": wanted }, CLOSED, order),
      `round ${round}`,
    );
  }
});

Deno.test("rebaked() refuses what is of another form, and never makes something of it", () => {
  const files = { "a": "one", "embedded.txt": "{}" };
  const good = compiled(files, OPEN);
  const seal = { name: "embedded.txt", text: "{1}", permissions: {} };
  assertThrows(() => rebaked(good, { ...seal, name: "b" }), Error, "no file b");
  // Each byte of what tells of the form; what is in the files themselves, and in the base, is anybody's.
  const metadata = good.indexOf(123);
  const list = good.lastIndexOf(91, good.length - 60);
  const telling = [
    ...Array.from({ length: 16 }, (_, at) => 8 + 16 + at),
    ...Array.from({ length: 28 }, (_, at) => good.lastIndexOf(91, list) - 28 + at),
    ...Array.from({ length: 24 }, (_, at) => good.length - 24 + at),
  ].filter((at) => at >= 0 && at < good.length);
  for (const at of telling) {
    if (at === metadata) continue;
    const damaged = good.with(at, (good[at] ?? 0) ^ 0x41);
    assertThrows(() => rebaked(damaged, seal), Error, undefined, `byte ${at}`);
  }
  for (let length = 0; length < good.length; length++) {
    assertThrows(() => rebaked(good.subarray(0, length), seal), Error, undefined, `${length}`);
  }
});
