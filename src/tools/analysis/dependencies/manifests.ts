/** What projects say of themselves: files that name modules, packages and versions, by the folders they lie in. */

import { baseName } from "../../../core/path_text.ts";
import { parse as parseToml } from "@std/toml";
import { parseLoosely } from "./loose_json.ts";

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

/** Ecosystems that have names of their own. */
export type Ecosystem = "npm" | "python" | "rust";

/** What was read, by path. */
export class Manifests {
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
    return remembered(this.#json, path, () => fieldsOf(parseLoosely(this.#texts.get(path) ?? "")));
  }

  toml(path: string): Fields | null {
    return remembered(this.#toml, path, () => {
      try {
        return fieldsOf(parseToml(this.#texts.get(path) ?? ""));
      } catch {
        return null;
      }
    });
  }

  /** The version of a package that a lock file names; undefined where none does. */
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

/** An object of a file, whose fields may be anything. */
export type Fields = Readonly<Record<string, unknown>>;

/** The members of a JSON object; null for any other value. */
export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Fields
    : null;
}

/** A member that is text; null where there is none. */
export function textIn(fields: Fields | null, name: string): string | null {
  const value = fields === null || !Object.hasOwn(fields, name) ? undefined : fields[name];
  return typeof value === "string" ? value : null;
}

/** A member that has members; null where there is none. */
export function fieldsIn(fields: Fields | null, name: string): Fields | null {
  return fields === null || !Object.hasOwn(fields, name) ? null : fieldsOf(fields[name]);
}

/** A member that is a list; empty where there is none. */
export function listIn(fields: Fields | null, name: string): readonly unknown[] {
  const value = fields === null || !Object.hasOwn(fields, name) ? undefined : fields[name];
  return Array.isArray(value) ? value : [];
}

function remembered<V>(known: Map<string, V>, key: string, make: () => V): V {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/** PEP 503 for Python; Rust's crates are named with `_` in code. */
function plainName(ecosystem: Ecosystem, name: string): string {
  if (ecosystem === "npm") return name;
  return name.toLowerCase().replace(/[-_.]+/g, "_");
}

type ReadLock = (manifests: Manifests, path: string) => Iterable<readonly [string, string]>;

/** Of lists `[[package]]` with name and version. */
function* packagesOf(manifests: Manifests, path: string): Iterable<readonly [string, string]> {
  for (const each of listIn(manifests.toml(path), "package")) {
    const fields = fieldsOf(each);
    const [name, version] = [textIn(fields, "name"), textIn(fields, "version")];
    if (name !== null && version !== null) yield [name, version];
  }
}

function* npmPackages(manifests: Manifests, path: string): Iterable<readonly [string, string]> {
  const lock = manifests.json(path);
  const inner = fieldsIn(lock, "packages") ?? {};
  for (const [key, value] of Object.entries(inner)) {
    const version = textIn(fieldsOf(value), "version");
    // Only what stands at the top is what the project itself imports.
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(key)?.[1];
    if (name !== undefined && version !== null) yield [name, version];
  }
  for (const [name, value] of Object.entries(fieldsIn(lock, "dependencies") ?? {})) {
    const version = textIn(fieldsOf(value), "version");
    if (version !== null) yield [name, version];
  }
}

function* matchesIn(text: string, expression: RegExp): Iterable<readonly [string, string]> {
  for (const [, name, version] of text.matchAll(expression)) {
    if (name !== undefined && version !== undefined) yield [name, version];
  }
}

const LOCKS: Readonly<Record<Ecosystem, Readonly<Record<string, ReadLock>>>> = {
  npm: {
    "package-lock.json": npmPackages,
    "npm-shrinkwrap.json": npmPackages,
    "yarn.lock": (manifests, path) =>
      matchesIn(
        manifests.text(path) ?? "",
        /^"?((?:@[^@/\s"]+\/)?[^@\s"]+)@[^\n]*:\n {2}version:? "?([^"\s]+)"?/gm,
      ),
    "pnpm-lock.yaml": (manifests, path) =>
      matchesIn(
        manifests.text(path) ?? "",
        /^ {2}['"]?\/?((?:@[^@/\s'"]+\/)?[^@/\s'"]+)[@/](\d[^\s('":]*)/gm,
      ),
    "deno.lock": function* (manifests, path) {
      for (const key of Object.keys(fieldsIn(manifests.json(path), "npm") ?? {})) {
        const [, name, version] = /^((?:@[^/]+\/)?[^@]+)@([^_]+)/.exec(key) ?? [];
        if (name !== undefined && version !== undefined) yield [name, version];
      }
      for (const key of Object.keys(fieldsIn(manifests.json(path), "jsr") ?? {})) {
        const [, name, version] = /^(@[^/]+\/[^@]+)@([^_]+)/.exec(key) ?? [];
        if (name !== undefined && version !== undefined) yield [name, version];
      }
    },
  },
  python: {
    "poetry.lock": packagesOf,
    "uv.lock": packagesOf,
    "Pipfile.lock": function* (manifests, path) {
      const lock = manifests.json(path);
      for (const section of ["default", "develop"]) {
        for (const [name, value] of Object.entries(fieldsIn(lock, section) ?? {})) {
          const version = textIn(fieldsOf(value), "version");
          if (version !== null) yield [name, version.replace(/^==/, "")];
        }
      }
    },
    "requirements.txt": (manifests, path) =>
      matchesIn(manifests.text(path) ?? "", /^([\w.-]+)(?:\[[^\]]*\])?==([\w.!+-]+)/gm),
  },
  rust: { "Cargo.lock": packagesOf },
};
