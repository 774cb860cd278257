/** What a project's own files say of a library: whose it is, and which version is locked. */

import { baseName } from "../../../core/path_text.ts";
import type { Project } from "../../../core/survey.ts";
import { Manifests } from "../../../toolkit/project/manifests.ts";
import type { Ecosystem } from "./library.ts";

/** Files of the project's folder that are looked at, locks before what only asks for a range. */
const FILES: Readonly<Record<Ecosystem, readonly string[]>> = {
  npm: [
    ...["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "deno.lock"],
    ...["package.json", "deno.json", "deno.jsonc"],
  ],
  pypi: [
    ...["uv.lock", "poetry.lock", "Pipfile.lock", "requirements.txt"],
    ...["pyproject.toml", "setup.py"],
  ],
  crates: ["Cargo.lock", "Cargo.toml"],
  go: ["go.mod", "go.sum"],
};

/** Which of a library's versions is meant, and who says so. */
export interface Locked {
  readonly ecosystem: Ecosystem;
  /** Null: nobody says. */
  readonly version: string | null;
  /** The file that names the version; "" where the caller does, or nobody. */
  readonly file: string;
  /** The module of a Go package, where go.mod names it. */
  readonly module: string | null;
}

/** The files to look at, in the words of a request. */
export function projectFiles(folder: string): readonly string[] {
  return Object.values(FILES).flat().map((name) => inFolder(folder, name));
}

/**
 * The library as the project has it: of the ecosystems whose files are there the first that locks it, else the first that
 * names it, else the only one. Null where that says nothing.
 */
export function lockedIn(
  project: Project,
  folder: string,
  name: string,
  candidates: readonly Ecosystem[],
): Locked | null {
  const found = candidates.flatMap((ecosystem) => {
    const texts = new Map(
      FILES[ecosystem].flatMap((file) => {
        if (!project.names.has(file) && project.names.size > 0) return [];
        const text = project.text(inFolder(folder, file));
        return text === null ? [] : [[file, text] as const];
      }),
    );
    return texts.size === 0 ? [] : [{ ecosystem, texts }];
  });
  for (const { ecosystem, texts } of found) {
    const locked = versionIn(ecosystem, texts, name);
    if (locked !== null) return { ecosystem, ...locked };
  }
  const naming = found.filter(({ texts }) => [...texts.values()].some((text) => names(text, name)));
  const [only, ...others] = naming.length > 0 ? naming.slice(0, 1) : found;
  if (only === undefined || others.length > 0) return null;
  return { ecosystem: only.ecosystem, version: null, file: "", module: null };
}

function versionIn(
  ecosystem: Ecosystem,
  texts: ReadonlyMap<string, string>,
  name: string,
): Omit<Locked, "ecosystem"> | null {
  if (ecosystem === "go") return goVersion(texts, name);
  const own = ecosystem === "npm" ? packageOf(name) : name;
  for (const [file, text] of texts) {
    // A lock says of several versions which the project itself asked for only beside that.
    const manifest = texts.get("package.json");
    const beside = manifest === undefined ? [] : [["package.json", manifest] as const];
    const manifests = new Manifests(new Map([[file, text], ...beside]));
    const version = manifests.version(LANGUAGE[ecosystem], own);
    if (version !== undefined) return { version, file: baseName(file), module: null };
  }
  return null;
}

const LANGUAGE = { npm: "npm", pypi: "python", crates: "rust" } as const;

/** `require` of go.mod with the longest path that the package lies in; else the newest of go.sum. */
function goVersion(
  texts: ReadonlyMap<string, string>,
  name: string,
): Omit<Locked, "ecosystem"> | null {
  for (const file of ["go.mod", "go.sum"]) {
    const lines = (texts.get(file) ?? "").matchAll(/^(?:require)?[ \t]*([\w.~/-]+) (v[\w.+-]+)/gm);
    let best: { readonly module: string; readonly version: string } | null = null;
    for (const [, module = "", version = ""] of lines) {
      const isIn = name === module || name.startsWith(`${module}/`);
      // In go.sum the last line of a module is the one that was added last.
      if (isIn && (best === null || module.length >= best.module.length)) {
        best = { module, version };
      }
    }
    if (best !== null) return { version: best.version, file, module: best.module };
  }
  return null;
}

function packageOf(name: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
}

function names(text: string, name: string): boolean {
  const own = packageOf(name);
  for (let at = text.indexOf(own); at !== -1; at = text.indexOf(own, at + 1)) {
    const around = `${text[at - 1] ?? " "}${text[at + own.length] ?? " "}`;
    if (!/[\w.@/-]/.test(around)) return true;
  }
  return false;
}

function inFolder(folder: string, name: string): string {
  return folder === "." ? name : `${folder.replace(/\/+$/, "")}/${name}`;
}
