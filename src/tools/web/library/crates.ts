/** Crates: the interface as rustdoc's JSON has it, else what the source declares. */

import { ToolError } from "../../../core/errors.ts";
import { isObject } from "../../../core/json_value.ts";
import { textOf } from "../_provider.ts";
import { gunzip, readTar, UNPACKED_LIMIT } from "./archive.ts";
import {
  type Library,
  type LibrarySymbol,
  MOST_SYMBOLS,
  type Wanted,
  webAddress,
} from "./library.ts";
import { librarySymbol, type Outliner } from "./outliner.ts";
import { type Fields, type Registry, unknownLibrary } from "./registry.ts";
import { type Crate, readRustdoc } from "./rustdoc.ts";

/** Throws as the registry does, HTTP_ERROR where it knows no such crate. */
export async function readCrate(
  { name, version }: Wanted,
  registry: Registry,
  outliner: Outliner,
): Promise<Library> {
  const described = await describe(name, registry);
  const { crate, unread } = await rustdocOf(name, version, registry, outliner);
  const known = described.fields ?? {};
  const served = crate?.version || (await versionOf(name, version, known, registry));
  if (served === null) throw unread ?? unknownLibrary(name, "crates");
  const library = {
    name,
    version: served,
    summary: textOf(known.description).replace(/\s+/g, " ").trim() || (crate?.summary ?? ""),
    documentationUrl: webAddress(known.documentation) ||
      registry.at(`/${name}/${encodeURIComponent(served)}`),
    repository: webAddress(known.repository) || webAddress(known.homepage),
  };
  const notes = described.without === "" ? [] : [described.without];
  if (crate !== null) return { ...library, symbols: crate.symbols, source: "rustdoc", notes };
  const at = `/api/v1/crates/${name}/${encodeURIComponent(served)}/download`;
  const packed = await registry.package(registry.at(at), null);
  if ("without" in packed) {
    notes.push(packed.without);
    return { ...library, symbols: [], source: "metadata", notes };
  }
  notes.push(
    "there is no JSON of rustdoc's of this version: what its source declares is listed by its files",
  );
  return { ...library, symbols: declaredIn(packed.bytes, name, outliner), source: "source", notes };
}

async function describe(
  name: string,
  registry: Registry,
): Promise<{ readonly fields: Fields | null; readonly without: string }> {
  try {
    const found = await registry.json(registry.at(`/api/v1/crates/${name}`));
    return { fields: found !== null && isObject(found.crate) ? found.crate : null, without: "" };
  } catch (error) {
    if (!isSilent(error)) throw error;
    return { fields: null, without: "its registry does not say what it is and where its source" };
  }
}

/** Where documentation alone is served, crates are not told of. */
function isSilent(error: unknown): boolean {
  return error instanceof ToolError &&
    (error.code === "HTTP_ERROR" || error.code === "NETWORK_DENIED");
}

/**
 * Null where there is none: the public documentation has it since May 2025. `unread`: what was wrong with what came in its
 * place.
 */
async function rustdocOf(
  name: string,
  version: string | null,
  registry: Registry,
  { pause }: Outliner,
): Promise<{ readonly crate: Crate | null; readonly unread: ToolError | null }> {
  let unread: ToolError | null = null;
  // The registry itself leads from `1` or `latest` to the version that it stands for.
  const asked = encodeURIComponent(version ?? "latest");
  for (const each of version === null ? [asked] : [asked, "latest"]) {
    const answer = await registry.fetch(registry.at(`/crate/${name}/${each}/json.gz`));
    if (answer.status !== 200) {
      // The version is there, but was built before.
      if (each !== "latest" && await isThere(name, each, registry)) break;
      continue;
    }
    if (answer.truncated) {
      unread = registry.tooLong();
      break;
    }
    const isPacked = answer.body[0] === 0x1f && answer.body[1] === 0x8b;
    const bytes = isPacked ? gunzip(answer.body, UNPACKED_LIMIT) : answer.body;
    const crate = readRustdoc(parsed(bytes), pause);
    if (crate !== null) return { crate, unread: null };
    unread = registry.unreadable();
  }
  return { crate: null, unread };
}

async function isThere(name: string, version: string, registry: Registry): Promise<boolean> {
  try {
    return await registry.json(registry.at(`/api/v1/crates/${name}/${version}`)) !== null;
  } catch (error) {
    if (isSilent(error)) return false;
    throw error;
  }
}

/** As the registry has it; null where it knows none. */
async function versionOf(
  name: string,
  version: string | null,
  known: Fields,
  registry: Registry,
): Promise<string | null> {
  if (version !== null && await isThere(name, encodeURIComponent(version), registry)) {
    return version;
  }
  return textOf(known.max_stable_version) || textOf(known.max_version) || null;
}

/** By the files that modules lie in; what a `mod` with another path or a macro makes is not seen. */
function declaredIn(
  bytes: Uint8Array,
  name: string,
  outliner: Outliner,
): readonly LibrarySymbol[] {
  const files = readTar(bytes, (path) => /^[^/]+\/src\/.*\.rs$/.test(path));
  const crate = name.replaceAll("-", "_");
  const found: LibrarySymbol[] = [];
  for (const [path, body] of [...files].toSorted(([a], [b]) => a < b ? -1 : 1)) {
    const inside = path.replace(/^[^/]+\/src\//, "").replace(/\.rs$/, "");
    if (/^(?:main|bin\/.*|(?:.*\/)?tests?)$/.test(inside)) continue;
    const module = inside.split("/").filter((part) => part !== "mod" && part !== "lib");
    const outline = outliner.read(path, body);
    for (const symbol of outline?.symbols ?? []) {
      if (!symbol.exported || found.length >= MOST_SYMBOLS) continue;
      const whole = symbol.parent === undefined ? symbol.name : `${symbol.parent}.${symbol.name}`;
      found.push(librarySymbol(symbol, [crate, ...module, ...whole.split(".")].join("::")));
    }
  }
  return found;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
