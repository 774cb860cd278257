/** Lock files: which version of a package a project has. */

import { type Fields, fieldsIn, fieldsOf, listIn, textIn } from "./fields.ts";

/** Ecosystems that have names of their own. */
export type Ecosystem = "npm" | "python" | "rust";

/** Files as they were read; null for one that is not there, or not of its format. */
export interface LockFiles {
  text(path: string): string | null;
  json(path: string): Fields | null;
  toml(path: string): Fields | null;
}

/** Names and versions of a lock file; of several versions of one the project's own comes last. */
export type ReadLock = (files: LockFiles, path: string) => Iterable<readonly [string, string]>;

/** Of lists `[[package]]` with name and version. */
function* packagesOf(files: LockFiles, path: string): Iterable<readonly [string, string]> {
  const packages = listIn(files.toml(path), "package").map(fieldsOf);
  for (const fields of packages) {
    const [name, version] = [textIn(fields, "name"), textIn(fields, "version")];
    if (name !== null && version !== null) yield [name, version];
  }
  // Members of the project have no source; where there are several versions, Cargo says which one they take.
  for (const fields of packages) {
    if (textIn(fields, "source") !== null) continue;
    for (const each of listIn(fields, "dependencies")) {
      const [, name, version] = /^(\S+) (\d\S*)/.exec(typeof each === "string" ? each : "") ?? [];
      if (name !== undefined && version !== undefined) yield [name, version];
    }
  }
}

function* npmPackages(files: LockFiles, path: string): Iterable<readonly [string, string]> {
  const lock = files.json(path);
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

/** Versions 1, and those of Berry, whose ranges say `npm:`. */
function* yarnPackages(files: LockFiles, path: string): Iterable<readonly [string, string]> {
  const own = rangesOf(files, path);
  const direct: [string, string][] = [];
  const blocks = (files.text(path) ?? "").matchAll(
    /^((?:"?(?:@[^@/\s"]+\/)?[^@\s"#]+@[^\n]*)):\n {2}version:? "?([^"\s]+)"?/gm,
  );
  for (const [, heads = "", version = ""] of blocks) {
    for (const head of heads.split(/,\s*/)) {
      const [, name, range] = /^"?((?:@[^/@]+\/)?[^@]+)@(?:npm:)?(.*?)"?$/.exec(head) ?? [];
      if (name === undefined) continue;
      yield [name, version];
      if (own.get(name) === range) direct.push([name, version]);
    }
  }
  yield* direct;
}

/** What the package.json beside a lock file asks for. */
function rangesOf(files: LockFiles, lock: string): ReadonlyMap<string, string> {
  const manifest = files.json(lock.replace(/[^/]*$/, "package.json"));
  return new Map(
    ["peerDependencies", "optionalDependencies", "devDependencies", "dependencies"].flatMap((
      kind,
    ) =>
      Object.entries(fieldsIn(manifest, kind) ?? {}).flatMap(([name, range]) =>
        typeof range === "string" ? [[name, range] as const] : []
      )
    ),
  );
}

function* pnpmPackages(files: LockFiles, path: string): Iterable<readonly [string, string]> {
  const text = files.text(path) ?? "";
  yield* matchesIn(
    text,
    /^ {2}['"]?\/?((?:@[^@/\s'"]+\/)?[^@/\s'"]+)[@/](\d[^\s('":]*)/gm,
  );
  const own = /^importers:\n\n? {2}\.:\n((?: {4}.*\n|\n(?= {4}))*)/m.exec(text)?.[1] ?? "";
  yield* matchesIn(
    own,
    /^ {6}['"]?([^\s'":]+)['"]?:\n {8}specifier: [^\n]*\n {8}version: ['"]?(\d[^\s('"]*)/gm,
  );
}

/** Versions 3 to 5. */
function* denoPackages(files: LockFiles, path: string): Iterable<readonly [string, string]> {
  const lock = files.json(path);
  const older = fieldsIn(lock, "packages");
  for (const kind of ["npm", "jsr"]) {
    for (const key of Object.keys(fieldsIn(lock, kind) ?? fieldsIn(older, kind) ?? {})) {
      const [, name, version] = /^((?:@[^/]+\/)?[^@]+)@([^_]+)/.exec(key) ?? [];
      if (name !== undefined && version !== undefined) yield [name, version];
    }
  }
  const asked = fieldsIn(lock, "specifiers") ?? fieldsIn(older, "specifiers") ?? {};
  for (const [key, value] of Object.entries(asked)) {
    const name = /^(?:npm|jsr):((?:@[^/]+\/)?[^@]+)/.exec(key)?.[1];
    const version = typeof value === "string" ? /(\d[^_@]*)(?:_.*)?$/.exec(value)?.[1] : undefined;
    if (name !== undefined && version !== undefined) yield [name, version];
  }
}

function* matchesIn(text: string, expression: RegExp): Iterable<readonly [string, string]> {
  for (const [, name, version] of text.matchAll(expression)) {
    if (name !== undefined && version !== undefined) yield [name, version];
  }
}

/** How each is read. */
export const LOCKS: Readonly<Record<Ecosystem, Readonly<Record<string, ReadLock>>>> = {
  npm: {
    "package-lock.json": npmPackages,
    "npm-shrinkwrap.json": npmPackages,
    "yarn.lock": yarnPackages,
    "pnpm-lock.yaml": pnpmPackages,
    "deno.lock": denoPackages,
  },
  python: {
    "poetry.lock": packagesOf,
    "uv.lock": packagesOf,
    "Pipfile.lock": function* (files, path) {
      const lock = files.json(path);
      for (const section of ["default", "develop"]) {
        for (const [name, value] of Object.entries(fieldsIn(lock, section) ?? {})) {
          const version = textIn(fieldsOf(value), "version");
          if (version !== null) yield [name, version.replace(/^==/, "")];
        }
      }
    },
    "requirements.txt": (files, path) =>
      matchesIn(files.text(path) ?? "", /^([\w.-]+)(?:\[[^\]]*\])?==([\w.!+-]+)/gm),
  },
  rust: { "Cargo.lock": packagesOf },
};
