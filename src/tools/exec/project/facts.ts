/** What a project is made of, from its own files: the evidence by which the tools choose programs. */

import { member } from "../reports/partial_json.ts";
import type { Project } from "../../../core/survey.ts";

/** Packages of Node whose programs the tools run, looked for where the project has them. */
export const NODE_PACKAGES = {
  jest: "jest",
  vitest: "vitest",
  mocha: "mocha",
  eslint: "eslint",
  biome: "@biomejs/biome",
  tsc: "typescript",
  pyright: "pyright",
  prettier: "prettier",
} as const;
/** A program that comes with a package of Node. */
export type NodeProgram = keyof typeof NODE_PACKAGES;

const REQUIREMENTS = ["requirements.txt", "requirements-dev.txt", "dev-requirements.txt"];
const PYTHON_MANIFESTS = ["pyproject.toml", "setup.cfg", "setup.py", "Pipfile", ...REQUIREMENTS];
const ENVIRONMENTS = [".venv", "venv"];
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

/** Files of a project whose text says what it uses. */
const TEXTS = [
  ...PYTHON_MANIFESTS,
  "tox.ini",
  ...ENVIRONMENTS.map((folder) => `${folder}/pyvenv.cfg`),
  "package.json",
  "deno.json",
  "deno.jsonc",
  "go.mod",
  ...MAKEFILES,
];

/** How a program is started, before its arguments. `shell`: the words pass through one on their way. */
export interface Start {
  readonly argv: readonly string[];
  readonly shell?: true;
}

/** What the files of a project say about the programs that it uses. */
export interface Facts {
  /** Names in the project's folder. */
  readonly names: ReadonlySet<string>;
  /** Text of one of the files that {@linkcode factFiles} names, "" where it is not there. */
  text(name: string): string;
  /** Whether one of these names is in the folder. */
  has(...names: readonly string[]): boolean;
  /** Whether a file of sections (`[name]`, INI and TOML) has one that begins so. */
  hasSection(file: string, name: string): boolean;
  /** A member of package.json. */
  manifest(name: string): unknown;
  /** Whether package.json or a manifest of Python names the package. */
  dependsOn(name: string): boolean;
  readonly isPython: boolean;
  /** Interpreters, the project's own environment first. */
  readonly pythons: readonly string[];
  /** A program that is a module of Python too: by its name first, or as a module (with the folder on its path). */
  pythonProgram(name: string, first?: "name" | "module"): readonly Start[];
  /** Whether it is installed, in the project's own environment or for all. */
  hasPythonProgram(name: string): boolean;
  /** The project's own program of a package, else what the search path has. */
  nodeProgram(name: NodeProgram): readonly Start[];
  /** Whether the package is installed in the project. */
  installed(name: NodeProgram): boolean;
  /** Whether the search path has the program. */
  program(name: string): boolean;
  readonly makefile: string;
}

/** A path in the project's folder, in the words of a request. */
export function inFolder(folder: string, name: string): string {
  return folder === "." || folder === "" ? name : `${folder.replace(/\/+$/, "")}/${name}`;
}

/** The files that facts are drawn from. */
export function factFiles(folder: string): readonly string[] {
  return [
    ...TEXTS.map((name) => inFolder(folder, name)),
    ...Object.values(NODE_PACKAGES).flatMap((name) =>
      packageFolders(folder).map(({ path }) => `${path}/${name}/package.json`)
    ),
  ];
}

/** `node_modules` of the folder and of the workspace: as paths of a request, and from the folder. */
function packageFolders(
  folder: string,
): readonly { readonly path: string; readonly fromFolder: string }[] {
  const own = { path: inFolder(folder, "node_modules"), fromFolder: "node_modules" };
  const names = folder.split("/").filter((name) => name !== "" && name !== ".");
  if (folder.startsWith("/") || names.includes("..") || names.length === 0) return [own];
  const up = "../".repeat(names.length);
  return [own, { path: "node_modules", fromFolder: `${up}node_modules` }];
}

/** The facts of the project in a folder, a path from the workspace. */
export function createFacts(project: Project, folder: string): Facts {
  const { names, program } = project;
  const text = (name: string) => project.text(inFolder(folder, name)) ?? "";
  const packageJson = parseJson(text("package.json"));
  const environments = ENVIRONMENTS.filter((name) => text(`${name}/pyvenv.cfg`) !== "");
  const pythons = [...environments.map((name) => `${name}/bin/python3`), "python3", "python"];
  const dependencies = ["dependencies", "devDependencies", "peerDependencies"]
    .flatMap((kind) => Object.keys(Object(member(packageJson, kind))));
  /** `.venv/bin/NAME` where it is there. */
  const own = (name: string) =>
    environments.map((folder) => `${folder}/bin/`).filter((bin) => program(bin + name));
  const python = PYTHON_MANIFESTS.map(text).join("\n");
  const local = (name: NodeProgram): readonly Start[] =>
    packageFolders(folder).flatMap(({ path, fromFolder }) => {
      const manifest = project.text(`${path}/${NODE_PACKAGES[name]}/package.json`);
      const file = manifest === null ? null : programFile(parseJson(manifest), name);
      return file === null
        ? []
        : [{ argv: ["node", `${fromFolder}/${NODE_PACKAGES[name]}/${file}`] }];
    });
  return {
    names,
    text,
    program,
    pythons,
    has: (...wanted) => wanted.some((name) => names.has(name)),
    hasSection: (file, name) =>
      text(file).split("\n").some((line) => {
        const section = /^\s*\[+([^[\]]*)\]/.exec(line)?.[1]?.trim();
        return section === name || section?.startsWith(`${name}.`) === true;
      }),
    manifest: (name) => member(packageJson, name),
    dependsOn: (name) => dependencies.includes(name) || mentions(python, name),
    isPython: PYTHON_MANIFESTS.some((name) => names.has(name)) ||
      [...names].some((name) => name.endsWith(".py")),
    pythonProgram(name, first = "name") {
      const bins = [...own(name), ...program(name) ? [""] : []];
      // Nowhere to be seen: the interpreter says so.
      if (bins.length === 0) return [{ argv: [pythons[0] ?? "python3", "-m", name] }];
      return bins.flatMap((bin) => {
        const starts = [{ argv: [bin + name] }, { argv: [`${bin}python3`, "-m", name] }];
        return first === "name" ? starts : starts.toReversed();
      });
    },
    hasPythonProgram: (name) => own(name).length > 0 || program(name),
    nodeProgram: (name) => {
      const own = local(name);
      const runner: readonly Start[] = own.length === 0
        ? []
        : [{ argv: ["npx", "--no-install", name], shell: true }];
      return [...own, ...runner, { argv: [name] }];
    },
    installed: (name) => local(name).length > 0,
    makefile: MAKEFILES.map(text).find((found) => found !== "") ?? "",
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return null;
  }
}

/** The file of a package's program by its `bin`: inside the package, or null. */
function programFile(manifest: unknown, name: NodeProgram): string | null {
  const bin = member(manifest, "bin");
  const file = typeof bin === "string" ? bin : member(bin, name);
  if (typeof file !== "string") return null;
  const parts = file.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 || parts.includes("..") ? null : parts.join("/");
}

/** Whether a manifest of Python names a package: as a word of its own, as written in lists of requirements. */
function mentions(text: string, name: string): boolean {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?:^|["'\\s,])${escaped}(?![\\w-])`, "m").test(text);
}
