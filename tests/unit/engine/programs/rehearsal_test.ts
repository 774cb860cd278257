import { assert, assertEquals } from "@std/assert";
import { rehearseHold } from "../../../../src/engine/programs/rehearsal.ts";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { createRegistry } from "../../../../src/tools/registry.ts";
import { ABI, LIBC } from "../../sandbox/_libc.ts";

const SERVING = { missing: null, socketsMissing: null };

Deno.test({
  name: "a hold that is rehearsed is drawn as a program's is, and nothing of it is left",
  ignore: ABI === 0,
  async fn() {
    const open = () => [...Deno.readDirSync("/proc/self/fd")].length;
    const { landlockCreateRuleset, landlockAddRule } = LIBC.numbers;
    const called: number[] = [];
    const noting: Libc = {
      ...LIBC,
      call: (number, ...words) => {
        called.push(number);
        return LIBC.call(number, ...words);
      },
    };
    const before = open();
    for (let time = 0; time < 2; time++) await rehearseHold(noting, SERVING, createRegistry());
    assertEquals(open(), before);
    // Beside the one that asks for the ABI.
    assert(called.filter((number) => number === landlockCreateRuleset).length >= 4);
    assert(called.filter((number) => number === landlockAddRule).length > 10);
  },
});
