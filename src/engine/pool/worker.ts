/** The module that every worker thread starts with. */

import { createRegistry } from "../../tools/registry.ts";
import { serveThread } from "./_worker_thread.ts";

serveThread(createRegistry());
