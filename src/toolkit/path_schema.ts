/** The schema of a path argument, the same in all file tools. */

/** Longest path that Linux takes (`linux/limits.h`: PATH_MAX 4096 with its NUL). */
const PATH_MAX = 4095;

/** The schema of one path: what it is for is all that tools say of it. */
export function pathSchema(description: string) {
  return { type: "string", minLength: 1, maxLength: PATH_MAX, description } as const;
}
