/**
 * Holds the import directions of `.github/ARCHITECTURE.md`: every import that Deno itself sees in the sources, those of types
 * and those with `import()` too, is judged, and no module may reach itself again.
 */

import { fromFileUrl, join, relative, toFileUrl } from "@std/path";
import { type Import, refusal } from "./_layers.ts";

/** What is used of `deno info --json`. Positions count from 0. */
interface Graph {
  readonly modules: readonly GraphModule[];
}
interface GraphModule {
  readonly specifier: string;
  readonly error?: string;
  readonly dependencies?: readonly Dependency[];
}
interface Dependency {
  readonly specifier: string;
  readonly isDynamic?: boolean;
  readonly code?: Resolved;
  readonly type?: Resolved;
}
interface Resolved {
  readonly specifier?: string;
  readonly error?: string;
  readonly span: { readonly start: { readonly line: number } };
}

interface Place extends Import {
  readonly line: number;
}

/** All that is wrong with the imports of the repository at `root`, one line each; none where all is well. */
export async function checkImports(root: string): Promise<string[]> {
  const files = ["main.ts", "src", "scripts"].flatMap((name) => [...sources(root, name)]);
  const { modules } = await graphOf(root, files);
  const known = new Set(files);
  const places: Place[] = [];
  const problems: string[] = [];
  for (const module of modules) {
    const from = inRepository(root, module.specifier);
    if (from === null || !known.has(from)) continue;
    if (module.error !== undefined) problems.push(`${from}: ${module.error}`);
    for (const dependency of module.dependencies ?? []) {
      for (const resolved of [dependency.code, dependency.type]) {
        if (resolved === undefined) continue;
        const line = resolved.span.start.line + 1;
        if (resolved.specifier === undefined) {
          problems.push(`${from}:${line}: ${resolved.error ?? "cannot be resolved"}`);
          continue;
        }
        const to = inRepository(root, resolved.specifier) ?? resolved.specifier;
        places.push({ from, to, dynamic: dependency.isDynamic === true, line });
      }
    }
  }
  for (const place of places) {
    const reason = refusal(place);
    if (reason !== null) {
      problems.push(`${place.from}:${place.line}: imports ${place.to}: ${reason}`);
    }
  }
  problems.push(...circles(places).map((circle) => `circle: ${circle.join(" → ")}`));
  return [...new Set(problems)].sort();
}

/** Every TypeScript file at or below `name`, as a path in the repository. */
function* sources(root: string, name: string): Iterable<string> {
  if (!Deno.statSync(join(root, name)).isDirectory) {
    if (name.endsWith(".ts")) yield name;
    return;
  }
  for (const entry of Deno.readDirSync(join(root, name))) {
    yield* sources(root, `${name}/${entry.name}`);
  }
}

/** The module graph of a module that imports all the files; Deno reads one root at a time. */
async function graphOf(root: string, files: readonly string[]): Promise<Graph> {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-imports-" });
  try {
    const entry = join(folder, "all.ts");
    const lines = files.map((file) =>
      `import ${JSON.stringify(toFileUrl(join(root, file)).href)};`
    );
    await Deno.writeTextFile(entry, lines.join("\n"));
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--no-lock", "--config", join(root, "deno.json"), entry],
      cwd: root,
      env: { NO_COLOR: "1" },
    }).output();
    const text = new TextDecoder();
    if (!success) throw new Error(`deno info failed: ${text.decode(stderr)}`);
    return JSON.parse(text.decode(stdout)) as Graph;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The path of a `file:` URL in the repository; null for what lies elsewhere. */
function inRepository(root: string, specifier: string): string | null {
  if (!specifier.startsWith("file:")) return null;
  const path = relative(root, fromFileUrl(specifier)).replaceAll("\\", "/");
  return path.startsWith("../") ? null : path;
}

/** One circle for each group of modules that reach each other, from its first name on. */
export function circles(imports: readonly Pick<Import, "from" | "to">[]): string[][] {
  const edges = new Map<string, string[]>();
  for (const { from, to } of imports) edges.set(from, [...edges.get(from) ?? [], to]);
  const done = new Set<string>();
  const found: string[][] = [];
  const visit = (node: string, path: string[]) => {
    const at = path.indexOf(node);
    if (at >= 0) found.push(fromFirstName(path.slice(at)));
    if (at >= 0 || done.has(node)) return;
    for (const next of edges.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of edges.keys()) visit(node, []);
  return found;
}

function fromFirstName(circle: readonly string[]): string[] {
  const first = circle.indexOf([...circle].sort()[0] ?? "");
  const turned = [...circle.slice(first), ...circle.slice(0, first)];
  return [...turned, ...turned.slice(0, 1)];
}

if (import.meta.main) {
  const problems = await checkImports(fromFileUrl(new URL("..", import.meta.url)));
  for (const problem of problems) console.error(problem);
  console.error(
    problems.length === 0 ? "imports: all well" : `imports: ${problems.length} problems`,
  );
  if (problems.length > 0) Deno.exitCode = 1;
}
