/** What of a command is judged once more, or for the first time, when it runs. */

import { PIPE_WORD, type SimplePlan } from "../../../core/plan.ts";
import { isHarmless } from "../../../shell/certain.ts";
import { readOptions } from "../../../shell/commands/read_options.ts";
import type { LineHost, LineRedirection } from "./line_host.ts";
import type { LineState } from "./_state.ts";

/** A command with its words. */
interface Wanted {
  readonly node: SimplePlan;
  readonly argv: readonly string[];
  readonly isProgram: boolean;
  readonly calls: boolean;
  readonly targets: readonly LineRedirection[];
  readonly pipes: ReadonlyMap<string, number>;
}

/** Has what it would do judged, where that was not known before. */
export async function allow(
  { node, argv, isProgram, calls, targets, pipes }: Wanted,
  state: LineState,
  { host }: { readonly host: LineHost },
): Promise<void> {
  const free = (name: string): boolean =>
    name === "IFS" || (name === "PATH" && !isProgram && state.places.workspace !== null);
  const set = node.assignments.filter((one) => !isProgram || !isHarmless(one))
    .map((one) => one.name).filter((one) => !free(one));
  const changed = isProgram || calls ? [] : changedNames(argv);
  // What programs get was judged with the line, but for what that came to know only now.
  // Those that programs had before were judged when they were set.
  const unjudged = state.variables.unjudged.filter((one) => !state.isGiven(one));
  const later = node.later === true && node.words.length > 0 ? set : [];
  const since = later.length > 0 || (isProgram && unjudged.length > 0);
  // A variable of the line alone is nobody's business, unless it is one that programs get.
  const given = [...set, ...changed.filter((one) => !free(one))].filter((one) =>
    state.isGiven(one)
  );
  const variables = isProgram ? [...set, ...unjudged] : [...later, ...given];
  const redirections = targets.filter(({ target }) => !pipes.has(target));
  if (!isProgram && redirections.length === 0 && variables.length === 0) return;
  // A pipe of the line's own leads nowhere else.
  const judged = isProgram ? argv.map((word) => withoutPipes(word, pipes)) : null;
  const { directory } = state;
  const command = { argv: judged, directory, redirections, variables, ...(since ? { since } : {}) };
  await host.allow(command, () => state.task?.waits());
}

/** Whole words alone: a path that only has the name of a pipe in it leads to a file. */
export function withoutPipes(word: string, pipes: ReadonlyMap<string, number>): string {
  return pipes.has(word) ? PIPE_WORD : word;
}

const CHANGES: ReadonlySet<string> = new Set([
  ...["unset", "read", "export", "local", "declare", "typeset", "readonly", "mapfile", "readarray"],
]);

function changedNames([name = "", ...words]: readonly string[]): readonly string[] {
  if (name === "read") {
    const found = readOptions(words);
    return [found?.list, ...found?.rest ?? []].filter((one) => typeof one === "string");
  }
  if (!CHANGES.has(name)) return [];
  return words.flatMap((word) => /^[A-Za-z_]\w*(?==|$)/.exec(word)?.[0] ?? []);
}
