/** One world after another: what is wrong with the answers in it. */

import {
  answersIn,
  CLOSED,
  createWorld,
  essence,
  type Other,
  requestsOf,
  SENTINEL,
} from "./_analysis_worlds.ts";

/** What hangs on how quick the machine is, and on what a thread has parsed before. */
const MEASURED = /takes too long to parse|takes more memory than a parser/;

const OTHERS: readonly Other[] = ["changed", "absent"];

/** Tells of each answer that says what is denied, hangs on it, or fails without a word for it. */
export async function tryWorld(seed: number, count: number): Promise<readonly string[]> {
  const world = createWorld(seed);
  const requests = requestsOf(seed, world, count);
  const { answers, status } = await answersIn(world, requests, CLOSED);
  const found = status === 0 ? [] : [`world ${seed}: the pipe ended with ${status}`];
  const told = (at: number) =>
    `world ${seed}, ${at}: ${JSON.stringify(requests[at])?.slice(0, 300)}`;
  for (const [at, answer] of answers.entries()) {
    const text = JSON.stringify(answer);
    if (text.includes(SENTINEL)) found.push(`${told(at)} says what is denied`);
    const code = answer.error?.code ?? "";
    if (code === "INTERNAL_ERROR" || answer.id !== at) found.push(`${told(at)}: ${text}`);
  }
  for (const other of OTHERS) {
    const again = await answersIn(world, requests, CLOSED, other);
    for (const [at, answer] of answers.entries()) {
      const [one, two] = [essence(answer), essence(again.answers[at] ?? answer)];
      if (one === two || [one, two].some((text) => MEASURED.test(text))) continue;
      let from = 0;
      while (one[from] === two[from]) from++;
      const part = (text: string) => text.slice(Math.max(0, from - 100), from + 200);
      found.push(`${told(at)}, denied files ${other}:\n  ${part(one)}\n  ${part(two)}`);
    }
  }
  return found;
}
