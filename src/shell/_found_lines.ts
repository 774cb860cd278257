/**
 * `find … -exec sh -c SCRIPT _ {} \\;`: a script that is not known whole before it runs (a loop, a name that it makes of what is
 * found) the line runs itself, once for each path, so that each command of it is judged with all its words.
 */

import type { PlanNode, SimplePlan, Word } from "../core/plan.ts";
import { foundBy, withFound } from "./_found.ts";
import { fedShell } from "./_feeding.ts";
import { NO_SETTINGS } from "./_settings.ts";
import { readShellCall, SHELLS } from "./_shell_call.ts";
import type { CommandSource } from "./_command_source.ts";
import { certainText, isWhollyCertain, wordText } from "./certain.ts";
import { Refused } from "./_constructs.ts";

/** What else find(1) does with what it finds: what it prints would stand among the paths. */
const ACTIONS = /^-(?:exec|execdir|ok|okdir|f?print0?|f?printf|f?ls|delete)$/;
/** Where a shell of the line keeps what was its input; no program gets it. */
const KEPT = 9;

/** The plan that does the same; the command itself where find is to start the shell, or the form is another. */
export function openFound(simple: SimplePlan, from: CommandSource): PlanNode {
  const { words } = simple;
  const texts = words.map(certainText);
  const at = texts.indexOf("-exec");
  const end = texts.at(-1) ?? "";
  const single = at !== -1 &&
    texts.every((text, index) => index === at || !ACTIONS.test(text ?? ""));
  // They are the shell's as well as find's.
  const known = simple.assignments.every(({ value }) => certainText(value) !== null);
  if (!from.byLine || !known || !single || (end !== ";" && end !== "+")) return simple;
  const shell = texts.slice(at + 1, -1);
  const call = SHELLS.has(shell[0] ?? "") ? readShellCall(shell) : null;
  const puts = call?.argv.indexOf("{}") ?? -1;
  const isLast = puts === shell.length - 1;
  // What is put into a longer word, or into the script, makes another of it each time.
  const whole = call?.argv.every((word) => word === "{}" || !word.includes("{}")) === true;
  if (call === null || call.login || puts === -1 || !whole || (end === "+" && !isLast)) {
    return simple;
  }
  if (call.script === "{}" || startsByItself(words.map(wordText), at + 1, call.script, from)) {
    return simple;
  }
  return found(simple, from, { at, each: end === ";", isLast });
}

/** Whether what the script does is known before it runs, so that a shell may be started with it; or it is not understood. */
function startsByItself(
  argv: readonly string[],
  index: number,
  script: string,
  from: CommandSource,
): boolean {
  try {
    const found = foundBy(argv, index);
    const call = found === null ? null : readShellCall(found.shell);
    const { node, posix } = from.alone(script, call?.positional ?? [], from.indexes[0] ?? 0);
    const root = found === null ? null : withFound(node, found);
    return root !== null && isWhollyCertain(root) && (posix || argv[index] === "bash");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return true;
  }
}

const text = (value: string): Word => [{ kind: "text", text: value }];

/** `find … -print0 9<&0 | xargs -0 sh -c SCRIPT _`, with the status that find has. */
function found(
  simple: SimplePlan,
  from: CommandSource,
  { at, each, isLast }: { readonly at: number; readonly each: boolean; readonly isLast: boolean },
): PlanNode {
  const { words, assignments, position, line, redirections } = simple;
  const about = { kind: "simple", position, line } as const;
  const shell = words.slice(at + 1, isLast ? -2 : -1);
  const xargs = ["xargs", "-0", "-r", ...(isLast ? each ? ["-n", "1"] : [] : ["-I", "{}"])];
  const looks: SimplePlan = {
    ...about,
    assignments,
    words: [...words.slice(0, at), text("-print0")],
    redirections: [],
  };
  const fed = fedShell({
    ...about,
    assignments,
    words: [...xargs.map(text), ...shell],
    redirections: [],
    feeds: xargs.length,
    found: { words, input: KEPT },
  }, from);
  if (fed === null) return simple;
  const ends: SimplePlan = {
    ...about,
    assignments: [],
    // Of one after the other nobody looks at the status.
    words: [text(each ? "true" : "false")],
    redirections: [],
  };
  const starts: PlanNode = {
    kind: "list",
    items: [{ when: "always", node: fed }, { when: "failure", node: ends }],
  };
  return {
    kind: "group",
    subshell: true,
    settings: { ...NO_SETTINGS, pipefail: true },
    redirections: [...redirections, { kind: "duplicate", descriptor: KEPT, from: 0 }],
    body: { kind: "pipeline", stages: [looks, starts], negated: false },
  };
}
