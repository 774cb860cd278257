/** npm: what a package says of itself, and what its own `.d.ts` files export, or else DefinitelyTyped's. */

import type { Fields, Registry } from "./registry.ts";
import { unknownLibrary } from "./registry.ts";
import { ToolError } from "../../../core/errors.ts";
import { isObject } from "../../../core/json_value.ts";
import { textOf } from "../_provider.ts";
import { type PackageFiles, readTar } from "./archive.ts";
import { type Library, type Wanted, webAddress } from "./library.ts";
import type { Outliner } from "./outliner.ts";
import { NPM_NAME } from "./names.ts";
import { joined, TypeModules, typesAt } from "./_type_modules.ts";
import { versionFor } from "./_versions.ts";

/** What of a package is needed to install it: its versions without their descriptions. */
const SHORT = "application/vnd.npm.install-v1+json";

/** Throws as the registry does, HTTP_ERROR where it knows no such package. */
export async function readNpm(
  { name, version }: Wanted,
  registry: Registry,
  outliner: Outliner,
): Promise<Library> {
  const [, own = name, below = ""] = NPM_NAME.exec(name) ?? [];
  const notes: string[] = [];
  const manifest = await manifestOf(own, version, registry);
  const served = textOf(manifest.version);
  if (served === "") throw registry.unreadable();
  const deprecated = textOf(manifest.deprecated);
  if (deprecated !== "") notes.push(`it is deprecated: ${deprecated.slice(0, 300)}`);
  const described = {
    name,
    version: served,
    summary: textOf(manifest.description),
    documentationUrl: webAddress(manifest.homepage),
    repository: webAddress(
      isObject(manifest.repository) ? manifest.repository.url : manifest.repository,
    ),
  };
  const packed = await packageOf(manifest, registry);
  if ("without" in packed) notes.push(packed.without);
  else {
    const files = filesOf(packed.bytes);
    const entry = entryOf(files, manifest, below);
    if (entry !== null) {
      const symbols = new TypeModules(files, outliner).exportsOf(entry, name);
      return { ...described, symbols, source: "type declarations", notes };
    }
  }
  const typed = own.startsWith("@types/")
    ? null
    : await definitelyTyped({ name: own, below, version: served }, registry, outliner);
  if (typed !== null) {
    notes.push(`it declares no types itself: those of ${typed.name} ${typed.version}`);
    return { ...described, symbols: typed.symbols, source: "DefinitelyTyped", notes };
  }
  if (!("without" in packed)) {
    notes.push(
      below === ""
        ? "neither the package nor DefinitelyTyped declares types of it"
        : `it declares no types of the module ${name}`,
    );
  }
  return { ...described, symbols: [], source: "metadata", notes };
}

/** Of the version, else of one that it stands for, else of the newest. */
async function manifestOf(
  name: string,
  version: string | null,
  registry: Registry,
): Promise<Fields> {
  const path = `/${name.replace("/", "%2f")}`;
  const exact = await registry.json(
    registry.at(`${path}/${encodeURIComponent(version ?? "latest")}`),
  );
  if (exact !== null) return exact;
  if (version === null) throw unknownLibrary(name, "npm");
  const all = await registry.json(registry.at(path), SHORT);
  if (all === null) throw unknownLibrary(name, "npm");
  const versions = isObject(all.versions) ? Object.keys(all.versions) : [];
  const near = versionFor(version, versions) ?? "latest";
  const found = await registry.json(registry.at(`${path}/${encodeURIComponent(near)}`));
  if (found === null) throw unknownLibrary(name, "npm");
  return found;
}

function packageOf(manifest: Fields, registry: Registry): ReturnType<Registry["package"]> {
  const dist = isObject(manifest.dist) ? manifest.dist : {};
  const written = textOf(dist.tarball);
  const digests = textOf(dist.integrity).split(/\s+/);
  return registry.package(written, digests.find((one) => one.startsWith("sha512-")) ?? null);
}

/** Below `package/`, or whatever the one folder is called. */
function filesOf(bytes: Uint8Array): PackageFiles {
  const files = readTar(
    bytes,
    (path) => /\.d\.[cm]?ts$/.test(path) || /^[^/]+\/(?:[^/]+\/)*package\.json$/.test(path),
  );
  return new Map([...files].map(([path, body]) => [path.replace(/^[^/]+\//, ""), body]));
}

/** The types of the package, or of the module `below` it (`/sub`); null where it has none. */
function entryOf(files: PackageFiles, manifest: Fields, below: string): string | null {
  const own = fieldsOf(files.get("package.json")) ?? manifest;
  const exported = exportedTarget(own.exports, below === "" ? "." : `.${below}`);
  const targets = [
    ...exported,
    ...(below === ""
      ? [textOf(own.types), textOf(own.typings), textOf(own.module), textOf(own.main), "index.d.ts"]
      : [below.slice(1), ...typesBelow(files, below.slice(1))]),
  ];
  for (const target of targets) {
    const path = target === "" ? null : joined("", target);
    const found = path === null ? null : typesAt(files, path);
    if (found !== null) return found;
  }
  return null;
}

/** A folder with a package.json of its own says where its types are. */
function typesBelow(files: PackageFiles, folder: string): readonly string[] {
  const inner = fieldsOf(files.get(`${folder}/package.json`));
  return [inner?.types, inner?.typings, inner?.main].map(textOf).filter((path) => path !== "")
    .map((path) => `${folder}/${path}`);
}

/** Paths that `exports` names for a module, types first (Node, "Conditional exports"). */
function exportedTarget(exports: unknown, wanted: string): readonly string[] {
  if (typeof exports === "string" || Array.isArray(exports)) {
    return wanted === "." ? targetsOf(exports, "") : [];
  }
  if (!isObject(exports)) return [];
  const keys = Object.keys(exports);
  if (!keys.some((key) => key.startsWith("."))) return wanted === "." ? targetsOf(exports, "") : [];
  if (Object.hasOwn(exports, wanted)) return targetsOf(exports[wanted], "");
  for (const key of keys) {
    const [before, after] = key.split("*");
    if (before === undefined || after === undefined) continue;
    if (wanted.startsWith(before) && wanted.endsWith(after) && wanted.length >= key.length) {
      return targetsOf(exports[key], wanted.slice(before.length, wanted.length - after.length));
    }
  }
  return [];
}

const DEEPEST = 8;

function targetsOf(target: unknown, star: string, depth = 0): readonly string[] {
  if (typeof target === "string") return [target.replaceAll("*", star)];
  if (depth > DEEPEST) return [];
  if (Array.isArray(target)) return target.flatMap((one) => targetsOf(one, star, depth + 1));
  if (!isObject(target)) return [];
  const { types, ...rest } = target;
  const inner = [types, ...Object.values(rest)].flatMap((one) => targetsOf(one, star, depth + 1));
  // Declarations anywhere in it before programs.
  return inner.toSorted((a, b) =>
    Number(/\.d\.[cm]?ts$/.test(b)) - Number(/\.d\.[cm]?ts$/.test(a))
  );
}

/** Of the same major version where there is one: those of others declare another interface. */
async function definitelyTyped(
  { name, below, version }: {
    readonly name: string;
    readonly below: string;
    readonly version: string;
  },
  registry: Registry,
  outliner: Outliner,
) {
  const typed = `@types/${name.replace(/^@/, "").replace("/", "__")}`;
  const manifest = await typedManifest(typed, version.split(".")[0] ?? "", registry);
  if (manifest === null) return null;
  const packed = await packageOf(manifest, registry);
  if ("without" in packed) return null;
  const files = filesOf(packed.bytes);
  const entry = entryOf(files, manifest, below);
  if (entry === null) return null;
  const symbols = new TypeModules(files, outliner).exportsOf(entry, name);
  return { name: typed, version: textOf(manifest.version), symbols };
}

async function typedManifest(
  typed: string,
  major: string,
  registry: Registry,
): Promise<Fields | null> {
  const path = `/${typed.replace("/", "%2f")}`;
  const latest = await registry.json(registry.at(`${path}/latest`));
  if (latest === null || textOf(latest.version).split(".")[0] === major) return latest;
  const all = await registry.json(registry.at(path), SHORT).catch((error: unknown) => {
    // A list that is too long to be read leaves the newest.
    if (error instanceof ToolError && error.code === "RESOURCE_LIMIT") return null;
    throw error;
  });
  const near = versionFor(major, isObject(all?.versions) ? Object.keys(all.versions) : []);
  return near === null ? latest : await registry.json(registry.at(`${path}/${near}`)) ?? latest;
}

function fieldsOf(bytes: Uint8Array | undefined): Fields | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
