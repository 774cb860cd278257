/** A graph that is drawn, and its text for Graphviz. */

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
