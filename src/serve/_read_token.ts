/** `op: token` → what the token is to be good for. Pure. */

import { DurationError, parseDuration } from "../config/duration.ts";
import { ToolError } from "../core/errors.ts";
import { PERMISSION_GROUPS, type PermissionGroup } from "../core/tool.ts";

/** What a token is asked for. What is null is as its maker has it. */
export interface TokenTerms {
  readonly agent: string | null;
  readonly permissions: readonly PermissionGroup[] | null;
  /** Globs, as in `paths` of a policy. */
  readonly paths: readonly string[] | null;
  /** Beginnings of commands, as in `commands` of a policy. */
  readonly commands: readonly string[] | null;
  readonly tokens: number | null;
  readonly expiresMs: number | null;
  /** The user by whom alone it can be shown. */
  readonly uid: number | null;
}

/** Globs and patterns of one token, and the characters of one. */
const MOST_ENTRIES = 256;
const LONGEST_ENTRY = 4096;
/** Timers end at 2^31 - 1 ms (HTML, "timers"), which is 24 days. */
const LONGEST_MS = 20 * 86_400_000;
const AGENT = /^[A-Za-z0-9._-]{1,128}$/;

/** Throws INVALID_REQUEST. */
export function readTerms(value: Readonly<Record<string, unknown>>): TokenTerms {
  const { agent = null, tokens = null, uid = null } = value;
  if (agent !== null && !(typeof agent === "string" && AGENT.test(agent))) {
    throw wrong("agent: letters, digits, '.', '_' and '-', at most 128");
  }
  if (tokens !== null && !isCount(tokens)) throw wrong("tokens: a whole number from 0");
  if (uid !== null && !isCount(uid)) throw wrong("uid: the number of a user");
  return {
    agent,
    permissions: readPermissions(value["permissions"]),
    paths: readList(value, "paths"),
    commands: readList(value, "commands"),
    tokens,
    expiresMs: readExpiry(value["expires"]),
    uid,
  };
}

function readPermissions(list: unknown): readonly PermissionGroup[] | null {
  if (list === undefined) return null;
  const known: readonly unknown[] = PERMISSION_GROUPS;
  if (!Array.isArray(list)) throw wrong("permissions: a list of permission groups");
  if (list.includes("all")) return null;
  const strange = list.find((group) => !known.includes(group));
  if (strange !== undefined) {
    throw wrong(`permissions: each is one of ${PERMISSION_GROUPS.join(", ")}, or all`);
  }
  return [...new Set(list as readonly PermissionGroup[])];
}

function readList(value: Readonly<Record<string, unknown>>, key: string): readonly string[] | null {
  const list = value[key];
  if (list === undefined) return null;
  const fits = Array.isArray(list) && list.length <= MOST_ENTRIES &&
    list.every((entry) => typeof entry === "string" && entry.length <= LONGEST_ENTRY);
  if (fits) return list as readonly string[];
  throw wrong(`${key}: a list of at most ${MOST_ENTRIES} texts of ${LONGEST_ENTRY} characters`);
}

function readExpiry(text: unknown): number | null {
  if (text === undefined) return null;
  if (typeof text !== "string") throw wrong("expires: a duration such as 10m");
  try {
    const ms = parseDuration(text);
    if (ms > 0 && ms <= LONGEST_MS) return ms;
  } catch (error) {
    if (error instanceof DurationError) throw wrong(`expires: ${error.message}`);
    throw error;
  }
  throw wrong("expires: above 0, and at most 20d");
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function wrong(message: string): ToolError {
  return new ToolError("INVALID_REQUEST", message);
}
