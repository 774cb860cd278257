import { assert, assertEquals } from "@std/assert";
import { condensed } from "../../../../../src/tools/analysis/dependencies/condensed.ts";
import type { Drawing } from "../../../../../src/tools/analysis/dependencies/drawings.ts";
import { asMermaid } from "../../../../../src/tools/analysis/dependencies/mermaid.ts";
import { toSvg } from "../../../../../src/tools/analysis/dependencies/svg.ts";

/** `["a b", "b a!"]`: a imports b, and b imports a, in a circle. */
function drawingOf(lines: readonly string[], more: readonly string[] = []): Drawing {
  const pairs = lines.map((line) => line.replace("!", "").split(" "));
  const names = [...new Set([...pairs.flat(), ...more])];
  const edges = pairs.map(([from, to], at) => ({
    from: names.indexOf(from ?? ""),
    to: names.indexOf(to ?? ""),
    inCycle: lines[at]?.endsWith("!") === true,
  }));
  return { names, edges };
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly red: boolean;
}

/** Boxes by name, and the points that each line goes through. */
function drawn(drawing: Drawing) {
  const svg = toSvg(drawing);
  const boxes = new Map<string, Box>();
  for (
    const [, name, red, x, y, width] of svg.matchAll(
      /<g><title>([^<:]*)[^<]*<\/title><rect( class="cycle")? x="(\d+)" y="(\d+)" width="(\d+)"/g,
    )
  ) {
    boxes.set(name ?? "", {
      x: Number(x),
      y: Number(y),
      width: Number(width),
      red: red !== undefined,
    });
  }
  const lines = new Map<string, readonly (readonly number[])[]>();
  for (const [, way, title] of svg.matchAll(/ d="([^m]*)[^"]*"><title>([^<(]*)/g)) {
    let y = 0;
    const points = [...(way ?? "").matchAll(/([MCH])([\d. ]+)/g)].map(([, kind, numbers]) => {
      const values = (numbers ?? "").split(" ").map(Number);
      if (kind !== "H") y = values.at(-1) ?? 0;
      return kind === "H" ? [values[0] ?? 0, y] : values.slice(-2);
    });
    lines.set((title ?? "").trim(), points);
  }
  const box = (name: string): Box => {
    const found = boxes.get(name);
    assert(found !== undefined, `no box ${name} in ${svg}`);
    return found;
  };
  return { svg, boxes, lines, box };
}

Deno.test("who imports stands left of what it imports, with an arrow at its end", () => {
  const { svg, box, lines } = drawn(drawingOf(["a b", "b c", "a c"], ["alone"]));
  assert(box("a").x < box("b").x && box("b").x < box("c").x);
  assert(box("alone").y > Math.max(...["a", "b", "c"].map((name) => box(name).y)));
  for (const [title, points] of lines) {
    const [from, to] = title.split(" → ").map(box) as [Box, Box];
    assertEquals([points[0], points.at(-1)], [[from.x + from.width, from.y + 11], [
      to.x,
      to.y + 11,
    ]]);
  }
  assertEquals(svg.match(/m-6 -3l6 3l-6 3"/g)?.length, 3);
  assert(!svg.includes("red:"));
});

Deno.test("circles are drawn there and back, in red", () => {
  const { svg, box, lines } = drawn(drawingOf(["a b!", "b c!", "c a!", "c d", "e e!"]));
  assertEquals(["a", "b", "c", "d", "e"].map((name) => box(name).red), [
    true,
    true,
    true,
    false,
    true,
  ]);
  assertEquals(svg.match(/<path class="cycle"/g)?.length, 3);
  assert(svg.includes("red: imports that go round in a circle"));
  const back = lines.get("c → a") ?? [];
  assertEquals([back[0]?.[0], back.at(-1)?.[0]], [box("c").x, box("a").x + box("a").width]);
  assert(svg.includes("m6 -3l-6 3l6 3"));
});

Deno.test("no line goes through a box, and no box stands on another", () => {
  const names = Array.from({ length: 60 }, (_, at) => `m${at}`);
  const edges = names.flatMap((name, at) =>
    [at + 1, at + 7, at * 2 + 3].filter((other) => other < names.length)
      .map((other) => `${name} m${other}`)
  );
  const { boxes, lines } = drawn(drawingOf([...edges, "m50 m2!"], ["x", "y", "z"]));
  const all = [...boxes.values()];
  assertEquals(all.length, 63);
  for (const [at, one] of all.entries()) {
    for (const other of all.slice(at + 1)) {
      const apart = one.x + one.width <= other.x || other.x + other.width <= one.x ||
        Math.abs(one.y - other.y) >= 22;
      assert(apart, JSON.stringify([one, other]));
    }
  }
  for (const [title, points] of lines) {
    const ends = title.split(" → ");
    for (const [x = 0, y = 0] of points) {
      const through = [...boxes].filter(([name, box]) =>
        !ends.includes(name) && x >= box.x && x <= box.x + box.width && y > box.y && y < box.y + 22
      );
      assertEquals(through, [], `${title} at ${x} ${y}`);
    }
  }
});

const many = Array.from({ length: 137 }, (_, at) => `src/locale/l${at}`);

Deno.test("large graphs: what is alike in one box, the rest by name, and circles in a box told", () => {
  const lib = Array.from({ length: 20 }, (_, at) => `src/lib/f${at} src/main`);
  const drawing = drawingOf([...many.map((name) => `${name} src/main`), ...lib]);
  const boxes = condensed(drawing, 150);
  assertEquals(boxes.names.toSorted(), [
    ...lib.map((line) => line.split(" ")[0] ?? "").toSorted(),
    "src/locale/* (137)",
    "src/main",
  ]);
  assertEquals(boxes.edges.length, 21);
  assertEquals(boxes.note, "158 nodes in 22 boxes: x/ (9) stands for nine of them");
  const few = condensed(drawing, 5);
  assertEquals(few.names.toSorted(), ["src/lib/* (20)", "src/locale/* (137)", "src/main"]);
  assert(toSvg(drawing).includes("158 nodes in 22 boxes"));
  const circle = drawingOf([...many.map((name) => `${name} src/locale/l0!`), ...lib, "a b"]);
  const { box } = drawn(circle);
  assertEquals([box("src/locale/* (136)").red, box("src/locale/l0").red, box("a").red], [
    true,
    true,
    false,
  ]);
});

Deno.test("of a folder of a thousand files those that all others import are shown", () => {
  const files = Array.from({ length: 1_000 }, (_, at) => `f${at} hub${at % 3}`);
  const { names } = condensed(drawingOf(files), 150);
  assertEquals(names.toSorted(), ["* (1000)", "hub0", "hub1", "hub2"]);
});

Deno.test("Mermaid is given no more than it draws", () => {
  const small = asMermaid(drawingOf(["a b", "b a!"]));
  assertEquals(
    small,
    'flowchart LR\n  n0["a"]\n  n1["b"]\n  n0 --> n1\n  n1 --> n0\n  linkStyle 1 stroke:red\n',
  );
  const folders = Array.from({ length: 40 }, (_, at) => `d${at % 8}/f${at}`);
  const lines = folders.flatMap((from) =>
    folders.filter((to) => to !== from).map((to) => `${from} ${to}`)
  );
  for (
    const drawing of [
      drawingOf(lines),
      drawingOf(Array.from({ length: 900 }, (_, at) => `d/${"x".repeat(50)}${at} d/m`)),
    ]
  ) {
    const text = asMermaid(drawing);
    assert(text.split(" --> ").length - 1 <= 500 && text.length <= 50_000);
    assert(/%% \d+ nodes in \d+ boxes/.test(text));
  }
});
