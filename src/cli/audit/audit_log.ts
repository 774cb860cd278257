/** The audit log of a session: loaded only where a policy wants one, or somebody reads it. */

import { AuditLog } from "../../audit/log.ts";
import { createRedactor } from "../../audit/redact.ts";
import type { LogStorage } from "../../audit/storage.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import type { EngineOptions } from "../../engine/create_engine.ts";
import { createRecorder } from "../../engine/recorder.ts";
import { createAuditStorage } from "../../host/storage/linux/audit_storage.ts";
import { createPortableAuditStorage } from "../../host/storage/portable/audit_storage.ts";
import { canonicalize } from "../../host/paths/canonicalize.ts";
import type { AuditSettings } from "../../policy/rulebook.ts";
import { openLibc } from "../../sandbox/kernel/libc.ts";

/** `quickLogs`: see {@linkcode openLibc}; for logs of many calls. */
export interface AuditLogOptions {
  readonly quickLogs?: boolean;
}

/** The files of the log. */
export function auditStorage(
  workspace: CanonicalPath,
  options: AuditLogOptions = {},
): (settings: AuditSettings) => LogStorage {
  return ({ file }) => {
    const path = canonicalize(workspace, file);
    const libc = openLibc(options);
    return libc === null ? createPortableAuditStorage(path) : createAuditStorage(libc, path);
  };
}

/** What tells the log about calls. It opens the files with the first. */
export function auditRecorder(
  workspace: CanonicalPath,
  options: AuditLogOptions,
): EngineOptions["audit"] {
  const storage = auditStorage(workspace, options);
  return (settings, shownFrom) =>
    createRecorder({
      settings,
      workspace: shownFrom,
      redactor: createRedactor(settings.redact),
      open: () =>
        new AuditLog(storage(settings), { maxSize: settings.maxSize, now: () => new Date() }),
      now: Date.now,
    });
}
