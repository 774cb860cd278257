/** The schema of a path argument, the same in all file tools. */

import type { JsonSchema } from "../core/schema.ts";

/** Longest path that Linux takes (`linux/limits.h`: PATH_MAX 4096 with its NUL). */
const PATH_MAX = 4095;

export function pathSchema(description: string): JsonSchema {
  return { type: "string", minLength: 1, maxLength: PATH_MAX, description };
}
