import { assert, assertEquals } from "@std/assert";
import {
  assemble,
  CODE_OFFSET,
  LISTINGS,
  ONE_CALL_LISTINGS,
  STATUS,
  TABLE_OFFSET,
} from "../../../../src/sandbox/launcher/_machine_code.ts";
import { disassemble } from "./_disassemble.ts";

for (const architecture of ["x86_64", "aarch64"] as const) {
  Deno.test(`the bytes for ${architecture} are the instructions that stand beside them`, () => {
    for (const listing of [LISTINGS[architecture], ONE_CALL_LISTINGS[architecture]]) {
      assertEquals(
        disassemble(architecture, assemble(listing)),
        listing.map(({ text }) => text),
      );
    }
  });

  Deno.test(`the code for ${architecture} ends before the table, where its first instruction looks`, () => {
    for (const listing of [LISTINGS[architecture], ONE_CALL_LISTINGS[architecture]]) {
      assert(CODE_OFFSET + assemble(listing).length <= TABLE_OFFSET);
      const [first] = listing;
      const distance = Number(/0x[0-9a-f]+/.exec(first?.text ?? "")?.[0]);
      // x86 counts from the next instruction, aarch64 from this one.
      const from = architecture === "x86_64" ? 7 : 0;
      assertEquals(CODE_OFFSET + from + distance, TABLE_OFFSET);
    }
    const status = `0x${STATUS.toString(16)}`;
    const numbers = LISTINGS[architecture].map(({ text }) => text);
    assert(
      numbers.includes(architecture === "x86_64" ? `mov edi,${status}` : `mov x0, #${status}`),
    );
  });
}
