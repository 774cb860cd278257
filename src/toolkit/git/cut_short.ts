/**
 * What a change that was cut short has left, taken back by the next call that changes something; what somebody has made of
 * it meanwhile stays.
 */

import { NOTE } from "../../core/git/moves_note.ts";
import { isObject } from "../../core/json_value.ts";
import type { Hold, ToolContext } from "../../core/tool.ts";
import { dropHalfMade } from "./half_made.ts";
import { dropHalfRemoved } from "./half_removed.ts";
import { isLeft, lockError } from "./locks.ts";
import { birthOf, forget, type Moves, note, RECORDING, removeFiles } from "./moves.ts";
import { look, textIn } from "./place.ts";
import { openRepository, type Repository } from "./repository.ts";
import { restore } from "./restore.ts";
import { headOf } from "./revisions.ts";

interface Mark extends Moves {
  readonly head: string;
  /** Milliseconds that it was given. */
  readonly time: number;
  /** As {@linkcode birthOf} has it. */
  readonly born: number;
}

/** Clocks of file systems are coarse. */
const SLACK_MS = 2_000;

/** How long other gits are waited for that may have a lock: two seconds. */
const MOST_LOOKS = 40;
const LOOK_MS = 50;

/** As {@linkcode openRepository}, for a call that changes it: what another had begun there and could not end is taken back. */
export async function openSettled(
  tool: string,
  context: ToolContext,
  folder: string,
  listed = false,
): Promise<Repository> {
  const repository = await openRepository(tool, context, folder, listed);
  if (isMarked(repository)) {
    const hold = repository.hold();
    try {
      if (hold !== null && isMarked(repository)) await settle(repository, context, hold);
    } finally {
      hold?.release();
    }
  }
  return repository;
}

function isMarked({ files, folder }: Repository): boolean {
  return look(files, `${folder}/${NOTE}`) !== null;
}

/** Whoever noted it is gone: he would hold the folder. */
async function settle(repository: Repository, context: ToolContext, hold: Hold): Promise<void> {
  const { files, folder, common } = repository;
  const mark = readMark(repository);
  const noted = look(files, `${folder}/${NOTE}`)?.modified ?? 0;
  const isOurs = (path: string): boolean => {
    const modified = look(files, path)?.modified ?? 0;
    const inTime = mark !== null && modified >= noted - SLACK_MS &&
      modified <= noted + mark.time + SLACK_MS;
    return inTime && isLeft(files, hold, path);
  };
  let locks = await locksOf(repository, mark);
  if (mark === null && locks.length > 0) return;
  // A git that is not ours may be at work. Those of before a lock become no more, and most of them are gone in a moment.
  for (let looks = 0; looks < MOST_LOOKS && !locks.every(isOurs); looks++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    context.checkpoint();
    locks = locks.filter((path) => look(files, path) !== null);
  }
  // Until it is known what was cut short, nothing goes on.
  const held = locks.find((path) => !isOurs(path));
  if (held !== undefined) throw lockError(repository, held);
  const head = mark === null ? null : (await headOf(repository)).hash;
  const inCommon = locks.filter((path) => !path.startsWith(`${folder}/`));
  await removeFiles(repository, folder, locks.filter((path) => !inCommon.includes(path)));
  await removeFiles(repository, common, inCommon);
  // Taking back may be cut short, too: its locks are of a later time.
  if (mark !== null) note(repository, hold, mark);
  if (mark !== null && head === mark.head) await restore(repository, context, mark);
  if (mark?.adds !== undefined) await dropHalfMade(repository, context, mark.adds, hold);
  if (mark?.removes !== undefined) {
    await dropHalfRemoved(repository, context, mark.removes, hold);
  }
  forget(hold);
}

/** Those that are there, of what such a change writes. */
async function locksOf(
  repository: Repository,
  mark: Mark | null,
): Promise<readonly string[]> {
  const { files, folder, common } = repository;
  const branches = [(await headOf(repository)).branch, mark?.adds?.branch ?? null];
  return [
    ...["index", "HEAD", "ORIG_HEAD"].map((name) => `${folder}/${name}.lock`),
    `${common}/packed-refs.lock`,
    `${common}/refs/stash.lock`,
    ...branches.flatMap((one) => one === null ? [] : `${common}/refs/heads/${one}.lock`),
    ...(mark?.refs === undefined
      ? []
      : [...mark.refs, "config"].map((one) => `${common}/${one}.lock`)),
  ].filter((path) => look(files, path) !== null);
}

/** What was noted; null where nothing was, and where it is nothing of ours. */
function readMark(repository: Repository): Mark | null {
  try {
    const value: unknown = JSON.parse(
      textIn(repository.files, `${repository.folder}/${NOTE}`) ?? "",
    );
    return isMark(value) && value.born === birthOf(repository) ? value : null;
  } catch {
    return null;
  }
}

function isMark(value: unknown): value is Mark {
  if (!isObject(value)) return false;
  const { head, steps, merged, time, adds, removes, refs } = value;
  return (isHash(head) || head === RECORDING.head) && (merged === undefined || isHash(merged)) &&
    typeof time === "number" &&
    Array.isArray(steps) && (adds === undefined || isAdds(adds)) &&
    (removes === undefined || isRemoves(removes)) &&
    (refs === undefined || Array.isArray(refs) && refs.every(isRef)) &&
    steps.every((step) => isObject(step) && isHash(step["rest"]) && isHash(step["other"]));
}

function isAdds(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { place, branch, hash } = value;
  return typeof place === "string" && (branch === null || typeof branch === "string") &&
    isHash(hash);
}

function isRemoves(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { place, folder, hash } = value;
  return typeof place === "string" && typeof folder === "string" && isHash(hash);
}

function isRef(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("refs/") &&
    value.split("/").every((part) => part !== "" && !part.startsWith("."));
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
}
