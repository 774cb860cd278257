/** What a child did, from the very records that the audit log gets: its own words have no part in it. */

import type { CallRequest } from "../../../core/request.ts";
import { jsonText, type Result } from "../../../core/result.ts";
import type { ResolvedCapability } from "../../../core/capability.ts";
import type { CallRecord, Recorder } from "../../../engine/recorder.ts";

/** Paths and commands that are told; what is more is counted alone. */
const MOST_LISTED = 1000;
const LONGEST_COMMAND = 500;

/** One program that it had started. */
interface Command {
  readonly command: string;
  readonly exit_code: number | null;
}

/** The receipt, as `aggregate_agent_results` tells it. */
export interface ReceiptReport {
  readonly calls: number;
  readonly failed: number;
  readonly files_read: readonly string[];
  readonly files_written: readonly string[];
  readonly commands: readonly Command[];
  readonly tokens: number;
  readonly truncated: boolean;
}

/** A recorder beside the log's. */
export class Receipt {
  /** What paths are told relative to: the child's working files. */
  readonly root: string;
  readonly #read = new Set<string>();
  readonly #written = new Set<string>();
  readonly #commands: Command[] = [];
  #calls = 0;
  #failed = 0;
  #tokens = 0;
  #truncated = false;
  /** Milliseconds since 1970. */
  lastActivity: number;

  /** `root`: what paths are told relative to. */
  constructor(root: string, now: number) {
    this.root = root;
    this.lastActivity = now;
  }

  get calls(): number {
    return this.#calls;
  }

  get tokens(): number {
    return this.#tokens;
  }

  report(): ReceiptReport {
    return {
      calls: this.#calls,
      failed: this.#failed,
      files_read: [...this.#read].sort(),
      files_written: [...this.#written].sort(),
      commands: this.#commands,
      tokens: this.#tokens,
      truncated: this.#truncated,
    };
  }

  /** Writes down what `log` is told, too. */
  beside(log: Recorder): Recorder {
    return {
      begin: (request) => {
        const record = log.begin(request);
        this.#calls++;
        this.#tokens += request.tokens ?? 0;
        this.lastActivity = Date.now();
        return this.#follow(request, record);
      },
    };
  }

  #follow(request: CallRequest, record: CallRecord): CallRecord {
    let capabilities: readonly ResolvedCapability[] = [];
    return {
      decided: (tool, input, decision) => {
        capabilities = decision.verdicts.map(({ capability }) => capability);
        record.decided(tool, input, decision);
      },
      approval: (tool, outcome) => record.approval(tool, outcome),
      ended: (result) => {
        this.lastActivity = Date.now();
        if (!result.success) this.#failed++;
        if (!request.preview) this.#note(capabilities, result);
        return record.ended(result);
      },
    };
  }

  #note(capabilities: readonly ResolvedCapability[], result: Result): void {
    const spawned = capabilities.filter((one) => one.kind === "process.spawn");
    for (const [index, { argv, own }] of spawned.entries()) {
      if (own !== undefined || !ran(result)) continue;
      const command = argv.join(" ").slice(0, LONGEST_COMMAND);
      const last = index === spawned.length - 1;
      this.#list(this.#commands, { command, exit_code: last ? exitCodeOf(result) : null });
    }
    if (!result.success) return;
    for (const one of capabilities) {
      if (one.kind !== "fs.read" && one.kind !== "fs.write") continue;
      // Of a folder that was searched nobody knows which files were looked at; git, and who asks for leave, look at their own.
      const isNamed = !one.tree && one.by !== "program" && one.optional !== true;
      if (!isNamed || !this.#isInside(one.path)) continue;
      const names = one.kind === "fs.read" ? this.#read : this.#written;
      if (names.size >= MOST_LISTED) this.#truncated = true;
      else names.add(this.#shown(one.path));
    }
  }

  #list(list: Command[], command: Command): void {
    if (list.length >= MOST_LISTED) this.#truncated = true;
    else list.push(command);
  }

  #isInside(path: string): boolean {
    return path.startsWith(`${this.root}/`);
  }

  #shown(path: string): string {
    return path.slice(this.root.length + 1);
  }
}

/** Whether programs were begun: what was refused started none. */
function ran({ success, output }: Result): boolean {
  return success || output !== "null";
}

function exitCodeOf({ output }: Result): number | null {
  const code = /"(?:exit_code|returncode)":(\d+)/.exec(jsonText(output))?.[1];
  return code === undefined ? null : Number(code);
}
