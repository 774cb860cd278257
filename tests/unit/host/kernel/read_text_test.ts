import { assertEquals } from "@std/assert";
import { readText } from "../../../../src/host/kernel/read_text.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { OPEN, openWithoutLinks } from "../../../../src/sandbox/kernel/open_without_links.ts";
import type { CanonicalPath } from "../../../../src/core/capability.ts";

const READ: [bytes: Uint8Array, text: string | null][] = [
  [new Uint8Array(), ""],
  [new TextEncoder().encode("größe\n"), "größe\n"],
  [new Uint8Array(9).fill(97), "aaaaaaaaa"],
  [new Uint8Array(10).fill(97), null],
  [Uint8Array.of(0xff), null],
];

Deno.test("a small file is read whole, a longer one and what is no text not at all", {
  sanitizeResources: false,
}, () => {
  const path = Deno.realPathSync(Deno.makeTempFileSync({ prefix: "toolgate-test-" }));
  try {
    for (const [bytes, text] of READ) {
      Deno.writeFileSync(path, bytes);
      const file = openWithoutLinks(LIBC, path as CanonicalPath, OPEN.RDONLY);
      assertEquals(readText(LIBC, file, 10), text);
      LIBC.call(LIBC.numbers.close, file);
    }
  } finally {
    Deno.removeSync(path);
  }
});
