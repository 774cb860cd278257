/** What is read out of a program's output: counts and failures of tests, findings of checkers. */

/** What a program wrote, as text. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** `file` as the program wrote it. */
export interface TestFailure {
  readonly name: string;
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  readonly message: string;
}

/** Skipped are also tests whose failure is expected (xfail, todo). What could not be loaded has failed. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly TestFailure[];
}

/** Reads a report; null where the output holds none. Never throws, whatever the output. */
export type ReadTests = (output: Output) => TestReport | null;

/** How grave a finding is, whatever its program calls it. */
export type Severity = "error" | "warning" | "info";

/** Line and column from 1; null where the program named none. `file` as the program wrote it, "" for the project. */
export interface Finding {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly rule: string | null;
  readonly severity: Severity;
  readonly message: string;
}

/** Never throws, whatever the output. */
export type ReadFindings = (output: Output) => readonly Finding[];
