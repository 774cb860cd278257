/** The protocol as it is written down is the protocol that the pipe speaks: each exchange is held with the binary. */

import { assert, assertEquals } from "@std/assert";
import { OPERATIONS } from "../../../src/cli/reference/operations.ts";
import { ANSWER_FIELDS, EVENTS, type Exchange } from "../../../src/cli/reference/protocol.ts";
import { Gate } from "../_gate.ts";
import { Pipe, start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { ask: [write], match: ["kept/**"] }
agents: { root: { permissions: [all] } }
`;

/** What differs from run to run, wherever it stands. */
const VOLATILE: ReadonlySet<string> = new Set([
  "latency_ms",
  "usage",
  "expires_at",
  "uptime_ms",
  "memory_bytes",
  "threads",
  "running",
  "waiting",
]);
/** Objects of which the documents show a part. */
const IN_PART: ReadonlySet<string> = new Set(["preview", "output"]);

/** Holds what came against what is written, key by key. */
function compare(actual: unknown, written: unknown, at: string, inPart = false): void {
  if (Array.isArray(written)) {
    assert(Array.isArray(actual), at);
    written.forEach((item, i) => compare(actual[i], item, `${at}[${i}]`, true));
    if (written.length === 0) assertEquals(actual, [], at);
  } else if (typeof written === "object" && written !== null) {
    assert(typeof actual === "object" && actual !== null, `${at}: ${JSON.stringify(actual)}`);
    const found = actual as Readonly<Record<string, unknown>>;
    if (!inPart) assertEquals(Object.keys(found).sort(), Object.keys(written).sort(), at);
    for (const [key, value] of Object.entries(written)) {
      if (VOLATILE.has(key)) assertEquals(typeof found[key], typeof value, `${at}.${key}`);
      else compare(found[key], value, `${at}.${key}`, inPart || IN_PART.has(key));
    }
  } else {
    assertEquals(actual, written, at);
  }
}

/** What a gate alone answers, and what a pipe says to it. */
async function holdAtGate({ requests, answers }: Exchange): Promise<void> {
  await using workspace = new Workspace({});
  const gate = await Gate.start(workspace, { policy: POLICY });
  const caller = await gate.connect();
  for (const [i, request] of requests.entries()) {
    compare(await caller.ask(request), answers[i], `answer ${i}`);
  }
  caller.close();
  assertEquals(await gate.stop(), 0);
  const pipe = new Pipe(["--quiet"], { cwd: workspace.root });
  for (const request of requests) {
    assertEquals((await pipe.ask(request)).error?.code, "GATE_REQUIRED");
  }
  await pipe.close();
}

async function hold({ requests, answers }: Exchange): Promise<void> {
  await using workspace = new Workspace({ "a.txt": "hello\n", "kept/b.txt": "" });
  const pipe = new Pipe(["--policy", workspace.policy(POLICY), "--quiet"], { cwd: workspace.root });
  // The name of an approval is that of the action: it is known when it was asked for.
  let approval: string | null = null;
  let sent = 0;
  const send = async () => {
    const text = JSON.stringify(requests[sent++]);
    await pipe.send(
      JSON.parse(approval === null ? text : text.replace(/ap_[0-9a-f]{32}/, approval)),
    );
  };
  await send();
  const came: Record<string, unknown>[] = [];
  while (came.length < answers.length) {
    const line = await pipe.next() as unknown as Record<string, unknown>;
    came.push(line);
    if (line["event"] === "approval_required") {
      approval = String(line["approval"]);
      await send();
    }
  }
  assertEquals(sent, requests.length);
  assertEquals(await pipe.close(), { status: 0, rest: [] });
  // Answers of two requests may come in either order.
  const order = (line: Readonly<Record<string, unknown>>) =>
    line["event"] !== undefined ? 0 : line["op"] !== undefined ? 1 : 2;
  const sorted = came.toSorted((a, b) => order(a) - order(b));
  for (const [i, written] of answers.entries()) {
    const named = approval === null ? written : JSON.parse(
      JSON.stringify(written).replaceAll(/ap_[0-9a-f]{32}/g, approval),
    );
    compare(sorted[i], named, `answer ${i}`);
  }
}

for (const { op, at, exchange } of OPERATIONS) {
  Deno.test(
    `the exchange that is written down for ${op} is what happens`,
    () => at === "gate" ? holdAtGate(exchange) : hold(exchange),
  );
}

Deno.test("every operation and every key of a request is written down, and no other", async () => {
  await using workspace = new Workspace({});
  const pipe = new Pipe(["--quiet"], { cwd: workspace.root });
  const { error } = await pipe.ask({ id: 1, op: "no such operation" });
  const named = /^op: one of ([a-z, ]+)\./.exec(error?.message ?? "")?.[1]?.split(", ") ?? [];
  assertEquals(named.toSorted(), OPERATIONS.map(({ op }) => op).toSorted());
  const fields = new Set(OPERATIONS.flatMap(({ fields }) => fields.map(({ name }) => name)));
  for (const { op, fields: own } of OPERATIONS) {
    for (const field of fields) {
      // A value that is wrong for each of them: what is not known is said to be no key.
      const { error } = await pipe.ask({ id: 2, op, [field]: [] });
      const isKey = error?.message.includes("no key of") !== true;
      assertEquals(
        isKey,
        own.some(({ name }) => name === field),
        `${op} ${field}: ${error?.message}`,
      );
    }
  }
  await pipe.close();
});

Deno.test("every event that a source writes is written down", async () => {
  const known = EVENTS.map(({ event }) => event);
  const sources = ["src/serve", "src/engine"];
  const named = new Set<string>();
  for (const source of sources) {
    const root = new URL(`../../../${source}/`, import.meta.url);
    for await (const file of walk(root)) {
      for (
        const [, event = ""] of (await Deno.readTextFile(file)).matchAll(/\bevent: "([a-z_]+)"/g)
      ) {
        named.add(event);
      }
    }
  }
  assert(named.size > 0);
  assertEquals([...named].filter((event) => !known.includes(event)), []);
});

async function* walk(folder: URL): AsyncIterable<URL> {
  for await (const entry of Deno.readDir(folder)) {
    if (entry.isDirectory) yield* walk(new URL(`${entry.name}/`, folder));
    else if (entry.name.endsWith(".ts")) yield new URL(entry.name, folder);
  }
}

Deno.test("help serve and tools docs tell every operation, field, event and code", async () => {
  const help = (await start(["help", "serve"])).stdout;
  const docs = (await start(["tools", "docs"])).stdout;
  for (const { op, fields, exchange } of OPERATIONS) {
    assert(help.includes(`  ${op}: `), op);
    assert(docs.includes(`### op: ${op}\n`), op);
    assert(docs.includes(`> ${JSON.stringify(exchange.requests[0])}`), op);
    for (const { name } of fields) assert(help.includes(`${name} (`), `${op} ${name}`);
  }
  for (const { event } of EVENTS) {
    assert(help.includes(`  ${event}: `), event);
    assert(docs.includes(`### event: ${event}\n`), event);
  }
  for (const { name } of ANSWER_FIELDS) assert(docs.includes(`| \`${name}\` |`), name);
});
