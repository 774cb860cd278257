/** What an approval of a line says of a command whose words were not all known when it was given. */

import { type AgreedCommand, ruleName } from "../../policy/grant.ts";
import type { Decision, Rulebook } from "../../policy/rulebook.ts";

/**
 * Whether who agreed to the line has agreed to this command of it, which he saw with words that were not known: how risky
 * it is he was asked then, and by the same rules. What other rules say of what it has become he was not.
 */
export function isAgreedTo(
  agreed: readonly AgreedCommand[],
  argv: readonly string[],
  { verdicts }: Pick<Decision, "verdicts">,
  { judgePath }: Pick<Rulebook, "judgePath">,
): boolean {
  const fitting = agreed.filter((one) => isAgreed(one, argv));
  return fitting.length > 0 && verdicts.every(({ capability, verdict }) => {
    if (verdict.effect === "allow") return true;
    if (capability.kind !== "process.spawn" || verdict.rule === null) return false;
    const name = ruleName(verdict.rule);
    // One verdict stands for the command and for what it names: that has to be plainly allowed.
    return fitting.some(({ rules }) => rules.includes(name)) &&
      capability.operands.every(({ path, directory }) =>
        judgePath("read", path, directory === true ? "directory" : "file").effect !== "ask"
      );
  });
}

/**
 * Whether words are those that somebody agreed to, with operands in place of what was not known then: any number, none of
 * which could be an option. What the operands are is judged by whoever asks.
 */
export function isAgreed(
  { argv: agreed, open }: Pick<AgreedCommand, "argv" | "open">,
  argv: readonly string[],
): boolean {
  let [at, word] = [0, 0];
  /** Behind the last unknown word, and the first word that it does not stand for. */
  let last: readonly [at: number, word: number] | null = null;
  while (word < argv.length) {
    if (at < agreed.length && open.includes(at)) {
      last = [++at, word];
    } else if (at < agreed.length && agreed[at] === argv[word]) {
      at++;
      word++;
    } else {
      if (last === null || argv[last[1]]?.startsWith("-") !== false) return false;
      last = [last[0], last[1] + 1];
      [at, word] = last;
    }
  }
  while (open.includes(at)) at++;
  return at === agreed.length;
}
