/** A script that was understood: what it runs, and what it switched on first. */

import type { PlanNode, ShellSettings } from "../core/plan.ts";

/** A script that was understood: what runs, and under which settings it leaves the shell. */
export interface Script {
  readonly node: PlanNode;
  readonly settings: ShellSettings;
}
