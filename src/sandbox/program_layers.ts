/** What the kernel can hold a program by that holds itself, whatever holds the thread that starts it. */

import { ToolError } from "../core/errors.ts";
import type { SandboxMode } from "../policy/model.ts";
import type { Layer } from "./boundary.ts";
import type { Libc } from "./kernel/libc.ts";
import { probeLandlock, restrictionMissing } from "./landlock.ts";
import { seccompMissing } from "./seccomp.ts";

/** What there is of the kernel's layer for programs. */
export interface ProgramLayers {
  readonly layers: readonly Layer[];
  /** The Landlock ABI; 0 where it holds nothing. */
  readonly abi: number;
  readonly seccomp: boolean;
  /** Why a layer that was wanted is not there, one sentence each. */
  readonly reasons: readonly string[];
}

/** With `kernel` "required" throws NATIVE_DENIED where one is missing. */
export function programLayers(libc: Libc, kernel: SandboxMode): ProgramLayers {
  if (kernel === "off") {
    const reasons = ["the policy switches the kernel layer off (sandbox.kernel: off)"];
    return { layers: [], abi: 0, seccomp: false, reasons };
  }
  const layers: Layer[] = [];
  const reasons: string[] = [];
  const abi = probeLandlock(libc);
  const unheld = abi === 0
    ? "this kernel has none, or it is not switched on (lsm=landlock)"
    : restrictionMissing(libc);
  if (unheld === null) layers.push("landlock");
  else reasons.push(`Landlock: ${unheld}`);
  const unfiltered = seccompMissing(libc);
  if (unfiltered === null) layers.push("seccomp");
  else reasons.push(`seccomp: ${unfiltered}`);
  if (kernel === "required" && reasons.length > 0) {
    throw new ToolError(
      "NATIVE_DENIED",
      `sandbox.kernel is "required", and this machine cannot hold it: ${reasons.join("; ")}`,
    );
  }
  return { layers, abi: unheld === null ? abi : 0, seccomp: unfiltered === null, reasons };
}
