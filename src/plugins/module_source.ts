/** From the text of a module to code that runs by itself, or all that keeps it from that. Pure. */

import type { ModuleManifest, ModuleSource } from "./manifest.ts";

/** One thing that is wrong with a module. Lines and columns count from 1. */
export interface ModuleProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Longer ones are bundles of what a tool hardly needs. */
export const LONGEST_MODULE = 1 << 20;

/**
 * JavaScript that imports nothing but the runtime's own modules and exports a function as default. `entries`: which of
 * the functions that Toolgate calls it exports.
 */
export async function readModule(
  { language, text }: ModuleSource,
): Promise<{ readonly code: string } | { readonly problems: readonly ModuleProblem[] }> {
  // The parser is loaded for nothing else.
  const { stripTypes } = await import("../syntax/strip_types.ts");
  const stripped = stripTypes(text, language);
  if ("problem" in stripped) return { problems: [stripped.problem] };
  const problems = stripped.imports.flatMap(({ specifier, line }): ModuleProblem[] => {
    if (specifier?.startsWith("node:") === true) return [];
    const what = specifier === null ? "what is known only when it runs" : JSON.stringify(specifier);
    return [{
      line,
      column: 1,
      message:
        `imports ${what}: a module stands alone, save for node: modules; put all of it into ` +
        "one file (deno bundle FILE -o FILE.js, or esbuild --bundle --format=esm)",
    }];
  });
  if (!stripped.exports.includes("default")) {
    const message = "exports nothing as default; write export default async (args, context) => ...";
    problems.push({ line: 1, column: 1, message });
  }
  return problems.length > 0 ? { problems } : { code: stripped.text };
}

/** `name.ts:3:5: …` */
export function renderProblem(file: string, { line, column, message }: ModuleProblem): string {
  return `${file}:${line}:${column}: ${message}`;
}

/** The same tool with its module ready to run: what binaries carry and threads are sent. Throws Error with its problems. */
export async function withCode(manifest: ModuleManifest): Promise<ModuleManifest> {
  const { source, module } = manifest;
  if (source === null) throw new Error(`${module} was not read`);
  if (source.language === "javascript") return manifest;
  const read = await readModule(source);
  if ("code" in read) return { ...manifest, source: { language: "javascript", text: read.code } };
  throw new Error(read.problems.map((problem) => renderProblem(module, problem)).join("; "));
}
