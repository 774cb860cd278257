import { assert, assertEquals } from "@std/assert";
import {
  Bell,
  createBell,
  createRingMemory,
  RingReader,
  RingWriter,
} from "../../../../src/engine/pool/channel.ts";
import { Random } from "../../../random.ts";

const RING = 1 << 10;

function pair() {
  const bell = createBell();
  const memory = createRingMemory(RING, bell);
  return { writer: new RingWriter(memory), reader: new RingReader(memory), bell: new Bell(bell) };
}

function readAll(reader: RingReader): string[] {
  const messages: string[] = [];
  for (let text = nextOf(reader); text !== null; text = nextOf(reader)) messages.push(text);
  return messages;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

function nextOf(reader: RingReader): string | null {
  const bytes = reader.next();
  return bytes === null ? null : decoder.decode(bytes);
}

Deno.test("a message arrives as it was sent, whatever its letters and length", () => {
  const { writer, reader } = pair();
  for (
    const text of ["", "a", "\uFEFFbegins with U+FEFF", "ü€𝄞".repeat(20), "x".repeat(RING * 5)]
  ) {
    writer.send(text);
    let got = readAll(reader);
    while (!writer.flush() || got.length === 0) got = [...got, ...readAll(reader)];
    assertEquals([...got, ...readAll(reader)], [text]);
  }
});

Deno.test("messages keep their order through a ring that is fuller than it can hold", () => {
  const random = new Random(7);
  const { writer, reader } = pair();
  const sent: string[] = [];
  const got: string[] = [];
  for (let round = 0; round < 3_000; round++) {
    const text = `${round}:` +
      random.text(random.once(50) ? 2_000 : 60, ["a", "ü", "€", "𝄞", "\uFEFF"]);
    sent.push(text);
    writer.send(text);
    if (random.once(3)) {
      const next = nextOf(reader);
      if (next !== null) got.push(next);
      writer.flush();
    }
  }
  while (got.length < sent.length) {
    got.push(...readAll(reader));
    writer.flush();
  }
  assertEquals(got, sent);
});

Deno.test("a sender that may block waits for the reader, and loses nothing", async () => {
  const bell = createBell();
  const memory = createRingMemory(RING, bell);
  const source = `
    import { RingWriter } from ${
    JSON.stringify(import.meta.resolve("../../../../src/engine/pool/channel.ts"))
  };
    self.onmessage = ({ data }) => {
      const writer = new RingWriter(data);
      for (let i = 0; i < 500; i++) writer.sendBlocking(i + ":" + "y".repeat(i % 700));
    };`;
  const url = URL.createObjectURL(new Blob([source], { type: "application/javascript" }));
  const worker = new Worker(url, { type: "module" });
  worker.postMessage(memory);
  const reader = new RingReader(memory);
  const listen = new Bell(bell);
  const got: string[] = [];
  while (got.length < 500) {
    await listen.wait();
    listen.hear();
    got.push(...readAll(reader));
  }
  worker.terminate();
  URL.revokeObjectURL(url);
  assertEquals(got, Array.from({ length: 500 }, (_, i) => `${i}:${"y".repeat(i % 700)}`));
});

Deno.test("a sender that must not block is told when there is room for the rest", () => {
  const bell = createBell();
  const memory = createRingMemory(RING, bell);
  const backBell = createBell();
  const back = new Bell(backBell);
  const writer = new RingWriter(memory);
  const reader = new RingReader(memory, backBell);
  const text = "x".repeat(RING * 5);
  writer.send(text);
  let got: string | null = null;
  // Nobody flushes but who was told to: in the middle of a message there is no answer to go by.
  for (let told = 0; got === null; told++) {
    assert(told < 100 && (told === 0 || back.waitBlocking(0)), "nothing was said of the room");
    back.hear();
    if (told > 0) writer.flush();
    got = nextOf(reader);
  }
  assertEquals(got, text);
  writer.send("short");
  back.hear();
  assertEquals(nextOf(reader), "short");
  assertEquals(back.waitBlocking(0), false);
});

Deno.test("what is sent in one go rings once", async () => {
  const bell = createBell();
  const writer = new RingWriter(createRingMemory(RING, bell));
  const rings = new Int32Array(bell);
  const before = Atomics.load(rings, 0);
  for (const text of ["a", "b", "c"]) writer.send(text);
  await null;
  assertEquals(Atomics.load(rings, 0), before + 1);
  writer.send("d");
  await null;
  assertEquals(Atomics.load(rings, 0), before + 2);
});

Deno.test("the job a reader works on is seen by the writer", () => {
  const { writer, reader } = pair();
  assertEquals(writer.current, 0);
  reader.work(12);
  assertEquals(writer.current, 12);
});

Deno.test("a ring is heard once the listener says so, and by no wait", async () => {
  const { writer, bell } = pair();
  // Waiting for shared memory does not keep a process alive by itself; a timer does.
  const alive = setInterval(() => {}, 1_000);
  writer.send("x");
  // It is rung once for all that is sent in one go.
  await null;
  for (let i = 0; i < 3; i++) {
    assert(bell.waitBlocking(0), "a blocking wait swallowed the ring");
    await bell.wait();
  }
  bell.hear();
  assertEquals(bell.waitBlocking(1), false);
  // A bell that stays rung would spin its thread for ever.
  let rang = false;
  const again = bell.wait().then(() => rang = true);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals(rang, false);
  writer.send("y");
  await again;
  clearInterval(alive);
});

Deno.test("the bytes of a message stay as they came, whatever comes after it", () => {
  const random = new Random(11);
  const { writer, reader } = pair();
  const sent: string[] = [];
  const got: Uint8Array[] = [];
  for (let round = 0; round < 2_000; round++) {
    const text = `${round}:` + "z".repeat(random.below(200));
    sent.push(text);
    writer.send(text);
    const bytes = reader.next();
    assert(bytes !== null);
    got.push(bytes);
  }
  assertEquals(got.map((bytes) => decoder.decode(bytes)), sent);
});

Deno.test("what follows a text in its message is asked for as there is room, and others wait behind it", () => {
  const { writer, reader } = pair();
  let asked = 0;
  function* pieces() {
    for (; asked < 100; asked++) yield `${asked}:${"é".repeat(40)},`;
  }
  const whole = "head," +
    Array.from({ length: 100 }, (_, at) => `${at}:${"é".repeat(40)},`).join("");
  writer.send("head,", pieces());
  writer.send("behind");
  // The ring holds some dozen of them.
  assert(asked < 20, String(asked));
  const got: string[] = [];
  while (got.length < 2) {
    got.push(...readAll(reader));
    writer.flush();
  }
  assertEquals(got, [whole, "behind"]);
  writer.send("", []);
  assertEquals(readAll(reader), [""]);
});
