/** Whether a log is as it was written: nothing edited, removed, put in another order, or cut off. */

import { sha256 } from "../core/sha256.ts";
import { type ChainHead, readChainedLine, START } from "./record.ts";

/** One thing that is wrong, for people. `file` and `line` (from 1) say where it shows. */
export interface ChainProblem {
  readonly file: string;
  readonly line: number;
  readonly problem: "edited" | "missing" | "unreadable" | "cut" | "anchor";
  readonly message: string;
}

/** A log's text, oldest file first. */
export interface LogText {
  readonly file: string;
  readonly lines: Iterable<string>;
  /** Whether its last line ends in a newline. */
  readonly ended: boolean;
}

/** What a look at a whole log found; it is whole where there are no problems. */
export interface Verification {
  readonly records: number;
  /** The head, to be kept elsewhere as an anchor; `START` for an empty log. */
  readonly head: ChainHead;
  readonly problems: readonly ChainProblem[];
}

/** Problems after which only counting goes on: one wrong file must not print a million lines. */
const MOST_PROBLEMS = 100;

/**
 * Checks the chain over all files. `anchors`: heads that were printed earlier; each must be in the log, which alone
 * tells that the end was cut off. Lines that a repair record accounts for are no problem.
 */
export function verifyChain(
  files: Iterable<LogText>,
  anchors: readonly ChainHead[] = [],
): Verification {
  const problems: ChainProblem[] = [];
  const open = new Map(anchors.map((anchor) => [anchor.sequence, anchor.hash]));
  if (open.get(0) === START.hash) open.delete(0);
  let head = START;
  let records = 0;
  let lastFile = "";
  const report = (problem: ChainProblem): void => {
    if (problems.length < MOST_PROBLEMS) problems.push(problem);
  };
  for (const { file, lines, ended } of files) {
    lastFile = file;
    let number = 0;
    /** Lines that are no records: right only if the next record is their repair. */
    const skipped = new SkippedLines();
    for (const line of lines) {
      number++;
      const record = readChainedLine(line);
      if (record === null) {
        skipped.add(number, line);
        continue;
      }
      if (!skipped.isRepairedBy(line)) report(noRecord(file, skipped.first));
      skipped.clear();
      records++;
      if (!record.intact) {
        report({
          file,
          line: number,
          problem: "edited",
          message: `record ${record.sequence} is not as it was written: its hash does not fit`,
        });
      }
      if (record.sequence !== head.sequence + 1 || record.previous !== head.hash) {
        report({
          file,
          line: number,
          problem: "missing",
          message: `record ${record.sequence} does not follow record ${head.sequence}: ` +
            "something between them was removed, added or moved",
        });
      }
      head = { sequence: record.sequence, hash: record.hash };
      if (open.get(record.sequence) === record.hash) open.delete(record.sequence);
    }
    if (skipped.first > 0) {
      report(
        ended ? noRecord(file, skipped.first) : {
          file,
          line: skipped.first,
          problem: "cut",
          message: "the last line is cut off: its writer was stopped, or the end was removed",
        },
      );
    }
  }
  for (const [sequence] of open) {
    report({
      file: lastFile,
      line: 0,
      problem: "anchor",
      message: `record ${sequence} is not in the log with the hash of the anchor: ` +
        "the log was cut off before it, or written anew",
    });
  }
  return { records, head, problems };
}

function noRecord(file: string, line: number): ChainProblem {
  return { file, line, problem: "unreadable", message: "this line is no record" };
}

/** What stands between two records. */
class SkippedLines {
  #lines: string[] = [];
  #length = 0;
  /** The first of them, from 1; 0 where there is none. */
  first = 0;

  add(number: number, line: string): void {
    if (this.first === 0) this.first = number;
    this.#length += line.length;
    if (this.#length <= LONGEST_SKIPPED) this.#lines.push(line);
  }

  /** True also where there is nothing to repair. */
  isRepairedBy(line: string): boolean {
    if (this.first === 0) return true;
    const said = REPAIR.exec(line)?.[1];
    if (said === undefined || this.#length > LONGEST_SKIPPED) return false;
    const text = this.#lines.join("\n");
    return [text, `${text}\n`].some((one) => sha256(new TextEncoder().encode(one)) === said);
  }

  clear(): void {
    this.#lines = [];
    this.#length = 0;
    this.first = 0;
  }
}

/** A cut line is never longer than a record. */
const LONGEST_SKIPPED = 1024 * 1024;
const REPAIR = /,"kind":"repair",.*"sha256":"([0-9a-f]{64})","hash":/;
