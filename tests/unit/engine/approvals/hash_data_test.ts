/** What an approval is bound to as data: anything that differs hashes differently, however long it is. */

import { createHash } from "node:crypto";
import { assert, assertEquals } from "@std/assert";
import { hashData } from "../../../../src/engine/approvals/hash_data.ts";
import { Turns } from "../../../../src/engine/turns.ts";

async function digest(data: unknown): Promise<string> {
  const hash = createHash("sha256");
  await hashData(hash, data, new Turns());
  return hash.digest("hex");
}

Deno.test("data that differs hashes differently, marks and long texts included", async () => {
  const long = "x".repeat(100_000);
  const mark = `\0:${long.length}`;
  const all: readonly unknown[] = [
    [long, mark],
    [mark, long],
    [long, long],
    [long, `${long.slice(1)}y`],
    [`${long}x`],
    [long],
    [[long]],
    [`\0${mark}`],
    [mark],
    [`\ud83d${long}`],
    [`\ud83e${long}`],
    [`\ufffd${long}`],
    ["a", 1, null],
    ["a", "1", null],
  ];
  const digests = await Promise.all(all.map(digest));
  assertEquals(new Set(digests).size, all.length);
  assertEquals(digests, await Promise.all(all.map(digest)));
});

Deno.test("others have their turn while a long text is hashed", async () => {
  let turns = 0;
  const count = () => {
    turns++;
    timer = setTimeout(count, 0);
  };
  let timer = setTimeout(count, 0);
  await digest({ content: "\n".repeat(16_000_000) });
  clearTimeout(timer);
  assert(turns > 1, `${turns}`);
});
