/** The schema of a path argument, the same in all tools. */

import { PATH_MAX } from "../core/path_text.ts";

/** Any path; what it is for is said beside. */
export const PATH_SCHEMA = { type: "string", minLength: 1, maxLength: PATH_MAX } as const;

/** The schema of one path: what it is for is all that tools say of it. */
export function pathSchema(description: string) {
  return { ...PATH_SCHEMA, description } as const;
}
