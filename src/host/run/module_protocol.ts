/** What passes between Toolgate and the process of a module, which is Toolgate again. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { ModuleAnswer, ModuleRequest } from "../../core/tool.ts";
import type { SandboxMode } from "../../policy/model.ts";
import type { ModulePaths } from "../../sandbox/landlock_rules.ts";

/** The first word of the command line of such a process. */
export const MODULE_PROCESS = "module-process";

/**
 * Its environment, by which it knows that Toolgate started it: who may choose the words of a command line and no more
 * must not come by a policy. The variable is one that all builds may read; no format has such a name.
 */
export const MODULE_ENVIRONMENT = { TOOLGATE_FORMAT: MODULE_PROCESS, NO_COLOR: "1" } as const;

/** Whether this is such a process. */
export function isModuleProcess(
  [first]: readonly string[],
  valueOf: (name: string) => string | undefined,
): boolean {
  return first === MODULE_PROCESS &&
    valueOf("TOOLGATE_FORMAT") === MODULE_ENVIRONMENT.TOOLGATE_FORMAT;
}

/** How Toolgate is started once more. */
export interface OwnProgram {
  /** Absolute path of the executable. */
  readonly path: string;
  /** Its whole argv. */
  readonly words: readonly string[];
  /** Where it starts: what is baked relative to the working directory is to mean the same. */
  readonly directory: CanonicalPath;
}

/** All that the process reads on its standard input: one JSON value. */
export interface ModuleOrder
  extends Pick<ModuleRequest, "code" | "file" | "entry" | "args" | "tool"> {
  /** Begins the line of the answer. */
  readonly nonce: string;
  readonly workspace: string;
  readonly paths: ModulePaths;
  /** What the runtime's permissions name beside `paths`: the same files as the request calls them. */
  readonly names: { readonly read: readonly string[]; readonly write: readonly string[] };
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** When that time began: `Date.now()`. */
  readonly began: number;
  readonly kernel: SandboxMode;
  /** The kernel's rules hold whoever sends this, and so must hold the module. */
  readonly held: boolean;
  /** Bytes of the value, at most. */
  readonly limit: number;
}

/** What the runtime says where nothing is left that could give the answer that it waits for. */
export const UNANSWERED = /(?:^|\n)error: Top-level await promise never resolved\n[\s\S]*$/;

/** A line with the nonce and all but the value, then the value, to the end. */
export function encodeAnswer(nonce: string, answer: ModuleAnswer): string {
  if (answer.kind !== "value") return `\n${nonce} ${JSON.stringify(answer)}\n`;
  const { json, ...head } = answer;
  return `\n${nonce} ${JSON.stringify(head)}\n${json}`;
}

/** The answer in an output, whatever else is in it; null where there is none. */
export function decodeAnswer(nonce: string, output: string): ModuleAnswer | null {
  const mark = `\n${nonce} `;
  const at = output.lastIndexOf(mark);
  if (at === -1) return null;
  const start = at + mark.length;
  const end = output.indexOf("\n", start);
  // The process was ended while it wrote.
  if (end === -1) return null;
  const head = JSON.parse(output.slice(start, end)) as ModuleAnswer;
  return head.kind === "value" ? { kind: "value", json: output.slice(end + 1) } : head;
}
