import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { apportion } from "../../../../../src/tools/analysis/profiles/apportion.ts";
import {
  drawFlameGraph,
  SIGNATURE,
} from "../../../../../src/tools/analysis/profiles/flame_graph.ts";
import {
  SCRIPT,
  STYLE,
  WIDTH,
} from "../../../../../src/tools/analysis/profiles/flame_graph_parts.ts";
import { Random } from "../../../../random.ts";
import { read, recorded } from "./_read.ts";

function draw(
  data: string | Uint8Array,
  title = "Flame graph",
  change: Float64Array | null = null,
) {
  const profile = read(data);
  const tree = profile.kind === "stacks" ? profile.tree : apportion(profile);
  return drawFlameGraph(tree, profile.frames, { title, unit: profile.unit, change });
}

interface Drawn {
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** What XML 1.0 takes as a character (2.2). */
const CHARACTERS = /^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
};

/** Reads the drawing as strictly as XML is: the tags that there may be, closed in order, and nothing between them but text. */
function parse(svg: string): readonly Drawn[] {
  assert(CHARACTERS.test(svg));
  const markup = svg.replace(/^<!--[^-]*-->\n/, "").replace(/<!\[CDATA\[[^]*?\]\]>/, "");
  const open: string[] = [];
  const seen: string[] = [];
  let last = 0;
  const text = (to: number) => {
    const between = markup.slice(last, to);
    assert(/^(?:[^<>&]|&(?:amp|lt|gt|quot|#39);)*$/.test(between), between);
    return between.replaceAll(/&(#?\w+);/g, (_, name) => ENTITIES[name] ?? "?");
  };
  const boxes: Drawn[] = [];
  let title = "";
  for (const found of markup.matchAll(/<(\/?)([\w]+)((?: [\w:-]+="[^"<>&]*")*)(\/?)>/g)) {
    const [whole, closing, name = "", attributes = "", alone] = found;
    const said = text(found.index);
    last = found.index + whole.length;
    if (closing === "/") {
      assertEquals(open.pop(), name);
      if (name === "title") title = said;
    } else if (alone === "") open.push(name);
    seen.push(name);
    const number = (key: string) => Number(new RegExp(` ${key}="([^"]*)"`).exec(attributes)?.[1]);
    if (name === "rect") {
      boxes.push({ title, x: number("x"), y: number("y"), width: number("width") });
    }
    assert(!/ (?:on\w+|href|src|style|xlink:\w+)=/.test(attributes), attributes);
  }
  text(markup.length);
  assertEquals(open, []);
  const allowed = [
    "svg",
    "title",
    "style",
    "text",
    "foreignObject",
    "input",
    "g",
    "rect",
    "script",
  ];
  assertEquals(seen.filter((name) => !allowed.includes(name)), []);
  assertEquals(seen.filter((name) => name === "script").length, 2);
  return boxes;
}

Deno.test("a box a path: as wide as its part of the time, below its caller, the widest first", () => {
  const { svg, drawn, leftOut } = draw("main;parse 60\nmain;render 30\nother 10\n");
  assertEquals([drawn, leftOut], [4, 0]);
  assertEquals(parse(svg), [
    { title: "main\n90 samples, 90.00 %", x: 0, y: 64, width: 1080 },
    { title: "parse\n60 samples, 60.00 %", x: 0, y: 82, width: 720 },
    { title: "render\n30 samples, 30.00 %", x: 720, y: 82, width: 360 },
    { title: "other\n10 samples, 10.00 %", x: 1080, y: 64, width: 120 },
  ]);
});

Deno.test("real profiles: every box lies in its caller's, and none on another", () => {
  for (const name of ["demo.cpuprofile", "demo.pprof", "demo.pstats", "demo.perf"]) {
    const boxes = parse(draw(recorded(name)).svg);
    assert(boxes.length > 5, name);
    const byRow = Map.groupBy(boxes, ({ y }) => y);
    for (const row of byRow.values()) {
      const sorted = row.toSorted((a, b) => a.x - b.x);
      sorted.forEach(({ x, y, width }, place) => {
        assert(x >= -0.001 && x + width <= WIDTH + 0.001);
        const next = sorted[place + 1];
        assert(next === undefined || x + width <= next.x + 0.001);
        const above = byRow.get(y - 18);
        const isWithin = above?.some((box) =>
          box.x <= x + 0.001 && x + width <= box.x + box.width + 0.001
        );
        assert(y === 64 || isWithin, name);
      });
    }
  }
});

Deno.test("the time of a real profile is all drawn", () => {
  const top = parse(draw(recorded("demo.pprof")).svg).filter(({ y }) => y === 64);
  assertAlmostEquals(top.reduce((sum, { width }) => sum + width, 0), WIDTH, 0.01);
});

const NAMES = [
  "</title><script>alert(1)</script>",
  "]]><script>alert(1)</script>",
  '" onload="alert(1)',
  "' onclick='alert(1)",
  "&lt;&#0;&bogus;&",
  "<!--",
  "-->",
  "<![CDATA[",
  "\u202eevil\u202c \u2028 \ufffe\uffff \x7f\x85",
  "std::vector<std::pair<int, char>>::operator[]",
  "\ud800 alone",
  "名前😀",
  "javascript:alert(1)",
];

Deno.test("names are text, whatever is in them", () => {
  const random = new Random(3);
  for (let round = 0; round < 200; round++) {
    const name = random.text(6, NAMES).replaceAll(";", ",") || "x";
    const { svg } = draw(
      `main;${name} (${random.text(2, NAMES).replaceAll(/[;()]/g, ",")}:1) 4\nmain 1\n`,
      name,
    );
    const boxes = parse(svg);
    assertEquals(boxes.length, 2);
    assert(svg.startsWith(SIGNATURE));
    assertEquals(svg.split(SCRIPT).length, 2);
  }
});

Deno.test("nothing in it loads anything", () => {
  const { svg } = draw("main 1\n");
  const addresses = (svg.match(/https?:[^"']*/g) ?? []).sort();
  assertEquals(addresses, [
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/2000/svg",
  ]);
  const loads =
    /\b(?:import|fetch|XMLHttpRequest|WebSocket|Worker|eval|Function|innerHTML|location|url|href|src|open|write)\b/;
  assertEquals(loads.exec(SCRIPT + STYLE), null);
});

Deno.test("deep, many and narrow frames are left out and counted; what is drawn holds together", () => {
  const deep = draw(`${Array.from({ length: 5000 }, (_, depth) => `f${depth}`).join(";")} 1\n`);
  assertEquals([deep.drawn, deep.leftOut], [250, 4750]);
  const many = draw(Array.from({ length: 11_500 }, (_, index) => `f${index} 1\n`).join(""));
  assertEquals([many.drawn, many.leftOut], [10_000, 1500]);
  const narrow = draw(
    `wide 100000\n${Array.from({ length: 50 }, (_, index) => `f${index} 1\n`).join("")}`,
  );
  assertEquals([narrow.drawn, narrow.leftOut], [1, 50]);
  for (const { svg, drawn } of [deep, many, narrow]) assertEquals(parse(svg).length, drawn);
});

Deno.test("with a baseline, red is what grew and blue what shrank", () => {
  const { svg } = draw("a 5\nb 4\nc 3\n", "x", Float64Array.of(4, -1, 0));
  assertEquals(
    [...svg.matchAll(/fill="hsl\((\d+) (\d+)%/g)].map(([, hue, strength]) => [hue, strength]),
    [
      ["5", "85"],
      ["215", "43"],
      ["215", "0"],
    ],
  );
});

Deno.test("differences and empty profiles draw nothing that is below nothing", () => {
  const { svg } = draw("a 0\nb 0\n");
  assertEquals(parse(svg), []);
  assert(!/NaN|Infinity|"-/.test(svg));
});
