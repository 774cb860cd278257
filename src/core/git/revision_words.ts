/** Words that name objects of git, taken apart (gitrevisions(7)), and paths within them. Pure. */

/** The word itself, and what stands between the dots of a range and before what turns it round (gitrevisions(7)). */
export function partsOf(word: string): readonly string[] {
  const bare = word.replace(/^\^/, "").replace(/\^(?:[!@]|-\d*)$/, "");
  return [...new Set([word, bare, ...(bare.includes("..") ? bare.split(/\.{2,3}/) : [])])];
}

/** Where the path of `REVISION:PATH` begins: not within braces (gitrevisions(7)); -1 where there is none. */
export function colonOf(word: string): number {
  let depth = 0;
  for (let at = 0; at < word.length; at++) {
    if (word[at] === "{") depth++;
    else if (word[at] === "}" && depth > 0) depth--;
    else if (word[at] === ":" && depth === 0) return at;
  }
  return -1;
}

/** Without `.` and `..`; null where it leads out. */
export function plainPath(path: string): string | null {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join("/");
}
