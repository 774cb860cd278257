/** Judges YAML 1.2, one document or several. */

import { parseAll } from "@std/yaml";
import { problemOnLine, type SyntaxProblem } from "./problem.ts";
import { findIndentingTab } from "./_indenting_tab.ts";

/** A tag: `!Ref`, `!!str`, `!<tag:…>`, where one may stand. */
const TAG = /(?<=^|[\s[{,])!(?:<[^>\s]*>|[^\s,[\]{}]*)(?=$|[\s,\]}])/gm;

/**
 * Duplicate keys are errors, and tabs that indent, which the parser lets pass. Tags it does not know are
 * none: they belong to whatever reads the file.
 */
export function checkYaml(text: string): SyntaxProblem | null {
  const tab = findIndentingTab(text);
  const problem = judge(text);
  if (tab === null || (problem !== null && problem.line < tab.line)) return problem;
  return problemOnLine(
    text,
    tab.line,
    tab.index,
    "a tab indents this line; YAML takes spaces only",
  );
}

function judge(text: string): SyntaxProblem | null {
  try {
    parseAll(text);
    return null;
  } catch (error) {
    if (error instanceof RangeError) {
      return { line: 1, column: 1, message: "it is nested too deeply to be judged" };
    }
    if (!(error instanceof Error)) throw error;
    if (/unknown tag /.test(error.message)) {
      const untagged = text.replaceAll(TAG, (tag) => " ".repeat(tag.length));
      if (untagged !== text) return judge(untagged);
    }
    const place = /^([^]*?) at line (\d+), column (\d+):/.exec(error.message);
    if (place === null) throw error;
    const [, message = "", line, column] = place;
    return problemOnLine(text, Number(line), Number(column) - 1, message);
  }
}
