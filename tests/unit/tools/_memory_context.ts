/** The handles of a tool over files in memory: what the interfaces promise, and nothing of the machine. */

import { DEFAULTS } from "../../../src/policy/model.ts";
import { ToolError } from "../../../src/core/errors.ts";
import type { Survey } from "../../../src/core/survey.ts";
import { sha256 } from "../../../src/core/sha256.ts";
import type {
  Catalogue,
  FileInfo,
  Files,
  Limits,
  ModuleAnswer,
  Processes,
  ProcessOutcome,
  Tool,
  ToolContext,
  WalkEntry,
} from "../../../src/core/tool.ts";
import type { Network, WebSettings } from "../../../src/core/network.ts";
import { parseArguments } from "../../../src/core/parse_arguments.ts";
import { SYNTAX } from "../syntax/_syntax.ts";
import { scanByWalking } from "../../../src/host/scan/scan_by_walking.ts";

/** Text or bytes of a file, a link, a directory, or a file that may not be read. */
export type Node = string | Uint8Array | { readonly target: string } | "<directory>" | "<denied>";

export const LIMITS: Limits = {
  read: 4096,
  write: 4096,
  output: 4096,
  response: 4096,
  request: 4096,
  entries: 500,
  depth: 5,
  matches: 50,
  memory: 1,
  processes: 1,
  concurrency: 1,
  file: 10_000_000,
  cpu: 60_000,
};

export interface MemoryOptions {
  readonly files?: Readonly<Record<string, Node>>;
  readonly limits?: Partial<Limits>;
  readonly outcome?: Partial<ProcessOutcome>;
  readonly catalogue?: Catalogue;
  readonly checkpoint?: () => void;
  readonly now?: Date;
  /** What the policy says of the web; nothing unless given. */
  readonly web?: Partial<WebSettings>;
  /** What connections come to; refused unless given. */
  readonly fetch?: Network["fetch"];
  /** Programs that are there; all unless given. */
  readonly programs?: readonly string[];
  /** What each module answers; nothing unless given. */
  readonly moduleAnswer?: (
    request: Parameters<Processes["runModule"]>[0],
    nodes: Map<string, Node>,
  ) => ModuleAnswer;
  /** What becomes of each program, in the place of `outcome`. */
  readonly answers?: (argv: readonly string[], nodes: Map<string, Node>) => Partial<ProcessOutcome>;
}

export interface Memory {
  readonly context: ToolContext;
  /** Where programs are, for surveys. */
  readonly hasProgram: (name: string) => boolean;
  /** Files by path, as they are now. */
  readonly nodes: ReadonlyMap<string, Node>;
  readonly usage: Readonly<Record<string, number>>;
  /** Everything that was started. */
  readonly started: readonly Parameters<Processes["run"]>[];
  /** Every line that was run. */
  readonly lines: readonly Parameters<Processes["runLine"]>[];
  /** Every module that was run. */
  readonly modules: readonly Parameters<Processes["runModule"]>[0][];
}

const TIMES = { modified: 86_400_000, accessed: 86_401_500, created: null };

/** What a policy that says nothing of the web comes to. */
export const DEFAULT_WEB: WebSettings = {
  ...DEFAULTS.web,
  authorities: [],
  search: null,
  github: null,
  stackoverflow: null,
  registries: {},
  proxy: null,
};

const NO_NETWORK: Network["fetch"] = () =>
  Promise.reject(new ToolError("NETWORK_DENIED", "this call was granted no connection"));

export function createMemory(options: MemoryOptions = {}): Memory {
  const nodes = new Map<string, Node>(Object.entries(options.files ?? {}));
  const usage: Record<string, number> = {};
  const started: Parameters<Processes["run"]>[] = [];
  const lines: Parameters<Processes["runLine"]>[] = [];
  const modules: Parameters<Processes["runModule"]>[0][] = [];
  const limits = { ...LIMITS, ...options.limits };
  const context: ToolContext = {
    files: memoryFiles(nodes),
    syntax: SYNTAX,
    processes: {
      run(...call) {
        started.push(call);
        const answer = options.answers?.(call[0], nodes) ?? options.outcome;
        return Promise.resolve({ ...SUCCESS, ...answer });
      },
      runLine(...call) {
        lines.push(call);
        return Promise.resolve({ ...SUCCESS, ...options.outcome });
      },
      runOwn(...call) {
        started.push(call);
        return Promise.resolve({ ...SUCCESS, ...options.answers?.(call[0], nodes) });
      },
      hold: () => null,
      removeBare: () => false,
      makeFolder: () => false,
      asFile: () => Promise.resolve(null),
      withScratch: (work) => work("/scratch"),
      runHook: () => Promise.resolve(null),
      runModule(request) {
        modules.push(request);
        const answer = options.moduleAnswer?.(request, nodes) ?? null;
        return Promise.resolve({ ...SUCCESS, ...options.outcome, answer });
      },
    },
    network: { fetch: options.fetch ?? NO_NETWORK, holdOff: () => {} },
    web: { ...DEFAULT_WEB, ...options.web },
    limits,
    git: DEFAULTS.git,
    timeoutMs: 30_000,
    checkpoint: options.checkpoint ?? (() => {}),
    timed: (work) => work(),
    progress: () => {},
    now: () => options.now ?? new Date(0),
    catalogue: options.catalogue ?? NO_CATALOGUE,
    count: (name, amount) => usage[name] = (usage[name] ?? 0) + amount,
  };
  const { programs } = options;
  const hasProgram = (name: string) => programs === undefined || programs.includes(name);
  return { context, hasProgram, nodes, usage, started, lines, modules };
}

/** The ways that a tool's survey finds in memory; the input itself where it makes none. */
export function surveyed<I>(
  { survey }: { readonly survey?: Survey<I> },
  input: I,
  memory: Memory,
): readonly I[] {
  if (survey === undefined) return [input];
  const { files } = memory.context;
  const named = new Set(survey.files(input).map(plain));
  const folder = survey.folder(input);
  const names = files.find(folder)?.type === "directory"
    ? [...files.walk(folder, { maxDepth: 1, sizes: false })].map(({ name }) => name)
    : [];
  return survey.ways(input, {
    text: (path) => {
      const node = named.has(plain(path)) ? memory.nodes.get(plain(path)) : undefined;
      return typeof node === "string" && !node.startsWith("<") ? node : null;
    },
    names: new Set(names),
    program: memory.hasProgram,
  });
}

/** Checks arguments as the engine does, then runs (or previews) the tool. */
export async function call(
  tool: Tool,
  args: unknown,
  memory: Memory,
  options: { readonly preview?: boolean } = {},
): Promise<Record<string, unknown>> {
  const parsed = parseArguments(tool.input, args);
  if ("problems" in parsed) {
    throw new ToolError("INVALID_ARGUMENTS", JSON.stringify(parsed.problems));
  }
  tool.check?.(parsed.value);
  const completed = await tool.complete?.(parsed.value) ?? parsed.value;
  const [input] = surveyed(tool, completed, memory);
  await tool.capabilities(input, { cwd: ".", web: memory.context.web });
  const output = options.preview === true
    ? await tool.preview?.(input, memory.context)
    : await tool.run(input, memory.context);
  return output as Record<string, unknown>;
}

export const SUCCESS: ProcessOutcome = {
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  dropped: { stdout: 0, stderr: 0 },
  exitCode: 0,
  signal: null,
  timedOut: false,
  cancelled: false,
  exceeded: null,
  refusal: null,
  spilled: null,
  durationMs: 1.234,
  sandbox: ["policy"],
  denied: [],
};

const NO_CATALOGUE: Catalogue = {
  describe: () => Promise.resolve(null),
  search: () => Promise.resolve([]),
  all: () => Promise.resolve([]),
  nearest: () => [],
};

function plain(path: string): string {
  return path.split("/").filter((part) => part !== "" && part !== ".").join("/") || ".";
}

function isDirectory(nodes: ReadonlyMap<string, Node>, path: string): boolean {
  return path === "." || nodes.get(path) === "<directory>" ||
    [...nodes.keys()].some((key) => key.startsWith(`${path}/`));
}

function bytesOf(node: Node): Uint8Array {
  return typeof node === "string"
    ? new TextEncoder().encode(node)
    : node instanceof Uint8Array
    ? node
    : new Uint8Array();
}

/** What only the real files do: tools that use these are tried in a real workspace. */
const NOT_IN_MEMORY = {
  backups: refuse,
  countTree: refuse,
  append: refuse,
  apply: refuse,
  backUp: refuse,
  writeKeeping: refuse,
  restore: refuse,
  remove: refuse,
  copy: refuse,
  move: refuse,
  createDirectory: refuse,
};

function refuse(): never {
  throw new TypeError("files in memory cannot do this; use a real workspace");
}

function memoryFiles(nodes: Map<string, Node>): Files {
  const find = (path: string): FileInfo | null => {
    const at = plain(path);
    const base = { mode: 0o644, ...TIMES };
    if (isDirectory(nodes, at)) return { ...base, type: "directory", size: 0, mode: 0o755 };
    const node = nodes.get(at);
    if (node === undefined) return null;
    if (node === "<denied>") return { ...base, type: "file", size: 1 };
    if (typeof node === "object" && "target" in node) {
      return { ...base, type: "symlink", size: node.target.length, target: node.target };
    }
    return { ...base, type: "file", size: bytesOf(node).length };
  };
  const info = (path: string): FileInfo => {
    const found = find(path);
    if (found === null) throw new ToolError("FILE_NOT_FOUND", `"${path}" does not exist`);
    return found;
  };
  const read = (path: string): { bytes: Uint8Array; info: FileInfo } => {
    const found = info(path);
    const node = nodes.get(plain(path));
    if (node === "<denied>") throw new ToolError("PATH_DENIED", `"${path}" is denied`);
    if (found.type !== "file" || node === undefined) {
      throw new ToolError("NOT_A_FILE", `"${path}" is no file`);
    }
    return { bytes: bytesOf(node), info: found };
  };
  return {
    allows: () => true,
    display: plain,
    find,
    info,
    read(path, limit) {
      const content = read(path);
      const size = content.bytes.length;
      if (size <= limit) return content;
      throw new ToolError(
        "FILE_TOO_LARGE",
        `"${path}" has ${size} bytes; at most ${limit} are read`,
        {
          details: { size, limit },
        },
      );
    },
    readStart(path, count) {
      const content = read(path);
      return { ...content, bytes: content.bytes.subarray(0, count) };
    },
    walk: (path, options) => walk(nodes, plain(path), options, find),
    help: () => {},
    scan(path, options, visit) {
      scanByWalking(this, path, options, visit);
    },
    ...NOT_IN_MEMORY,
    write(path, bytes, { createParents, expect }) {
      const at = plain(path);
      const found = find(at);
      if (found?.type === "directory") {
        throw new ToolError("NOT_A_FILE", `"${path}" is a directory`);
      }
      const parent = at.includes("/") ? at.slice(0, at.lastIndexOf("/")) : ".";
      if (!createParents && !isDirectory(nodes, parent)) {
        throw new ToolError("FILE_NOT_FOUND", `the directory of "${path}" does not exist`);
      }
      if (expect === "nothing" && found !== null) {
        throw new ToolError("FILE_EXISTS", `"${path}" exists`);
      }
      if (typeof expect === "object") {
        const now = found === null ? null : sha256(read(at).bytes);
        if (now !== expect.sha256) throw new ToolError("STALE_FILE", `"${path}" has changed`);
      }
      nodes.set(at, bytes.slice());
      return { created: found === null };
    },
  };
}

function* walk(
  nodes: ReadonlyMap<string, Node>,
  start: string,
  options: Parameters<Files["walk"]>[1],
  find: (path: string) => FileInfo | null,
): Iterable<WalkEntry> {
  if (find(start) === null) throw new ToolError("FILE_NOT_FOUND", `"${start}" does not exist`);
  if (!isDirectory(nodes, start)) {
    throw new ToolError("NOT_A_DIRECTORY", `"${start}" is no directory`);
  }
  const below = function* (directory: string, depth: number): Iterable<WalkEntry> {
    const prefix = directory === "." ? "" : `${directory}/`;
    const names = new Set(
      [...nodes.keys()].filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length).split("/")[0] ?? ""),
    );
    for (const name of [...names].sort()) {
      const path = prefix + name;
      const found = find(path);
      if (found === null) continue;
      const entry = { name, path, depth, type: found.type, size: options.sizes ? found.size : 0 };
      yield entry;
      if (found.type !== "directory" || depth >= options.maxDepth) continue;
      if (options.enter?.(entry) !== false) yield* below(path, depth + 1);
    }
  };
  yield* below(start, 1);
}
