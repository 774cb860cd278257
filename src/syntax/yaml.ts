/** Judges YAML 1.2, one document or several. */

import { parseAll, YamlSyntaxError } from "@std/yaml";
import { problemAt, problemOnLine, type SyntaxProblem, TOO_DEEP } from "./problem.ts";
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
    // The core schema merges no `<<`: some lines of merges of merges would be gigabytes of entries.
    parseAll(text, { schema: "core" });
    return null;
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    if (!(error instanceof YamlSyntaxError)) throw error;
    if (/unknown tag /.test(error.message)) {
      const untagged = text.replaceAll(TAG, (tag) => " ".repeat(tag.length));
      if (untagged !== text) return judge(untagged);
    }
    // Of its line, column and offset, the offset alone is right for a duplicate key.
    return problemAt(
      text,
      error.offset,
      error.message.replace(/ at line \d+, column -?\d+:[^]*$/, ""),
    );
  }
}
