/**
 * Programs that only start the one in their words (`timeout 5`, `env A=1`, `nice`): before git the line does what they do, so
 * that git is started by itself, with what git has and programs that start others do not (the repository's own folder).
 */

import type { Assignment, SimplePlan, TimeLimit, Word } from "../core/plan.ts";
import { assignmentOf, readTimeout } from "./_shell_call.ts";
import type { CommandSource } from "./_command_source.ts";
import { certainText } from "./certain.ts";
import { isSetByShell } from "./special_variables.ts";

/** What one of them is told, up to what it starts. */
interface Prefix {
  /** Words that are its own, its name among them. */
  readonly words: number;
  readonly limit?: TimeLimit;
  readonly variables?: readonly Assignment[];
}

type Texts = readonly (string | null)[];

/** By name; null for options that are left to the program. nice(1), stdbuf(1), setsid(1), ionice(1), nohup(1). */
const PREFIXES: Readonly<Record<string, (words: readonly Word[], texts: Texts) => Prefix | null>> =
  {
    timeout(_, texts) {
      const found = readTimeout(texts);
      return found === null ? null : { words: found.command, limit: found.limit };
    },
    env(words) {
      const variables = words.slice(1).map(assignmentOf);
      const end = variables.indexOf(null);
      const own = variables.slice(0, end).filter((one) => one !== null);
      // These a line sets otherwise, or not at all.
      const known = own.every(({ name }) =>
        !isSetByShell(name) && name !== "IFS" && name !== "PATH"
      );
      return end === -1 || !known ? null : { words: end + 1, variables: own };
    },
    nice: (_, texts) =>
      options(texts, /^(?:-n[0-9]{1,3}|-[0-9]{1,3}|--adjustment=[0-9]{1,3})$/, /^-n$/),
    ionice: (_, texts) => options(texts, /^-[cn][0-9]$|^-t$/, /^-[cn]$/),
    stdbuf: (_, texts) =>
      options(texts, /^(?:-[ioe]\w+|--(?:input|output|error)=\w+)$/, /^-[ioe]$/),
    setsid: (_, texts) => options(texts, /^(?:-w|--wait)$/),
    nohup: (_, texts) => options(texts),
  };

/** Past the options that are one of these, or one of `apart` with a number or a letter for it as the next word. */
function options(texts: Texts, whole?: RegExp, apart?: RegExp): Prefix | null {
  let at = 1;
  for (; at < texts.length; at++) {
    const word = texts[at] ?? null;
    if (word === null) return null;
    if (!word.startsWith("-")) break;
    if (whole?.test(word) === true) continue;
    if (apart?.test(word) !== true || !/^\w+$/.test(texts[++at] ?? "")) return null;
  }
  return { words: at };
}

/** The git behind one or more of them; null for all else, which is a program like others. */
export function openBeforeGit(simple: SimplePlan, from: CommandSource): SimplePlan | null {
  if (!from.byLine) return null;
  const texts = simple.words.map(certainText);
  let [at, limit]: [number, TimeLimit | null] = [0, null];
  const own: Assignment[] = [];
  const programs: number[] = [];
  while (texts[at] !== "git") {
    const name = texts[at] ?? "";
    const prefix = Object.hasOwn(PREFIXES, name)
      ? PREFIXES[name]!(simple.words.slice(at), texts.slice(at))
      : null;
    if (prefix === null || (limit !== null && prefix.limit !== undefined)) return null;
    limit ??= prefix.limit ?? null;
    own.push(...prefix.variables ?? []);
    programs.push(at);
    at += prefix.words;
  }
  // The words of a command are expanded before its variables are set; one behind the other they would be seen there.
  const alone = simple.assignments.length + own.length < 2 ||
    own.every(({ value }) => certainText(value) !== null);
  if (at === 0 || !alone) return null;
  return {
    ...simple,
    assignments: [...simple.assignments, ...own],
    words: simple.words.slice(at),
    behind: { words: simple.words.slice(0, at), programs, own: own.length, limit },
  };
}
