import { assert, assertEquals } from "@std/assert";
import { libraryOf } from "../../../../src/sandbox/launcher/_library.ts";
import {
  BLOCK,
  FUNCTIONS,
  LIBRARY_LISTINGS,
} from "../../../../src/sandbox/launcher/_library_code.ts";
import { assemble } from "../../../../src/sandbox/launcher/_machine_code.ts";
import { disassemble } from "./_disassemble.ts";

const ARCHITECTURES = ["x86_64", "aarch64"] as const;

for (const architecture of ARCHITECTURES) {
  for (const name of FUNCTIONS) {
    Deno.test(`the bytes of ${name} for ${architecture} are the instructions that stand beside them`, () => {
      const listing = LIBRARY_LISTINGS[architecture][name];
      const texts = listing.map(({ text }) => text);
      assertEquals(disassemble(architecture, assemble(listing)), texts);
    });
  }

  Deno.test(`the file for ${architecture} has each function at the address that its name stands for`, () => {
    const bytes = libraryOf(architecture);
    const view = new DataView(bytes.buffer);
    const word = (offset: number): number => Number(view.getBigUint64(offset, true));
    const segments = [0, 1, 2, 3].map((index) => {
      const at = 64 + index * 56;
      return {
        type: view.getUint32(at, true),
        flags: view.getUint32(at + 4, true),
        offset: word(at + 8),
        size: word(at + 32),
      };
    });
    // Nothing that may be executed may be written to, and the stack may not be executed.
    assertEquals(segments.map(({ type, flags }) => [type, flags]), [
      [1, 5],
      [1, 6],
      [2, 6],
      [0x6474e551, 6],
    ]);
    const { offset = 0, size = 0 } = segments[2] ?? {};
    const entries = new Map<number, number>();
    for (let at = offset; at < offset + size; at += 16) entries.set(word(at), word(at + 8));
    const strings = entries.get(5) ?? 0;
    const symbols = entries.get(6) ?? 0;
    const text = (at: number): string =>
      new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
    FUNCTIONS.forEach((name, index) => {
      const at = symbols + 24 * (index + 1);
      assertEquals(text(strings + view.getUint32(at, true)), name);
      const code = assemble(LIBRARY_LISTINGS[architecture][name]);
      const [from, length] = [word(at + 8), word(at + 16)];
      assertEquals(bytes.subarray(from, from + length), code);
    });
  });
}

Deno.test("the places in a block are those that its instructions name", () => {
  const texts = LIBRARY_LISTINGS.x86_64.start.map(({ text }) => text);
  const hex = (offset: number) => `0x${offset.toString(16)}`;
  for (
    const text of [
      `lea rsi,[rbx+${hex(BLOCK.allSignals)}]`,
      `lea rdx,[rbx+${hex(BLOCK.allSignals + 8)}]`,
      `lea rdi,[rbx+${hex(BLOCK.cloneArguments)}]`,
      `lea r12,[rbx+${hex(BLOCK.table)}]`,
      `mov QWORD PTR [rbx+${hex(BLOCK.result)}],rax`,
    ]
  ) {
    assert(texts.includes(text), text);
  }
  assertEquals([BLOCK.step, BLOCK.cloneArguments + 88 <= BLOCK.table], [0, true]);
});
