import { assertEquals } from "@std/assert";
import {
  internetBytes,
  localBytes,
  mapped,
  mappedIn,
  reachOf,
  readAddress,
  shownAddress,
} from "../../../../src/host/broker/socket_address.ts";
import { onLoopback } from "../../../../src/host/broker/call_sockets.ts";

const bytes = (text: string): Uint8Array =>
  Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
const six = (text: string): Uint8Array => bytes(text.padStart(32, "0"));
const four = (...address: readonly number[]): Uint8Array => Uint8Array.from(address);

Deno.test("addresses are read as the kernel reads them, and what is too short is none", () => {
  assertEquals(readAddress(bytes("0200" + "1f90" + "7f000001" + "00".repeat(8))), {
    family: "inet",
    address: four(127, 0, 0, 1),
    port: 8080,
  });
  const loopback = six("01");
  for (const size of [24, 28]) {
    const all = bytes(`0a00${"0050"}00000000${"00".repeat(15)}0100000000`).subarray(0, size);
    assertEquals(readAddress(all), { family: "inet6", address: loopback, port: 80 });
  }
  assertEquals(readAddress(bytes("0000")), { family: "none" });
  const name = (text: string) => new TextEncoder().encode(text);
  assertEquals(readAddress(localBytes(name("a.sock"))), { family: "unix", name: name("a.sock") });
  assertEquals(readAddress(bytes("010061620063")), { family: "unix", name: name("ab") });
  assertEquals(readAddress(bytes("01000061")), { family: "unix", name: name("\0a") });
  assertEquals(readAddress(bytes("0100")), { family: "unix", name: name("") });
  for (const none of ["", "02", "0200" + "00".repeat(13), "0a00" + "00".repeat(21), "1000ffff"]) {
    assertEquals(readAddress(bytes(none)), null, none);
  }
});

Deno.test("which machine an address is one of, in each of its spellings", () => {
  const rows = [
    [four(127, 0, 0, 1), "loopback", "127.0.0.1:80"],
    [four(127, 255, 3, 4), "loopback", "127.255.3.4:80"],
    [four(0, 0, 0, 0), "any", "0.0.0.0:80"],
    [four(0, 0, 0, 1), "beyond", "0.0.0.1:80"],
    [four(128, 0, 0, 1), "beyond", "128.0.0.1:80"],
    [four(10, 0, 0, 1), "beyond", "10.0.0.1:80"],
    [six("01"), "loopback", "[::1]:80"],
    [six("00"), "any", "[::]:80"],
    [six("02"), "beyond", "[::2]:80"],
    [six("ffff7f000001"), "loopback", "127.0.0.1:80"],
    [six("ffff00000000"), "any", "0.0.0.0:80"],
    [six("ffff0a000001"), "beyond", "10.0.0.1:80"],
    // Compatible with IPv4 (RFC 4291, 2.5.5.1), and translated (RFC 6052): other machines'.
    [six("7f000001"), "beyond", "[::7f00:1]:80"],
    [bytes("0064ff9b00000000000000007f000001"), "beyond", "[64:ff9b::7f00:1]:80"],
    [bytes("fe800000000000000000000000000001"), "beyond", "[fe80::1]:80"],
  ] as const;
  for (const [address, reach, shown] of rows) {
    const family = address.length === 4 ? "inet" : "inet6";
    const place = { family, address, port: 80 } as const;
    assertEquals([reachOf(address), shownAddress(place)], [reach, shown]);
    assertEquals(readAddress(internetBytes(place)), place);
    const put = onLoopback(place);
    assertEquals(put === null, reach === "beyond", shown);
    if (put !== null) assertEquals(reachOf(put.address), "loopback");
  }
  assertEquals(mappedIn(mapped(four(1, 2, 3, 4))), four(1, 2, 3, 4));
  assertEquals(mappedIn(six("01")), null);
});
