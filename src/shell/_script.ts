/** A script that was understood: what it runs, and what it switched on first. */

import type { PlanNode, ShellSettings } from "../core/plan.ts";

export interface Script {
  readonly node: PlanNode;
  readonly settings: ShellSettings;
}
