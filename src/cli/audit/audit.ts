/** `audit`: what was decided and what became of it, whether the log is whole, and what it all comes to. */

import { linesOf, readLog } from "../../audit/read.ts";
import type { ChainHead } from "../../audit/record.ts";
import {
  isSelected,
  parseRecord,
  type ReadRecord,
  type Selection,
  statisticsOf,
} from "../../audit/select.ts";
import type { LogStorage } from "../../audit/storage.ts";
import { verifyChain } from "../../audit/verify.ts";
import { EXIT } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { printable } from "../../core/printable.ts";
import { parseDuration } from "../../config/duration.ts";
import type { Invocation } from "../invocation.ts";
import { auditStorage } from "./audit_log.ts";
import { openEngine, openSession, type Session } from "../session.ts";
import { print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

const ACTIONS: Readonly<
  Record<
    string,
    (storage: LogStorage, session: Session, invocation: Invocation) => number | Promise<number>
  >
> = { show, verify, stats };

/** How often `--follow` looks for more. */
const FOLLOW_MS = 250;

/** `audit show|verify|stats`; gives the exit status. */
export async function audit(invocation: Invocation): Promise<number> {
  const [action = "show", ...rest] = invocation.words;
  if (rest.length > 0) {
    const word = JSON.stringify(rest[0]);
    throw new UsageError(`audit ${action} takes no ${word}; --audit FILE names the log`);
  }
  const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (run === undefined) {
    const near = nearest(action, Object.keys(ACTIONS));
    throw new UsageError(
      `audit takes ${Object.keys(ACTIONS).join(", ")}, not ${JSON.stringify(action)}` +
        (near === null ? "" : `; did you mean ${near}?`),
    );
  }
  const session = await openSession(invocation);
  return await run(storageOf(session, invocation), session, invocation);
}

function storageOf(session: Session, invocation: Invocation): LogStorage {
  const { audit: settings, workspace } = openEngine(session, invocation).rulebook.settings;
  if (settings === null) {
    throw new UsageError("the policy keeps no audit log; name one with --audit FILE");
  }
  return auditStorage(workspace)(settings);
}

function selectionOf({ values }: Invocation): Selection {
  const one = (name: string) => values[name]?.[0];
  const said = {
    agent: one("by"),
    tool: one("tool"),
    effect: one("effect"),
    code: one("code"),
    call: one("call"),
    since: sinceOf(one("since")),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

/** A time, or a duration before now. */
function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  try {
    return Date.now() - parseDuration(text);
  } catch {
    throw new UsageError(`--since takes a time (2026-01-31T12:00:00Z) or a duration (10m, 2d)`);
  }
}

function* recordsOf(
  storage: LogStorage,
  selection: Selection,
): Generator<{ readonly line: string; readonly record: ReadRecord }> {
  for (const { lines } of readLog(storage)) yield* selected(lines, selection);
}

function* selected(lines: Iterable<string>, selection: Selection) {
  for (const line of lines) {
    const record = parseRecord(line);
    if (record !== null && isSelected(record, selection)) yield { line, record };
  }
}

async function show(
  storage: LogStorage,
  { format }: Session,
  invocation: Invocation,
): Promise<number> {
  const selection = selectionOf(invocation);
  const render = (line: string, record: ReadRecord): void =>
    print(format === "json" ? line : row(record));
  const limit = invocation.values["limit"]?.[0];
  const most = limit === undefined ? Infinity : Number(limit);
  if (!(most > 0)) throw new UsageError("--limit takes a whole number from 1");
  const last: { readonly line: string; readonly record: ReadRecord }[] = [];
  for (const found of recordsOf(storage, selection)) {
    if (most === Infinity) render(found.line, found.record);
    else if (last.push(found) > most) last.shift();
  }
  for (const { line, record } of last) render(line, record);
  if (invocation.switches.has("follow")) await follow(storage, selection, render);
  return EXIT.success;
}

/** Until it is interrupted. Each look opens the file anew, so that it follows one that is put aside. */
async function follow(
  storage: LogStorage,
  selection: Selection,
  render: (line: string, record: ReadRecord) => void,
): Promise<void> {
  let files = storage.rotated().length;
  let seen = sizeOf(storage, "current");
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
    for (const number of [...storage.rotated().slice(files), "current" as const]) {
      const file = storage.openExisting(number);
      if (file === null) continue;
      const size = file.size();
      for (const { line, record } of selected(linesOf(file, size, seen), selection)) {
        render(line, record);
      }
      file.close();
      seen = number === "current" ? size : 0;
      if (number !== "current") files++;
    }
  }
}

function sizeOf(storage: LogStorage, number: "current"): number {
  const file = storage.openExisting(number);
  const size = file?.size() ?? 0;
  file?.close();
  return size;
}

function row(record: ReadRecord): string {
  const { time, kind, agent, tool, call } = record;
  const what = kind === "decision"
    ? `${record.effect}  ${record.description}${record.rule === null ? "" : `  (${record.rule})`}`
    : kind === "outcome"
    ? `${record.code ?? "ok"}  ${record.latency_ms} ms`
    : kind === "approval"
    ? `${record.answer}  ${record.reason ?? ""}`
    : "";
  return [time, call ?? "", agent ?? "", tool ?? "", kind, what]
    .map((cell) => printable(String(cell), 200)).join("  ").trimEnd();
}

function verify(storage: LogStorage, { format }: Session, invocation: Invocation): number {
  const anchors = (invocation.values["anchor"] ?? []).map(anchorOf);
  const { records, head, problems } = verifyChain(readLog(storage), anchors);
  const anchor = `${head.sequence}:${head.hash}`;
  if (format === "json") {
    print(JSON.stringify({ valid: problems.length === 0, records, anchor, problems }));
  } else {
    for (const { file, line, message } of problems) print(`${file}, line ${line}: ${message}`);
    print(
      problems.length === 0
        ? `${records} records, whole; anchor ${anchor}`
        : `${records} records; ${problems.length} problems`,
    );
  }
  return problems.length === 0 ? EXIT.success : EXIT.failed;
}

function anchorOf(text: string): ChainHead {
  const parts = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text);
  if (parts === null) throw new UsageError("--anchor takes NUMBER:HASH, as audit verify prints it");
  return { sequence: Number(parts[1]), hash: parts[2] ?? "" };
}

function stats(storage: LogStorage, { format }: Session, invocation: Invocation): number {
  const records = Iterator.from(recordsOf(storage, selectionOf(invocation)))
    .map(({ record }) => record);
  const found = statisticsOf(records);
  if (format === "json") print(JSON.stringify({ calls: found }));
  else {
    for (const { agent, tool, calls, success_rate, denied, latency_ms } of found) {
      print(
        `${printable(agent, 40).padEnd(16)}${printable(tool, 40).padEnd(22)}` +
          `${String(calls).padStart(7)} calls  ${
            (100 * success_rate).toFixed(1).padStart(5)
          } % ok  ` +
          `${denied} denied  p50 ${latency_ms.p50} ms  p95 ${latency_ms.p95} ms`,
      );
    }
  }
  return EXIT.success;
}
