/** The module that every thread of the probe binary starts with. */

import { serveThread } from "../../src/engine/worker_thread.ts";
import { probeRegistry } from "./probe_registry.ts";

serveThread(probeRegistry());
