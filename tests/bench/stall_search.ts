/**
 * Searches for requests that keep a pipe from answering others: for each parser, matcher and resolver of the main thread the
 * worst that was found. What counts is what that thread worked while a ping waited; how long the ping waited, and what
 * one of an idle pipe waited meanwhile on the same machine, stand beside it.
 *
 *     deno run -A tests/bench/stall_search.ts [--binary dist/toolgate] [--seed 1] [--seconds 4] [--only NAME]
 *         [--from 0] [--to 99] [--policy asked|allowed|audited] [--by serve|mcp] [--slow 100]
 */

import { parseArgs } from "@std/cli";
import { Random } from "../random.ts";
import { Workspace } from "../binary/toolgate.ts";
import { type Stall, StallPipe } from "./_stall_pipe.ts";
import {
  grown,
  type Growth,
  mutate,
  randomGrowth,
  type Reader,
  READERS,
} from "./_stall_requests.ts";

const LIMITS = "limits: { request: 16MiB, read: 16MiB, write: 16MiB, output: 16MiB }\n";
const ALLOWED = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read], match: ["**/*.pem", "secret/{a,b}*/**"] }
commands: [{ allow: ["*"] }, { deny: [touch, "git push"] }]
risk: { allow: dangerous, ask: dangerous }
plugins: { registration: allow }
${LIMITS}`;

/** `asked`: what is judged, previewed, hashed and told, and then refused. */
const POLICIES = {
  asked: `version: 1
paths:
  - { ask: [read, write], match: ["**"] }
  - { deny: [read], match: ["**/*.pem", "secret/{a,b}*/**"] }
commands: [{ ask: ["*"] }, { deny: [touch, "git push"] }]
risk: { allow: safe, ask: dangerous }
approvals: { expire: 60s }
${LIMITS}`,
  allowed: ALLOWED,
  audited: `${ALLOWED}audit: { file: ../audit.ndjson }\n`,
} as const;

/** Lengths of texts, the longest near what a line may have. */
const LENGTHS = [16_000, 64_000, 125_000, 1_000_000, 4_000_000, 15_000_000] as const;
/** Of these the search is made of; the others are for what was found. */
const SEARCHED = 16_000;
const LONGEST_LINE = 16_700_000;

function lineOf(reader: Reader, growth: Growth, length: number, explained: boolean): string | null {
  const { line, ...request } = reader.request(grown(growth, length));
  if (typeof line === "string") return line;
  if (mcp) {
    if (!("tool" in request)) return null;
    const { tool: name, args } = request;
    const params = { name, arguments: args };
    return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  }
  const op = explained && !("op" in request) ? { op: "explain" } : {};
  return JSON.stringify({ id: 1, ...op, ...request });
}

interface Found {
  readonly stall: Stall;
  readonly control: number;
  readonly growth: Growth;
  readonly explained: boolean;
}

/** The least of some tries: what others do on the machine makes it longer, never shorter. */
async function leastOf(times: number, attempt: () => Promise<Stall>): Promise<Stall> {
  let least = await attempt();
  for (let at = 1; at < times; at++) {
    const other = await attempt();
    if (other.worked < least.worked) least = other;
  }
  return least;
}

/** The longest that a ping of an idle pipe waits until the work is done. */
async function beside<T>(control: StallPipe, work: Promise<T>): Promise<readonly [T, number]> {
  let longest = 0;
  let done = false;
  const ended = work.then(() => done = true, () => done = true);
  while (!done) {
    longest = Math.max(longest, await control.idle());
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5))]);
  }
  return [await work, longest];
}

async function search(
  pipe: StallPipe,
  control: StallPipe,
  reader: Reader,
  random: Random,
  seconds: number,
): Promise<Found | null> {
  const until = performance.now() + seconds * 1000;
  const { pieces } = reader;
  type Scored = { readonly growth: Growth; readonly explained: boolean; readonly worked: number };
  let best: Scored[] = [];
  const attempt = async (growth: Growth, explained: boolean) => {
    const line = lineOf(reader, growth, SEARCHED, explained);
    if (line === null) return;
    const { worked } = await pipe.stallOf(line);
    best = [...best, { growth, explained, worked }].sort((a, b) => b.worked - a.worked).slice(0, 6);
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
      if (line === null || line.length > LONGEST_LINE || (worst?.stall.worked ?? 0) > 1000) break;
      const [stall, waited] = await beside(control, leastOf(2, () => pipe.stallOf(line)));
      if (stall.worked > (worst?.stall.worked ?? -1)) {
        worst = { stall, control: waited, growth, explained };
      }
    }
  }
  return worst;
}

const { binary, seed, seconds, only, slow, from, to, policy, by } = parseArgs(Deno.args, {
  string: ["binary", "seed", "seconds", "only", "slow", "from", "to", "policy", "by"],
  default: {
    seed: "1",
    seconds: "4",
    slow: "100",
    from: "0",
    to: "999",
    policy: "asked",
    by: "serve",
  },
});
const mcp = by === "mcp";
const text = (POLICIES as Readonly<Record<string, string>>)[policy];
if (text === undefined) throw new Error(`--policy: one of ${Object.keys(POLICIES).join(", ")}`);
const readers = READERS.slice(Number(from), Number(to)).filter(({ name }) =>
  only === undefined || name === only
);
console.log("ms worked, ms waited, ms that an idle pipe waited, bytes, answered; what is repeated");
let over = 0;
for (const reader of readers) {
  await using workspace = new Workspace({ "a": "a\n", "src/a": "", "secret/x": "" });
  const words = [by];
  const options = { cwd: workspace.root, words, ...(binary === undefined ? {} : { binary }) };
  const file = workspace.policy(text);
  await using pipe = new StallPipe(["--policy", file], options);
  await using control = new StallPipe(["--policy", file], options);
  await pipe.greet();
  await control.greet();
  const found = await search(pipe, control, reader, new Random(Number(seed)), Number(seconds));
  if (found === null) continue;
  const { stall: { worked, ms, bytes, said }, control: idle, growth, explained } = found;
  if (worked > Number(slow)) over++;
  const figures = [worked, ms, idle].map((one) => one.toFixed(1).padStart(7)).join(" ");
  console.log(
    `${worked > Number(slow) ? "OVER" : "    "} ${reader.name.padEnd(28)} ${figures} ` +
      `${String(bytes).padStart(9)} ${said}${explained ? " explain" : ""} ${
        JSON.stringify(growth).slice(0, 200)
      }`,
  );
}
console.log(`${over} of ${readers.length} over ${slow} ms`);
Deno.exitCode = over > 0 ? 1 : 0;
