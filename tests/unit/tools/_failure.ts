/** What a call fails with. */

import { assertRejects } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";

export function failure(running: () => Promise<unknown>): Promise<ToolError> {
  return assertRejects(running, ToolError);
}
