/** pytest's output with `--verbosity=0 --tb=short -rfE`. */

import type { Output, TestFailure, TestReport } from "./report.ts";
import { count, message } from "./text.ts";

/** What a section of ERRORS or FAILURES says. */
interface Section {
  readonly title: string;
  readonly places: readonly { readonly file: string; readonly line: number }[];
  readonly message: string;
}

/** By its last line of counts; null where it has none. Expected failures count as skipped. */
export function readPytest({ stdout }: Output): TestReport | null {
  const lines = stdout.split("\n");
  const last = lines.findLast((line) => summaryOf(line) !== null);
  const counts = last === undefined ? null : summaryOf(last);
  if (counts === null) return null;
  const sections = sectionsOf(lines);
  const named = namedFailures(lines).map((entry) => completed(entry, sections));
  return {
    passed: counts("passed") + counts("xpassed"),
    failed: counts("failed") + counts("error"),
    skipped: counts("skipped") + counts("xfailed"),
    failures: named.length > 0 ? named : sections.map(ofSection),
  };
}

/** `1 failed, 2 passed in 0.02s`, between `=` or alone; null for any other line. */
function summaryOf(line: string): ((word: string) => number) | null {
  const text = /^(?:=+ )?(\d+ [a-z]+(?:, \d+ [a-z]+)*|no tests ran) in \d[\d.]*s/.exec(line)?.[1];
  if (text === undefined) return null;
  const counts = new Map<string, number>();
  for (const part of text.split(", ")) {
    const [digits, word = ""] = part.split(" ");
    counts.set(word === "errors" ? "error" : word, count(digits));
  }
  return (word) => counts.get(word) ?? 0;
}

/** The lines of `-rfE`: a test's whole name, and the beginning of what went wrong. */
function namedFailures(lines: readonly string[]): readonly TestFailure[] {
  const start = lines.findLastIndex((line) => /^=+ short test summary info =+$/.test(line));
  if (start === -1) return [];
  return lines.slice(start + 1).flatMap((line) => {
    // Names of parametrised tests may hold anything in their brackets.
    const found = /^(?:FAILED|ERROR) ([^[]*?(?:\[.*?\])?)(?: - (.*))?$/.exec(line);
    if (found === null) return [];
    const [, name = "", said = ""] = found;
    return [{ name, file: name.split("::")[0] ?? name, message: said }];
  });
}

function sectionsOf(lines: readonly string[]): readonly Section[] {
  const sections: Section[] = [];
  let inFailures = false;
  let title: string | null = null;
  let body: string[] = [];
  const close = () => {
    if (title !== null) sections.push(sectionOf(title, body));
    title = null;
    body = [];
  };
  for (const line of lines) {
    const heading = /^=+ (.+?) =+$/.exec(line)?.[1];
    const name = /^_+ (.+?) _+$/.exec(line)?.[1];
    if (heading !== undefined) {
      close();
      inFailures = heading === "ERRORS" || heading === "FAILURES";
    } else if (inFailures && name !== undefined) {
      close();
      title = name;
    } else if (title !== null) body.push(line);
  }
  close();
  return sections;
}

function sectionOf(title: string, body: readonly string[]): Section {
  const captured = body.findIndex((line) => /^-+ Captured .+ -+$/.test(line));
  const own = captured === -1 ? body : body.slice(0, captured);
  const said = own.flatMap((line) => /^E(?: {3}(.*))?$/.exec(line)?.slice(1).map(String) ?? []);
  const places = own.flatMap((line) => {
    const found = /^(?:E\s+File "(.+)", line (\d+)|([^\s<].*?):(\d+): )/.exec(line);
    if (found === null) return [];
    const [, quoted, quotedLine, plain, plainLine] = found;
    return [{ file: quoted ?? plain ?? "", line: count(quotedLine ?? plainLine) }];
  });
  return { title, places, message: message(said.join("\n")) };
}

/** With what the section of the same test says: where it failed in the test's own file, and the whole message. */
function completed(entry: TestFailure, sections: readonly Section[]): TestFailure {
  const [file = "", ...inner] = entry.name.split("::");
  const name = inner.join(".");
  const titles = inner.length === 0
    ? [`ERROR collecting ${file}`, file]
    : [name, `ERROR at setup of ${name}`, `ERROR at teardown of ${name}`];
  const candidates = sections.filter(({ title }) => titles.includes(title));
  const isOwn = (path: string) => path === file || path.endsWith(`/${file}`);
  const section = candidates.find(({ places }) => places.some((place) => isOwn(place.file))) ??
    candidates[0];
  if (section === undefined) return entry;
  const line = section.places.findLast((place) => isOwn(place.file))?.line;
  return {
    ...entry,
    ...(line === undefined ? {} : { line }),
    message: section.message === "" ? entry.message : section.message,
  };
}

function ofSection({ title, places, message }: Section): TestFailure {
  const place = places.findLast(({ file }) => !file.startsWith("/")) ?? places.at(-1);
  return { name: title, ...place, message };
}
