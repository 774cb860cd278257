/** A call whose `pre-commit` hook has to be asked for: nothing runs before somebody agrees, and it does then. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Pipe } from "../toolgate.ts";

/** `hasRun`: whether the hook has left its mark. */
export async function agreeToHook(
  pipe: Pipe,
  call: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> },
  hasRun: () => boolean,
): Promise<void> {
  await pipe.send({ id: 1, ...call });
  // deno-lint-ignore no-explicit-any
  const asked = await pipe.next() as any;
  assertEquals(asked?.event, "approval_required", JSON.stringify(asked));
  assertStringIncludes(JSON.stringify(asked), ".git/hooks/pre-commit");
  assert(!hasRun());
  await pipe.send({ id: 2, op: "approve", approval: asked.approval });
  for (;;) {
    // deno-lint-ignore no-explicit-any
    const answer = await pipe.next() as any;
    if (answer?.id !== 1) continue;
    assertEquals(answer.output?.hooks_run, ["pre-commit"], JSON.stringify(answer));
    break;
  }
  assert(hasRun());
}
