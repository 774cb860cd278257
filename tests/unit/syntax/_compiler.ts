/** The judge of TypeScript: the parser of its compiler. */

import ts from "typescript";

/** What a program's `getSyntacticDiagnostics` answers with; a program for each mutant would take twenty times as long. */
interface Parsed {
  readonly parseDiagnostics: readonly unknown[];
}

/** Whether the compiler has no syntactic diagnostic for it. The name says the language by its ending. */
export function isValidTypeScript(text: string, name = "a.ts"): boolean {
  const parsed = ts.createSourceFile(name, text, ts.ScriptTarget.Latest) as unknown as Parsed;
  return parsed.parseDiagnostics.length === 0;
}
