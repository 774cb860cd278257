/** Which part of the source may know which, and which may touch the machine: the rule of `.github/ARCHITECTURE.md`, as data. */

/** What each layer may import beside itself. `main` and what stands outside `src/` may import all. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  core: [],
  config: ["core"],
  syntax: ["core"],
  shell: ["core", "programs"],
  audit: ["core"],
  programs: ["core"],
  policy: ["core", "config", "programs"],
  toolkit: ["core", "syntax", "shell"],
  tools: ["core", "syntax", "shell", "toolkit"],
  plugins: ["core", "config", "syntax", "programs", "policy"],
  sandbox: ["core", "policy"],
  host: ["core", "shell", "audit", "policy", "sandbox"],
  engine: [
    "core",
    "syntax",
    "shell",
    "audit",
    "policy",
    "plugins",
    "toolkit",
    "tools",
    "sandbox",
    "host",
  ],
  serve: ["core", "config", "plugins", "policy", "sandbox", "host", "engine"],
  cli: [
    "core",
    "config",
    "audit",
    "programs",
    "policy",
    "plugins",
    "tools",
    "sandbox",
    "host",
    "engine",
    "serve",
  ],
};

/** Layers that may use `Deno` and the modules of Node that reach files, processes or the network. */
const TOUCHING: ReadonlySet<string> = new Set(["sandbox", "host", "engine", "serve", "cli"]);

/** Modules of Node that only compute. */
const PURE_NODE: ReadonlySet<string> = new Set([
  "node:buffer",
  "node:crypto",
  "node:path",
  "node:string_decoder",
  "node:url",
  "node:util",
  "node:zlib",
]);

/** The file that names all tools, and the only one that imports them. */
export const REGISTRY = "src/tools/registry.ts";

/** The layer of a file of `src/`, by its path in the repository; null outside and for the shims of `src/std/`. */
export function layerOf(path: string): string | null {
  const layer = /^src\/([^/]+)\//.exec(path)?.[1];
  return layer === undefined || layer === "std" ? null : layer;
}

/** Whether the file may touch the machine: `Deno`, timers aside; `node:fs` and the like. */
export function mayTouch(path: string): boolean {
  const layer = layerOf(path);
  return layer === null || TOUCHING.has(layer);
}

/** An import of one file by another. */
export interface Import {
  /** Path in the repository, with slashes. */
  readonly from: string;
  /** Path in the repository, or a specifier with its scheme (`node:fs`, `npm:x@1.0.0/y`). */
  readonly to: string;
  readonly dynamic: boolean;
}

/** Why an import may not be; null where it may. */
export function refusal({ from, to, dynamic }: Import): string | null {
  if (to.startsWith("node:")) {
    const pure = PURE_NODE.has(to) || mayTouch(from);
    return pure ? null : `${to} touches the machine: only host, sandbox, engine, serve and cli may`;
  }
  if (/^[a-z+]+:/.test(to)) return null;
  const hidden = privateRefusal(from, to);
  if (hidden !== null) return hidden;
  const layer = layerOf(from);
  const target = layerOf(to);
  if (layer === null || to.startsWith("src/std/")) return null;
  if (target === null) return `src/ imports nothing from outside it`;
  const below = BELOW[layer];
  if (below === undefined) return `${layer} is no layer: name it in scripts/_layers.ts`;
  if (target !== layer && !below.includes(target)) {
    return `${layer} may import ${["itself", ...below].join(", ")} only, not ${target}`;
  }
  return target === "tools" ? toolRefusal(from, to, dynamic) : null;
}

/** Files whose names start with `_` belong to their folder, and to what lies in it. */
function privateRefusal(from: string, to: string): string | null {
  const at = to.lastIndexOf("/");
  if (!to.startsWith("src/") || !to.startsWith("_", at + 1) || from.startsWith("tests/")) {
    return null;
  }
  const folder = to.slice(0, at + 1);
  return from.startsWith(folder) ? null : `${to} is private to ${folder}`;
}

function toolRefusal(from: string, to: string, dynamic: boolean): string | null {
  const category = categoryOf(to);
  if (category === null) {
    return categoryOf(from) === null
      ? null
      : `tools import nothing from ${to}: what they need is handed to them`;
  }
  if (from === REGISTRY) return dynamic ? null : "tools are imported lazily, with import()";
  return categoryOf(from) === category
    ? null
    : `${to} is imported by ${REGISTRY} and its own category only`;
}

/** `fs` of `src/tools/fs/read_file.ts`; null for files directly in `src/tools/` and outside. */
function categoryOf(path: string): string | null {
  return /^src\/tools\/([^/]+)\//.exec(path)?.[1] ?? null;
}
