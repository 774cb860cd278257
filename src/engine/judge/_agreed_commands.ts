/** What an approval of a line says of a command whose words were not all known when it was given. */

import type { AgreedCommand } from "../../policy/grant.ts";

/**
 * Whether words are those that somebody agreed to, with operands in place of what was not known then: any number, none of
 * which could be an option. What the operands are is judged by whoever asks.
 */
export function isAgreed({ argv: agreed, open }: AgreedCommand, argv: readonly string[]): boolean {
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
