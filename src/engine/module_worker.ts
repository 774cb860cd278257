/** The module that the thread of a custom tool's module starts with. */

import { serveModule } from "./module_thread.ts";

serveModule();
