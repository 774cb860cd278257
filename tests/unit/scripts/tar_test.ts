import { assertEquals, assertThrows } from "@std/assert";
import { tarEntry } from "../../../scripts/_tar.ts";
import { tar } from "./_archive.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (content: string) => new TextEncoder().encode(content);

const archive = tar({
  "package/package.json": bytes("{}"),
  "package/empty": new Uint8Array(),
  "package/bin/one-block": bytes("x".repeat(512)),
  "package/bin/steady": bytes("y".repeat(1300)),
});

Deno.test("tarEntry() finds the first, an empty, a whole-block and the last file", () => {
  assertEquals(text(tarEntry(archive, "package/package.json")), "{}");
  assertEquals(text(tarEntry(archive, "package/empty")), "");
  assertEquals(text(tarEntry(archive, "package/bin/one-block")), "x".repeat(512));
  assertEquals(text(tarEntry(archive, "package/bin/steady")), "y".repeat(1300));
});

Deno.test("tarEntry() names what the archive does not hold", () => {
  assertThrows(() => tarEntry(archive, "steady"), Error, "holds no steady");
  assertThrows(() => tarEntry(new Uint8Array(), "a"), Error, "holds no a");
});

Deno.test("tarEntry() refuses an archive that ends within a file", () => {
  const cut = tar({ a: bytes("x".repeat(600)) }).subarray(0, 900);
  assertThrows(() => tarEntry(cut, "a"), Error, "it ends within a");
});

Deno.test("tarEntry() refuses a header without a size", () => {
  const broken = tar({ a: bytes("x") });
  broken.fill(0x7a, 124, 135);
  assertThrows(() => tarEntry(broken, "a"), Error, "no size in the header at byte 0");
});
