/** What is measured of two programs side by side: medians of runs that alternate, so that load hits both. */

import { type Client, connect, type Program } from "./_bench_client.ts";

export interface Pair {
  readonly subject: number;
  readonly floor: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("the median of nothing");
  return middle;
}

/** The line of one request. */
export type RequestLine = (id: number) => string;

/** Requests to read a file of the workspace. */
export function reading(path: string): RequestLine {
  return (id) => `${JSON.stringify({ id, tool: "read_file", args: { path } })}\n`;
}

/** Requests to run a program. */
export function running(...argv: readonly string[]): RequestLine {
  return (id) => `${JSON.stringify({ id, tool: "run_command", args: { argv } })}\n`;
}

/** Milliseconds from start to end, of programs that end by themselves. */
export function wholeRuns(subject: Program, floor: Program, rounds: number): Pair {
  const time = ({ path, args, cwd }: Program) => {
    const command = new Deno.Command(path, { args: [...args], cwd, stdin: "null" });
    const started = performance.now();
    const { success, stdout, stderr } = command.outputSync();
    const took = performance.now() - started;
    if (!success) {
      throw new Error(`${path}: ${new TextDecoder().decode(stdout.length > 0 ? stdout : stderr)}`);
    }
    return took;
  };
  return alternate(() => time(subject), () => time(floor), rounds);
}

/** Milliseconds from start to the first line of output, where the subject is sent a request at once. */
export async function firstLines(
  subject: Program,
  floor: Program,
  request: RequestLine,
  rounds: number,
): Promise<Pair> {
  const time = async (program: Program, text: string) => {
    const started = performance.now();
    const child = new Deno.Command(program.path, {
      args: [...program.args],
      cwd: program.cwd,
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    if (text !== "") await writer.write(new TextEncoder().encode(text));
    let said = "";
    let took = 0;
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      said += chunk;
      if (took !== 0 || !said.includes("\n")) continue;
      took = performance.now() - started;
      // The floor may have ended by itself.
      await writer.close().catch(() => {});
    }
    await child.status;
    if (text !== "" && !said.includes('"success":true')) throw new Error(`answered ${said}`);
    return took;
  };
  const times: { subject: number[]; floor: number[] } = { subject: [], floor: [] };
  for (let round = 0; round <= rounds; round++) {
    const pair = { subject: await time(subject, request(1)), floor: await time(floor, "") };
    if (round === 0) continue;
    times.subject.push(pair.subject);
    times.floor.push(pair.floor);
  }
  return { subject: median(times.subject), floor: median(times.floor) };
}

/**
 * Microseconds from a request to its answer, one after the other: `requests` of them a round, behind as many as `warm` says.
 */
export async function roundTrips(
  subject: Program,
  floor: Program,
  request: RequestLine,
  rounds: number,
  { requests = 200, warm = requests }: { readonly requests?: number; readonly warm?: number } = {},
): Promise<Pair> {
  return await withBoth(subject, floor, (subjectClient, floorClient) => {
    for (const client of [subjectClient, floorClient]) flood(client, request, warm, 1);
    return alternate(
      () => oneByOne(subjectClient, request, requests),
      () => oneByOne(floorClient, request, requests),
      rounds,
    );
  });
}

/** As {@linkcode roundTrips}, of the first hundred of a process behind its first answer: medians over several processes. */
export async function firstRoundTrips(
  subject: Program,
  floor: Program,
  request: RequestLine,
  processes: number,
): Promise<Pair> {
  const pairs: Pair[] = [];
  for (let process = 0; process < processes; process++) {
    pairs.push(
      await withBoth(subject, floor, (subjectClient, floorClient) => {
        for (const client of [subjectClient, floorClient]) flood(client, request, 1, 1);
        return {
          subject: oneByOne(subjectClient, request, 100),
          floor: oneByOne(floorClient, request, 100),
        };
      }),
    );
  }
  return medians(pairs);
}

/** Microseconds in the median. */
function oneByOne(client: Client, request: RequestLine, requests: number): number {
  const times: number[] = [];
  for (let id = 1; id <= requests; id++) {
    const text = request(id);
    const started = performance.now();
    client.send(text);
    client.receive();
    times.push((performance.now() - started) * 1000);
  }
  return median(times);
}

function medians(pairs: readonly Pair[]): Pair {
  return {
    subject: median(pairs.map(({ subject }) => subject)),
    floor: median(pairs.map(({ floor }) => floor)),
  };
}

/**
 * As {@linkcode roundTrips} between two variants of one program, each warm: medians over several processes of each, since
 * two of the same program differ by a tenth.
 */
export async function warmRoundTrips(
  subject: Program,
  floor: Program,
  request: RequestLine,
  { processes, warm, rounds }: {
    readonly processes: number;
    /** Requests before any is measured. */
    readonly warm: number;
    readonly rounds: number;
  },
): Promise<Pair> {
  const pairs: Pair[] = [];
  for (let process = 0; process < processes; process++) {
    pairs.push(
      await withBoth(subject, floor, (subjectClient, floorClient) => {
        for (const client of [subjectClient, floorClient]) flood(client, request, warm, 1);
        const batch = (client: Client) => {
          const started = performance.now();
          flood(client, request, 100, 1);
          return (performance.now() - started) * 10;
        };
        return alternate(() => batch(subjectClient), () => batch(floorClient), rounds);
      }),
    );
  }
  return medians(pairs);
}

/** Requests a second with so many always under way. */
export async function inFlight(
  subject: Program,
  floor: Program,
  request: RequestLine,
  { rounds, total, width }: {
    readonly rounds: number;
    readonly total: number;
    readonly width: number;
  },
): Promise<Pair> {
  return await withBoth(subject, floor, (subjectClient, floorClient) => {
    const batch = (client: Client) => {
      const started = performance.now();
      flood(client, request, total, width);
      return total / ((performance.now() - started) / 1000);
    };
    return alternate(() => batch(subjectClient), () => batch(floorClient), rounds);
  });
}

/** Resident bytes after so many requests. */
export async function residentMemory(
  subject: Program,
  request: RequestLine,
  requests: number,
): Promise<number> {
  const client = await connect(subject);
  flood(client, request, requests, 64);
  const bytes = resident(client.pid);
  await client.close();
  return bytes;
}

/** Sends `total` requests, never more than `width` without an answer. */
function flood(client: Client, request: RequestLine, total: number, width: number): void {
  let sent = 0;
  const send = (count: number) => {
    let text = "";
    for (; count > 0 && sent < total; count--) text += request(++sent);
    if (text !== "") client.send(text);
  };
  send(width);
  for (let answered = 0; answered < total;) {
    const count = client.receive();
    answered += count;
    send(count);
  }
}

/** Second field of `statm` (proc_pid_statm(5)): resident pages, of 4 KiB on the machines this runs on. */
function resident(pid: number): number {
  const pages = Number(Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ")[1]);
  return pages * 4096;
}

async function withBoth(
  subject: Program,
  floor: Program,
  measure: (subject: Client, floor: Client) => Pair,
): Promise<Pair> {
  const clients = { subject: await connect(subject), floor: await connect(floor) };
  const pair = measure(clients.subject, clients.floor);
  await clients.subject.close();
  await clients.floor.close();
  return pair;
}

/** The first round of each warms up and does not count. */
export function alternate(subject: () => number, floor: () => number, rounds: number): Pair {
  const values: { subject: number[]; floor: number[] } = { subject: [], floor: [] };
  subject();
  floor();
  for (let round = 0; round < rounds; round++) {
    values.subject.push(subject());
    values.floor.push(floor());
  }
  return { subject: median(values.subject), floor: median(values.floor) };
}
