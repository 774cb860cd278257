import { assertEquals } from "@std/assert";
import { ALL_DONE, Poller, READABLE, WRITABLE } from "../../../../src/host/kernel/poller.ts";
import {
  close,
  openPipe,
  readSome,
  setNonBlocking,
  writeSome,
} from "../../../../src/host/kernel/pipes.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";
import { SPAWNER } from "../run/_starter.ts";

const BYTE = new Uint8Array([1]);

/** Ends when it is so; what never is so never ends, and is named by who runs the tests. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

async function withPoller(use: (poller: Poller) => Promise<void>): Promise<void> {
  const poller = new Poller(libc, SPAWNER);
  await use(poller);
  // It may still be asleep on what it no longer watches.
  await poller.awake();
  poller.close();
}

Deno.test("what is watched is told when it is ready, at once and after a while", () =>
  withPoller(async (poller) => {
    for (const ms of [0, 30]) {
      const pipe = openPipe(libc);
      setNonBlocking(libc, pipe.read);
      const told = Promise.withResolvers<void>();
      if (ms === 0) poller.expectSoon();
      const watch = poller.watch(pipe.read, READABLE, () => {
        readSome(libc, pipe.read, new Uint8Array(8));
        told.resolve();
      });
      setTimeout(() => writeSome(libc, pipe.write, BYTE), ms);
      await told.promise;
      watch.close();
      close(libc, pipe.read);
      close(libc, pipe.write);
    }
  }));

Deno.test("what begins to be watched while others are slept on is seen; what rests is not told", () =>
  withPoller(async (poller) => {
    const silent = openPipe(libc);
    const silentWatch = poller.watch(silent.read, READABLE, () => {});
    await new Promise((resolve) => setTimeout(resolve, 30));
    const pipe = openPipe(libc);
    let times = 0;
    const told = Promise.withResolvers<void>();
    const watch = poller.watch(pipe.write, WRITABLE, () => {
      times++;
      watch.rest(true);
      told.resolve();
    });
    await told.promise;
    await new Promise((resolve) => setTimeout(resolve, 20));
    assertEquals(times, 1);
    watch.rest(false);
    await until(() => times === 2);
    // A reader that lets go while it is slept on leaves nobody for the writer.
    silentWatch.close();
    close(libc, silent.read);
    await until(() => writeSome(libc, silent.write, BYTE) === null);
    watch.close();
    for (const one of [pipe.read, pipe.write, silent.write]) close(libc, one);
  }));

Deno.test("a hundred pipes at once are all heard", () =>
  withPoller(async (poller) => {
    const pipes = Array.from({ length: 100 }, () => openPipe(libc));
    const heard = await Promise.all(pipes.map((pipe, index) => {
      const told = Promise.withResolvers<number>();
      const watch = poller.watch(pipe.read, READABLE, () => {
        watch.close();
        told.resolve(index);
      });
      setTimeout(() => writeSome(libc, pipe.write, BYTE), index % 10);
      return told.promise;
    }));
    assertEquals(heard.length, 100);
    for (const pipe of pipes) {
      close(libc, pipe.read);
      close(libc, pipe.write);
    }
  }));

Deno.test("what is done when it was told is told again for each time, with others beside it", () =>
  withPoller(async (poller) => {
    const [first, second] = [openPipe(libc), openPipe(libc)];
    const told = { first: 0, second: 0 };
    poller.expectSoon();
    const watches = [
      poller.watchEnd(first.read, () => {
        readSome(libc, first.read, new Uint8Array(1));
        told.first++;
        poller.expectSoon();
        return ALL_DONE;
      }),
      poller.watch(second.read, READABLE, () => {
        readSome(libc, second.read, new Uint8Array(1));
        told.second++;
      }),
    ];
    for (let time = 1; time <= 3; time++) {
      writeSome(libc, first.write, BYTE);
      writeSome(libc, second.write, BYTE);
      await until(() => told.first === time && told.second === time);
    }
    for (const watch of watches) watch.close();
    for (const pipe of [first, second]) {
      close(libc, pipe.read);
      close(libc, pipe.write);
    }
  }));
