import { assert, assertEquals } from "@std/assert";
import { Listeners } from "../../../../src/host/broker/_listeners.ts";
import type { InternetAddress } from "../../../../src/host/broker/socket_address.ts";
import { CallSockets } from "../../../../src/host/broker/call_sockets.ts";
import { socketsMissing } from "../../../../src/host/broker/sockets_missing.ts";
import { statOf } from "../../../../src/host/kernel/stat.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import { AT_FDCWD, OPEN } from "../../../../src/sandbox/kernel/open_without_links.ts";
import { LIBC } from "../../sandbox/_libc.ts";

const four = (last: number, port: number): InternetAddress => ({
  family: "inet",
  address: Uint8Array.of(127, 0, 0, last),
  port,
});
const six = (text: readonly number[], port: number): InternetAddress => ({
  family: "inet6",
  address: Uint8Array.from([...new Array<number>(16 - text.length).fill(0), ...text]),
  port,
});
const mapped = (last: number, port: number) => six([0xff, 0xff, 127, 0, 0, last], port);
const portOf = (listener: Deno.Listener): number => (listener.addr as Deno.NetAddr).port;

Deno.test("who listens is found by address and port, as a connection would find him", () => {
  const listeners = new Listeners(LIBC);
  using first = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const port = portOf(first);
  const found = listeners.at(four(1, port));
  assert(found !== null);
  assertEquals(listeners.at(mapped(1, port)), found);
  assertEquals([listeners.at(four(3, port)), listeners.at(six([1], port))], [null, null]);
  {
    using second = Deno.listen({ hostname: "127.0.0.3", port });
    const other = listeners.at(four(3, portOf(second)));
    assert(other !== null && other !== found);
  }
  assertEquals(listeners.at(four(3, port)), null);
  using all = Deno.listen({ hostname: "::", port: 0 });
  const both = [four(1, portOf(all)), four(9, portOf(all)), six([1], portOf(all))];
  assertEquals(new Set(both.map((place) => listeners.at(place))).size, 1);
  assert(listeners.at(both[0]!) !== null);
  listeners.close();
});

Deno.test("a call's connections lead to its own sockets, and where one stands for all addresses, there", () => {
  const listeners = new Listeners(LIBC);
  const sockets = new CallSockets(LIBC, listeners);
  using own = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const port = portOf(own);
  const all = [four(1, port), four(2, port), mapped(1, port), six([1], port)];
  const led = () => all.map((place) => sockets.destination(place)?.address.join(".") ?? null);
  assertEquals(led(), [null, null, null, null]);
  assertEquals(sockets.leadsToOthers(four(1, port)), true);
  sockets.addPort(listeners.at(four(1, port))!, four(1, port), false);
  const to = all[2]!.address.join(".");
  assertEquals(led(), ["127.0.0.1", null, to, null]);
  sockets.addPort(listeners.at(four(1, port))!, four(1, port), true);
  assertEquals(led(), ["127.0.0.1", "127.0.0.1", to, to]);
  assertEquals(sockets.leadsToOthers(four(1, port)), false);
  // Somebody else at one of the addresses is not who is meant, nor reached in its place.
  using other = Deno.listen({ hostname: "127.0.0.2", port });
  assertEquals(portOf(other), port);
  assertEquals(led(), ["127.0.0.1", null, to, to]);
  sockets.close();
  listeners.close();
});

Deno.test("sockets that are gone are forgotten, those that listen are not", () => {
  const listeners = new Listeners(LIBC);
  const sockets = new CallSockets(LIBC, listeners);
  using own = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const place = four(1, portOf(own));
  const socket = listeners.at(place)!;
  sockets.addPort(socket, place, false);
  for (let number = 1; number <= 3000; number++) sockets.addPort(-number, place, false);
  assertEquals(
    [sockets.hasPort(socket), sockets.hasPort(-1), sockets.hasPort(-3000)],
    [true, false, true],
  );
  sockets.close();
  listeners.close();
});

Deno.test("files of sockets are kept apart while they have names, as many as there is room for", () => {
  const folder = Deno.makeTempDirSync();
  const sockets = new CallSockets(LIBC, new Listeners(LIBC));
  const opened = (name: string): number => {
    Deno.writeTextFileSync(`${folder}/${name}`, "");
    const path = LIBC.path(`${folder}/${name}`);
    return LIBC.call(LIBC.numbers.openat, AT_FDCWD, path, OPEN.PATH | OPEN.CLOEXEC);
  };
  const name = Uint8Array.of(97);
  const taken: boolean[] = [];
  const first = opened("first");
  assertEquals(sockets.hasLocal(first), false);
  assertEquals(sockets.addLocal({ descriptor: first, name, socket: 7 }), true);
  assertEquals([sockets.hasLocal(first), sockets.nameOf(7), sockets.nameOf(8)], [true, name, null]);
  for (let number = 0; number < 200; number++) {
    const descriptor = opened(`${number}`);
    const isTaken = sockets.addLocal({ descriptor, name, socket: 100 + number });
    if (!isTaken) LIBC.call(LIBC.numbers.close, descriptor);
    taken.push(isTaken);
  }
  assertEquals([taken.filter((one) => one).length, taken[0], taken[199]], [127, true, false]);
  for (let number = 0; number < 50; number++) Deno.removeSync(`${folder}/${number}`);
  assertEquals(sockets.addLocal({ descriptor: opened("last"), name, socket: 1 }), true);
  assertEquals([sockets.nameOf(100), sockets.nameOf(7)], [null, name]);
  sockets.close();
  assertEquals(statOf(LIBC, first), -ERRNO.EBADF);
  Deno.removeSync(folder, { recursive: true });
});

Deno.test("without copies of descriptors, or without a kernel that says who listens, there are none", () => {
  assertEquals(socketsMissing(LIBC), null);
  const { numbers } = LIBC;
  const without = (call: number, result: number) => ({
    ...LIBC,
    call: (number: number, ...words: readonly number[]) =>
      number === call ? result : LIBC.call(number, ...words as [number]),
  });
  const copies = socketsMissing(without(numbers.pidfdGetfd, -ERRNO.EPERM));
  assert(copies?.includes("pidfd_getfd: EPERM"), `${copies}`);
  const silent = {
    ...LIBC,
    transfer: (number: number, descriptor: number, buffer: Uint8Array, count: number) =>
      number === numbers.write ? -ERRNO.EPERM : LIBC.transfer(number, descriptor, buffer, count),
  };
  assert(socketsMissing(silent)?.includes("INET_DIAG"));
});
