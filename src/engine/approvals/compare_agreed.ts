/** The last look of a thread that is held, before it does what somebody agreed to. */

import { createIdentityProbe } from "../../host/paths/identity.ts";
import { createKernelProbe } from "../../host/paths/path_probe.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { type AgreedPath, requireAgreed } from "./agreed.ts";

/**
 * By the kernel, which tells a thread that is held what lies at any path. Throws APPROVAL_EXPIRED where something is
 * another. Where the kernel cannot be asked (`libc` null), the main thread compared all of it as it gave the call away.
 */
export function compareAgreed(
  tool: string,
  agreed: readonly AgreedPath[],
  libc: Libc | null,
): void {
  if (libc === null) return;
  const { canonicalize } = createKernelProbe(libc);
  requireAgreed(tool, agreed, { ...createIdentityProbe(libc), canonicalize }, { trees: false });
}
