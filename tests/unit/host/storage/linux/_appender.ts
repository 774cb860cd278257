/** Appends to an audit log: `deno run -A _appender.ts PATH COUNT MAX_SIZE NAME`. */

import { AuditLog } from "../../../../../src/audit/log.ts";
import type { CanonicalPath } from "../../../../../src/core/capability.ts";
import { createAuditStorage } from "../../../../../src/host/storage/linux/audit_storage.ts";
import { openLibc } from "../../../../../src/sandbox/kernel/libc.ts";

const [path = "", count = "0", maxSize = "0", name = ""] = Deno.args;
const libc = openLibc();
if (libc === null) throw new Error("no C library");
const log = new AuditLog(createAuditStorage(libc, path as CanonicalPath), {
  maxSize: Number(maxSize),
  now: () => new Date(0),
});
const common = { time: "", agent: name, tool: "t" };
for (let i = 0; i < Number(count); i++) {
  log.append([{
    ...common,
    kind: "outcome",
    call: `${name}-${i}`,
    success: true,
    code: null,
    message: null,
    latency_ms: 0,
    layers: [],
  }], i % 50 === 0);
}
