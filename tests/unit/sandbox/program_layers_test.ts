import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { ERRNO } from "../../../src/sandbox/kernel/errno.ts";
import type { Libc } from "../../../src/sandbox/kernel/libc.ts";
import { programLayers } from "../../../src/sandbox/program_layers.ts";
import { LIBC } from "./_libc.ts";

/** Answers of a kernel by the number of the call; 0 for all others. */
function kernel(answers: ReadonlyMap<number, number>): Libc {
  return { ...LIBC, call: (number: number) => answers.get(number) ?? 0 };
}

const { numbers } = LIBC;
const NO_LANDLOCK = "Landlock: this kernel has none, or it is not switched on (lsm=landlock)";

Deno.test("what the kernel can hold programs by, and what it says where it cannot", () => {
  const full: readonly (readonly [number, number])[] = [
    [numbers.landlockCreateRuleset, 7],
    [numbers.landlockRestrictSelf, -ERRNO.EBADF],
  ];
  const cases:
    readonly (readonly [readonly (readonly [number, number])[], number, boolean, string[]])[] = [
      [full, 7, true, []],
      // What the runtime did between the call and the look at its error: whoever tries is told.
      [[...full, [numbers.landlockRestrictSelf, -ERRNO.EAGAIN]], 7, true, []],
      [[...full, [numbers.landlockCreateRuleset, -ERRNO.ENOSYS]], 0, true, [NO_LANDLOCK]],
      [
        [...full, [numbers.landlockRestrictSelf, -ERRNO.EPERM]],
        0,
        true,
        ["Landlock: landlock_restrict_self failed with EPERM"],
      ],
      [[...full, [numbers.seccomp, -ERRNO.ENOSYS]], 7, false, [
        "seccomp: seccomp failed with ENOSYS",
      ]],
    ];
  for (const [answers, abi, seccomp, reasons] of cases) {
    const libc = kernel(new Map(answers));
    const layers = [...(abi > 0 ? ["landlock"] : []), ...(seccomp ? ["seccomp"] : [])];
    assertEquals<unknown>(programLayers(libc, "auto"), { layers, abi, seccomp, reasons });
    if (reasons.length === 0) programLayers(libc, "required");
    else assertThrows(() => programLayers(libc, "required"), ToolError, reasons[0]);
    const off = programLayers(libc, "off");
    assertEquals([off.layers, off.abi, off.seccomp, off.reasons.length], [[], 0, false, 1]);
  }
});
