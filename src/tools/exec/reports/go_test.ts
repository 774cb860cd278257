/** The events of `go test -json`: one a line, of a test or of a whole package. */

import { jsonLines, text } from "./partial_json.ts";
import type { Output, TestFailure, TestReport } from "./report.ts";
import { count, message } from "./text.ts";

/** `module`: the path of the main module, by which packages become folders. */
export function readGoTest({ stdout, stderr }: Output, module: string): TestReport | null {
  const tally = { pass: 0, fail: 0, skip: 0 };
  const said = new Map<string, string[]>();
  const failures: TestFailure[] = [];
  const brokenPackages = new Set<string>();
  let seen = false;
  for (const event of jsonLines(stdout)) {
    const action = text(event, "Action");
    const test = text(event, "Test");
    const inPackage = text(event, "Package");
    if (action === "" || inPackage === "") continue;
    seen = true;
    if (action === "output") {
      const key = `${inPackage}\n${test}`;
      const lines = said.get(key) ?? [];
      lines.push(text(event, "Output"));
      said.set(key, lines);
      if (test === "" && /\[(?:build|setup) failed\]/.test(text(event, "Output"))) {
        brokenPackages.add(inPackage);
      }
    }
    if (test === "" || (action !== "pass" && action !== "fail" && action !== "skip")) continue;
    tally[action]++;
    if (action === "fail") {
      failures.push(
        failureOf(test, folderOf(inPackage, module), said.get(`${inPackage}\n${test}`) ?? []),
      );
    }
  }
  for (const [, name = ""] of stdout.matchAll(/^FAIL\t(\S+) \[(?:build|setup) failed\]$/gm)) {
    brokenPackages.add(name);
  }
  if (!seen && brokenPackages.size === 0) return null;
  const broken = [...brokenPackages].map((name) => brokenPackage(name, stderr));
  return {
    passed: tally.pass,
    failed: tally.fail + broken.length,
    skipped: tally.skip,
    failures: [...failures, ...broken],
  };
}

function failureOf(test: string, folder: string, lines: readonly string[]): TestFailure {
  const own = lines.filter((line) => !/^\s*(?:===|---) /.test(line));
  const place = /^\s*(\S+\.go):(\d+):/.exec(own[0] ?? "");
  return {
    name: test,
    ...(place === null ? {} : { file: folder + (place[1] ?? ""), line: count(place[2]) }),
    message: message(own.join("")),
  };
}

/** Its errors stand on standard error below `# package`, with files from where go was started. */
function brokenPackage(name: string, stderr: string): TestFailure {
  const lines = stderr.split("\n");
  const start = lines.findIndex((line) => line === `# ${name}` || line.startsWith(`# ${name} `));
  const rest = start === -1 ? [] : lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith("# "));
  const own = end === -1 ? rest : rest.slice(0, end);
  const place = own.map((line) => /^(\S+\.go):(\d+):/.exec(line)).find((found) => found !== null);
  return {
    name,
    ...(place === undefined ? {} : { file: place?.[1] ?? "", line: count(place?.[2]) }),
    message: message(own.join("\n")) || "cannot be built",
  };
}

/** The folder of a package from that of the module, with its slash. */
function folderOf(name: string, module: string): string {
  return module !== "" && name.startsWith(`${module}/`) ? `${name.slice(module.length + 1)}/` : "";
}
