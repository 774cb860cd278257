/** Findings of one line each: flake8, mypy, go vet, golangci-lint, tsc, and the annotations of GitHub. */

import type { Finding, Output, Severity } from "./report.ts";
import { count, message, position } from "./text.ts";

/** flake8(1): E9 and F are what breaks a program, the rest is style. */
export function readFlake8({ stdout }: Output): readonly Finding[] {
  return read(
    stdout,
    /^(.+?):(\d+):(\d+): ([A-Z]+\d+) (.*)$/,
    ([file, line, column, rule, said]) => ({
      file,
      line,
      column,
      rule,
      severity: /^(?:E9|F)/.test(rule) ? "error" : "warning",
      said,
    }),
  );
}

/** mypy with columns and error codes. Notes belong to the error before them. */
export function readMypy({ stdout }: Output): readonly Finding[] {
  return read(
    stdout,
    /^(.+?):(\d+):(?:(\d+):)? (error|warning|note): (.*?)(?: {2}\[([\w-]+)\])?$/,
    ([file, line, column, severity, said, rule]) => ({
      file,
      line,
      column,
      rule,
      severity: severity === "note" ? "info" : severity === "warning" ? "warning" : "error",
      said,
    }),
  );
}

/** `tsc --pretty false`; errors of the project itself stand without a file. */
export function readTsc({ stdout }: Output): readonly Finding[] {
  return read(
    stdout,
    /^(?:(.+)\((\d+),(\d+)\): )?(error|warning) (TS\d+): (.*)$/,
    ([file, line, column, severity, rule, said]) => ({
      file,
      line,
      column,
      rule,
      severity: severity === "warning" ? "warning" : "error",
      said,
    }),
  );
}

/** go vet and the compiler write to standard error; a vet that cannot compile says `vet: ` first. */
export function readGoVet({ stderr }: Output): readonly Finding[] {
  return read(
    stderr,
    /^(?:vet: )?(?:\.\/)?(\S.*?\.go):(\d+):(?:(\d+):)? (.*)$/,
    ([file, line, column, said]) => ({ file, line, column, rule: "", severity: "error", said }),
  );
}

/** golangci-lint's text: the linter in brackets at the end. */
export function readGolangci({ stdout }: Output): readonly Finding[] {
  return read(
    stdout,
    /^(\S.*?\.go):(\d+):(?:(\d+):)? (.*?)(?: \(([\w-]+)\))?$/,
    ([file, line, column, said, rule]) => ({
      file,
      line,
      column,
      rule,
      severity: rule === "typecheck" ? "error" : "warning",
      said,
    }),
  );
}

/** Workflow commands of GitHub, as biome's `--reporter=github` writes them: `::error title=…,file=…::message`. */
export function readGitHub({ stdout }: Output): readonly Finding[] {
  return read(
    stdout,
    /^::(error|warning|notice) ([^:]*(?::(?!:)[^:]*)*)::(.*)$/,
    ([severity, properties, said]) => {
      const entries = properties.split(",").map((entry): [string, string] => {
        const equals = entry.indexOf("=");
        return [entry.slice(0, equals), unescapeProperty(entry.slice(equals + 1))];
      });
      const { file = "", line = "", col = "", title = "" } = Object.fromEntries(entries);
      return {
        file,
        line,
        column: col,
        rule: title,
        severity: severity === "notice" ? "info" : severity === "warning" ? "warning" : "error",
        said: unescapeProperty(said),
      };
    },
  );
}

/** GitHub's escapes of what would end a value. */
function unescapeProperty(text: string): string {
  return text.replaceAll(
    /%(0A|0D|25|2C|3A)/gi,
    (_, code: string) => String.fromCharCode(parseInt(code, 16)),
  );
}

interface Parts {
  readonly file: string;
  readonly line: string;
  readonly column: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly said: string;
}

/** Each line that the pattern fits; groups that are not there come as "". */
function read(
  text: string,
  pattern: RegExp,
  parts: (groups: readonly [string, string, string, string, string, string]) => Parts,
): readonly Finding[] {
  return text.split("\n").flatMap((line) => {
    const found = pattern.exec(line);
    if (found === null) return [];
    const at = (index: number) => found[index] ?? "";
    const { file, said, rule, severity, ...place } = parts(
      [at(1), at(2), at(3), at(4), at(5), at(6)],
    );
    return [{
      file,
      line: position(count(place.line)),
      column: position(count(place.column)),
      rule: rule === "" ? null : rule,
      severity,
      message: message(said),
    }];
  });
}
