/** `set` at the beginning of a script: the options it switches on, taken out of the list. */

import type { PlanNode, ShellSettings } from "../core/plan.ts";
import { certainText } from "./certain.ts";
import { Refused } from "./_constructs.ts";

type Items = Extract<PlanNode, { readonly kind: "list" }>["items"];

/** The settings that a shell begins with. */
export const NO_SETTINGS: ShellSettings = { errexit: false, nounset: false, pipefail: false };

/** Whether any setting differs from those that a shell begins with. */
export function isSet({ errexit, nounset, pipefail }: ShellSettings): boolean {
  return errexit || nounset || pipefail;
}

/** What either switches on. */
export function united(a: ShellSettings, b: ShellSettings): ShellSettings {
  return {
    errexit: a.errexit || b.errexit,
    nounset: a.nounset || b.nounset,
    pipefail: a.pipefail || b.pipefail,
  };
}

/** Splits the leading `set -e`, `set -euo pipefail` and the like off. Throws {@linkcode Refused} for other forms. */
export function takeSettings(
  items: Items,
): { readonly settings: ShellSettings; readonly rest: Items } {
  let settings = NO_SETTINGS;
  let at = 0;
  for (; at < items.length; at++) {
    const words = setWords(items[at]!.node);
    // What stands there in another form is a command like others.
    if (words === null || items[at]!.when === "failure") break;
    settings = applied(settings, words, 0);
  }
  const rest = items.slice(at);
  const [first, ...others] = rest;
  if (at === 0 || first === undefined) return { settings, rest };
  if (first.when === "failure") return { settings, rest: others };
  return { settings, rest: [{ ...first, when: "always" }, ...others] };
}

/** The words of a plain `set`; null for all else. */
function setWords(node: PlanNode): readonly string[] | null {
  if (node.kind !== "simple" || node.words[0] === undefined) return null;
  if (certainText(node.words[0]) !== "set") return null;
  const bare = node.assignments.length === 0 && node.redirections.length === 0;
  const words = node.words.slice(1).map(certainText).filter((word) => word !== null);
  const known = words.length > 0 && words.length === node.words.length - 1 &&
    words.every((word) => /^-[eu]*o?$|^(?:errexit|nounset|pipefail)$/.test(word) && word !== "-");
  return bare && known ? words : null;
}

const LETTERS = { e: "errexit", u: "nounset" } as const;

/** `-e`, `-u`, `-o NAME` and clusters of them; all of it understood, or refused. */
export function applied(
  before: ShellSettings,
  words: readonly (string | null)[],
  position: number,
): ShellSettings {
  const on = { ...before };
  if (words.length === 0) throw new Refused("set", position);
  for (let at = 0; at < words.length; at++) {
    const cluster = /^-([eu]*)(o?)$/.exec(words[at] ?? "");
    if (cluster === null || words[at] === "-") throw new Refused("set", position);
    for (const letter of cluster[1]!) on[LETTERS[letter as keyof typeof LETTERS]] = true;
    if (cluster[2] === "") continue;
    const name = words[++at];
    if (name !== "errexit" && name !== "nounset" && name !== "pipefail") {
      throw new Refused("set", position);
    }
    on[name] = true;
  }
  return on;
}
