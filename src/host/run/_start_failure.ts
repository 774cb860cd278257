/** Why a program could not be started, in words. */

import { ToolError } from "../../core/errors.ts";
import { ERRNO, errnoName } from "../../sandbox/kernel/errno.ts";
import type { StartFailure } from "../../sandbox/launcher/launcher.ts";

/** It is none that this thread may start. */
export function refused(name: string): ToolError {
  return new ToolError(
    "NATIVE_DENIED",
    `"${name}" was refused by a lower layer: the runtime's permissions, the kernel rules, or its file mode`,
  );
}

/** Steps whose failure is about the program and not about what holds it. */
const OWN_STEPS: ReadonlySet<StartFailure["step"]> = new Set(["start", "directory", "execve"]);

/** Errors of execve(2), fork(2) and fchdir(2); any of another step means that it could not be held, and did not run. */
export function startFailure(name: string, { step, errno }: StartFailure): ToolError {
  if (!OWN_STEPS.has(step)) {
    return new ToolError(
      "NATIVE_DENIED",
      `"${name}" was not started: this machine cannot hold it (${step}: ${errnoName(errno)})`,
    );
  }
  switch (errno) {
    case ERRNO.ENOENT:
    case ERRNO.ENOTDIR:
    case ERRNO.ELOOP:
      return new ToolError(
        "COMMAND_NOT_FOUND",
        `"${name}" cannot be started: the program, its interpreter or its directory is gone`,
      );
    case ERRNO.EACCES:
    case ERRNO.EPERM:
      return refused(name);
    case ERRNO.E2BIG:
      return new ToolError(
        "INVALID_ARGUMENTS",
        `"${name}": arguments and environment are too long`,
      );
    case ERRNO.EAGAIN:
    case ERRNO.ENOMEM:
    case ERRNO.EMFILE:
    case ERRNO.ENFILE:
      return new ToolError(
        "RESOURCE_LIMIT",
        `"${name}": too many processes or open files, or no memory`,
      );
    default:
      return new ToolError("EXECUTION_ERROR", `"${name}" cannot be started (${errnoName(errno)})`);
  }
}
