/** What projects say of themselves: files that name modules, packages and versions, by the folders they lie in. */

import { baseName } from "../../core/path_text.ts";
import { parse as parseToml } from "@std/toml";
import { type Fields, fieldsOf } from "./fields.ts";
import { type Ecosystem, type LockFiles, LOCKS } from "./_locks.ts";
import { parseLoosely } from "./_loose_json.ts";

/** Names of the files that are read. */
export const MANIFESTS: ReadonlySet<string> = new Set([
  "package.json",
  "tsconfig.json",
  "jsconfig.json",
  "deno.json",
  "deno.jsonc",
  "import_map.json",
  "go.mod",
  "Cargo.toml",
  "pyproject.toml",
  "setup.py",
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "deno.lock",
  "Cargo.lock",
  "poetry.lock",
  "uv.lock",
  "Pipfile.lock",
  "requirements.txt",
]);

/** What was read, by path. */
export class Manifests implements LockFiles {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #json = new Map<string, Fields | null>();
  readonly #toml = new Map<string, Fields | null>();
  readonly #versions = new Map<Ecosystem, ReadonlyMap<string, string>>();

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  /** Paths of the files of that name. */
  named(name: string): readonly string[] {
    return [...this.#texts.keys()].filter((path) => path === name || path.endsWith(`/${name}`));
  }

  text(path: string): string | null {
    return this.#texts.get(path) ?? null;
  }

  json(path: string): Fields | null {
    return remembered(this.#json, this.#texts, path, (text) => fieldsOf(parseLoosely(text)));
  }

  toml(path: string): Fields | null {
    return remembered(this.#toml, this.#texts, path, (text) => {
      try {
        return fieldsOf(parseToml(text));
      } catch {
        return null;
      }
    });
  }

  /** The version of a package that a lock file names, the project's own of several; undefined where none does. */
  version(ecosystem: Ecosystem, name: string): string | undefined {
    const versions = this.#versions.get(ecosystem) ?? new Map(this.#locked(ecosystem));
    this.#versions.set(ecosystem, versions);
    return versions.get(plainName(ecosystem, name));
  }

  *#locked(ecosystem: Ecosystem): Iterable<readonly [string, string]> {
    for (const path of this.#texts.keys()) {
      const name = baseName(path);
      const read = LOCKS[ecosystem][name];
      if (read === undefined) continue;
      for (const [locked, version] of read(this, path)) {
        yield [plainName(ecosystem, locked), version] as const;
      }
    }
  }
}

/** What the text at a path says, read once; null where there is none. Most that are asked for are not there. */
function remembered(
  known: Map<string, Fields | null>,
  texts: ReadonlyMap<string, string>,
  path: string,
  read: (text: string) => Fields | null,
): Fields | null {
  const text = texts.get(path);
  if (text === undefined) return null;
  const before = known.get(path);
  if (before !== undefined) return before;
  const fields = read(text);
  known.set(path, fields);
  return fields;
}

/** PEP 503 for Python; Rust's crates are named with `_` in code. */
function plainName(ecosystem: Ecosystem, name: string): string {
  if (ecosystem === "npm") return name;
  return name.toLowerCase().replace(/[-_.]+/g, "_");
}
