import { assertEquals } from "@std/assert";
import type { Readiness } from "../../../src/host/kernel/readiness.ts";
import { LineWriter } from "../../../src/serve/line_writer.ts";

/** Takes so many bytes of each write at most, and notes them. */
function taking(most: number, taken: string[]): Readiness {
  return {
    readable: () => false,
    writable: () => false,
    writeNow(bytes) {
      const part = bytes.subarray(0, most);
      taken.push(new TextDecoder().decode(part));
      return part.length;
    },
  };
}

Deno.test("lines that a reader takes at once are out when flush answers, in one write", () => {
  const taken: string[] = [];
  const writer = new LineWriter(taking(1_000, taken));
  assertEquals(writer.flush(), null);
  writer.write("a");
  writer.write("bc");
  assertEquals(writer.waiting, 5);
  assertEquals(writer.flush(), null);
  assertEquals([writer.waiting, writer.broken, taken], [0, false, ["a\nbc\n"]]);
  writer.write("d");
  assertEquals(writer.flush(), null);
  assertEquals(taken, ["a\nbc\n", "d\n"]);
});

Deno.test("a reader that takes little gets all of it in order", () => {
  const taken: string[] = [];
  const writer = new LineWriter(taking(3, taken));
  for (const line of ["first", "second", "x".repeat(100_000)]) writer.write(line);
  assertEquals(writer.flush(), null);
  assertEquals(taken.join(""), `first\nsecond\n${"x".repeat(100_000)}\n`);
  assertEquals(writer.waiting, 0);
});

Deno.test("without a reader nothing waits, and nothing more is taken in", () => {
  const writer = new LineWriter({
    ...taking(0, []),
    writeNow() {
      throw new Deno.errors.BrokenPipe("gone");
    },
  });
  writer.write("a");
  assertEquals(writer.flush(), null);
  assertEquals([writer.waiting, writer.broken], [0, true]);
  writer.write("b");
  assertEquals(writer.waiting, 0);
});

/** Another who writes as well: free or not, and what was asked of it. */
class Shared {
  readonly asked: string[] = [];
  #waiting: (() => void) | null = null;

  constructor(public taken: boolean) {}

  tryTake(): boolean {
    this.asked.push("try");
    if (this.taken) return false;
    return this.taken = true;
  }

  take(): Promise<void> {
    this.asked.push("wait");
    return new Promise((resolve) => this.#waiting = resolve);
  }

  free(): void {
    this.asked.push("free");
    this.taken = false;
  }

  /** The other is done. */
  leave(): void {
    this.#waiting?.();
  }
}

Deno.test("who else writes is waited for, and waits until all of a line is out", async () => {
  const taken: string[] = [];
  const lock = new Shared(true);
  const writer = new LineWriter(taking(1_000, taken), lock);
  writer.write("a");
  const flushed = writer.flush();
  writer.write("b");
  assertEquals([taken, writer.flush() === flushed], [[], true]);
  lock.leave();
  await flushed;
  assertEquals([taken, writer.waiting, lock.asked], [["a\nb\n"], 0, ["try", "wait", "free"]]);
  lock.taken = false;
  writer.write("c");
  assertEquals([writer.flush(), lock.asked.slice(3)], [null, ["try", "free"]]);
  assertEquals([writer.flush(), lock.asked.length], [null, 5]);
});

Deno.test("a reader that somebody else has found gone is gone", () => {
  const taken: string[] = [];
  const writer = new LineWriter(taking(1_000, taken));
  writer.write("a");
  writer.break();
  writer.write("b");
  assertEquals([writer.flush(), writer.broken, taken], [null, true, []]);
});
