/** Runs some test files in a process of their own, and says how each went. */

import { fromFileUrl } from "@std/path";
import { type Counts, summary } from "../_test_summary.ts";
import { type FileOutcome, outcomes } from "./junit.ts";
import { inMemory } from "./memory_folder.ts";

/** Loads files into one module graph. */
const SEVERAL = fromFileUrl(new URL("several.ts", import.meta.url));

/** What is the same for all batches of a part. */
export interface BatchSettings {
  /** The repository. */
  readonly root: string;
  /** Only tests whose names have this text; all where it is null. */
  readonly filter: string | null;
  /** Shows what Deno says at once, test by test: for a single batch. */
  readonly live: boolean;
  /** Where temporary files lie in memory; null where they lie where they always do. */
  readonly memory: string | null;
  /** Whether files may share the modules that they import. */
  readonly shared: boolean;
}

/** What became of a batch. */
export interface BatchOutcome {
  readonly counts: Counts;
  readonly files: readonly FileOutcome[];
  readonly seconds: number;
  /** All that was said, on both streams; empty where it was shown at once. */
  readonly said: string;
  /** What failed and why; empty where all is well. */
  readonly failures: string;
}

/** Types are judged before, for all files at once. Never throws. */
export async function runBatch(
  paths: readonly string[],
  { root, filter, live, memory, shared }: BatchSettings,
): Promise<BatchOutcome> {
  const report = await Deno.makeTempFile({ prefix: "toolgate-report-" });
  const started = performance.now();
  try {
    const words = [
      ...["test", "-A", "--no-prompt", "--quiet", "--no-check", `--junit-path=${report}`],
      ...(filter === null ? [] : [`--filter=${filter}`]),
      ...(shared && paths.length > 1 ? [SEVERAL, "--", ...paths] : paths),
    ];
    const { program, args } = memory === null
      ? { program: Deno.execPath(), args: words }
      : inMemory(memory, Deno.execPath(), words);
    const child = new Deno.Command(program, {
      args: [...args],
      cwd: root,
      env: { NO_COLOR: "1", ...(memory === null ? {} : { TMPDIR: memory }) },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const [stdout, stderr, { success }] = await Promise.all([
      heard(child.stdout, live ? Deno.stdout : null),
      heard(child.stderr, live ? Deno.stderr : null),
      child.status,
    ]);
    const counted = countsOf(summary(stdout), success);
    const said = (stdout + stderr).trim();
    return {
      counts: counted,
      files: outcomes(await Deno.readTextFile(report)),
      seconds: (performance.now() - started) / 1000,
      said: live ? "" : said,
      failures: counted.failed === 0 ? "" : failuresIn(stdout) ?? `${paths.join(" ")}\n${said}`,
    };
  } finally {
    await Deno.remove(report);
  }
}

/** One more failed where Deno failed beyond its count: a module that does not load, a crash. */
export function countsOf(counted: Counts | null, success: boolean): Counts {
  if (counted === null) return { passed: 0, failed: 1 };
  return success ? counted : { ...counted, failed: Math.max(1, counted.failed) };
}

/** The part in which `deno test` says what failed and why; null where it has none. */
export function failuresIn(stdout: string): string | null {
  return /^ ERRORS \n([\s\S]*?)\n(?: FAILURES \n|(?:ok|FAILED) \| )/m.exec(stdout)?.[1]?.trim() ??
    null;
}

/** All of a stream as text, passed on where wanted. */
async function heard(
  stream: ReadableStream<Uint8Array>,
  to: { write(bytes: Uint8Array): Promise<number> } | null,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (to !== null) await to.write(chunk);
  }
  return text + decoder.decode();
}
