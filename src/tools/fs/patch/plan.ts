/** What a patch makes of the files as they are: all changes, planned one after the other, and none made. */

import { ToolError } from "../../../core/errors.ts";
import { printable, quoted } from "../../../core/printable.ts";
import { sha256 } from "../../../core/sha256.ts";
import type { FileChange, ReadContext } from "../../../core/tool.ts";
import { applyHunks, type HunkNote } from "./apply.ts";
import { describeMisfit, patchFailed, type PatchFailure } from "./_failure.ts";
import type { FilePatch } from "./_model.ts";
import { createPatchTree, type Node, NOTHING, type PatchTree, type PlannedFile } from "./tree.ts";

/** Throws PATCH_FAILED with all that does not fit, FILE_TOO_LARGE, and what reading throws. */
export function planPatch(
  patches: readonly FilePatch[],
  context: ReadContext,
): readonly PlannedFile[] {
  const tree = createPatchTree(context);
  const failures = patches.flatMap((patch) => {
    context.checkpoint();
    const outcome = PLANS[patch.kind]({ patch, patches, tree, pause: context.checkpoint });
    return typeof outcome === "string"
      ? [{ file: tree.nameOf(patch.to), problem: outcome }]
      : outcome;
  });
  if (failures.length > 0) throw patchFailed(failures);
  const planned = tree.changes();
  for (const { path, node: { bytes } } of planned) {
    if (bytes === null || bytes.length <= context.limits.write) continue;
    throw new ToolError(
      "FILE_TOO_LARGE",
      `${path} would have ${bytes.length} bytes; the policy lets ${context.limits.write} be ` +
        "written at once",
      { details: { size: bytes.length, limit: context.limits.write } },
    );
  }
  return planned;
}

/**
 * The same as changes that hold only for the files as they were read. What goes, goes last: whoever is killed in
 * between has moved nothing away.
 */
export function changesOf(planned: readonly PlannedFile[]): readonly FileChange[] {
  const isLast = ({ node }: PlannedFile): number => node.bytes === null ? 1 : 0;
  return planned
    .toSorted((a, b) => isLast(a) - isLast(b))
    .map(({ requested: path, node: { bytes }, before, from, executable }): FileChange => {
      const expect = before === null ? "nothing" : { sha256: sha256(before) };
      if (bytes === null) return { kind: "remove", path, expect };
      return {
        kind: "write",
        path,
        bytes,
        expect,
        createParents: true,
        ...(from === undefined || before !== null ? {} : { like: from }),
        ...(executable === undefined ? {} : { executable }),
      };
    });
}

interface Step {
  readonly patch: FilePatch;
  readonly patches: readonly FilePatch[];
  readonly tree: PatchTree;
  readonly pause: () => void;
}

/** What speaks against the change, in a sentence or hunk by hunk; nothing where it is made. */
type Plan = (step: Step) => string | readonly PatchFailure[];

const PLANS: Readonly<Record<FilePatch["kind"], Plan>> = {
  add,
  modify,
  delete: remove,
  remove,
  move: transfer,
  copy: transfer,
};

function modify(step: Step): ReturnType<Plan> {
  const { patch: { to, hunks, stage }, tree } = step;
  const node = tree.current(to);
  // `diff` of an empty file, which may not be there either.
  const isNew = hunks.length > 0 && hunks.every(({ oldStart }) => oldStart === 0);
  if (node.bytes === null) return isNew ? add(step) : missing(step);
  const changed = change(node, step);
  if ("failures" in changed) return changed.failures;
  tree.set(to, changed.node, stage, false);
  return [];
}

function add(step: Step): ReturnType<Plan> {
  const { patch, tree } = step;
  const { to, stage } = patch;
  const there = tree.current(to).bytes;
  // Where nothing is, lines can only be added at the beginning.
  const hunks = patch.hunks.map((hunk) =>
    hunk.lines.every(({ sign }) => sign === "+") ? { ...hunk, oldStart: 0 } : hunk
  );
  const made = change({ ...NOTHING, bytes: new Uint8Array() }, {
    ...step,
    patch: { ...patch, hunks },
  });
  if ("failures" in made) return made.failures;
  if (there !== null && !isLeaving(step)) {
    const isSame = made.node.bytes !== null && sha256(made.node.bytes) === sha256(there);
    if (isSame) return "it is there with these contents: the patch was applied before";
    // What was not there or empty may be either.
    if (there.length > 0 || hunks.length === 0) {
      return "it is there already, and the patch would make it; patch the file that is there instead";
    }
  }
  tree.set(to, made.node, stage, true);
  return [];
}

/** `delete` says what the file holds; `remove` does not. */
function remove(step: Step): ReturnType<Plan> {
  const { patch: { kind, to, hunks, stage }, tree } = step;
  const node = tree.before(to, stage, false);
  if (node.bytes === null) return "there is no such file: perhaps it was deleted before";
  const changed = kind === "remove" ? null : change(node, step);
  if (changed !== null && "failures" in changed) return changed.failures;
  const left = changed?.node.bytes ?? null;
  if (left !== null && left.length > 0) {
    return hunks.length === 0
      ? "it is to be deleted, but the patch has none of its lines; delete_file needs none"
      : `it is to be deleted, but ${lineCount(left)} of its lines are not in the patch`;
  }
  const removed = changed?.node.removed ?? node.removed + lineCount(node.bytes);
  // Something else may have taken its place in this stage: then that stays.
  if (node !== tree.current(to)) return [];
  tree.set(to, { ...node, ...changed?.node, bytes: null, removed, isGone: false }, stage, false);
  return [];
}

function transfer(step: Step): ReturnType<Plan> {
  const { patch: { kind, from, to, stage }, tree } = step;
  if (tree.nameOf(from) === tree.nameOf(to)) return modify(step);
  const node = tree.before(from, stage, kind === "copy");
  if (node.bytes === null) return missing(step);
  if (tree.current(to).bytes !== null && !isLeaving(step)) {
    return `it is there already, and ${printable(from)} does not take its place`;
  }
  const isMoved = kind === "move";
  const base = isMoved ? node : { ...node, added: 0, removed: 0, notes: [] };
  const changed = change(base, step);
  if ("failures" in changed) return changed.failures;
  const path = node.source?.path ?? (tree.existed(from) ? from : null);
  const source = path === null ? {} : { source: { path, isMoved } };
  tree.set(to, { ...changed.node, ...source }, stage, true);
  if (isMoved && node === tree.current(from)) {
    tree.set(from, { ...NOTHING, isGone: true }, stage, false);
  }
  return [];
}

function missing({ patch: { kind, from, to }, tree }: Step): readonly PatchFailure[] {
  const moved = kind === "move" && tree.current(to).bytes !== null
    ? `; ${quoted(to)} is there: perhaps it was moved before`
    : "";
  return [{ file: tree.nameOf(from), problem: `there is no such file${moved}` }];
}

/** Whether what stands where the file is to go is moved or deleted by the same stage of the patch. */
function isLeaving({ patch, patches, tree }: Step): boolean {
  return patches.some(({ kind, from, stage }) =>
    stage === patch.stage && tree.nameOf(from) === tree.nameOf(patch.to) &&
    (kind === "move" || kind === "delete" || kind === "remove")
  );
}

/** The file with the hunks applied. */
function change(
  node: Node,
  { patch, tree, pause }: Step,
): { readonly node: Node } | { readonly failures: readonly PatchFailure[] } {
  const { hunks, executable } = patch;
  const path = tree.nameOf(patch.from);
  const bytes = node.bytes ?? new Uint8Array();
  const applied = hunks.length === 0
    ? { bytes, notes: [] as readonly HunkNote[] }
    : applyHunks(path, bytes, hunks, pause);
  if ("misfits" in applied) {
    return {
      failures: applied.misfits.map((misfit) => describeMisfit(path, misfit, applied.reversed)),
    };
  }
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string): number => lines.filter((line) => line.sign === sign).length;
  return {
    node: {
      ...node,
      bytes: applied.bytes,
      ...(executable === undefined ? {} : { executable }),
      added: node.added + count("+"),
      removed: node.removed + count("-"),
      notes: [...node.notes, ...applied.notes],
    },
  };
}

const LINE_FEED = 0x0a;

function lineCount(bytes: Uint8Array): number {
  const ended = bytes.reduce((count, byte) => byte === LINE_FEED ? count + 1 : count, 0);
  return bytes.length > 0 && bytes.at(-1) !== LINE_FEED ? ended + 1 : ended;
}
