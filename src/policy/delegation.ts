/** What one agent hands on to another, as one more policy: it can take away and add nothing. Pure. */

import type { PermissionGroup } from "../core/tool.ts";
import { parseCommandPattern, PatternError } from "./match/argv.ts";
import { GlobError, parsePathGlob } from "./match/path.ts";
import { type Policy, SILENT_POLICY } from "./model.ts";

/** What is handed on, at most. */
export interface Delegation {
  readonly permissions: readonly PermissionGroup[];
  /** Globs of what may be read and written; null: whatever the others let be. */
  readonly paths: readonly string[] | null;
  /** Beginnings of commands; null: likewise. */
  readonly commands: readonly string[] | null;
}

/** What of a delegation is no glob, or no pattern of commands. The message names it. */
export class DelegationError extends Error {
  override readonly name = "DelegationError";
}

/** The further policy, whoever asks. Throws {@linkcode DelegationError}. */
export function policyOfDelegation({ permissions, paths, commands }: Delegation): Policy {
  paths?.forEach((glob, index) => checked(`paths[${index}]`, () => parsePathGlob(glob)));
  commands?.forEach((pattern, index) =>
    checked(`commands[${index}]`, () => parseCommandPattern(pattern))
  );
  return {
    ...SILENT_POLICY,
    agents: { "*": { permissions } },
    paths: paths === null ? null : [{ effect: "allow", access: ["read", "write"], match: paths }],
    commands: commands === null ? null : [{
      effect: "allow",
      patterns: commands,
      exact: false,
      examples: { match: [], notMatch: [] },
    }],
  };
}

function checked(what: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof GlobError || error instanceof PatternError)) throw error;
    throw new DelegationError(`${what} ${error.message}`);
  }
}
