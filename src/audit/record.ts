/** One line of the audit log: what was decided or what became of it, chained to the line before by its hash. */

import { sha256 } from "../core/sha256.ts";
import type { Risk } from "../core/tool.ts";

/** What the first record of a log has in the place of the hash before it. */
export const GENESIS = "0".repeat(64);

/** What every record has. */
interface Common {
  /** RFC 3339, UTC, with milliseconds. */
  readonly time: string;
  /** The same in the decision and the outcome of one call; unique within the log. */
  readonly call: string;
  readonly agent: string;
  /** Canonical where the tool is known. */
  readonly tool: string;
}

/** Written before anything runs. */
export interface DecisionRecord extends Common {
  readonly kind: "decision";
  /** As approvals show it: "Edit file: src/a.ts". */
  readonly description: string;
  /** Redacted; long texts are cut and hashed. */
  readonly args: unknown;
  /** What was judged: kind, and path, argv, host or name. */
  readonly capabilities: readonly Readonly<Record<string, unknown>>[];
  readonly effect: "allow" | "ask" | "deny";
  /** The rule behind it, as in `policy.yaml paths[2]`; null where it was plainly allowed. */
  readonly rule: string | null;
  readonly risk: Risk | null;
  readonly preview: boolean;
}

/** Written when the call has ended. */
export interface OutcomeRecord extends Common {
  readonly kind: "outcome";
  readonly success: boolean;
  readonly code: string | null;
  /** Redacted; null on success. */
  readonly message: string | null;
  readonly latency_ms: number;
  readonly layers: readonly string[];
  /** `host:port` of what its programs reached by the proxy; absent where there is none. */
  readonly hosts?: readonly string[];
  /** What the caller said it spent. */
  readonly tokens?: number;
}

/** What people did about a call: who approved, rejected, or let it expire. */
export interface ApprovalRecord extends Common {
  readonly kind: "approval";
  readonly approval: string;
  readonly answer: "approved" | "rejected" | "expired" | "remembered";
  readonly reason: string | null;
}

/** Written by whoever finds the last line cut off (a writer was killed, a disk was full) and goes on after it. */
export interface RepairRecord {
  readonly kind: "repair";
  readonly time: string;
  /** Of the cut line, which stays. */
  readonly bytes: number;
  readonly sha256: string;
}

/** The last record of a file that was put aside: the chain goes on in the next. */
export interface RotatedRecord {
  readonly kind: "rotated";
  readonly time: string;
}

/** What one line of the log tells, without its place in the chain. */
export type AuditEntry =
  | DecisionRecord
  | OutcomeRecord
  | ApprovalRecord
  | RepairRecord
  | RotatedRecord;

/** Where a log stands: how many records there are, and the hash of the last. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

/** The head of an empty log: the first record follows it. */
export const START: ChainHead = { sequence: 0, hash: GENESIS };

/** `,"hash":"…"}` */
const HASH_PART = /,"hash":"([0-9a-f]{64})"\}$/;
const HEAD_PART = /^\{"sequence":(\d{1,15}),"previous":"([0-9a-f]{64})",/;

/** A line taken apart; null where it is no record. */
export interface ChainedLine {
  readonly sequence: number;
  readonly previous: string;
  readonly hash: string;
  /** Whether the hash is that of the line. */
  readonly intact: boolean;
}

/**
 * What a line says of its place in the chain, and whether its hash is that of its text; null where it says nothing
 * of it.
 */
export function readChainedLine(line: string): ChainedLine | null {
  const head = HEAD_PART.exec(line);
  const tail = HASH_PART.exec(line);
  if (head === null || tail === null) return null;
  const hash = tail[1] ?? "";
  return {
    sequence: Number(head[1]),
    previous: head[2] ?? "",
    hash,
    intact: sha256(line.slice(0, tail.index)) === hash,
  };
}
