import { assert, assertEquals } from "@std/assert";
import { joinedBytes } from "../../../../src/core/bytes.ts";
import tool from "../../../../src/tools/web/fetch_url.ts";
import { Random } from "../../../random.ts";
import { createMemory } from "../_memory_context.ts";

type Input = Parameters<typeof tool.run>[0];

/** What text can be parted at wrongly: pairs, marks that combine, joined emoji, ends of lines, what JSON escapes. */
const PIECES = [
  ...["a", "word ", "\u00e9", "e\u0301", "\u65e5\u672c", "\u{1f600}", "\u{1f469}\u200d\u{1f4bb}"],
  ...[
    "\u{10ffff}",
    "\ufeff",
    "\ufffd",
    "\r\n",
    "\r",
    "\n\n",
    "\u2028",
    "\u0000",
    '"',
    "\\",
    "\t",
    "<b>",
    "&amp;",
  ],
];

function asked(body: Uint8Array, type: string, args: Partial<Input>) {
  const { context } = createMemory({
    fetch: ({ url }) =>
      Promise.resolve({
        status: 200,
        url,
        redirects: [],
        headers: { "content-type": type },
        body,
        truncated: false,
        fromCache: false,
      }),
  });
  const url = "http://a.example/";
  return tool.run(
    { url, timeout: 30, format: "auto", offset: 0, length: 50_000, ...args },
    context,
  );
}

Deno.test("parts join back to the whole, whatever it is made of and however long they are", async () => {
  const random = new Random(1717);
  let parts = 0;
  for (let round = 0; round < 300; round++) {
    const body = new TextEncoder().encode(random.text(60, PIECES));
    const type = random.pick(["text/plain; charset=utf-8", "text/html", "application/json"]);
    const format = random.pick(["auto", "text", "markdown", "html"] as const);
    const { content: whole, total } = await asked(body, type, { format });
    assertEquals(total, whole.length);
    // What is no page is as it came, but for a mark of its byte order in front.
    if (type !== "text/html" || format === "html") {
      assertEquals(whole, new TextDecoder().decode(body));
    }
    const length = 1 + random.below(random.once(3) ? 3 : 40);
    const found: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part: Awaited<ReturnType<typeof asked>> = await asked(body, type, {
        format,
        length,
        offset,
      });
      assertEquals([part.offset, part.total], [offset, total]);
      assert(part.content.isWellFormed(), JSON.stringify(part));
      assert(part.content.length <= Math.max(length, 2), JSON.stringify(part));
      assert(part.next_offset === undefined || part.next_offset > offset, "it stands still");
      found.push(part.content);
      offset = part.next_offset;
      parts++;
    }
    assertEquals(found.join(""), whole, `round ${round}, length ${length}`);
  }
  assert(parts > 1_000, String(parts));
});

Deno.test("bytes in parts join back to the body", async () => {
  const random = new Random(99);
  for (let round = 0; round < 50; round++) {
    const body = Uint8Array.from({ length: random.below(200) }, () => random.below(256));
    const length = 1 + random.below(30);
    const found: Uint8Array[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part: Awaited<ReturnType<typeof asked>> = await asked(body, "image/png", {
        format: "bytes",
        length,
        offset,
      });
      found.push(Uint8Array.fromBase64(part.content));
      offset = part.next_offset;
    }
    assertEquals(joinedBytes(found), body);
  }
});

Deno.test("an offset that is nobody's next_offset: within a pair, at the end, beyond it", async () => {
  const body = new TextEncoder().encode("a\u{1f600}b");
  const at = async (offset: number, length = 50_000) => {
    const { content, offset: begin, next_offset } = await asked(body, "text/plain", {
      offset,
      length,
    });
    return [content, begin, next_offset];
  };
  assertEquals(await at(2), ["\u{1f600}b", 1, undefined]);
  assertEquals(await at(2, 1), ["\u{1f600}", 1, 3]);
  assertEquals(await at(1, 1), ["\u{1f600}", 1, 3]);
  assertEquals(await at(0, 2), ["a", 0, 1]);
  assertEquals(await at(4), ["", 4, undefined]);
  assertEquals(await at(9), ["", 9, undefined]);
});
