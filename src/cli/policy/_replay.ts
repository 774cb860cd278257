/** `policy replay`: the decisions of an audit log, judged by other policies: which would flip. */

import { readLog } from "../../audit/read.ts";
import { parseRecord, type ReadRecord } from "../../audit/select.ts";
import type { LogStorage } from "../../audit/storage.ts";
import { EXIT } from "../../core/errors.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { printable } from "../../core/printable.ts";
import type { CommandEngine } from "../../engine/create_engine.ts";
import { replayDecision, type Replayed, type Unjudged } from "../../engine/judge/replay.ts";
import { canonicalize } from "../../host/paths/canonicalize.ts";
import { EFFECTS } from "../../policy/model.ts";
import type { Invocation } from "../invocation.ts";
import { auditStorage } from "../audit/audit_log.ts";
import { openEngine, openSession, type Session } from "../session.ts";
import { print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** What all decisions of a log come to under the policies of today. */
interface Replay {
  readonly decisions: number;
  readonly same: number;
  readonly tightened: number;
  readonly loosened: number;
  /** `allow → deny`: how often. */
  readonly changes: Readonly<Record<string, number>>;
  readonly unjudged: Readonly<Record<Unjudged, number>>;
  /** Lines that hold no record. */
  readonly unreadable: number;
  /** The first so many of those that flip. */
  readonly flips: readonly Replayed[];
}

/** Flips that are shown unless `--limit` says otherwise. */
const MOST_FLIPS = 1000;

/** Exit 0, whatever flips, unless `--strict`: then 1 where any does. */
export async function replayAudit(invocation: Invocation): Promise<number> {
  const most = limitOf(invocation);
  const log = invocation.values["audit"]?.[0];
  // The flag names the log to be read: as a setting it would be one to be written.
  const { audit: _, ...values } = invocation.values;
  const session = await openSession({ ...invocation, values });
  const engine = openEngine(session, invocation);
  const storage = storageOf(session, engine, log);
  const replay = await replayLog(engine, storage, most);
  await engine.runner.close();
  print(session.format === "json" ? JSON.stringify(replay) : render(replay));
  const flipped = replay.tightened + replay.loosened > 0;
  return invocation.switches.has("strict") && flipped ? EXIT.failed : EXIT.success;
}

function limitOf({ values }: Invocation): number {
  const limit = Number(values["limit"]?.[0] ?? MOST_FLIPS);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new UsageError("--limit takes a whole number from 1");
}

function storageOf(
  { workspace }: Session,
  { rulebook: { settings } }: CommandEngine,
  named: string | undefined,
): LogStorage {
  const file = named === undefined
    ? settings.audit?.file
    : canonicalize(Deno.cwd() as CanonicalPath, named);
  if (file === undefined) {
    throw new UsageError("the policy keeps no audit log; name the one to replay with --audit FILE");
  }
  const { redact = [], required = true, sync = "never", maxSize = 0 } = settings.audit ?? {};
  const storage = auditStorage(workspace)({ file, redact, required, sync, maxSize });
  const current = storage.openExisting("current");
  current?.close();
  if (current === null && storage.rotated().length === 0) {
    throw new UsageError(`there is no audit log at ${named ?? file}`);
  }
  return storage;
}

async function replayLog(
  engine: CommandEngine,
  storage: LogStorage,
  most: number,
): Promise<Replay> {
  const tally = { decisions: 0, same: 0, tightened: 0, loosened: 0, unreadable: 0 };
  const changes: Record<string, number> = {};
  const unjudged: Record<Unjudged, number> = {
    "no such tool": 0,
    "not whole": 0,
    "cannot be resolved": 0,
  };
  const flips: Replayed[] = [];
  for (const record of recordsOf(storage)) {
    if (record === null) {
      tally.unreadable++;
      continue;
    }
    if (record.kind !== "decision") continue;
    tally.decisions++;
    const replayed = await replayDecision(engine, record);
    if (typeof replayed === "string") {
      unjudged[replayed]++;
      continue;
    }
    const { then, now } = replayed;
    const change = EFFECTS.indexOf(now) - EFFECTS.indexOf(then);
    if (change === 0) {
      tally.same++;
      continue;
    }
    if (change > 0) tally.tightened++;
    else tally.loosened++;
    const name = `${then} → ${now}`;
    changes[name] = (changes[name] ?? 0) + 1;
    if (flips.length < most) flips.push(replayed);
  }
  return { ...tally, changes, unjudged, flips };
}

function* recordsOf(storage: LogStorage): Generator<ReadRecord | null> {
  for (const { lines } of readLog(storage)) {
    for (const line of lines) if (line !== "") yield parseRecord(line);
  }
}

function render({ flips, changes, unjudged, ...tally }: Replay): string {
  const flipped = tally.tightened + tally.loosened;
  const skipped = Object.entries(unjudged).filter(([, count]) => count > 0);
  return [
    ...flips.map(({ time, agent, tool, description, then, now, rules, reason, redacted }) =>
      `${then} → ${now}  ${time}  ${printable(agent, 40)}  ${tool}  ${
        printable(description, 120)
      }` +
      `${redacted ? "  (without what the log left out)" : ""}\n` +
      `    was ${rules.then ?? "plainly allowed"}; is ${rules.now ?? "plainly allowed"}: ${
        printable(reason, 300)
      }`
    ),
    ...(flips.length < flipped ? [`and ${flipped - flips.length} more`] : []),
    `${tally.decisions} decisions: ${tally.same} the same, ${tally.tightened} tighter, ` +
    `${tally.loosened} looser`,
    ...Object.entries(changes).map(([name, count]) => `  ${name}: ${count}`),
    ...skipped.map(([why, count]) => `  not judged, ${why}: ${count}`),
    ...(tally.unreadable > 0 ? [`  lines that are no record: ${tally.unreadable}`] : []),
  ].join("\n");
}
