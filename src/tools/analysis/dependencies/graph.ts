/** What follows from who imports whom: circles, and what nobody imports. */

/** Nodes by number; `to` lists for each the nodes that it imports. */
export type Adjacency = readonly (readonly number[])[];

/** Nodes from which the shortest circle of a set is looked for: in larger sets it is one of the shortest. */
const STARTS = 256;

/** Sets of nodes that lead to one another (R. E. Tarjan, "Depth-first search and linear graph algorithms", 1972). */
export function stronglyConnected(to: Adjacency): readonly (readonly number[])[] {
  const index = new Int32Array(to.length).fill(-1);
  const low = new Int32Array(to.length);
  const onStack = new Uint8Array(to.length);
  const stack: number[] = [];
  const found: number[][] = [];
  let count = 0;
  for (let start = 0; start < to.length; start++) {
    if (index[start] !== -1) continue;
    const path: { readonly node: number; next: number }[] = [];
    const enter = (node: number) => {
      index[node] = low[node] = count++;
      stack.push(node);
      onStack[node] = 1;
      path.push({ node, next: 0 });
    };
    enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node } = top;
      const other = to[node]?.[top.next++];
      if (other !== undefined) {
        if (index[other] === -1) enter(other);
        else if (onStack[other] === 1) {
          low[node] = Math.min(low[node] as number, index[other] as number);
        }
        continue;
      }
      path.pop();
      const parent = path.at(-1)?.node;
      if (parent !== undefined) {
        low[parent] = Math.min(low[parent] as number, low[node] as number);
      }
      if (low[node] !== index[node]) continue;
      const members: number[] = [];
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        onStack[member] = 0;
        members.push(member);
        if (member === node) break;
      }
      found.push(members.sort((a, b) => a - b));
    }
  }
  return found;
}

/** The shortest circle of each set of nodes that lead to one another, beginning with its first node; the shortest first. */
export function cyclesOf(to: Adjacency, pause: () => void): readonly (readonly number[])[] {
  return stronglyConnected(to).flatMap((members) => {
    const [only] = members;
    if (members.length === 1) {
      return only !== undefined && to[only]?.includes(only) === true ? [[only]] : [];
    }
    return [shortest(to, members, pause)];
  }).sort((a, b) => a.length - b.length || (a[0] as number) - (b[0] as number));
}

function shortest(to: Adjacency, members: readonly number[], pause: () => void): readonly number[] {
  const within = new Set(members);
  let best: readonly number[] | null = null;
  for (const start of members.slice(0, STARTS)) {
    pause();
    const found = circleFrom(to, start, within, best?.length ?? Infinity);
    if (found !== null) best = found;
    if (best?.length === 2) break;
  }
  const circle = best ?? members;
  const first = circle.indexOf(Math.min(...circle));
  return [...circle.slice(first), ...circle.slice(0, first)];
}

/** The shortest way from a node back to it, where it is shorter than one that is known. */
function circleFrom(
  to: Adjacency,
  start: number,
  within: ReadonlySet<number>,
  than: number,
): readonly number[] | null {
  const before = new Map<number, number>([[start, -1]]);
  let frontier = [start];
  for (let length = 1; frontier.length > 0 && length < than; length++) {
    const next: number[] = [];
    for (const node of frontier) {
      for (const other of to[node] ?? []) {
        if (other === start) return wayTo(before, node);
        if (!within.has(other) || before.has(other)) continue;
        before.set(other, node);
        next.push(other);
      }
    }
    frontier = next;
  }
  return null;
}

function wayTo(before: ReadonlyMap<number, number>, end: number): readonly number[] {
  const way: number[] = [];
  for (let at = end; at !== -1; at = before.get(at) ?? -1) way.unshift(at);
  return way;
}
