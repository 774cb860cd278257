/** Shell scripts among the words of a command that starts a shell in turn (`timeout 5 sh -c SCRIPT`). */

import { ToolError } from "../core/errors.ts";
import { baseName } from "../core/path_text.ts";
import type { Capability } from "../core/capability.ts";
import {
  BUILTINS,
  type Plan,
  type PlanNode,
  type Redirection,
  type Word,
  type WordPart,
} from "../core/plan.ts";
import { NO_SETTINGS } from "./_settings.ts";
import { readShellCall, SHELLS } from "./_shell_call.ts";
import { certainText, isWhollyCertain } from "./certain.ts";
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

/** `find START -exec sh -c SCRIPT NAME {} ;`: the shell without what is put in, and what stands for that. */
interface FoundBy {
  readonly shell: readonly string[];
  /** Parameters that are a path which was found (`1`), or several (`@`). */
  readonly parameters: readonly string[];
  /** Where the paths begin. */
  readonly starts: readonly string[];
}

/** Null for all other forms: what is found stands as the last word alone, behind the script. */
function foundBy(argv: readonly string[], index: number): FoundBy | null {
  // Options before the paths.
  if (argv[index - 1] !== "-exec" || /^-[HLPOD]/.test(argv[1] ?? "")) return null;
  const end = argv.findIndex((word, at) => at > index && word === "{}");
  const shell = argv.slice(index, end);
  const closes = argv[end + 1] === ";" || argv[end + 1] === "+";
  if (end === -1 || !closes || shell.some((word) => word.includes("{}"))) return null;
  const options = shell.findIndex((word, at) => at > 0 && !word.startsWith("-"));
  const behind = options === -1 ? -1 : shell.length - options - 1;
  if (behind !== 0 && behind !== 1) return null;
  const own = argv.slice(1, index).findIndex((word) => /^[-(!]/.test(word));
  const starts = argv.slice(1, 1 + own);
  return {
    shell,
    parameters: behind === 0 ? ["0"] : argv[end + 1] === "+" ? ["1", "@"] : ["1"],
    starts: starts.length === 0 ? ["."] : starts,
  };
}

function subshell(body: PlanNode): PlanNode {
  return { kind: "group", subshell: true, settings: NO_SETTINGS, redirections: [], body };
}

/** Whether it only prints its words, in every shell: `printf -v` sets a variable, and `%n` in a format that is a path. */
function prints(name: string, [format]: readonly Word[]): boolean {
  if (name !== "printf") return name === "echo";
  const text = format === undefined ? null : certainText(format);
  return text !== null && !text.startsWith("-");
}

/**
 * The script with the paths themselves where a quoted parameter stands for them; null where one stands elsewhere than as a
 * whole argument of a program, as a file that is read, or in what is printed: a name of a program, a file to write to and a
 * place to go to are not known. What prints the output of others (`echo "$(wc -l < "$1")"`) stands behind these.
 */
function withFound(node: PlanNode, { parameters, starts }: FoundBy): PlanNode | null {
  const isPath = (part: WordPart): boolean =>
    part.kind === "parameter" && part.quoted && part.operation === null &&
    part.subscript === undefined && part.indirect !== true && parameters.includes(part.name);
  // Whatever it is: it is printed. `ran`: what runs to say it.
  const printed = (word: Word, ran: PlanNode[]): Word =>
    word.map((part) => {
      if (isPath(part)) return { kind: "text", text: starts[0] ?? "." };
      const body = part.kind === "substitution" && part.quoted ? put(part.body) : null;
      if (body === null) return part;
      ran.push(subshell(body));
      return { kind: "text", text: "" };
    });
  const paths = (word: Word): readonly Word[] => {
    const whole = word.filter((part) => part.kind !== "text" || part.text !== "");
    const [part] = whole;
    return whole.length === 1 && part !== undefined && isPath(part)
      ? starts.map((text): Word => [{ kind: "text", text }])
      : [word];
  };
  const put = (one: PlanNode): PlanNode | null => {
    switch (one.kind) {
      case "simple": {
        const redirections = one.redirections.flatMap((redirection): readonly Redirection[] =>
          redirection.kind === "read"
            ? paths(redirection.target).map((target) => ({ ...redirection, target }))
            : [redirection]
        );
        const plain = { ...one, redirections };
        const [first, ...rest] = one.words;
        const name = first === undefined ? null : certainText(first);
        if (rest.every((word) => certainText(word) !== null)) return plain;
        if (name === null) return null;
        if (prints(name, rest)) {
          const ran: PlanNode[] = [];
          const words = [first!, ...rest.map((word) => printed(word, ran))];
          const print = { ...plain, words };
          if (ran.length === 0) return print;
          const items = [...ran, print].map((node) => ({ when: "always", node }) as const);
          return { kind: "list", items };
        }
        if (name === "printf" || BUILTINS.some((builtin) => builtin === name)) return null;
        return { ...plain, words: [first!, ...rest.flatMap(paths)] };
      }
      case "pipeline": {
        const stages = one.stages.map(put).filter((stage) => stage !== null);
        return stages.length === one.stages.length ? { ...one, stages } : null;
      }
      case "list": {
        const items = one.items.flatMap((item) => {
          const inner = put(item.node);
          return inner === null ? [] : [{ ...item, node: inner }];
        });
        return items.length === one.items.length ? { ...one, items } : null;
      }
      default:
        return one;
    }
  };
  return put(node);
}

/** Whether the program before the shell puts text of its own into these words, or starts it elsewhere. */
function isRewritten(argv: readonly string[], index: number): boolean {
  const before = argv.slice(1, index);
  return argv.slice(index).some((word) => word.includes("{}")) ||
    before.some((word) => /^-(?:I|i|J|-replace|execdir|okdir|C|-chdir|D|-cwd)/.test(word));
}
