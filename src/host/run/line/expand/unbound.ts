import type { LineState } from "../_state.ts";

/** What `set -u` says of a parameter. */
export function unbound(name: string, { shell }: Pick<LineState, "shell">): string {
  if (shell === "sh") return `${name}: parameter not set`;
  return `${/^[0-9]/.test(name) ? "$" : ""}${name}: unbound variable`;
}
