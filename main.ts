/** Starts Toolgate from source, under the policy beside it. Compiled builds are entered by a generated twin of this. */

import { run } from "./src/cli/run.ts";
import { fromSource } from "./src/cli/from_source.ts";

if (import.meta.main) Deno.exit(await run(Deno.args, fromSource()));
