/** `analyze_dependencies`: who imports whom in a tree, circles, what nobody imports, packages of others. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { ReadContext, Tool, ToolContext } from "../../core/tool.ts";
import { loadValidators } from "../../syntax/validators.ts";
import { directoriesAbove, ignoreCapabilities } from "../../toolkit/ignore_rules.ts";
import { LARGEST_FILE } from "../../toolkit/code/code_file.ts";
import { asDot, type Drawing } from "./dependencies/drawings.ts";
import { asMermaid } from "./dependencies/mermaid.ts";
import { type Adjacency, cyclesOf, stronglyConnected } from "./dependencies/graph.ts";
import { MANIFESTS, Manifests } from "../../toolkit/project/manifests.ts";
import { type Network, networkOf } from "./dependencies/network.ts";
import { folderOf } from "./dependencies/paths.ts";
import { packagesOf } from "./dependencies/python.ts";
import { toSvg } from "./dependencies/svg.ts";
import { type Import, importsOf } from "./_imports.ts";
import { FILE, LINE, PATH, SKIPPED, SKIPPED_TOTAL, skippedOf } from "./_schemas.ts";
import { helpWalk, isCode, type Seen, type Walk, walkCode } from "./_walk.ts";

/** Nodes, and edges, that are answered for each entry that the policy allows. */
const NODES_PER_ENTRY = 10;
const EDGES_PER_ENTRY = 20;

/** Files that are named for each package of others. */
const MOST_USERS = 50;

/** Kinds of edges that are no part of circles: tests of Go are a package of their own. */
const APART = new Set(["test"]);

const input = {
  type: "object",
  properties: {
    path: PATH,
    format: {
      type: "string",
      enum: ["json", "dot", "mermaid", "svg"],
      default: "json",
      description: "Beside nodes and edges: graph, for Graphviz, for Mermaid, or as a picture.",
    },
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    nodes: {
      type: "array",
      items: { type: "string" },
      description: "Files of code; of Go, packages by folder.",
    },
    edges: {
      type: "array",
      description: "Who imports whom.",
      items: {
        type: "object",
        properties: {
          from: FILE,
          to: FILE,
          kind: {
            type: "string",
            description:
              "import, export, type, dynamic, require, include, module, path (of Rust, in code) or test.",
          },
          line: LINE,
        },
        required: ["from", "to", "kind", "line"],
      },
    },
    cycles: {
      type: "array",
      description:
        "Of each set of nodes that import one another, the shortest circle: shortest first.",
      items: { type: "array", items: { type: "string" } },
    },
    orphans: {
      type: "array",
      items: { type: "string" },
      description: "Nodes that no other imports: entry points, tests, and what is left over.",
    },
    external: {
      type: "array",
      description: "Packages that are not of this tree, the most used first.",
      items: {
        type: "object",
        properties: {
          name: { type: "string", description: "As its registry knows it." },
          version: { type: "string", description: "That a lock file, or the import, names." },
          builtin: { type: "boolean", description: "It comes with the language or its runtime." },
          used_by: {
            type: "array",
            items: { type: "string" },
            description: "Nodes that import it, at most 50.",
          },
        },
        required: ["name", "used_by"],
      },
    },
    unresolved: {
      type: "array",
      description: "Imports that lead to nothing that is there.",
      items: {
        type: "object",
        properties: {
          from: FILE,
          module: { type: "string", description: "As the file names it." },
          line: LINE,
        },
        required: ["from", "module", "line"],
      },
    },
    graph: {
      type: "string",
      description: "In the format that was asked for, where it is not json.",
    },
    totals: {
      type: "object",
      description: "How many there are.",
      properties: {
        nodes: { type: "integer", description: "Files, or packages." },
        edges: { type: "integer", description: "Imports of one node by another." },
        cycles: { type: "integer", description: "Sets of nodes that import one another." },
        external: { type: "integer", description: "Packages of others." },
        unresolved: { type: "integer", description: "Imports that lead nowhere." },
      },
      required: ["nodes", "edges", "cycles", "external", "unresolved"],
    },
    skipped: SKIPPED,
    skipped_total: SKIPPED_TOTAL,
    truncated: { type: "boolean", description: "Whether a list is shorter than what there is." },
  },
  required: [
    "nodes",
    "edges",
    "cycles",
    "orphans",
    "external",
    "unresolved",
    "totals",
    "skipped",
    "skipped_total",
    "truncated",
  ],
} as const satisfies Schema;

type Input = Infer<typeof input>;
type Output = Infer<typeof output>;

/** What a file gives: its imports, or the text of one that says something of a project. */
type Given = { readonly imports: readonly Import[] } | { readonly manifest: string };

const tool: Tool<typeof input, typeof output> = {
  name: "analyze_dependencies",
  category: "analysis",
  description:
    "Draws the graph of imports of a directory: who imports whom with the line, circles, what nobody imports, imports that " +
    "lead nowhere, and packages of others with the versions of the lock file. Reads tsconfig paths, import maps, exports " +
    "and workspaces for TypeScript and JavaScript, packages for Python, go.mod, Cargo.toml; includes for C and C++, " +
    "classes for Java. format adds the graph for Graphviz or Mermaid, or as an SVG.",
  risk: "safe",
  long: true,
  permission: "file_read",
  input,
  output,
  examples: [
    { note: "circles and unresolved imports", args: { path: "src" } },
    { note: "a picture of it", args: { path: "src", format: "svg" } },
  ],
  describe: ({ path }) => `Analyse dependencies: ${printable(path, 100)}`,
  capabilities: ({ path }) => [
    { kind: "fs.read", path, tree: true },
    ...ignoreCapabilities(path),
    ...manifestsAbove(path).map((file) =>
      ({ kind: "fs.read", path: file, tree: false, optional: true }) as const
    ),
  ],
  prepare: loadValidators,
  help: (given, context) => helpWalk(walkOf(given), context),
  run: (given, context) =>
    walkCode(walkOf(given), context, (seen, pause) => outputOf(given, context, seen, pause)),
};

export default tool;

/** What projects say of themselves may stand above the path. */
function manifestsAbove(path: string): readonly string[] {
  return directoriesAbove(path).flatMap((folder) => [...MANIFESTS].map((name) => folder + name));
}

function walkOf({ path }: Input): Walk<Given> {
  return {
    paths: [path],
    takes: isCode,
    plain: {
      takes: (name) => MANIFESTS.has(name),
      look: (_path, text) => ({ manifest: text }),
    },
    look: ({ tree, numbers, lines }) => ({ imports: importsOf(tree, numbers, lines) }),
  };
}

function outputOf(
  given: Input,
  context: ToolContext,
  seen: readonly Seen<Given>[],
  pause: () => void,
): Output {
  const { limits, count } = context;
  count("bytes_read", seen.reduce((sum, { bytes }) => sum + bytes, 0));
  const importers = seen.flatMap(({ path, result }) =>
    result !== undefined && "imports" in result ? [{ path, imports: result.imports }] : []
  );
  const network = networkOf(
    importers,
    manifestsOf(given, context, seen),
    existsIn(given, context),
    limits.entries,
    pause,
  );
  const numbers = new Map(network.nodes.map((node, number) => [node, number]));
  const circular = circularOf(network, numbers);
  const cycles = cyclesOf(circular, pause).map((nodes) =>
    nodes.map((node) => network.nodes[node] as string)
  );
  const imported = new Set(
    network.edges.flatMap(({ to }) => [to, ...packagesOf(to, (path) => numbers.has(path))]),
  );
  const orphans = network.nodes.filter((node) => !imported.has(node));
  const [mostNodes, mostEdges] = [
    NODES_PER_ENTRY * limits.entries,
    EDGES_PER_ENTRY * limits.entries,
  ];
  const graph = given.format === "json"
    ? null
    : graphOf(given.format, drawingOf(network, numbers, circular));
  const { nodes, edges, external, unresolved, unresolvedTotal } = network;
  return {
    nodes: nodes.slice(0, mostNodes),
    edges: edges.slice(0, mostEdges),
    cycles: cycles.slice(0, limits.entries),
    orphans: orphans.slice(0, mostNodes),
    external: external.slice(0, limits.entries).map((each) => ({
      ...each,
      used_by: each.used_by.slice(0, MOST_USERS),
    })),
    unresolved,
    ...(graph === null ? {} : { graph }),
    totals: {
      nodes: nodes.length,
      edges: edges.length,
      cycles: cycles.length,
      external: external.length,
      unresolved: unresolvedTotal,
    },
    ...skippedOf(seen),
    truncated: nodes.length > mostNodes || edges.length > mostEdges ||
      unresolvedTotal > limits.entries ||
      [cycles, external].some(({ length }) => length > limits.entries),
  };
}

function graphOf(format: Exclude<Input["format"], "json">, drawing: Drawing): string {
  switch (format) {
    case "dot":
      return asDot(drawing);
    case "mermaid":
      return asMermaid(drawing);
    case "svg":
      return toSvg(drawing);
  }
}

function manifestsOf(
  { path }: Input,
  { files }: ReadContext,
  seen: readonly Seen<Given>[],
): Manifests {
  const texts = new Map<string, string>();
  for (const file of manifestsAbove(path)) {
    try {
      if (files.find(file)?.type !== "file") continue;
      const { bytes } = files.read(file, LARGEST_FILE);
      texts.set(files.display(file), new TextDecoder().decode(bytes));
    } catch (error) {
      // Denied, too large, gone: then it says nothing.
      if (!(error instanceof ToolError)) throw error;
    }
  }
  for (const { path, result } of seen) {
    if (result !== undefined && "manifest" in result) texts.set(path, result.manifest);
  }
  return new Manifests(texts);
}

/** Whether what is no code is there: a picture that is imported, a script without an ending. */
function existsIn({ path }: Input, { files }: ReadContext): (path: string) => boolean {
  const shown = files.display(path);
  const start = shown === "." ? "" : `${shown}/`;
  /** Folders, by whether they are known not to be there: what is imported lies in few, and in no such. */
  const missing = new Map<string, boolean>();
  const isMissing = (folder: string): boolean => {
    const known = missing.get(folder);
    if (known !== undefined) return known;
    let is = false;
    try {
      is = files.find(folder) === null;
    } catch (error) {
      // What may not be seen as a folder may have in it what may be read.
      if (!(error instanceof ToolError)) throw error;
    }
    missing.set(folder, is);
    return is;
  };
  return (file) => {
    if (!file.startsWith(start) || isMissing(folderOf(file))) return false;
    try {
      return files.find(file)?.type === "file";
    } catch (error) {
      if (error instanceof ToolError) return false;
      throw error;
    }
  };
}

/** Who imports whom in a way that circles may be made of: by index, each once. */
function circularOf({ nodes, edges }: Network, numbers: ReadonlyMap<string, number>): Adjacency {
  const to: number[][] = nodes.map(() => []);
  for (const edge of edges) {
    if (!APART.has(edge.kind)) to[numbers.get(edge.from) ?? 0]?.push(numbers.get(edge.to) ?? 0);
  }
  return to.map((targets) => [...new Set(targets)]);
}

/** Each pair once, in the order in which they were found. */
function drawingOf(
  { nodes, edges }: Network,
  numbers: ReadonlyMap<string, number>,
  circular: Adjacency,
): Drawing {
  const setOf = new Map(
    stronglyConnected(circular).flatMap((members, set) => members.map((member) => [member, set])),
  );
  const drawn = nodes.map(() => new Set<number>());
  const pairs = edges.flatMap((edge) => {
    const [from, to] = [numbers.get(edge.from) ?? 0, numbers.get(edge.to) ?? 0];
    if (drawn[from]?.has(to)) return [];
    drawn[from]?.add(to);
    return [{ from, to, inCycle: setOf.get(from) === setOf.get(to) }];
  });
  return { names: nodes, edges: pairs };
}
