/** What patch(1) would change, by its words and the patch itself. */

import { beneath, INPUTS, type Listing } from "./model.ts";

const VALUED: ReadonlySet<string> = new Set([
  ...["-i", "--input", "-d", "--directory", "-p", "--strip", "-F", "--fuzz", "-D", "--ifdef"],
  ...["-B", "--prefix", "-Y", "--basename-prefix", "-z", "--suffix", "-V", "--version-control"],
  ...["-o", "--output", "-r", "--reject-file", "-g", "--get", "--quoting-style", "--reject-format"],
  "--read-only",
]);

/** Null where its words name the file, or nothing is written. */
export function patchListing(argv: readonly string[]): Listing | null {
  const values = new Map<string, string>();
  const operands: string[] = [];
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]!;
    if (/^--(?:dry-run|help|version)$/.test(word)) return null;
    const [name = "", value] = word.startsWith("--") ? word.split(/=(.*)/s) : [];
    if (word === "--") {
      operands.push(...argv.slice(at + 1));
      break;
    }
    if (name !== "") {
      if (VALUED.has(name)) values.set(name, value ?? argv[++at] ?? "");
    } else if (word.startsWith("-") && word !== "-") {
      const letter = [...word.slice(1)].findIndex((one) => VALUED.has(`-${one}`)) + 1;
      if (letter === 0) continue;
      const rest = word.slice(letter + 1);
      values.set(`-${word[letter]}`, rest === "" ? argv[++at] ?? "" : rest);
    } else operands.push(word);
  }
  const of = (...names: readonly string[]) => names.map((name) => values.get(name)).find(Boolean);
  if (operands.length > 0 && operands[0] !== "" || of("-o", "--output") !== undefined) return null;
  const folder = of("-d", "--directory") ?? ".";
  const given = of("-i", "--input") ?? operands[1] ?? "-";
  const strip = of("-p", "--strip");
  return {
    ask: null,
    reads: INPUTS.has(given) ? [] : [beneath(folder, given)],
    fed: INPUTS.has(given),
    access: "write",
    follows: false,
    namesIn: (text) => namesOf(text).map((name) => beneath(folder, stripped(name, strip))),
  };
}

/** Names of all forms of its headers; what only looks like one of them names nothing that is there. */
function namesOf(text: string): readonly string[] {
  const names = text.split("\n").flatMap((line) => {
    const found = /^(?:---|\+\+\+|\*\*\*|Index:) +("(?:[^"\\]|\\.)+"|[^\t\r]+)/.exec(line)?.[1] ??
      /^(?:rename|copy) (?:from|to) (.+)$/.exec(line)?.[1];
    const name = found?.replace(/^"(.*)"$/, "$1").trimEnd() ?? "";
    return name === "" || name === "/dev/null" || /^\d+(?:,\d+)? \*{4}$/.test(name) ? [] : [name];
  });
  return [...new Set(names)];
}

/** patch(1): without `-p` the last part alone counts. */
function stripped(name: string, strip: string | undefined): string {
  if (strip === undefined) return name.replace(/^.*\//, "");
  const parts = name.replace(/^\/+/, (slashes) => strip === "0" ? slashes : "/").split(/\/+/);
  return parts.slice(Math.min(Number(strip) || 0, parts.length - 1)).join("/");
}
