/** The tools of the product, and the probe. */

import { createRegistry, type Registry, TOOLS } from "../../src/tools/registry.ts";

export function probeRegistry(): Registry {
  return createRegistry([...TOOLS, { name: "probe", load: () => import("./probe_tool.ts") }]);
}
