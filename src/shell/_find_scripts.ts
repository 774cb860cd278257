/** Shell scripts among the words of a command that starts a shell in turn (`timeout 5 sh -c SCRIPT`). */

import { ToolError } from "../core/errors.ts";
import { baseName } from "../core/path_text.ts";
import type { Capability } from "../core/capability.ts";
import type { Plan } from "../core/plan.ts";
import { foundBy, withFound } from "./_found.ts";
import { readShellCall, SHELLS } from "./_shell_call.ts";
import { isWhollyCertain } from "./certain.ts";
import { parseScript } from "./parse_line.ts";
import type { SpentPieces } from "./_walk.ts";

/** Scripts that `find` runs with `-exec sh -c` and the like. */
export interface FoundScripts {
  readonly scripts: readonly string[];
  /** What the scripts would start, read and write. */
  readonly capabilities: readonly Capability[];
}

/** Words that may begin a shell with its script: for each, all that follow it are read. */
const MOST_SHELLS = 50;

const NONE: FoundScripts = { scripts: [], capabilities: [] };

/**
 * The scripts that were understood. A real shell will read them: only what is known whole from the text, and what
 * that shell reads as it was read here. Others are left out, for the policy to refuse. Throws
 * COMMAND_UNPARSABLE for a script that is not understood, and for more than are looked at. `spent`: see {@linkcode parseScript}.
 */
export async function findScripts(
  argv: readonly string[],
  spent: SpentPieces,
  lower: (plan: Plan) => Promise<readonly Capability[]>,
): Promise<FoundScripts> {
  const shells = [...argv.keys()].filter((index) => SHELLS.has(baseName(argv[index] ?? "")));
  if (shells.length === 0) return NONE;
  const name = baseName(argv[0] ?? "");
  // In the words of programs that start none of them a script is text.
  if (!SHELLS.has(name) && !(await import("../programs/table.ts")).startsItsWords(name)) {
    return NONE;
  }
  if (shells.length > MOST_SHELLS) {
    throw new ToolError(
      "COMMAND_UNPARSABLE",
      `${shells.length} words name a shell; at most ${MOST_SHELLS} are looked at: send them in several calls`,
    );
  }
  const scripts: string[] = [];
  const capabilities: Capability[] = [];
  for (const index of shells) {
    const found = name === "find" ? foundBy(argv, index) : null;
    const call = readShellCall(found === null ? argv.slice(index) : found.shell);
    if (call === null || call.login) continue;
    if (found !== null) {
      const plan = await parseScript(call.script, call.positional, spent);
      const root = withFound(plan.root, found);
      const understood = root !== null && isWhollyCertain(root) &&
        (plan.posix || baseName(argv[index] ?? "") === "bash");
      if (!understood) continue;
      capabilities.push(...await lower({ ...plan, root }));
      scripts.push(call.script);
      continue;
    }
    if (isRewritten(argv, index)) continue;
    const plan = await parseScript(call.script, call.positional, spent);
    const known = isWhollyCertain(plan.root) &&
      (plan.posix || baseName(argv[index] ?? "") === "bash");
    if (!known) continue;
    capabilities.push(...await lower(plan));
    scripts.push(call.script);
  }
  return { scripts, capabilities };
}

/** Whether the program before the shell puts text of its own into these words, or starts it elsewhere. */
function isRewritten(argv: readonly string[], index: number): boolean {
  const before = argv.slice(1, index);
  return argv.slice(index).some((word) => word.includes("{}")) ||
    before.some((word) => /^-(?:I|i|J|-replace|execdir|okdir|C|-chdir|D|-cwd)/.test(word));
}
