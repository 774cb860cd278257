/** A command line understood whole: text → plan, or the construct that stands in the way. */

import { ToolError } from "../core/errors.ts";
import type { Plan, PlanNode, ShellSettings, Word } from "../core/plan.ts";
import { printable } from "../core/printable.ts";
import { NO_SETTINGS, united } from "./_settings.ts";
import { readShellCall, SHELLS } from "./_shell_call.ts";
import type { Script } from "./_script.ts";
import { readScript } from "./_tree.ts";
import type { ScriptPosition, SpentPieces } from "./_walk.ts";
import { CONSTRUCTS, Refused } from "./_constructs.ts";

/** Longest line that is read: what Linux takes for one argument (MAX_ARG_STRLEN, `linux/binfmts.h`). */
const MAX_LENGTH = 128 * 1024;

const TOP: ScriptPosition = { positional: null, level: 0, position: null };

/**
 * The plan of a line. Throws COMMAND_UNPARSABLE that names the construct, its position (in characters from 1) and
 * what to do instead, for everything that is not understood whole or that Toolgate does not run.
 */
export async function parseLine(line: string): Promise<Plan> {
  const { node, settings, posix } = await read(line, TOP);
  return { line, posix, settings, root: node };
}

/**
 * The plan of a script that stands in a word and that a shell will read, with its arguments from `$0` on. Throws as
 * `parseLine`. `spent`: what other scripts of the same request held, to which this one is added.
 */
export async function parseScript(
  script: string,
  positional: readonly string[],
  spent: SpentPieces = { pieces: 0 },
): Promise<Plan> {
  return await scriptOf(script, positional, "shell", spent);
}

async function scriptOf(
  script: string,
  positional: readonly string[],
  by: ReadBy,
  spent: SpentPieces = { pieces: 0 },
): Promise<Plan> {
  const place = { positional, level: 1, position: 0 };
  const { node, settings, posix } = await read(script, place, by, spent);
  return { line: script, posix, settings, root: node };
}

/** Who runs it: what a shell runs starts its programs itself. */
type ReadBy = "line" | "running line" | "shell";

/**
 * What a text that a line came to run (`eval`, a file that it sources) holds, in the shell of that line, which has these
 * functions. Throws as `parseLine`, positions counted in the text.
 */
export async function parseFurther(
  text: string,
  functions: readonly string[],
  inFunction: boolean,
): Promise<PlanNode> {
  const around = { functions: new Set(functions), tables: new Set<string>(), moves: true };
  const place = { positional: null, level: 1, position: 0, around, inFunction, shared: true };
  const { node, settings } = await read(text, place, "running line");
  return withSettings(node, settings);
}

/**
 * The plan of words that are a shell with its script (`["bash", "-lc", "…"]`): the script runs as a line does. Null
 * for all other words, without loading the parser. Throws as `parseLine`, positions counted in the script.
 */
export async function parseShellCall(argv: readonly string[]): Promise<Plan | null> {
  if (!SHELLS.has(argv[0] ?? "")) return null;
  const call = readShellCall(argv);
  if (call === null) return null;
  const { settings, root, ...plan } = await scriptOf(call.script, call.positional, "line");
  return {
    ...plan,
    settings: NO_SETTINGS,
    root: {
      kind: "group",
      subshell: true,
      settings: united(call.settings, settings),
      opened: argv,
      body: root,
      redirections: [],
    },
  };
}

async function read(
  source: string,
  place: ScriptPosition,
  by: ReadBy = "line",
  spent: SpentPieces = { pieces: 0 },
): Promise<Script & { readonly posix: boolean }> {
  if (source.length > MAX_LENGTH) {
    throw new ToolError(
      "COMMAND_UNPARSABLE",
      `the command line has ${source.length} characters; at most ${MAX_LENGTH} are read`,
    );
  }
  const { parse, forEachChild } = await import("unbash");
  const assess = by !== "shell" && source.includes("xargs")
    ? (await import("../programs/risk.ts")).assessCommand
    : null;
  const [byLine, later] = [by === "line", by === "running line"];
  const reading = { parse, forEachChild, assess, byLine, later, commands: 0, spent, posix: true };
  try {
    const script = readScript(source, reading, place);
    return { ...script, posix: reading.posix };
  } catch (error) {
    if (error instanceof Refused) throw unparsable(source, error);
    // Nothing but nesting takes the parser's stack.
    if (error instanceof RangeError) throw unparsable(source, new Refused("deep", 0));
    throw error;
  }
}

function unparsable(source: string, { kind, index }: Refused): ToolError {
  const [name, instead] = CONSTRUCTS[kind];
  const position = [...source.slice(0, index)].length + 1;
  const near = printable(source.slice(index), 30);
  const place = near === "" ? "at its end" : `at character ${position}, ${JSON.stringify(near)}`;
  return new ToolError(
    "COMMAND_UNPARSABLE",
    `the command line holds ${name} ${place}; it is not run: ${instead}`,
    { details: { construct: kind, position } },
  );
}

/** What was taken off its beginning is done there. */
function withSettings(node: PlanNode, settings: ShellSettings): PlanNode {
  const { errexit, nounset, pipefail } = settings;
  const words = [
    ...(errexit ? ["-e"] : []),
    ...(nounset ? ["-u"] : []),
    ...(pipefail ? ["-o", "pipefail"] : []),
  ];
  if (words.length === 0) return node;
  const set: PlanNode = {
    kind: "simple",
    assignments: [],
    words: ["set", ...words].map((text): Word => [{ kind: "text", text }]),
    redirections: [],
    position: 0,
    line: 1,
  };
  return { kind: "list", items: [set, node].map((one) => ({ when: "always", node: one })) };
}
