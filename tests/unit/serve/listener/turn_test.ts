import { assertEquals } from "@std/assert";
import {
  createTurnMemory,
  HELD_BYTES,
  ListenerTurn,
  MainTurn,
  OutputLock,
} from "../../../../src/serve/listener/turn.ts";
import { Clock } from "../../engine/pool/_clock.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (of: Uint8Array) => new TextDecoder().decode(of);

function sides() {
  const memory = createTurnMemory();
  const input = new Uint8Array(HELD_BYTES);
  return { main: new MainTurn(memory), listener: new ListenerTurn(memory), input, memory };
}

Deno.test("the turn goes to and fro with what is to be done first", () => {
  const { main, listener, input } = sides();
  assertEquals([main.isMain, main.take()], [true, null]);
  assertEquals(main.give([bytes("one"), bytes("\n"), bytes("tw")]), true);
  assertEquals([main.isMain, main.take()], [false, null]);
  assertEquals(text(input.subarray(0, listener.wait(input))), "one\ntw");
  input.set(bytes("o\nthree\n"), 6);
  listener.read(input, 6, 14);
  listener.answered(4);
  listener.move(4);
  assertEquals(listener.begin(1_000), undefined);
  assertEquals(listener.end(), true);
  listener.give(4, "ended", '{"a":1}');
  const given = main.take();
  assertEquals(given && { ...given, bytes: text(given.bytes) }, {
    bytes: "three\n",
    sign: "ended",
    note: '{"a":1}',
  });
  assertEquals([main.isMain, main.take()], [true, null]);
});

Deno.test("what is too much stays, and a note that is too long is left out", () => {
  const { main, listener } = sides();
  assertEquals([main.give([new Uint8Array(HELD_BYTES)]), main.isMain], [false, true]);
  assertEquals(main.give([]), true);
  listener.give(0, null, "x".repeat(HELD_BYTES));
  assertEquals(main.take(), { bytes: new Uint8Array(0), sign: null, note: "" });
});

Deno.test("of a listener that is gone all is taken that it has not answered", () => {
  const { main, listener, input, memory } = sides();
  assertEquals(main.seize(), null);
  main.give([bytes("a\nb\nc")]);
  listener.wait(input);
  listener.answered(2);
  new OutputLock(memory).takeBlocking();
  const given = main.seize();
  assertEquals(given && { ...given, bytes: text(given.bytes) }, {
    bytes: "b\nc",
    sign: "gone",
    note: null,
  });
  assertEquals([main.isMain, new OutputLock(memory).tryTake()], [true, true]);
});

Deno.test("who gives up gives all back, also what he was given meanwhile", () => {
  const { main, listener } = sides();
  main.give([bytes("a\n")]);
  listener.resign();
  const given = main.take();
  assertEquals(given && [text(given.bytes), given.sign], ["a\n", "gone"]);
});

Deno.test("a call that takes too long is taken from the listener, and no other is", async () => {
  const cases: readonly (readonly [timeoutMs: number, ms: number, stuck: boolean])[] = [
    [60_000, 1_100, true],
    [60_000, 900, false],
    [100, 400, true],
    [100, 300, false],
  ];
  for (const [timeoutMs, ms, expected] of cases) {
    using clock = new Clock();
    const { main, listener } = sides();
    let stuck = 0;
    const watch = () => main.watch(() => stuck++);
    main.give([bytes("a\n")]);
    watch();
    listener.begin(timeoutMs);
    watch();
    await clock.pass(0);
    await clock.pass(ms);
    assertEquals(stuck, expected ? 1 : 0, `${timeoutMs} ${ms}`);
    assertEquals(listener.end(), !expected);
    main.seize();
  }
});

Deno.test("each call has its own time, and one that has ended is not stuck", async () => {
  using clock = new Clock();
  const { main, listener } = sides();
  let stuck = 0;
  main.give([]);
  for (let call = 0; call < 3; call++) {
    listener.begin(60_000);
    main.watch(() => stuck++);
    await clock.pass(0);
    await clock.pass(800);
    assertEquals(listener.end(), true);
    await clock.pass(800);
  }
  assertEquals(stuck, 0);
  main.seize();
});

Deno.test("nobody looks after a listener that has had no calls for a while, until it says that it has", async () => {
  using clock = new Clock();
  const { main, listener } = sides();
  let stuck = 0;
  const watch = () => main.watch(() => stuck++);
  main.give([]);
  listener.begin(60_000);
  watch();
  listener.end();
  // More looks than it takes: then the clock is asked no more.
  for (let look = 0; look < 4; look++) await clock.pass(1_000);
  listener.begin(60_000);
  await clock.pass(10_000);
  assertEquals(stuck, 0, "it was not told of that one");
  watch();
  await clock.pass(0);
  await clock.pass(10_000);
  assertEquals(stuck, 1);
  main.seize();
});

Deno.test("standard output is written by one at a time, who waits for the other either way", async () => {
  const memory = createTurnMemory();
  const [one, other] = [new OutputLock(memory), new OutputLock(memory)];
  assertEquals([one.tryTake(), other.tryTake()], [true, false]);
  const order: string[] = [];
  // Waiting for memory keeps no process alive.
  const alive = setInterval(() => {}, 1_000);
  const waiting = other.take().then(() => order.push("other"));
  await Promise.resolve();
  order.push("one");
  one.free();
  await waiting;
  clearInterval(alive);
  assertEquals([order, one.tryTake()], [["one", "other"], false]);
  other.free();
  one.takeBlocking();
  one.free();
  assertEquals(other.tryTake(), true);
});
