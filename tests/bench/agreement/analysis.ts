/** What the tools of analysis say of real sources, beside what the tools of the field say of the same. */

import { join } from "@std/path";
import { ROOT } from "../../../scripts/compile.ts";
import { outline, sourcesOf, whileAsking } from "./_compared.ts";
import { clones } from "./clones.ts";
import { cognitiveOfJavaScript, cognitiveOfPython } from "./cognitive.ts";
import { complexities } from "./complexity.ts";
import { importGraphs } from "./imports.ts";
import { linesByCloc } from "./lines.ts";
import type { Agreement } from "./profiles.ts";
import { symbolsByCompiler, symbolsByTags } from "./symbols.ts";

/** What is compared beside {@linkcode sourcesOf}: the sources of this repository, and what Python and Go bring along. */
const TREE = join(ROOT, "src");

/** Languages whose lines are counted. */
const COUNTED = ["go", "rust", "java", "cpp", "shell", "javascript"];

/** A line for each program that is here, on `PATH`; those that are not are left out. */
export async function analysisAgreement(binary: string): Promise<readonly Agreement[]> {
  return await whileAsking(binary, (ask) => {
    const own = outline(ask, TREE);
    return [
      symbolsByCompiler(own, TREE),
      ...symbolsByTags(ask),
      ...linesByCloc("lines of TypeScript", own, TREE),
      ...COUNTED.flatMap((language) => {
        const root = sourcesOf(language);
        return root === null ? [] : linesByCloc(`lines of ${language}`, outline(ask, root), root);
      }),
      ...importGraphs(ask, TREE),
      ...complexities(ask),
      ...cognitiveOfJavaScript(ask),
      ...cognitiveOfPython(ask),
      ...clones(ask),
    ];
  });
}
