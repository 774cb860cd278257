/**
 * Workspaces made from a seed in which much leads from what may be read to what may not, beside files that are no honest
 * ones; what each tool of analysis is asked about them; and what its answers must not hang on.
 */

import { type Answer, Pipe, Workspace } from "../binary/toolgate.ts";
import { Random } from "../random.ts";
import { mutated } from "../unit/tools/analysis/_mutated.ts";
import { SOURCES } from "../unit/tools/analysis/_sources.ts";
import { recorded } from "../unit/tools/analysis/profiles/_read.ts";
import * as write from "../unit/tools/analysis/profiles/_written.ts";

/** What is in denied files, and in the names of those that no other file names. */
export const SENTINEL = "zqsentinel";

/** What may be written hangs on nothing that may not be read. */
const ALLOWED = '{ allow: [read, write], match: ["**"] }';
const DENIED = 'match: ["closed/**", "**/hidden/**", "**/*.closed.*", "lock/*"]';

export const OPEN = `version: 1\npaths:\n  - ${ALLOWED}\ntimeouts: { default: 1h }\n`;
export const CLOSED =
  `version: 1\npaths:\n  - ${ALLOWED}\n  - { deny: [read, write], ${DENIED} }\ntimeouts: { default: 1h }\n`;

/** What becomes of the denied files between two runs: their names alone stay, or not even those. */
export type Other = "changed" | "absent";

export interface World {
  readonly open: Readonly<Record<string, string | Uint8Array>>;
  readonly denied: Readonly<Record<string, string | Uint8Array>>;
  readonly links: Readonly<Record<string, string>>;
}

export interface Request {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const ENDINGS = Object.keys(SOURCES).map((name) => name.slice(name.indexOf(".")));

/** Lines of code, by ending, that name what is denied in every way that the language has. */
const ECMASCRIPT = [
  'import { a } from "../closed/secret.ts";',
  'import "../../closed/secret";',
  'import * as b from "~/secret.ts";',
  'import "~/inner/deep";',
  'import "closedpkg";',
  'import "closedpkg/inner";',
  'import "#closed";',
  'import "mapped/secret.ts";',
  'export * from "../door/secret.ts";',
  'export { c } from "../link.ts";',
  'const d = require("../lock/package-lock.json");',
  'const e = await import("./hidden/e.ts");',
  'import type { F } from "./f.closed.ts";',
  'import g from "../closed/picture.png";',
  'import "left-pad";',
  '/// <reference path="../closed/secret.d.ts" />',
  "//# sourceMappingURL=../closed/secret.js.map",
];
const C = [
  '#include "../closed/secret.h"',
  "#include <closed/secret.h>",
  '#include "hidden/e.h"',
  '#include "door/secret.h"',
];
const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  ".ts": ECMASCRIPT,
  ".tsx": ECMASCRIPT,
  ".js": ECMASCRIPT,
  ".py": [
    "from closed import secret",
    "import closed.secret, door.secret",
    "from ..closed import secret as other",
    "from .hidden import e",
    "import closedpy.inner",
    "from . import link",
  ],
  ".go": [
    'import "example.com/m/closed"',
    'import _ "example.com/closed"',
    'import h "example.com/m/src/hidden"',
    'import "example.com/m/door"',
  ],
  ".rs": [
    "mod hidden;",
    "use crate::hidden::e;",
    "use closed_dep::inner::Thing;",
    '#[path = "../closed/secret.rs"] mod secret;',
    'include!("../closed/secret.rs");',
  ],
  ".java": ["import closed.Secret;", "import closed.*;", "import src.hidden.E;"],
  ".c": C,
  ".cpp": C,
  ".sh": [
    ". ../closed/secret.sh",
    'source "$(dirname "$0")"/hidden/e.sh',
    "source closed/secret.sh",
    ". ./link.sh",
  ],
};

/** Settings that lead to what is denied; the last of each is denied itself where it lies in such a folder. */
const MANIFESTS: Readonly<Record<string, readonly string[]>> = {
  "tsconfig.json": [
    '{ "compilerOptions": { "paths": { "~/*": ["../closed/*"], "mapped/*": ["../door/*"] } } }',
    '{ "extends": "../closed/tsconfig.json" }',
    '{ "compilerOptions": { "baseUrl": "../closed" }, "extends": ["./hidden/base"] }',
  ],
  "package.json": [
    '{ "name": "open", "workspaces": ["../closed", "hidden"], "imports": { "#closed": "../closed/secret.ts" } }',
    '{ "name": "closedpkg", "exports": { ".": "./hidden/e.ts", "./inner": "../closed/secret.ts" } }',
    '{ "name": "closedpkg", "main": "../closed/secret", "dependencies": { "left-pad": "1.2.3" } }',
  ],
  "deno.json": [
    '{ "imports": { "~/": "../closed/", "closedpkg": "./hidden/e.ts" } }',
    '{ "imports": { "mapped/": "../door/" }, "workspace": ["../closed"] }',
  ],
  "go.mod": [
    "module example.com/m\nreplace example.com/closed => ../closed\n",
    "module example.com/m\nrequire example.com/closed v1.0.0\nreplace example.com/closed => ./hidden\n",
  ],
  "Cargo.toml": [
    '[package]\nname = "open"\n[dependencies]\nclosed_dep = { path = "../closed" }\n',
    '[package]\nname = "open"\n[lib]\npath = "../closed/secret.rs"\n[workspace]\nmembers = ["../closed", "hidden"]\n',
  ],
  "pyproject.toml": ['[project]\nname = "open"\ndependencies = ["closedpy"]\n'],
  "requirements.txt": ["-r ../closed/requirements.txt\nclosedpy==1.0\n"],
  "import_map.json": ['{ "imports": { "~/": "../closed/" } }'],
};

/** What denied manifests say, each with what is to stay unknown. */
const DENIED_MANIFESTS: Readonly<Record<string, (mark: string) => string>> = {
  "tsconfig.json": (mark) =>
    `{ "compilerOptions": { "paths": { "~/*": ["../src/*"], "${mark}": ["./${mark}.ts"] } } }`,
  "package.json": (mark) =>
    `{ "name": "closedpkg", "exports": { ".": "./${mark}.ts", "./inner": "../src/a.ts" } }`,
  "go.mod": (mark) => `module example.com/closed\nrequire example.com/${mark} v1.0.0\n`,
  "Cargo.toml": (mark) => `[package]\nname = "closed_dep"\n[dependencies]\n${mark} = "1.0.0"\n`,
  "requirements.txt": (mark) => `${mark}==1.0\nclosedpy==9.9.9\n`,
};

const LOCKS: Readonly<Record<string, (mark: string) => string>> = {
  "package-lock.json": (mark) =>
    `{ "packages": { "node_modules/left-pad": { "version": "9.9.9-${mark}" } } }`,
  "yarn.lock": (mark) => `left-pad@^1.0.0:\n  version "9.9.9-${mark}"\n`,
  "Cargo.lock": (mark) => `[[package]]\nname = "serde"\nversion = "9.9.9-${mark}"\n`,
  "poetry.lock": (mark) => `[[package]]\nname = "closedpy"\nversion = "9.9.9-${mark}"\n`,
};

/** Files that are no honest ones: what an ending's file holds. */
const HOSTILE: readonly ((source: string, random: Random) => string | Uint8Array)[] = [
  () => "a\0b",
  () => "x".repeat(4 * 1024 * 1024 + 1),
  () => "(".repeat(100_000),
  () => "[".repeat(100_000) + "]".repeat(100_000),
  (source, random) => source.slice(0, random.below(source.length)),
  (source) => Uint8Array.of(...new TextEncoder().encode(source), 0xe9, 0xff, 0x0a),
  (source) => new Uint8Array(Uint16Array.from(source, (sign) => sign.charCodeAt(0)).buffer),
  () => Uint8Array.of(0xed, 0xa0, 0x80, 0x0a),
  (source) => `\ufeff${source.replaceAll("\n", "\r\n")}`,
  () => "",
];

/** A world, the same for the same seed. */
export function createWorld(seed: number): World {
  const random = new Random(seed);
  const open: Record<string, string | Uint8Array> = {};
  const denied: Record<string, string | Uint8Array> = {};
  for (const [name, source] of Object.entries(SOURCES)) {
    const ending = name.slice(name.indexOf("."));
    const lines = IMPORTS[ending] ?? [];
    for (const folder of ["src", "app"]) {
      const named = Array.from({ length: 1 + random.below(6) }, () => random.pick(lines));
      const text = `${named.join("\n")}\n${source}`;
      open[`${folder}/${name}`] = random.once(3) ? mutated(text, random) : text;
    }
    const secret = secretOf(ending, source);
    denied[`closed/secret${ending}`] = secret(SENTINEL);
    denied[`closed/${SENTINEL}${ending}`] = secret(SENTINEL);
    denied[`src/hidden/e${ending}`] = secret(SENTINEL);
    denied[`app/f.closed${ending}`] = secret(SENTINEL);
  }
  for (const [name, texts] of Object.entries(MANIFESTS)) {
    for (const folder of ["src/", "app/", ""]) {
      if (random.once(2)) continue;
      const text = random.pick(texts);
      open[folder + name] = random.once(4) ? mutated(text, random) : text;
    }
  }
  for (const [name, text] of Object.entries(DENIED_MANIFESTS)) {
    denied[`closed/${name}`] = denied[`src/hidden/${name}`] = text(SENTINEL);
  }
  // The folder itself may be seen, and is to be there whatever becomes of what is in it.
  open["lock/readme.md"] = "";
  for (const [name, text] of Object.entries(LOCKS)) denied[`lock/${name}`] = text(SENTINEL);
  denied["closed/picture.png"] = SENTINEL;
  denied["closed/secret.js.map"] = `{ "version": 3, "sources": ["${SENTINEL}.ts"] }`;
  for (const [name, bytes] of Object.entries(profilesOf("closed/secret.ts:work"))) {
    open[`profiles/${name}`] = bytes;
    open[`profiles/broken-${name}`] = broken(bytes, random);
  }
  for (const [name, bytes] of Object.entries(profilesOf(SENTINEL))) {
    denied[`closed/${name}`] = bytes;
    denied[`profiles/x.closed.${name}`] = bytes;
  }
  for (const [at, make] of HOSTILE.entries()) {
    const ending = random.pick(ENDINGS);
    const source = Object.entries(SOURCES).find(([name]) => name.endsWith(ending))?.[1] ?? "";
    open[`odd/${at}${ending}`] = make(source, random);
  }
  return { open, denied, links: LINKS };
}

/** Links to what is denied, to what is not, out of the workspace, and round in a circle. */
const LINKS: Readonly<Record<string, string>> = {
  "door": "closed",
  "link.ts": "closed/secret.ts",
  "app/link.sh": "../closed/secret.sh",
  "src/link.py": "../closed/secret.py",
  "src/door": "hidden",
  "src/again.ts": "a.ts",
  "src/round": "..",
  "out": "../outside",
  "fold": "closed/folded",
  "profiles/link.cpuprofile": "../closed/cpuprofile",
};

/** A denied file's text around a mark: code with functions, imports and a repetition of what may be read. */
function secretOf(ending: string, source: string): (mark: string) => string {
  return (mark) => {
    const body = source.replace(/\b(?:walk|run|sum|push|scale|map)\b/gi, mark);
    const comment = [".py", ".sh"].includes(ending) ? `# ${mark}` : `// ${mark}`;
    return `${body}\n${comment}\n`;
  };
}

function profilesOf(name: string): Readonly<Record<string, Uint8Array>> {
  const stacks = [
    { frames: ["main", name, "read"], weight: 60 },
    { frames: ["main", `${name}_two`], weight: 30 },
  ];
  const bytes = (text: string) => new TextEncoder().encode(text);
  return {
    folded: bytes(write.collapsed(stacks)),
    cpuprofile: bytes(write.cpuProfile(stacks)),
    speedscope: bytes(write.speedscope(stacks, "sampled")),
    evented: bytes(write.speedscope(stacks, "evented")),
    perf: bytes(write.perfScript(stacks)),
    pprof: write.pprof(stacks),
    pstats: write.pstats({ [name]: [0.5, 1], main: [0.1, 1, { [name]: 0.5 }] }),
    ...(name === SENTINEL ? {} : { recorded: recorded("demo.pprof") }),
  };
}

/** Cut off, with other bytes in it, or doubled. */
function broken(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = bytes.slice(0, random.once(2) ? bytes.length : random.below(bytes.length));
  for (let count = random.below(5); count > 0 && changed.length > 0; count--) {
    changed[random.below(changed.length)] = random.below(256);
  }
  return random.once(4) ? Uint8Array.of(...changed, ...changed) : changed;
}

const FOLDERS = [".", "src", "app", "odd", "profiles", "closed", "src/hidden", "door", "src/door"]
  .concat("out", "lock", "src/round/closed", "nowhere", "..");
const FILES = ["link.ts", "closed/secret.ts", "src/a.ts", "app/f.closed.py", "src/link.py"]
  .concat("src/again.ts", "fold", "src/hidden/e.go", "src/nowhere.rs", "door/secret.c", "odd");
const PATTERNS = ["walk($$$A)", "import $X", "$A + $B", "(identifier) @name", "if ($C) { $$$D }"]
  .concat("(comment) @c", "return $X", "f($$$A, x, $$$B)", "(", "$$$", "$X", "(string) @s");
const SNIPPETS = [...Object.values(SOURCES), "(".repeat(20_000), "x", "a b c d e f g h i j k l m"];

/** Requests to all six tools: the same for the same seed. */
export function requestsOf(seed: number, world: World, count: number): readonly Request[] {
  const random = new Random(seed ^ 0x5bd1e995);
  const profiles = [...Object.keys(world.open), ...Object.keys(world.denied)]
    .filter((path) => path.startsWith("profiles/") || /^closed\/\w+$/.test(path))
    .concat("fold", "profiles/link.cpuprofile", "nowhere.folded", "src/a.ts", "closed/secret.ts");
  const path = () => random.pick(random.once(3) ? FILES : FOLDERS);
  const maybe = (fields: () => Record<string, unknown>) => random.once(2) ? fields() : {};
  const profile = () =>
    random.once(8) ? `main;${mutated("work;read 60\nmain;x 3\n", random)}` : random.pick(profiles);
  const makers: Readonly<Record<string, () => Record<string, unknown>>> = {
    analyze_code_structure: () => ({ path: path(), ...maybe(() => ({ depth: random.below(4) })) }),
    measure_code_complexity: () =>
      random.once(2)
        ? { path: path() }
        : { files: Array.from({ length: 1 + random.below(3) }, path) },
    analyze_dependencies: () => ({
      path: path(),
      format: random.pick(["json", "dot", "mermaid", "svg"]),
    }),
    find_code_patterns: () => ({
      pattern: random.once(4)
        ? mutated(random.pick(PATTERNS), random) || "x"
        : random.pick(PATTERNS),
      path: path(),
      ...maybe(() => ({ language: random.pick(["ts", "python", "go", "C", "nothing"]) })),
    }),
    find_similar_code: () => ({
      path: path(),
      min_tokens: 10 + random.below(30),
      ...maybe(() => ({ code_snippet: random.pick(SNIPPETS) })),
      ...random.once(3) ? { file: random.pick(FILES) } : {},
    }),
    analyze_performance: () => ({
      profiling_data: profile(),
      ...maybe(() => ({ baseline: profile() })),
      ...maybe(() => ({ focus: random.pick(["work", "main", "("]) })),
      ...maybe(() => ({
        flame_graph: random.pick(["made.svg", "closed/made.svg", "door/made.svg", "out/made.svg"]),
      })),
    }),
  };
  const tools = Object.keys(makers);
  return Array.from({ length: count }, (_, at) => {
    const tool = tools[at % tools.length] ?? "";
    return { tool, args: makers[tool]?.() ?? {} };
  });
}

/** Lays the world out, asks all at one pipe in a turn, and takes everything away again: the answers in their order. */
export async function answersIn(
  { open, denied, links }: World,
  requests: readonly Request[],
  policy: string,
  other: Other | null = null,
): Promise<{ readonly answers: readonly Answer[]; readonly status: number }> {
  await using workspace = new Workspace();
  const lay = (files: World["open"]) => {
    for (const [path, content] of Object.entries(files)) {
      workspace.write(path, "");
      if (typeof content === "string") Deno.writeTextFileSync(workspace.path(path), content);
      else Deno.writeFileSync(workspace.path(path), content);
    }
  };
  lay(open);
  if (other === null) lay(denied);
  else if (other === "changed") lay(changedOf(denied));
  for (const [name, target] of Object.entries(links)) {
    Deno.symlinkSync(target, workspace.path(name));
  }
  const pipe = new Pipe(["--policy", workspace.policy(policy)], { cwd: workspace.root });
  const answers: Answer[] = [];
  for (const [id, { tool, args }] of requests.entries()) {
    answers.push(await pipe.ask({ id, tool, args }));
  }
  const { status } = await pipe.close();
  workspace.assertOutsideUntouched();
  return { answers, status };
}

/** Files of the same names in which all is otherwise: lengths, lines, words. */
function changedOf(files: World["denied"]): World["denied"] {
  return Object.fromEntries(
    Object.keys(files).map((path, at) => [path, at % 3 === 0 ? "" : "other(1, 2);\n".repeat(at)]),
  );
}

/** What of an answer may hang on nothing but what may be read. */
export function essence({ id, tool, success, output, error, risk }: Answer): string {
  return JSON.stringify({ id, tool, success, output, error, risk });
}
