/** The module that every thread of the probe binary starts with. */

import { serveThread } from "../../src/engine/pool/_worker_thread.ts";
import { probeRegistry } from "./probe_registry.ts";

serveThread(probeRegistry());
