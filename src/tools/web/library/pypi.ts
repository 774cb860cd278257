/** PyPI: what a project says of itself, and what its wheel or its source declares (stubs, else code and docstrings). */

import { isObject } from "../../../core/json_value.ts";
import { objectsOf, textOf } from "../_provider.ts";
import { type PackageFiles, readTar, readZip } from "./archive.ts";
import { type Library, type Wanted, webAddress } from "./library.ts";
import type { Outliner } from "./outliner.ts";
import { readPython } from "./_python_modules.ts";
import { type Fields, type Registry, unknownLibrary } from "./registry.ts";
import { versionFor } from "./_versions.ts";

/** Throws as the registry does, HTTP_ERROR where it knows no such project. */
export async function readPypi(
  { name, version }: Wanted,
  registry: Registry,
  outliner: Outliner,
): Promise<Library> {
  const found = await projectOf(name, version, registry);
  const info = isObject(found.info) ? found.info : {};
  if (textOf(info.version) === "") throw registry.unreadable();
  const links = linksOf(info);
  const notes = textOf(info.yanked_reason) === ""
    ? []
    : [`this version was yanked: ${textOf(info.yanked_reason).slice(0, 300)}`];
  const described = {
    name,
    version: textOf(info.version),
    summary: textOf(info.summary).replace(/\s+/g, " ").trim(),
    documentationUrl: links(/^(?:documentation|docs|doc|api|reference)$/i) ||
      webAddress(info.docs_url) || links(/^home/i) || webAddress(info.home_page) ||
      webAddress(info.project_url),
    repository: links(/^(?:source|source[ _-]?code|code|repository|repo|github|gitlab)$/i) ||
      links(/source|repo|github/i),
  };
  const file = bestFile(objectsOf(found.urls));
  if (file === null) {
    notes.push("it has no file that can be read");
    return { ...described, symbols: [], source: "metadata", notes };
  }
  const digests = isObject(file.digests) ? file.digests : {};
  const digest = textOf(digests.sha256);
  const packed = await registry.package(
    URL.parse(textOf(file.url), registry.at("/"))?.href ?? "",
    digest === "" ? null : `sha256:${digest}`,
  );
  if ("without" in packed) {
    notes.push(packed.without);
    return { ...described, symbols: [], source: "metadata", notes };
  }
  const { symbols, hasStubs } = readPython(modulesOf(file, packed.bytes), outliner);
  if (symbols.length === 0) notes.push("its package declares nothing in Python that is public");
  return { ...described, symbols, source: hasStubs ? "stubs" : "docstrings", notes };
}

async function projectOf(
  name: string,
  version: string | null,
  registry: Registry,
): Promise<Fields> {
  const path = `/pypi/${encodeURIComponent(name)}`;
  if (version !== null) {
    const exact = await registry.json(registry.at(`${path}/${encodeURIComponent(version)}/json`));
    if (exact !== null) return exact;
  }
  const latest = await registry.json(registry.at(`${path}/json`));
  if (latest === null) throw unknownLibrary(name, "pypi");
  if (version === null) return latest;
  const releases = isObject(latest.releases) ? latest.releases : {};
  const kept = Object.keys(releases).filter((one) => objectsOf(releases[one]).length > 0);
  const near = versionFor(version, kept);
  if (near === null) return latest;
  return await registry.json(registry.at(`${path}/${encodeURIComponent(near)}/json`)) ?? latest;
}

function linksOf(info: Fields): (label: RegExp) => string {
  const links = isObject(info.project_urls) ? Object.entries(info.project_urls) : [];
  return (label) => webAddress(links.find(([name]) => label.test(name.trim()))?.[1]);
}

/** The smallest wheel, since all of them have the same code in Python; else the source. */
function bestFile(files: readonly Fields[]): Fields | null {
  const size = (file: Fields) => typeof file.size === "number" ? file.size : Infinity;
  const of = (kind: string, ending: RegExp) =>
    files.filter((file) => file.packagetype === kind && ending.test(textOf(file.filename)))
      .toSorted((a, b) => size(a) - size(b))[0];
  return of("bdist_wheel", /\.whl$/) ?? of("sdist", /\.(?:tar\.gz|tgz|zip)$/) ?? null;
}

function modulesOf(file: Fields, bytes: Uint8Array): PackageFiles {
  const isCode = (path: string) => /\.pyi?$/.test(path);
  const filename = textOf(file.filename);
  if (filename.endsWith(".whl")) {
    return readZip(bytes, (path) => isCode(path) && !/^[^/]+\.(?:dist-info|data)\//.test(path));
  }
  const files = filename.endsWith(".zip") ? readZip(bytes, isCode) : readTar(bytes, isCode);
  const below = [...files].map(([path, body]) => [path.replace(/^[^/]+\//, ""), body] as const);
  // The layout that keeps the package in `src/`, or the package itself beside its setup.py.
  const inSource = below.filter(([path]) => path.startsWith("src/"));
  if (inSource.length > 0) return new Map(inSource.map(([path, body]) => [path.slice(4), body]));
  const packages = new Set(
    below.flatMap(([path]) => /^([^/]+)\/__init__\.pyi?$/.exec(path)?.[1] ?? []),
  );
  return new Map(
    below.filter(([path]) => !path.includes("/") || packages.has(path.split("/")[0] ?? "")),
  );
}
