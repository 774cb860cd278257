/** What judging a call takes, and what comes of it. */

import type { Capability } from "../../core/capability.ts";
import type { CallRequest } from "../../core/request.ts";
import type { Tool } from "../../core/tool.ts";
import type { FileBackend } from "../../host/files/file_backend.ts";
import type { Grant } from "../../policy/grant.ts";
import type { Decision, Rulebook } from "../../policy/rulebook.ts";
import type { Registry } from "../../tools/registry.ts";
import type { CapabilityResolver } from "./resolve.ts";

/** What deciding a call takes: of the engine no more than this. */
export interface DecisionParts {
  readonly registry: Registry;
  readonly rulebook: Rulebook;
  readonly resolver: CapabilityResolver;
  /** Loads what resolving and judging these takes; null where nothing is missing. */
  prepare(capabilities: readonly Capability[], tool?: Tool): Promise<void> | null;
  /** As if all programs of lines were there: what a case of a policy comes to hangs on no machine. */
  readonly programs?: "assumed";
  /** The files of this thread, for surveys: only by grants drawn up for them. */
  files(): Promise<FileBackend>;
}

/** Judged and allowed or not: `decision` with the grant that it would mean. */
export interface DecidedCall {
  readonly tool: Tool;
  readonly input: unknown;
  readonly decision: Decision;
  readonly grant: Grant;
  /** Programs that were looked for, where a survey found several ways. */
  readonly sought?: readonly string[];
}

/** Judges one input of a tool by the capabilities that were found for it, once they are. */
export type DecideInput = (
  engine: DecisionParts,
  request: CallRequest,
  call: Pick<DecidedCall, "tool" | "input">,
  finding: readonly Capability[] | Promise<readonly Capability[]>,
) => Promise<DecidedCall>;
