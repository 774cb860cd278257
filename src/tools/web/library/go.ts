/** Go: what a package exports, with the comments at it, from the archive that the module proxy keeps. */

import type { CodeSymbol } from "../../../toolkit/code/symbols.ts";
import { textOf } from "../_provider.ts";
import { readZip } from "./archive.ts";
import { type Library, MOST_SYMBOLS, type Wanted } from "./library.ts";
import { librarySymbol, type Outliner } from "./outliner.ts";
import { type Registry, unknownLibrary } from "./registry.ts";
import { summaryOf } from "../documentation/documentation.ts";
import { newest, versionFor } from "./_versions.ts";

/** `module`: which module has the package, where go.mod says so. Throws HTTP_ERROR where the proxy knows none. */
export async function readGo(
  { name, version, module }: Wanted & { readonly module: string | null },
  registry: Registry,
  outliner: Outliner,
): Promise<Library> {
  const served = await moduleOf(name, module, version, registry);
  const described = {
    name,
    version: served.version,
    documentationUrl: `https://pkg.go.dev/${served.module}@${served.version}${
      name.slice(served.module.length)
    }`,
    repository: repositoryOf(served.module),
  };
  const packed = await registry.package(
    registry.at(`/${escaped(served.module)}/@v/${escaped(served.version)}.zip`),
    null,
  );
  if ("without" in packed) {
    return { ...described, summary: "", symbols: [], source: "metadata", notes: [packed.without] };
  }
  const folder = `${served.module}@${served.version}${name.slice(served.module.length)}/`;
  const files = readZip(
    packed.bytes,
    (path) =>
      path.startsWith(folder) && !path.slice(folder.length).includes("/") &&
      path.endsWith(".go") && !path.endsWith("_test.go"),
  );
  if (files.size === 0) {
    const note = `${served.module} ${served.version} has no package ${name}`;
    return { ...described, summary: "", symbols: [], source: "metadata", notes: [note] };
  }
  const found = new Map<string, CodeSymbol>();
  let summary = "";
  for (const [path, bytes] of [...files].toSorted(([a], [b]) => a < b ? -1 : 1)) {
    const outline = outliner.read(path, bytes);
    if (outline === null) continue;
    const written = packageComment(new TextDecoder().decode(bytes));
    if (written.length > summary.length) summary = written;
    for (const symbol of outline.symbols) {
      const whole = symbol.parent === undefined ? symbol.name : `${symbol.parent}.${symbol.name}`;
      // A file for another system says the same once more.
      if (whole.split(".").every((part) => /^\p{Lu}/u.test(part)) && !found.has(whole)) {
        found.set(whole, symbol);
      }
    }
  }
  const symbols = [...found].slice(0, MOST_SYMBOLS)
    .map(([whole, symbol]) => librarySymbol(symbol, whole));
  return {
    ...described,
    summary: summaryOf(summary).summary ?? "",
    symbols,
    source: "source",
    notes: [],
  };
}

/** The module that go.mod names for it, else the longest beginning of the path that the proxy knows. */
async function moduleOf(
  name: string,
  known: string | null,
  version: string | null,
  registry: Registry,
): Promise<{ readonly module: string; readonly version: string }> {
  const parts = name.split("/");
  const candidates = known === null
    // A module has a host and, on hosts of repositories, an owner and a name.
    ? parts.map((_, at) => parts.slice(0, parts.length - at).join("/")).slice(0, parts.length)
    : [known];
  for (const module of candidates.slice(0, MOST_CANDIDATES)) {
    const served = await versionOf(module, version, registry);
    if (served !== null) return { module, version: served };
  }
  throw unknownLibrary(name, "go", "; the standard library is none of it: see pkg.go.dev");
}

/** Beginnings of a path that are asked for. */
const MOST_CANDIDATES = 6;

async function versionOf(
  module: string,
  version: string | null,
  registry: Registry,
): Promise<string | null> {
  const at = `/${escaped(module)}`;
  if (version !== null) {
    const tagged = /^\d/.test(version) ? `v${version}` : version;
    const info = await registry.json(registry.at(`${at}/@v/${escaped(tagged)}.info`));
    if (info !== null) return textOf(info.Version) || tagged;
    const listed = await registry.fetch(registry.at(`${at}/@v/list`));
    const versions = listed.status === 200
      ? new TextDecoder().decode(listed.body).split("\n").filter((one) => one !== "")
      : [];
    const near = versionFor(version, versions) ?? newest(versions);
    if (near !== null) return near;
  }
  const latest = await registry.json(registry.at(`${at}/@latest`));
  if (latest === null) return null;
  const found = textOf(latest.Version);
  if (found === "") throw registry.unreadable();
  return found;
}

/** Capital letters as the proxy writes them (golang.org/ref/mod, "module proxy"). */
function escaped(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`).split("/")
    .map((part) => encodeURIComponent(part).replaceAll("%2B", "+")).join("/");
}

function repositoryOf(module: string): string {
  const [found] = /^(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)\/[^/]+\/[^/]+/
    .exec(module) ?? [];
  return found === undefined ? "" : `https://${found}`;
}

/** The comment right before the package clause. */
function packageComment(text: string): string {
  const clause = /^package\s/m.exec(text);
  if (clause === null) return "";
  const before = text.slice(0, clause.index).replace(/[ \t]+$/gm, "");
  if (!before.endsWith("\n") || before.endsWith("\n\n")) return "";
  const block = /\/\*((?:(?!\*\/)[^])*)\*\/\n$/.exec(before)?.[1];
  if (block !== undefined) return block.trim();
  const lines = before.slice(0, -1).split("\n");
  const first = lines.findLastIndex((line) => !line.startsWith("//"));
  return lines.slice(first + 1).filter((line) => !/^\/\/(?:go:|\s*\+build)/.test(line))
    .map((line) => line.replace(/^\/\/ ?/, "")).join("\n").trim();
}
