/** Which files a formatter would change, and those that it could not read. */

import type { Output, TestFailure } from "./report.ts";
import { message } from "./text.ts";

/** A file that could not be formatted. */
export type Unformatted = Required<Pick<TestFailure, "file" | "message">>;

/** What a formatter has changed or would change, and what it cannot read. */
export interface Reformatted {
  /** As the program names them. */
  readonly files: readonly string[];
  readonly failed: readonly Unformatted[];
}

/** Reads a formatter's output. */
export type ReadReformatted = (output: Output) => Reformatted;

/** `black --check`: on standard error. */
export const readBlack: ReadReformatted = ({ stderr }) => ({
  files: all(stderr, /^would reformat (.+)$/gm),
  failed: [...stderr.matchAll(/^error: cannot format (.+?): (.*)$/gm)].map(failure),
});

/** `ruff format --diff`: the changed ones by the headings of the diff. */
export const readRuffFormat: ReadReformatted = ({ stdout, stderr }) => ({
  files: all(stdout, /^--- (.+?)(?:\t.*)?\n\+\+\+ /gm),
  failed: [...stderr.matchAll(/^error: Failed to parse (.+?):(.*)$/gm)].map(failure),
});

/** `prettier --list-different`: one a line; what cannot be parsed on standard error. */
export const readPrettier: ReadReformatted = ({ stdout, stderr }) => ({
  files: all(stdout, /^(\S.*)$/gm),
  failed: [...stderr.matchAll(/^\[error\] (.+?): (\w*Error: .*)$/gm)].map(failure),
});

/** `gofmt -d`: the headings of its diffs. */
export const readGofmt: ReadReformatted = ({ stdout, stderr }) => ({
  files: all(stdout, /^diff (.+)\.orig \1$/gm),
  failed: [...stderr.matchAll(/^(.+?\.go):(\d+:\d+: .*)$/gm)].map(failure),
});

/** `deno fmt --check`: a heading over each diff, on standard error. */
export const readDenoFmt: ReadReformatted = ({ stdout, stderr }) => ({
  files: all(`${stdout}\n${stderr}`, /^from (.+):$/gm),
  failed: [...stderr.matchAll(/^Error (?:checking|formatting): (.+)\n +(.*)$/gm)].map(failure),
});

/** `cargo fmt --check`: a heading over each difference; rustfmt's errors as the compiler writes them. */
export const readCargoFmt: ReadReformatted = ({ stdout, stderr }) => ({
  files: all(stdout, /^Diff in (.+?\.rs)(?::| at line )\d+:$/gm),
  failed: [...stderr.matchAll(/^error: (.+)\n +--> (.+?):\d+:\d+$/gm)].map(
    ([, said = "", file = ""]) => ({ file, message: message(said) }),
  ),
});

function all(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))];
}

function failure([, file = "", said = ""]: RegExpExecArray): Unformatted {
  return { file, message: message(said) };
}
