/** From one profile, or two, to the answer; pure. */

import { ToolError } from "../../../core/errors.ts";
import { didYouMean, nearestOf } from "../../../core/nearest.ts";
import { quoted } from "../../../core/printable.ts";
import { apportion } from "./apportion.ts";
import { type CallTree, pathTo } from "./call_tree.ts";
import { type Change, changesBetween } from "./compare.ts";
import { drawFlameGraph, type FlameGraph } from "./flame_graph.ts";
import { matching, type Neighbour, neighboursOf } from "./focus.ts";
import type { Frame, Profile } from "./model.ts";
import type { Changed, FramePlace, Hot, HotPath, Neighbouring, Output } from "./output.ts";
import { largest, weigh } from "./weigh.ts";

/** More paths say no more. */
const MOST_PATHS = 10;
/** Longer paths are cut in the middle: what matters stands at the ends. */
const LONGEST_PATH = 40;
/** Frames kept at the outer end of a path that is cut. */
const OUTER = 10;
/** Of C++ there are names of 10,000 characters. */
const LONGEST_NAME = 300;
/** Functions in focus that are listed. */
const MOST_FOCUSED = 10;

/** What is asked of a profile beside what is hot. */
export interface Wanted {
  readonly baseline: Profile | null;
  readonly focus: string | null;
  /** Null where no flame graph is wanted. */
  readonly flameGraphTitle: string | null;
  readonly most: number;
  /** A path as results show it. */
  readonly display: (path: string) => string;
}

/** The answer, and what is to be drawn. */
export interface Analysis {
  readonly output: Output;
  readonly flameGraph: FlameGraph | null;
}

/** Throws INVALID_ARGUMENTS where `focus` is nowhere in it, or the baseline has another unit. */
export function analyse(profile: Profile, wanted: Wanted): Analysis {
  const { format, unit, samples, frames } = profile;
  const { most, display, baseline } = wanted;
  const weights = weigh(profile);
  const tree = profile.kind === "stacks" ? profile.tree : apportion(profile);
  const percent = (value: number): number => share(value, weights.sum);
  const placeOf = (frame: Frame): FramePlace => place(frame, display);

  const hot = largest(weights.own, most).map((index): Hot => {
    const [own, total] = [weights.own[index] ?? 0, weights.total[index] ?? 0];
    return {
      ...placeOf(frames[index] as Frame),
      self: rounded(own),
      self_percent: percent(own),
      total: rounded(total),
      total_percent: percent(total),
    };
  });
  const { skipped, notes } = profile;
  const before = baseline === null ? null : { profile: baseline, weights: weigh(baseline) };
  if (before !== null) requireSameUnit(unit, before.profile.unit);
  const changes = before === null ? null : changesBetween(before, { profile, weights });
  const output: Output = {
    format,
    unit,
    samples: rounded(samples),
    total: rounded(weights.sum),
    functions: frames.length,
    hot,
    paths: hottestPaths(tree, frames, Math.min(most, MOST_PATHS), percent),
    ...focused(profile, wanted, placeOf, percent),
    ...(before === null || changes === null ? {} : {
      baseline: {
        format: before.profile.format,
        samples: rounded(before.profile.samples),
        total: rounded(before.weights.sum),
      },
      changes: changes.slice(0, most).map((change): Changed => ({
        ...placeOf(change.frame),
        self: rounded(change.own),
        self_before: rounded(change.ownBefore),
        total: rounded(change.total),
        total_before: rounded(change.totalBefore),
      })),
    }),
    ...(skipped.length === 0 ? {} : { skipped }),
    ...(notes.length === 0 ? {} : { notes }),
  };
  const title = wanted.flameGraphTitle;
  if (title === null) return { output, flameGraph: null };
  const change = changes === null ? null : differences(frames, changes);
  return { output, flameGraph: drawFlameGraph(tree, frames, { title, unit, change }) };
}

/** By index of the frame, how much more own time it has than in the baseline. */
function differences(frames: readonly Frame[], changes: readonly Change[]): Float64Array {
  const known = new Map(changes.map((change) => [change.frame, change.own - change.ownBefore]));
  return Float64Array.from(frames, (frame) => known.get(frame) ?? 0);
}

function hottestPaths(
  tree: CallTree,
  frames: readonly Frame[],
  count: number,
  percent: (value: number) => number,
): readonly HotPath[] {
  const own = Float64Array.from({ length: tree.length }, (_, node) => tree.own(node));
  return largest(own, count).map((node) => ({
    frames: shortened(
      runsOf(pathTo(tree, node)).map(({ frame, length }) =>
        clipped(frames[frame]?.name ?? "?") + (length > 1 ? ` (×${length})` : "")
      ),
    ),
    self: rounded(tree.own(node)),
    self_percent: percent(tree.own(node)),
  }));
}

/** Frames that follow themselves, as recursion has them, stand once. */
function runsOf(
  path: readonly number[],
): readonly { readonly frame: number; readonly length: number }[] {
  const runs: { readonly frame: number; length: number }[] = [];
  for (const frame of path) {
    const last = runs.at(-1);
    if (last?.frame === frame) last.length++;
    else runs.push({ frame, length: 1 });
  }
  return runs;
}

/** With a word where some are left out. */
function shortened(path: readonly string[]): readonly string[] {
  if (path.length <= LONGEST_PATH) return path;
  const left = path.length - LONGEST_PATH + 1;
  return [...path.slice(0, OUTER), `… ${left} frames …`, ...path.slice(OUTER + left)];
}

function focused(
  profile: Profile,
  { focus, most }: Wanted,
  placeOf: (frame: Frame) => FramePlace,
  percent: (value: number) => number,
): Pick<Output, "focus" | "callers" | "callees"> {
  if (focus === null) return {};
  const { frames } = profile;
  const meant = matching(frames, focus);
  if (meant.size === 0) throw notThere(focus, frames);
  const { callers, callees } = neighboursOf(profile, meant);
  const shapes = (list: readonly Neighbour[]): readonly Neighbouring[] =>
    list.slice(0, most).map(({ frame, total }) => ({
      ...placeOf(frames[frame] as Frame),
      total: rounded(total),
      total_percent: percent(total),
    }));
  return {
    focus: {
      functions: [...meant].slice(0, MOST_FOCUSED).map((index) => placeOf(frames[index] as Frame)),
      matched: meant.size,
    },
    callers: shapes(callers),
    callees: shapes(callees),
  };
}

function notThere(focus: string, frames: readonly Frame[]): ToolError {
  // The first names are those of the outermost callers as a rule; comparing with half a million would take long.
  const near = nearestOf(focus, [...new Set(frames.slice(0, 20_000).map(({ name }) => name))]);
  const hint = didYouMean(near.map((name) => clipped(name)));
  return new ToolError(
    "INVALID_ARGUMENTS",
    `focus: no function of the profile has ${quoted(focus)} in its name.${
      hint === "" ? " Those with most time stand in hot" : hint
    }`,
    { details: { nearest: near } },
  );
}

function requireSameUnit(unit: string, before: string): void {
  if (unit === before) return;
  throw new ToolError(
    "INVALID_ARGUMENTS",
    `baseline: it counts ${before}, profiling_data ${unit}: they cannot be compared; record both in the same way`,
  );
}

function place({ name, file, line, column }: Frame, display: (path: string) => string): FramePlace {
  return {
    function: clipped(name),
    ...(file === null ? {} : { file: clipped(file.startsWith("/") ? display(file) : file) }),
    ...(line === null ? {} : { line }),
    ...(column === null ? {} : { column }),
  };
}

function clipped(text: string): string {
  return text.length <= LONGEST_NAME
    ? text
    : `${text.slice(0, LONGEST_NAME).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Nanoseconds of milliseconds: what is behind them is noise of sums. */
function rounded(value: number): number {
  return Math.abs(value) < 1e9 ? Math.round(value * 1e6) / 1e6 : Math.round(value);
}

function share(value: number, sum: number): number {
  return sum > 0 ? Math.round(value / sum * 1e4) / 100 : 0;
}
