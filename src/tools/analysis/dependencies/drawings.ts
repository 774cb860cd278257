/** A graph as text for the programs that draw graphs. */

/** What is drawn: names, and pairs of their numbers. */
export interface Drawing {
  readonly names: readonly string[];
  readonly edges: readonly Line[];
}

/** A line between two boxes, by their indexes. */
export interface Line {
  readonly from: number;
  readonly to: number;
  /** It is part of a circle. */
  readonly inCycle: boolean;
}

/** The DOT language of Graphviz (graphviz.org/doc/info/lang.html). */
export function asDot({ names, edges }: Drawing): string {
  const text = (name: string) => `"${name.replace(/[\\"]/g, "\\$&").replace(/[\r\n]/g, " ")}"`;
  return [
    "digraph dependencies {",
    "  rankdir=LR;",
    "  node [shape=box];",
    ...names.map((name) => `  ${text(name)};`),
    ...edges.map(({ from, to, inCycle }) =>
      `  ${text(names[from] ?? "")} -> ${text(names[to] ?? "")}${inCycle ? " [color=red]" : ""};`
    ),
    "}",
    "",
  ].join("\n");
}

/** A flow chart of Mermaid (mermaid.js.org/syntax/flowchart.html); characters with a meaning as numbered entities. */
export function asMermaid({ names, edges }: Drawing): string {
  const text = (name: string) =>
    name.replace(/["#&<>`\\\r\n]/g, (sign) => `#${sign.charCodeAt(0)};`);
  const circles = edges.flatMap(({ inCycle }, at) => inCycle ? [at] : []);
  return [
    "flowchart LR",
    ...names.map((name, at) => `  n${at}["${text(name)}"]`),
    ...edges.map(({ from, to }) => `  n${from} --> n${to}`),
    ...(circles.length === 0 ? [] : [`  linkStyle ${circles.join(",")} stroke:red`]),
    "",
  ].join("\n");
}

/** With no more names than that: files as their folders, where there are more, as deep as may be. */
export function condensed(drawing: Drawing, most: number): Drawing {
  if (drawing.names.length <= most) return drawing;
  const at = (depth: number) =>
    drawing.names.map((name) => {
      const parts = name.split("/");
      return parts.length > depth ? `${parts.slice(0, depth).join("/") || "."}/` : name;
    });
  let groups = at(0);
  for (let depth = 1; depth <= 32; depth++) {
    const deeper = at(depth);
    if (new Set(deeper).size > most) break;
    groups = deeper;
  }
  const names = [...new Set(groups)];
  const numbers = new Map(names.map((name, number) => [name, number]));
  const edges = new Map<string, Line>();
  for (const { from, to, inCycle } of drawing.edges) {
    const [one, other] = [numbers.get(groups[from] ?? "") ?? 0, numbers.get(groups[to] ?? "") ?? 0];
    if (one === other) continue;
    const key = `${one} ${other}`;
    const known = edges.get(key);
    edges.set(key, { from: one, to: other, inCycle: inCycle || known?.inCycle === true });
  }
  return { names, edges: [...edges.values()] };
}
