import { assertEquals } from "@std/assert";
import { releaseName, sumsText } from "../../../scripts/release.ts";

Deno.test("releaseName() says version and target", () => {
  assertEquals(
    releaseName("1.2.3", "aarch64-unknown-linux-gnu"),
    "toolgate-1.2.3-aarch64-unknown-linux-gnu",
  );
  assertEquals(
    releaseName("1.2.3", "x86_64-pc-windows-msvc"),
    "toolgate-1.2.3-x86_64-pc-windows-msvc.exe",
  );
});

Deno.test("sumsText() has a line a file, by name, in the form of sha256sum", () => {
  const files = new Map([["b", new TextEncoder().encode("abc")], ["a", new Uint8Array()]]);
  // The two of FIPS 180-2 that everybody knows.
  assertEquals(
    sumsText(files),
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n" +
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n",
  );
});
