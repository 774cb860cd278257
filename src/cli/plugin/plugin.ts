/** `plugin`: write, check, try and document custom tools. */

import { join } from "@std/path";
import { EXIT } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { type PolicyProblem, renderProblems } from "../../policy/parse/parse.ts";
import { either } from "../../config/value_kind.ts";
import { layOut } from "../../config/layout.ts";
import { isModule, type PluginManifest } from "../../plugins/manifest.ts";
import { readModule, renderProblem } from "../../plugins/module_source.ts";
import { parseManifest, wrongToolName } from "../../plugins/parse_manifest.ts";
import { reviewManifest } from "../../plugins/review.ts";
import { PLUGIN_KINDS, type PluginKind, scaffold } from "../../plugins/scaffold.ts";
import { createRegistry } from "../../tools/registry.ts";
import type { Invocation } from "../invocation.ts";
import { readManifests, takenNames, withSource } from "./plugin_files.ts";
import { formatOf } from "../format.ts";
import { readPolicy } from "../session.ts";
import { complain, print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** `plugin new|check|test|docs`; gives the exit status. */
export async function plugin(invocation: Invocation): Promise<number> {
  const [action, ...words] = invocation.words;
  if (action === undefined || words.length === 0) {
    throw new UsageError("plugin takes new NAME, check FILE ..., test FILE ... or docs FILE ...");
  }
  switch (action) {
    case "new":
      return create(invocation, words);
    case "check":
      return check(invocation, words);
    case "test": {
      const { testPlugins } = await import("./_test_cases.ts");
      return await testPlugins(invocation, words);
    }
    case "docs":
      return await document(words);
    default:
      throw new UsageError(
        `plugin takes new, check, test or docs, not ${JSON.stringify(action)}`,
      );
  }
}

/** Writes a manifest and its cases into the working directory; never over what is there. */
function create(
  invocation: Invocation,
  [name = "", kind = "command", ...more]: readonly string[],
): number {
  if (more.length > 0 || !isKind(kind)) {
    throw new UsageError(`plugin new takes one name, and then ${either(PLUGIN_KINDS)}`);
  }
  const wrong = wrongToolName(name);
  if (wrong !== null) throw new UsageError(`plugin new: ${JSON.stringify(name)} ${wrong}`);
  const problems = takenNames([{ file: "plugin new", manifest: { name } }]);
  if (problems.length > 0) throw new UsageError(renderProblems(problems));
  const files = Object.entries(scaffold(name, kind));
  for (const [file] of files) {
    if (isThere(file)) throw new UsageError(`plugin new: ${file} is there already`);
  }
  for (const [file, text] of files) write(join(Deno.cwd(), file), text);
  const names = files.map(([file]) => file);
  print(
    formatOf(invocation) === "json"
      ? JSON.stringify({ ok: true, files: names })
      : `wrote ${names.join(" and ")}; try them: toolgate plugin test ${names[0]}`,
  );
  return EXIT.success;
}

function isKind(word: string): word is PluginKind {
  return PLUGIN_KINDS.some((kind) => kind === word);
}

function write(path: string, text: string): void {
  try {
    Deno.writeTextFileSync(path, text, { createNew: true });
  } catch (error) {
    const why = error instanceof Error ? error.name : "?";
    throw new UsageError(`plugin new: the files cannot be written (${why})`);
  }
}

function isThere(file: string): boolean {
  try {
    Deno.lstatSync(file);
    return true;
  } catch {
    return false;
  }
}

interface Checked {
  readonly file: string;
  readonly text: string;
  readonly manifest: PluginManifest | null;
  readonly problems: readonly PolicyProblem[];
}

/** Exit 0 where all manifests hold, with warnings too; else 1. */
async function check(invocation: Invocation, files: readonly string[]): Promise<number> {
  const read = await Promise.all(files.map(readOne));
  const whole = read.flatMap(({ file, manifest }) => manifest === null ? [] : [{ file, manifest }]);
  const taken = takenNames(whole);
  const checked = read.map((one) => ({
    ...one,
    problems: [...one.problems, ...taken.filter(({ source }) => source === one.file)],
  }));
  const ok = checked.every(({ problems }) => problems.length === 0);
  if (formatOf(invocation) === "json") {
    print(JSON.stringify({ ok, files: checked.map(shapeOf) }));
    return ok ? EXIT.success : EXIT.failed;
  }
  for (const one of checked) {
    if (one.problems.length > 0) complain(renderProblems(one.problems));
    for (const warning of warningsOf(one)) complain(`warning: ${renderWarning(one.file, warning)}`);
    if (one.problems.length === 0) print(`${one.file}: ok`);
  }
  return ok ? EXIT.success : EXIT.failed;
}

async function readOne(file: string): Promise<Checked> {
  const text = readPolicy(file, "plugin");
  const parsed = parseManifest(text, file);
  if ("problems" in parsed) return { file, text, manifest: null, problems: parsed.problems };
  const { manifest } = parsed;
  return { file, text, manifest, problems: await problemsOfModule(file, manifest) };
}

/** What is wrong with the module beside a manifest, each with its place there. */
async function problemsOfModule(
  file: string,
  manifest: PluginManifest,
): Promise<readonly PolicyProblem[]> {
  if (!isModule(manifest)) return [];
  const whole = withSource(file, manifest, (path) => readPolicy(path, "module"));
  if (!isModule(whole) || whole.source === null) return [];
  const read = await readModule(whole.source);
  if ("code" in read) return [];
  return read.problems.map((problem) => ({
    source: file,
    key: "module",
    message: renderProblem(manifest.module, problem),
  }));
}

function shapeOf(checked: Checked): Readonly<Record<string, unknown>> {
  const { file, manifest, problems } = checked;
  return {
    file,
    ok: problems.length === 0,
    tool: manifest?.name ?? null,
    problems: problems.map(({ source: _, ...problem }) => problem),
    warnings: warningsOf(checked),
  };
}

interface ShownWarning {
  readonly key: string;
  readonly message: string;
  readonly line?: number;
}

function warningsOf({ manifest, text }: Checked): readonly ShownWarning[] {
  if (manifest === null) return [];
  const layout = layOut(text);
  return reviewManifest(manifest).map((warning) => {
    const line = layout.lineOf(warning.key);
    return { ...warning, ...(line === undefined ? {} : { line }) };
  });
}

function renderWarning(file: string, { key, message, line }: ShownWarning): string {
  return `${file}:${line === undefined ? "" : `${line}:`} ${key}: ${printable(message, 1000)}`;
}

/** Markdown, a section for each tool. */
async function document(files: readonly string[]): Promise<number> {
  const { documentPlugins } = await import("./_docs.ts");
  const manifests = readManifests(files, (file) => readPolicy(file, "plugin"));
  print(await documentPlugins(manifests, createRegistry()));
  return EXIT.success;
}
