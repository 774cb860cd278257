/** The module that the thread of a custom tool's module starts with. */

import { serveModule } from "./_module_thread.ts";

serveModule();
