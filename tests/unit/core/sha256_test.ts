import { assertEquals } from "@std/assert";
import { sha256 } from "../../../src/core/sha256.ts";

Deno.test("sha256 gives the digests of FIPS 180-4's examples", () => {
  const cases = [
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ] as const;
  for (const [text, digest] of cases) assertEquals(sha256(new TextEncoder().encode(text)), digest);
});

Deno.test("sha256 hashes only the view, not the buffer behind it", () => {
  const buffer = new TextEncoder().encode("xxabcxx");
  assertEquals(
    sha256(buffer.subarray(2, 5)),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});
