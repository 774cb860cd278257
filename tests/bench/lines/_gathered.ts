/**
 * Lines that nobody here wrote, gathered on this machine when they are asked for and kept nowhere: scripts of npm packages,
 * recipes of make, scripts of Debian's packages, of CI and of whole files, and what READMEs show of the shell.
 */

import { join } from "@std/path";

/** A line, and the kind of place that it stands in. */
export interface GatheredLine {
  readonly from: string;
  readonly line: string;
}

/** Where packages lie. What is not there gives nothing. */
const PACKAGES = ["/usr/share", "/usr/lib", "/usr/local/lib", "/usr/src"];
/** Files of one kind at most, and bytes of one. */
const MOST_FILES = 4_000;
const LARGEST = 64 * 1024;
/** A longer one is a program. */
const LONGEST_LINE = 2_000;
const DEEPEST = 9;

/** What is taken of files, by the end of their path. */
const SOURCES: readonly (readonly [
  from: string,
  file: RegExp,
  take: (text: string) => readonly string[],
])[] = [
  ["scripts of npm packages", /\/package\.json$/, packageScripts],
  ["recipes of make", /\/(?:GNUm|M|m)akefile$|\.mk$/, recipes],
  ["scripts of Debian packages", /\/dpkg\/info\/[^/]+\.(?:post|pre)(?:inst|rm)$/, scriptParts],
  ["CI", /\/\.(?:github\/workflows\/[^/]+|travis|gitlab-ci)\.ya?ml$/, ciSteps],
  ["READMEs", /\/readme(?:\.md|\.markdown)?$/i, readmeBlocks],
  ["shell scripts", /\.(?:sh|bash)$/, scriptParts],
];

/** All of them, each once, in an order that the folders give. `more`: folders of packages beside the usual. */
export function gather(more: readonly string[]): readonly GatheredLine[] {
  const seen = new Set<string>();
  const found: GatheredLine[] = [];
  const counts = new Map<string, number>();
  const visit = (folder: string, depth: number): void => {
    let entries: Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(folder)].sort((one, other) => one.name < other.name ? -1 : 1);
    } catch {
      return;
    }
    for (const { name, isDirectory, isFile } of entries) {
      const path = join(folder, name);
      if (isDirectory && depth < DEEPEST) visit(path, depth + 1);
      const source = isFile ? SOURCES.find(([, file]) => file.test(path)) : undefined;
      if (source === undefined) continue;
      const [from, , take] = source;
      const count = counts.get(from) ?? 0;
      if (count >= MOST_FILES) continue;
      counts.set(from, count + 1);
      for (const line of take(textOf(path))) {
        if (line.trim() === "" || line.length > LONGEST_LINE || seen.has(line)) continue;
        seen.add(line);
        found.push({ from, line });
      }
    }
  };
  for (const folder of ["/var/lib/dpkg/info", ...PACKAGES, ...more]) visit(folder, 0);
  return found;
}

function textOf(path: string): string {
  try {
    return Deno.statSync(path).size > LARGEST ? "" : Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

function packageScripts(text: string): readonly string[] {
  try {
    const { scripts } = JSON.parse(text) as {
      readonly scripts?: Readonly<Record<string, unknown>>;
    };
    return Object.values(scripts ?? {}).filter((one) => typeof one === "string");
  } catch {
    return [];
  }
}

/** Those without variables and functions of make's own, which it would have put in. */
function recipes(text: string): readonly string[] {
  return text.replaceAll("\\\n", " ").split("\n")
    .flatMap((row) => /^\t[@-]*(.*)$/.exec(row)?.[1] ?? [])
    .filter((row) => !/(?<!\$)\$[^$]/.test(row)).map((row) => row.replaceAll("$$", "$"));
}

/** Its paragraphs, where they can stand alone. */
function scriptParts(text: string): readonly string[] {
  if (/^#!(?!.*\b(?:ba|da)?sh\b)/.test(text)) return [];
  return text.split(/\n{2,}/).map((part) => part.replace(/^(?:#.*\n)+/, "").trim())
    .filter((part) => part !== "" && !part.startsWith("#"));
}

function ciSteps(text: string): readonly string[] {
  const found: string[] = [];
  const rows = text.split("\n");
  for (const [at, row] of rows.entries()) {
    const [, indent = "", said] = /^(\s*(?:- )?)run:\s*(.*)$/.exec(row) ?? [];
    if (said === undefined) continue;
    if (!/^[|>]/.test(said)) {
      found.push(said);
      continue;
    }
    const block = [];
    for (const next of rows.slice(at + 1)) {
      if (next.trim() !== "" && /^\s*/.exec(next)![0].length <= indent.length) break;
      block.push(next.trim());
    }
    found.push(block.join("\n").trim());
  }
  return found.filter((line) => !line.includes("${{"));
}

function readmeBlocks(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```(?:sh|bash|shell|console)\n([\s\S]*?)^```/gm)];
  return blocks.flatMap(([, block = ""]) => block.split("\n"))
    .map((row) => row.replace(/^\s*[$>] /, "").trim()).filter((row) => !/^(?:#|$)/.test(row));
}
