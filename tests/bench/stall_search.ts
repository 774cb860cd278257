/**
 * Searches for requests that keep a pipe from answering others: for each parser, matcher and resolver of the main thread the
 * worst that was found, beside a harmless request of the same length in the same pipe.
 *
 *     deno run -A tests/bench/stall_search.ts [--binary dist/toolgate] [--seed 1] [--seconds 4] [--only NAME]
 */

import { parseArgs } from "@std/cli";
import { Random } from "../random.ts";
import { type Answer, Pipe, Workspace } from "../binary/toolgate.ts";
import {
  grown,
  type Growth,
  mutate,
  randomGrowth,
  type Reader,
  READERS,
} from "./_stall_requests.ts";

/** All is asked for, and refused: what is judged, previewed and told is all that there is. */
const POLICY = `version: 1
paths:
  - { ask: [read, write], match: ["**"] }
  - { deny: [read], match: ["**/*.pem", "secret/{a,b}*/**"] }
commands: [{ ask: ["*"] }, { deny: [touch, "git push"] }]
risk: { allow: safe, ask: dangerous }
approvals: { expire: 60s }
limits: { request: 16MiB }
`;

/** Lengths of texts, the longest near what a line may have. */
const LENGTHS = [16_000, 64_000, 125_000, 1_000_000, 4_000_000, 15_000_000] as const;
/** Of these the search is made of; the others are for what was found. */
const SEARCHED = 16_000;

/** What one request did to the pipe: the longest that a ping waited, in ms, and how long its line was. */
interface Stall {
  readonly ms: number;
  readonly bytes: number;
  readonly said: string;
}

/** Sends the request, and a ping behind it, and another whenever one was answered, until it is answered. */
async function stallOf(pipe: Pipe, line: string): Promise<Stall> {
  await pipe.ask({ id: "before", op: "ping" });
  // A ping waits from when it has gone out, not while the line before it is on its way.
  let sent = Infinity;
  const written = pipe.send(line, { id: "ping", op: "ping" }).then(() => sent = performance.now());
  let ms = 0;
  let answer: Answer | null = null;
  let pings = 1;
  while (answer === null || pings > 0) {
    const said = await pipe.next();
    if (said === null) throw new Error(`the pipe ended at ${line.slice(0, 500)}`);
    if (said.id === "ping") {
      ms = Math.max(ms, performance.now() - sent);
      pings--;
      if (answer !== null) continue;
      sent = performance.now();
      pings++;
      await pipe.send({ id: "ping", op: "ping" });
    } else if (said.event === "approval_required") {
      const { approval } = said as Answer & { readonly approval: string };
      await pipe.send({ id: "no", op: "reject", approval });
    } else if (said.id !== "no") answer = said;
  }
  await written;
  return { ms, bytes: line.length, said: answer.error?.code ?? "success" };
}

function lineOf(reader: Reader, growth: Growth, length: number, explained: boolean): string {
  const { line, ...request } = reader.request(grown(growth, length));
  if (typeof line === "string") return line;
  const op = explained && !("op" in request) ? { op: "explain" } : {};
  return JSON.stringify({ id: 1, ...op, ...request });
}

interface Found {
  readonly stall: Stall;
  readonly floor: number;
  readonly growth: Growth;
  readonly explained: boolean;
}

/** The least of some tries: what others do on the machine makes it longer, never shorter. */
async function leastOf(times: number, attempt: () => Promise<Stall>): Promise<Stall> {
  let least = await attempt();
  for (let at = 1; at < times; at++) {
    const other = await attempt();
    if (other.ms < least.ms) least = other;
  }
  return least;
}

const harmless = (bytes: number): string =>
  JSON.stringify({
    id: 1,
    tool: "append_file",
    args: { path: "a.pem/x", content: "x".repeat(Math.max(0, bytes - 90)) },
  });

async function search(pipe: Pipe, reader: Reader, random: Random, seconds: number): Promise<Found> {
  const until = performance.now() + seconds * 1000;
  const { pieces } = reader;
  type Scored = { readonly growth: Growth; readonly explained: boolean; readonly ms: number };
  let best: Scored[] = [];
  const attempt = async (growth: Growth, explained: boolean) => {
    const { ms } = await stallOf(pipe, lineOf(reader, growth, SEARCHED, explained));
    best = [...best, { growth, explained, ms }].sort((a, b) => b.ms - a.ms).slice(0, 6);
  };
  for (const piece of pieces) {
    if (performance.now() > until) break;
    await attempt({ head: [], repeated: [piece], tail: [] }, false);
  }
  while (performance.now() < until) {
    const base = best.length > 0 && !random.once(3) ? random.pick(best).growth : null;
    const growth = base === null ? randomGrowth(random, pieces) : mutate(random, base, pieces);
    await attempt(growth, random.once(3));
  }
  let worst: Found | null = null;
  for (const { growth, explained } of best.slice(0, 3)) {
    for (const length of LENGTHS) {
      const line = lineOf(reader, growth, length, explained);
      // What is slow already is no better known by a longer one.
      if (line.length > 16_700_000 || (worst !== null && worst.stall.ms > 1000)) break;
      const stall = await leastOf(2, () => stallOf(pipe, line));
      const over = worst === null ? -1 : worst.stall.ms - worst.floor;
      // The floor is asked for only where it may matter.
      if (stall.ms <= over) continue;
      const floor = (await leastOf(2, () => stallOf(pipe, harmless(line.length)))).ms;
      if (stall.ms - floor > over) worst = { stall, floor, growth, explained };
    }
  }
  if (worst === null) throw new Error(`${reader.name}: nothing was tried`);
  return worst;
}

const { binary, seed, seconds, only, slow } = parseArgs(Deno.args, {
  string: ["binary", "seed", "seconds", "only", "slow"],
  default: { seed: "1", seconds: "4", slow: "100" },
});
const readers = READERS.filter(({ name }) => only === undefined || name === only);
console.log("ms beyond the floor, ms, floor, factor, bytes, answered; what is repeated");
let over = 0;
for (const reader of readers) {
  await using workspace = new Workspace({ "a": "a\n", "src/a": "", "secret/x": "" });
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], {
    cwd: workspace.root,
    ...(binary === undefined ? {} : { binary }),
  });
  const random = new Random(Number(seed));
  const { stall, floor, growth, explained } = await search(pipe, reader, random, Number(seconds));
  await pipe.close();
  const beyond = stall.ms - floor;
  if (beyond > Number(slow)) over++;
  const figures = [beyond, stall.ms, floor].map((ms) => ms.toFixed(1).padStart(7)).join(" ");
  const factor = (stall.ms / floor).toFixed(1).padStart(6);
  console.log(
    `${beyond > Number(slow) ? "OVER" : "    "} ${reader.name.padEnd(28)} ${figures} ${factor} ` +
      `${String(stall.bytes).padStart(9)} ${stall.said}${explained ? " explain" : ""} ${
        JSON.stringify(growth)
      }`,
  );
}
console.log(`${over} of ${readers.length} over ${slow} ms`);
Deno.exitCode = over > 0 ? 1 : 0;
