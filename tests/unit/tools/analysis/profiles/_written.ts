/** The same stacks, written in each format: what readers of formats are tried with. */

/** From the outermost caller to the function that ran, and how often it was seen so. */
export interface Stack {
  readonly frames: readonly string[];
  readonly weight: number;
}

export function collapsed(stacks: readonly Stack[]): string {
  return stacks.map(({ frames, weight }) => `${frames.join(";")} ${weight}\n`).join("");
}

/** Each weight is milliseconds. */
export function cpuProfile(stacks: readonly Stack[]): string {
  interface Node {
    readonly id: number;
    readonly callFrame: Readonly<Record<string, unknown>>;
    readonly children: number[];
  }
  const nodes: Node[] = [];
  const below = new Map<Node, Map<string, Node>>();
  const make = (functionName: string): Node => {
    const made: Node = {
      id: 10 + nodes.length * 3,
      callFrame: { functionName, scriptId: "1", url: "", lineNumber: -1, columnNumber: -1 },
      children: [],
    };
    nodes.push(made);
    below.set(made, new Map());
    return made;
  };
  const root = make("(root)");
  const nodeOf = (frames: readonly string[]): Node =>
    frames.reduce((parent, name) => {
      const known = below.get(parent)?.get(name);
      if (known !== undefined) return known;
      const made = make(name);
      below.get(parent)?.set(name, made);
      parent.children.push(made.id);
      return made;
    }, root);
  const samples = stacks.map(({ frames }) => nodeOf(frames).id);
  const deltas = [7, ...stacks.slice(0, -1).map(({ weight }) => weight * 1000)];
  const startTime = 1000;
  const endTime = startTime + deltas.reduce((a, b) => a + b, 0) +
    (stacks.at(-1)?.weight ?? 0) * 1000;
  return JSON.stringify({ nodes, startTime, endTime, samples, timeDeltas: deltas });
}

export function speedscope(stacks: readonly Stack[], kind: "sampled" | "evented"): string {
  const names = [...new Set(stacks.flatMap(({ frames }) => frames))];
  const indexes = stacks.map(({ frames }) => frames.map((name) => names.indexOf(name)));
  const weights = stacks.map(({ weight }) => weight);
  const endValue = weights.reduce((a, b) => a + b, 0);
  const common = { type: kind, name: "all", unit: "none", startValue: 0, endValue };
  const events: { readonly type: "O" | "C"; readonly frame: number; readonly at: number }[] = [];
  let at = 0;
  stacks.forEach((_, place) => {
    const frames = indexes[place] ?? [];
    events.push(...frames.map((frame) => ({ type: "O", frame, at }) as const));
    at += weights[place] ?? 0;
    events.push(...frames.toReversed().map((frame) => ({ type: "C", frame, at }) as const));
  });
  const profile = kind === "sampled"
    ? { ...common, samples: indexes, weights }
    : { ...common, events };
  return JSON.stringify({
    $schema: "https://www.speedscope.app/file-format-schema.json",
    shared: { frames: names.map((name) => ({ name })) },
    profiles: [profile],
  });
}

/** Below the command's name `app`, as perf has it. */
export function perfScript(stacks: readonly Stack[]): string {
  return stacks.map(({ frames, weight }, place) =>
    [
      `app 12/34 [001] ${place}.000001: ${String(weight).padStart(10)} cycles:u: `,
      ...frames.toReversed().map((name, depth) =>
        `\t${(4096 + depth).toString(16).padStart(16)} ${name}+0x${
          depth.toString(16)
        } (/usr/bin/app)`
      ),
      "\n",
    ].join("\n")
  ).join("");
}

/** Bytes of a message of protocol buffers. */
export function varint(value: number | bigint): readonly number[] {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  do {
    const more = left >= 128n;
    bytes.push(Number(left & 127n) | (more ? 128 : 0));
    left >>= 7n;
  } while (left > 0n);
  return bytes;
}

export function field(number: number, value: number | bigint | readonly number[] | string) {
  if (typeof value === "number" || typeof value === "bigint") {
    return [...varint(number << 3), ...varint(value)];
  }
  const bytes = typeof value === "string" ? [...new TextEncoder().encode(value)] : value;
  return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes];
}

/** Two values a sample, of which the last counts; `packed`: lists of numbers in one field, as Go writes them. */
export function pprof(stacks: readonly Stack[], packed = true): Uint8Array<ArrayBuffer> {
  const names = [...new Set(stacks.flatMap(({ frames }) => frames))];
  const texts = ["", "things", "count", "samples", ...names];
  const id = (name: string): bigint => 2n ** 63n + BigInt(names.indexOf(name));
  const list = (number: number, values: readonly (number | bigint)[]) =>
    packed
      ? field(number, values.flatMap((value) => varint(value)))
      : values.flatMap((value) => field(number, value));
  return Uint8Array.from([
    ...field(1, [...field(1, 1), ...field(2, 2)]),
    ...field(1, [...field(1, 3), ...field(2, 2)]),
    ...stacks.flatMap(({ frames, weight }) =>
      field(2, [...list(1, frames.toReversed().map(id)), ...list(2, [1, weight])])
    ),
    ...names.flatMap((name) => field(4, [...field(1, id(name)), ...field(4, field(1, id(name)))])),
    ...names.flatMap((name) =>
      field(5, [...field(1, id(name)), ...field(2, texts.indexOf(name, 4))])
    ),
    ...texts.flatMap((text) => field(6, text)),
  ]);
}

/** A value in Python's marshal format, version 2: no references. */
export function marshal(value: unknown): readonly number[] {
  const int32 = (number: number) => [...new Uint8Array(Int32Array.of(number).buffer)];
  if (value instanceof Map) {
    return [0x7b, ...[...value].flatMap(([key, one]) => [...marshal(key), ...marshal(one)]), 0x30];
  }
  if (Array.isArray(value)) return [0x28, ...int32(value.length), ...value.flatMap(marshal)];
  if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value);
    return [0x75, ...int32(bytes.length), ...bytes];
  }
  if (typeof value !== "number") return [0x4e];
  if (Number.isInteger(value)) return [0x69, ...int32(value)];
  return [0x67, ...new Uint8Array(Float64Array.of(value).buffer)];
}

/** Statistics of cProfile: seconds. Rows are own time, cumulative time, and what each caller's calls took. */
export function pstats(
  rows: Readonly<
    Record<string, readonly [own: number, total: number, callers?: Record<string, number>]>
  >,
): Uint8Array<ArrayBuffer> {
  const key = (name: string) => ["app.py", name.length, name];
  return Uint8Array.from(marshal(
    new Map(
      Object.entries(rows).map(([name, [own, total, callers = {}]]) => [
        key(name),
        [
          1,
          1,
          own,
          total,
          new Map(Object.entries(callers).map(([from, time]) => [key(from), [1, 1, 0.5, time]])),
        ],
      ]),
    ),
  ));
}
