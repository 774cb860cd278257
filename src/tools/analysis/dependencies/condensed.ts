/** A graph of many files in few boxes: what belongs together by its folder, opened as far as there is room. */

import type { Drawing, Line } from "./drawings.ts";

/** A drawing in which a box may stand for several names. */
export interface Condensed extends Drawing {
  /** Boxes that hold a circle inside. */
  readonly circular: ReadonlySet<number>;
  /** What people must know to read it; null where each name has its own box. */
  readonly note: string | null;
}

/** What one box stands for, and what it may be opened into. */
interface Group {
  /** As the box says, without the number. */
  readonly name: string;
  readonly depth: number;
  readonly members: readonly number[];
  /** They are many files of one folder, like as not of one kind. */
  readonly wide: boolean;
  /** Empty for one name alone. */
  readonly parts: readonly Group[];
}

/** Files of one folder are a group of their own where they would take more of the room than this. */
const WIDE = 1 / 4;

/** What has that many lines out of it is shown by itself, whatever else of its folder is not. */
const MANY_LINES = 8;

/** With no more boxes than that. */
export function condensed(drawing: Drawing, most: number): Condensed {
  const { names } = drawing;
  if (names.length <= most) return { ...drawing, circular: new Set(), note: null };
  const whole = groupOf("", names.map((name, index) => ({ name, index })), 0, most * WIDE);
  const groups = withHubs(opened(whole, most), drawing, most);
  const boxes = groups.map(({ name, members }) =>
    members.length === 1 ? names[members[0] ?? 0] ?? name : `${name} (${members.length})`
  );
  const boxOf = new Map(groups.flatMap(({ members }, box) => members.map((each) => [each, box])));
  const circular = new Set<number>();
  const lines = new Map<string, Line>();
  for (const edge of drawing.edges) {
    const [from, to] = [boxOf.get(edge.from) ?? 0, boxOf.get(edge.to) ?? 0];
    if (from === to) {
      if (edge.inCycle) circular.add(from);
      continue;
    }
    const key = `${from} ${to}`;
    lines.set(key, { from, to, inCycle: edge.inCycle || lines.get(key)?.inCycle === true });
  }
  const note = `${names.length} nodes in ${boxes.length} boxes: x/ (9) stands for nine of them`;
  return { names: boxes, edges: [...lines.values()], circular, note };
}

/** Names below a folder (`a/b/`; empty for all), with the folders in it as parts. */
function groupOf(
  folder: string,
  entries: readonly { readonly name: string; readonly index: number }[],
  depth: number,
  wide: number,
): Group {
  const folders = new Map<string, { readonly name: string; readonly index: number }[]>();
  const files: Group[] = [];
  for (const { name, index } of entries) {
    const end = name.indexOf("/", folder.length);
    if (end === -1) {
      files.push({ name, depth: depth + 1, wide: false, members: [index], parts: [] });
      continue;
    }
    const below = name.slice(0, end + 1);
    const known = folders.get(below);
    if (known === undefined) folders.set(below, [{ name, index }]);
    else known.push({ name, index });
  }
  const below = [...folders].map(([name, within]) => groupOf(name, within, depth + 1, wide));
  const flat = files.length <= wide ? files : [{
    name: `${folder}*`,
    depth: depth + 1,
    wide: true,
    members: files.flatMap(({ members }) => members),
    parts: files,
  }];
  const members = entries.map(({ index }) => index);
  return {
    name: folder === "" ? "./" : folder,
    depth,
    wide: false,
    members,
    parts: [...below, ...flat],
  };
}

/** From the top down, so that all is shown as deep: folders, as far as there is room. */
function opened(whole: Group, most: number): readonly Group[] {
  let shown: readonly Group[] = [whole];
  for (;;) {
    const room = most - shown.length;
    const [next] = shown.filter(({ wide, parts }) =>
      !wide && parts.length > 0 && parts.length - 1 <= room
    ).toSorted((a, b) => a.depth - b.depth || a.parts.length - b.parts.length);
    if (next === undefined) return shown;
    shown = shown.flatMap((group) => group === next ? next.parts : [group]);
  }
}

/** Of groups that stay closed, what much else leads to or from, where there is room. */
function withHubs(
  shown: readonly Group[],
  { edges }: Drawing,
  most: number,
): readonly Group[] {
  const parts = shown.flatMap((group) => group.parts);
  const partOf = new Map(parts.flatMap((part) => part.members.map((each) => [each, part])));
  const lines = new Map<Group, number>();
  for (const { from, to } of edges) {
    const [one, other] = [partOf.get(from), partOf.get(to)];
    if (one === other) continue;
    for (const part of [one, other]) {
      if (part !== undefined) lines.set(part, (lines.get(part) ?? 0) + 1);
    }
  }
  const hubs = new Set(
    [...lines].filter(([, count]) => count >= MANY_LINES).toSorted((a, b) => b[1] - a[1])
      .slice(0, Math.max(0, most - shown.length)).map(([part]) => part),
  );
  return shown.flatMap((group) => {
    const apart = group.parts.filter((part) => hubs.has(part));
    if (apart.length === 0) return [group];
    const members = group.parts.filter((part) => !hubs.has(part)).flatMap((part) => part.members);
    return members.length === 0 ? apart : [...apart, { ...group, members }];
  });
}
