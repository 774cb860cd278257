import { assert, assertEquals, assertThrows } from "@std/assert";
import { AuditLog } from "../../../src/audit/log.ts";
import { createRedactor } from "../../../src/audit/redact.ts";
import type { ResolvedCapability } from "../../../src/core/capability.ts";
import { ToolError } from "../../../src/core/errors.ts";
import { readRequest } from "../../../src/serve/_read_request.ts";
import { refusal, resultError } from "../../../src/core/result.ts";
import type { Tool } from "../../../src/core/tool.ts";
import { createRecorder } from "../../../src/engine/recorder.ts";
import type { AuditSettings, Decision } from "../../../src/policy/rulebook.ts";
import { MemoryStorage } from "../audit/_memory_storage.ts";

const SETTINGS: AuditSettings = {
  file: "log",
  redact: [],
  required: true,
  sync: "changes",
  maxSize: 1 << 30,
};
const TOOL = { name: "read_file", describe: () => "Read file: a" } as unknown as Tool;

function recorderOn(storage: MemoryStorage, settings: Partial<AuditSettings> = {}) {
  let time = 1;
  return createRecorder({
    settings: { ...SETTINGS, ...settings },
    workspace: "/ws",
    redactor: createRedactor([]),
    open: () => new AuditLog(storage, { maxSize: 1 << 30, now: () => new Date(0) }),
    now: () => time++,
  });
}

function requestOf(args: string) {
  const line = new TextEncoder().encode(`{"id":1,"tool":"read_file","args":${args}}`);
  const read = readRequest(line, "root");
  assert(read?.kind === "call");
  return read.call;
}

function decisionOf(capabilities: readonly unknown[], risk: Decision["risk"] = "safe") {
  const verdict = { effect: "allow", code: null, reason: "", rule: null } as const;
  const verdicts = capabilities.map((capability) => ({
    capability: capability as ResolvedCapability,
    verdict,
  }));
  return { ...verdict, risk, verdicts };
}

// deno-lint-ignore no-explicit-any
const recordsOf = (storage: MemoryStorage): any[] =>
  storage.text().trimEnd().split("\n").map((line) => JSON.parse(line));

/** The arguments as the decision shows them. */
function shownArgs(args: string): unknown {
  const storage = new MemoryStorage();
  recorderOn(storage).begin(requestOf(args)).decided(TOOL, {}, decisionOf([]));
  return recordsOf(storage)[0].args;
}

Deno.test("a decision and its outcome are on record member by member, in this order", () => {
  const storage = new MemoryStorage();
  const record = recorderOn(storage).begin({ ...requestOf('{"path":"a"}'), tokens: 7 });
  record.decided(
    TOOL,
    {},
    decisionOf([
      { kind: "fs.read", path: "/ws/a", requested: "a" },
      { kind: "fs.write", path: "/ws", requested: ".", tree: true },
      { kind: "fs.read", path: "/elsewhere", requested: "/elsewhere" },
      { kind: "env.read", name: "HOME" },
    ]),
  );
  const error = resultError("FILE_NOT_FOUND", "read_file: a: no such file");
  record.ended({ ...refusal("read_file", error, 1.005), usage: { layers: ["policy"] } });
  const [decision, outcome] = recordsOf(storage).map((
    { sequence: _s, previous: _p, hash: _h, call: _c, ...rest },
  ) => JSON.stringify(rest));
  assertEquals(
    decision,
    '{"kind":"decision","time":"1970-01-01T00:00:00.001Z","agent":"root","tool":"read_file",' +
      '"description":"Read file: a","args":{"path":"a"},"capabilities":[{"kind":"fs.read",' +
      '"path":"a"},{"kind":"fs.write","path":".","tree":true},{"kind":"fs.read",' +
      '"path":"/elsewhere"},{"kind":"env.read","name":"HOME"}],"effect":"allow","rule":null,' +
      '"risk":"safe","preview":false}',
  );
  assertEquals(
    outcome,
    '{"kind":"outcome","time":"1970-01-01T00:00:00.002Z","agent":"root","tool":"read_file",' +
      '"success":false,"code":"FILE_NOT_FOUND","message":"read_file: a: no such file",' +
      '"latency_ms":1,"layers":["policy"],"tokens":7}',
  );
});

Deno.test("arguments are shown up to 16 KiB of JSON, to the character", () => {
  const texts = (count: number, last: number) =>
    JSON.stringify([...Array(count).fill("x".repeat(512)), "y".repeat(last)]);
  // 31 texts of 512 characters, their quotes, commas and brackets, and one that fills what is left.
  const room = 16 * 1024 - texts(31, 0).length;
  const fits = texts(31, room);
  assertEquals(fits.length, 16 * 1024);
  assertEquals(shownArgs(`{"list":${texts(31, room - 9)}}`), {
    list: JSON.parse(texts(31, room - 9)),
  });
  assertEquals(shownArgs(`{"list":${texts(31, room - 8)}}`), "[arguments of 16385 characters]");
  const escaped = JSON.stringify({ text: "\u0001".repeat(500) });
  assertEquals(shownArgs(escaped), JSON.parse(escaped));
  assertEquals(
    shownArgs(`{"n":[-1.7976931348623157e308,true,null,[],{}]}`),
    JSON.parse('{"n":[-1.7976931348623157e308,true,null,[],{}]}'),
  );
});

Deno.test("at most 64 capabilities are shown, and how many more there were", () => {
  const reads = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      kind: "fs.read",
      path: `/ws/${i}`,
      requested: `${i}`,
    }));
  for (
    const [count, last] of [[64, { kind: "fs.read", path: "63" }], [70, {
      kind: "more",
      count: 6,
    }]] as const
  ) {
    const storage = new MemoryStorage();
    recorderOn(storage).begin(requestOf("{}")).decided(TOOL, {}, decisionOf(reads(count)));
    const { capabilities } = recordsOf(storage)[0];
    assertEquals(capabilities.length, Math.min(count, 65));
    assertEquals(capabilities.at(-1), last);
  }
});

Deno.test("a secret word of a program's arguments is hidden as a path, too", () => {
  const storage = new MemoryStorage();
  recorderOn(storage).begin(requestOf("{}")).decided(
    TOOL,
    {},
    decisionOf([
      { kind: "fs.read", path: "/ws/opensesame", requested: "opensesame" },
      { kind: "process.spawn", argv: ["cat", "--password", "opensesame"], cwd: "/ws" },
    ]),
  );
  assert(!storage.text().includes("opensesame"), storage.text());
});

Deno.test("a change is on the disk before it is made, a read and an outcome are not waited for", () => {
  const cases = [
    ["changes", "safe", false, 0],
    ["changes", "moderate", false, 1],
    ["changes", "moderate", true, 0],
    ["never", "dangerous", false, 0],
    ["always", "safe", false, 2],
  ] as const;
  for (const [sync, risk, preview, syncs] of cases) {
    const storage = new MemoryStorage();
    const record = recorderOn(storage, { sync }).begin({ ...requestOf("{}"), preview });
    record.decided(TOOL, {}, decisionOf([], risk));
    assertEquals(storage.syncs, Math.min(syncs, 1));
    record.ended(refusal("read_file", resultError("TIMEOUT", "")));
    assertEquals(storage.syncs, syncs, `${sync} ${risk} ${preview}`);
  }
});

Deno.test("what cannot be recorded is not run; an outcome that cannot be is said to be missing", () => {
  const storage = new MemoryStorage();
  const record = recorderOn(storage).begin(requestOf("{}"));
  record.decided(TOOL, {}, decisionOf([]));
  storage.room = 0;
  const { usage } = record.ended(refusal("read_file", resultError("TIMEOUT", "")));
  assert(Array.isArray(usage.audit), JSON.stringify(usage));
  assertThrows(() => record.decided(TOOL, {}, decisionOf([])), ToolError, "nothing was run");
  recorderOn(storage, { required: false }).begin(requestOf("{}")).decided(TOOL, {}, decisionOf([]));
});
