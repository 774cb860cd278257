/** The Test Anything Protocol as `node --test` writes it, with subtests before the test that holds them. */

import type { Output, TestFailure, TestReport } from "./report.ts";
import { count, message } from "./text.ts";

const POINT = /^( *)(not )?ok\b(?: \d+)?(?: -)? ?(.*)$/;

/** TAP 13 or 14 with subtests; null for what is no TAP. */
export function readTap({ stdout }: Output): TestReport | null {
  const lines = stdout.split("\n");
  // Other programs print "ok" too: the version or the plan says that it is TAP.
  if (!lines.some((line) => /^(?:TAP version \d+|1\.\.\d+)$/.test(line))) return null;
  const failures: TestFailure[] = [];
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  let seen = false;
  const opened: { readonly indent: number; readonly name: string }[] = [];
  let deepest = 0;
  lines.forEach((line, index) => {
    const subtest = /^( *)# Subtest: (.*)$/.exec(line);
    if (subtest !== null) {
      opened.push({ indent: subtest[1]?.length ?? 0, name: unescapeName(subtest[2] ?? "") });
    }
    const point = POINT.exec(line);
    if (point === null) return;
    seen = true;
    const [, space = "", not, rest = ""] = point;
    const indent = space.length;
    const { name, directive } = described(rest);
    while ((opened.at(-1)?.indent ?? -1) >= indent) opened.pop();
    const holdsOthers = deepest > indent;
    deepest = indent;
    if (directive !== null) skipped += holdsOthers ? 0 : 1;
    else if (not === undefined) passed += holdsOthers ? 0 : 1;
    else {
      const details = detailsAfter(lines, index + 1);
      // What only says that something in it failed is told by that.
      if (holdsOthers && /subtests? failed|steps? failed/i.test(details.message)) return;
      failed++;
      const path = [...opened.map((parent) => parent.name), name];
      failures.push({ name: path.join(" > "), ...details });
    }
  });
  const bail = lines.find((line) => line.startsWith("Bail out!"));
  if (bail !== undefined) failures.push({ name: "Bail out!", message: message(bail.slice(9)) });
  if (!seen && bail === undefined && !lines.includes("1..0")) return null;
  return { passed, failed: failed + (bail === undefined ? 0 : 1), skipped, failures };
}

/** The name, and whether it is followed by `# SKIP` or `# TODO`; a `#` of the name itself is escaped. */
function described(text: string): { readonly name: string; readonly directive: string | null } {
  const found = /(?:^|\s)# (SKIP|TODO)\b/i.exec(text);
  const name = found === null ? text : text.slice(0, found.index);
  return { name: unescapeName(name.trim()), directive: found?.[1] ?? null };
}

function unescapeName(text: string): string {
  return text.replaceAll(/\\([\\#])/g, "$1");
}

/** The YAML block below a test point, of which only the place and the error are read. */
function detailsAfter(lines: readonly string[], start: number): Omit<TestFailure, "name"> {
  if (lines[start]?.trim() !== "---") return { message: "" };
  let place: string | null = null;
  let said = "";
  for (let at = start + 1; at < lines.length && lines[at]?.trim() !== "..."; at++) {
    const entry = /^( *)(location|error): (.*)$/.exec(lines[at] ?? "");
    if (entry === null) continue;
    const [, space = "", key, value = ""] = entry;
    if (key === "location") place ??= unquote(value);
    else if (said === "") {
      said = /^[|>]/.test(value) ? blockAfter(lines, at + 1, space.length) : unquote(value);
    }
  }
  const at = /^(.+):(\d+):\d+$/.exec(place ?? "");
  return {
    ...(at === null ? {} : { file: at[1] ?? "", line: count(at[2]) }),
    message: message(said),
  };
}

/** The lines that stand deeper than `indent`. */
function blockAfter(lines: readonly string[], start: number, indent: number): string {
  const block: string[] = [];
  for (const line of lines.slice(start)) {
    if (line.trim() !== "" && line.search(/\S/) <= indent) break;
    block.push(line.slice(indent + 2));
  }
  return block.join("\n");
}

function unquote(value: string): string {
  const inner = /^'(.*)'$|^"(.*)"$/.exec(value);
  return (inner?.[1] ?? inner?.[2] ?? value).replaceAll("\\'", "'").replaceAll("''", "'");
}
