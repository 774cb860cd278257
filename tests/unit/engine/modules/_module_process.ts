/** Runs the process of a module, as Toolgate does when it is started as one. */

import { runModuleProcess } from "../../../../src/engine/modules/module_process.ts";

Deno.exit(await runModuleProcess());
