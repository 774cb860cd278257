/** Outputs of real programs, recorded once; `/project` stands for the folder they ran in. */

import type { Output } from "../../../../src/tools/exec/reports/report.ts";
import { plainText } from "../../../../src/tools/exec/reports/text.ts";

const FOLDER = new URL("recorded/", import.meta.url);

/** What the program wrote, as the tools read it. */
export function recorded(name: string): Output {
  return { stdout: plainText(raw(`${name}.out`)), stderr: plainText(raw(`${name}.err`)) };
}

/** The names of all recordings. */
export function recordings(): readonly string[] {
  const names = [...Deno.readDirSync(FOLDER)].map(({ name }) => name.replace(/\.(?:out|err)$/, ""));
  return [...new Set(names)].sort();
}

/** "" where the program wrote nothing there. */
function raw(file: string): string {
  try {
    return Deno.readTextFileSync(new URL(file, FOLDER));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
