/** Kinds of lines, beside cloc's. */

import { join } from "@std/path";
import { type Outlined, printed } from "./_compared.ts";
import type { Agreement } from "./profiles.ts";

/** Line by line: cloc says how many, so what differs is how many fewer one has of each. */
export function linesByCloc(
  subject: string,
  files: readonly Outlined[],
  root: string,
): readonly Agreement[] {
  // Without that option it takes signs of comments in strings for comments, as its manual says.
  const options = ["--by-file", "--json", "--quiet", "--skip-uniqueness", "--strip-str-comments"];
  const text = printed("cloc", [...options, "."], root);
  if (text === null) return [];
  const counted = JSON.parse(text) as Record<string, Outlined["lines"]>;
  const differences: string[] = [];
  const reasons = new Map<string, { count: number; readonly all: string[] }>();
  let [lines, same] = [0, 0];
  for (const { path, lines: own } of files) {
    const theirs = counted[`./${path}`];
    if (theirs === undefined) continue;
    const isSame = theirs.code === own.code && theirs.comment === own.comment;
    const reason = isSame ? null : habitOf(Deno.readTextFileSync(join(root, path)), theirs, own);
    for (const kind of ["code", "comment", "blank"] as const) {
      same += Math.min(theirs[kind], own[kind]);
      if (reason !== null) {
        const count = Math.abs(theirs[kind] - own[kind]);
        lines += Math.min(theirs[kind], own[kind]);
        if (count === 0) continue;
        const told = reasons.get(reason) ?? { count: 0, all: [] };
        told.count += count;
        told.all.push(`${path}: ${own[kind]} lines of ${kind}, there ${theirs[kind]}`);
        reasons.set(reason, told);
        continue;
      }
      lines += Math.max(theirs[kind], own[kind]);
      if (theirs[kind] !== own[kind]) {
        differences.push(`${path}: ${own[kind]} lines of ${kind}, there ${theirs[kind]}`);
      }
    }
  }
  const explained = [...reasons].map(([reason, { count, all }]) => ({ reason, count, all }));
  return [{ subject, against: "cloc", compared: lines, same, differences, explained }];
}

/** What cloc, which does not know strings from comments, has otherwise; null where it is something else. */
function habitOf(
  text: string,
  theirs: Outlined["lines"],
  own: Outlined["lines"],
): string | null {
  if (text.startsWith("#!") && theirs.code === own.code + 1) {
    return "the first line #! is code there";
  }
  if (theirs.comment < own.comment && /\/\*(?:(?!\*\/)[^])*\/\*[^]*?\*\/[^]*?\*\//.test(text)) {
    return "a comment within a comment, which ends both there";
  }
  // A string, a template or an expression that has a comment's sign in it.
  return /["'`\/][^"'\n]*(\/\*|\/\/|\*\/)|[`"'][^`]*\n\s*(\/\/|#|\/\*)|["']{3}/.test(text)
    ? "signs of comments in a string are comments there"
    : null;
}
