import { assert, assertEquals, assertThrows } from "@std/assert";
import { AuditLog } from "../../../src/audit/log.ts";
import { type AuditEntry, START } from "../../../src/audit/record.ts";
import { type LogText, verifyChain } from "../../../src/audit/verify.ts";
import { Random } from "../../random.ts";
import { MemoryStorage } from "./_memory_storage.ts";

const OPTIONS = { maxSize: 1_000_000, now: () => new Date(0) };

function entry(call: string, description = "Read file: a"): AuditEntry {
  return {
    kind: "decision",
    time: "1970-01-01T00:00:00.000Z",
    call,
    agent: "root",
    tool: "read_file",
    description,
    args: { path: "a" },
    capabilities: [{ kind: "fs.read", path: "a" }],
    effect: "allow",
    rule: null,
    risk: "safe",
    preview: false,
  };
}

function filesOf(storage: MemoryStorage): LogText[] {
  const texts = [
    ...storage.rotated().map((number) =>
      [`log.${number}`, storage.old.get(number)?.bytes ?? new Uint8Array()] as const
    ),
    ["log", storage.current?.bytes ?? new Uint8Array()] as const,
  ];
  return texts.map(([file, bytes]) => {
    const text = new TextDecoder().decode(bytes);
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    return { file, lines, ended: text === "" || text.endsWith("\n") };
  });
}

const problemsOf = (storage: MemoryStorage) =>
  verifyChain(filesOf(storage)).problems.map(({ problem, line }) => `${problem} ${line}`);

Deno.test("a log is a chain that verifies, whoever writes it", () => {
  const storage = new MemoryStorage();
  const writers = [1, 2, 3].map(() => new AuditLog(storage, OPTIONS));
  const random = new Random(7);
  for (let i = 0; i < 300; i++) {
    random.pick(writers).append([entry(`c${i}`, "größe \u{1f995}\u0007"), entry(`d${i}`)], false);
  }
  const { records, problems, head } = verifyChain(filesOf(storage));
  assertEquals([records, problems, head.sequence], [600, [], 600]);
  const odd = [...storage.text()].filter((one) => one !== "\n" && (one < " " || one > "~"));
  assertEquals(odd, [], "lines are printable ASCII");
});

Deno.test("a chain goes on in a new file when the old one is full, for every writer", () => {
  const storage = new MemoryStorage();
  const options = { ...OPTIONS, maxSize: 3_000 };
  const writers = [1, 2, 3].map(() => new AuditLog(storage, options));
  for (let i = 0; i < 200; i++) writers[i % 3]?.append([entry(`c${i}`)], false);
  assert(storage.rotated().length > 10, `${storage.rotated()}`);
  for (const { bytes } of storage.old.values()) assert(bytes.length < 4_500);
  const { problems } = verifyChain(filesOf(storage));
  assertEquals(problems, []);
  const decisions = filesOf(storage).flatMap(({ lines }) => [...lines]).filter((line) =>
    line.includes('"decision"')
  );
  assertEquals(decisions.length, 200);
});

Deno.test("durable entries are synced, others are not", () => {
  const storage = new MemoryStorage();
  const log = new AuditLog(storage, OPTIONS);
  log.append([entry("a")], false);
  assertEquals(storage.syncs, 0);
  log.append([entry("b")], true);
  assertEquals(storage.syncs, 1);
});

Deno.test("after a write that was cut off the next writer goes on, and says so", () => {
  for (let room = 0; room < 1000; room++) {
    const storage = new MemoryStorage();
    const log = new AuditLog(storage, OPTIONS);
    log.append([entry("whole")], false);
    storage.room = room;
    let failed = false;
    try {
      log.append([entry("cut"), entry("gone")], false);
    } catch {
      failed = true;
    }
    storage.room = Infinity;
    const next = room % 2 === 0 ? log : new AuditLog(storage, OPTIONS);
    next.append([entry("after")], false);
    assertEquals(problemsOf(storage), [], `room ${room}`);
    const text = storage.text();
    if (failed && room > 0) assert(text.includes('"repair"') || text.includes('"cut"'), text);
    assert(text.includes('"call":"after"'));
  }
});

Deno.test("a write that fails is an error", () => {
  const storage = new MemoryStorage();
  storage.room = 0;
  assertThrows(
    () => new AuditLog(storage, OPTIONS).append([entry("a")], false),
    Error,
    "disk full",
  );
});

Deno.test("every edit, removal, move, addition and cut is found", () => {
  const storage = new MemoryStorage();
  const log = new AuditLog(storage, OPTIONS);
  for (let i = 0; i < 20; i++) log.append([entry(`c${i}`)], false);
  const anchor = log.head;
  const lines = storage.text().trimEnd().split("\n");
  const random = new Random(11);
  const attacks: Record<string, (lines: string[]) => string[]> = {
    edit: (all) => all.with(5, (all[5] ?? "").replace('"root"', '"ruut"')),
    "edit with a new hash": (all) => {
      const log = new AuditLog(new MemoryStorage(), OPTIONS);
      log.append([entry("forged")], false);
      return all.with(5, (all[5] ?? "").replace("a", "b"));
    },
    remove: (all) => all.toSpliced(7, 1),
    "remove the first": (all) => all.slice(1),
    swap: (all) => all.with(3, all[4] ?? "").with(4, all[3] ?? ""),
    repeat: (all) => all.toSpliced(9, 0, all[9] ?? ""),
    insert: (all) => all.toSpliced(9, 0, "{}"),
    "insert a false repair": (all) =>
      all.toSpliced(9, 0, "junk", '{"kind":"repair","sha256":"00"}'),
  };
  for (const [name, attack] of Object.entries(attacks)) {
    storage.setText(attack([...lines]).join("\n") + "\n");
    assert(problemsOf(storage).length > 0, name);
  }
  for (let i = 0; i < 300; i++) {
    const text = lines.join("\n") + "\n";
    const at = random.below(text.length - 1);
    const other = String.fromCharCode(0x20 + random.below(0x5e));
    if (text[at] === other) continue;
    storage.setText(text.slice(0, at) + other + text.slice(at + 1));
    assert(problemsOf(storage).length > 0, `${at} ${other}`);
  }
  storage.setText(lines.slice(0, 15).join("\n") + "\n");
  assertEquals(problemsOf(storage), []);
  const cut = verifyChain(filesOf(storage), [anchor]);
  assertEquals(cut.problems.map(({ problem }) => problem), ["anchor"]);
  storage.setText(lines.join("\n") + "\n");
  assertEquals(verifyChain(filesOf(storage), [anchor, START]).problems, []);
});

Deno.test("an empty log verifies", () => {
  assertEquals(verifyChain([]), { records: 0, head: START, problems: [] });
});
