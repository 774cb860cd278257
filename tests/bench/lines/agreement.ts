/**
 * Lines run by Toolgate's runner and by bash, each in a folder of its own that looks the same: how many come out the same
 * (standard output, status, files), how many are refused, and how many differ, which none may. Some are made, some were
 * written by others. As a program: `agreement.ts [--lines N] [--seed N] [--construct NAME | --gathered]` says each that
 * is refused or differs.
 */

import { parseArgs } from "@std/cli";
import { join } from "@std/path";
import { ROOT } from "../../../scripts/compile.ts";
import { ToolError } from "../../../src/core/errors.ts";
import { Random } from "../../random.ts";
import { inCopy, runByShell, runLine, said } from "../../unit/host/run/line/_line.ts";
import { apart, type ApartVerdict } from "./_apart.ts";
import { CONSTRUCTS } from "./_constructs.ts";
import { gather } from "./_gathered.ts";

/** What became of one line. */
export interface LineVerdict {
  readonly construct: string;
  readonly line: string;
  readonly outcome: "same" | "refused" | "different";
  /** Why it is refused, or what differs. */
  readonly said: string;
}

const SEED = 20_260;
/** Lines a construct where nothing else is asked for: more than 5,000 together. */
const LINES = 170;

/** Runs them; `report` is told of each as it is done. */
export async function lineAgreement(
  { lines = LINES, seed = SEED, construct }: {
    readonly lines?: number;
    readonly seed?: number;
    readonly construct?: string | undefined;
  } = {},
  report: (verdict: LineVerdict) => void = () => {},
): Promise<readonly LineVerdict[]> {
  const verdicts: LineVerdict[] = [];
  for (const { name, line } of CONSTRUCTS) {
    const random = new Random(seed);
    const made = Array.from({ length: lines }, () => line(random));
    if (construct !== undefined && construct !== name) continue;
    for (const text of made) {
      const verdict = { construct: name, line: text, ...await compared(text) };
      verdicts.push(verdict);
      report(verdict);
    }
  }
  return verdicts;
}

/** Lines of others that are run where nothing else is asked for, from all that are gathered. */
const GATHERED = 3_000;

/**
 * Runs lines that nobody here wrote, each apart from this machine; those that bash itself runs otherwise each time are
 * left out. Null, and a sentence on standard error, where they cannot be run apart.
 */
export async function gatheredAgreement(
  { lines = GATHERED, seed = SEED }: { readonly lines?: number; readonly seed?: number } = {},
  report: (verdict: LineVerdict) => void = () => {},
): Promise<readonly LineVerdict[] | null> {
  const command = apart();
  if (command === null) {
    console.error("lines of others: left out, there is no bubblewrap that works here");
    return null;
  }
  const all = gather([join(ROOT, "dist", "everyday")]);
  const random = new Random(seed);
  const shuffled = all.map((one) => [random.below(1 << 30), one] as const)
    .sort(([one], [other]) => one - other).slice(0, lines).map(([, one]) => one);
  const from = new Map(shuffled.map(({ line, from }) => [line, from]));
  const [program = "", ...args] = command;
  const child = new Deno.Command(program, { args, stdin: "piped", stdout: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  void writer.write(new TextEncoder().encode(JSON.stringify(shuffled.map(({ line }) => line))))
    .then(() => writer.close());
  const verdicts: LineVerdict[] = [];
  const rows = child.stdout.pipeThrough(new TextDecoderStream());
  let rest = "";
  for await (const piece of rows) {
    const parts = (rest + piece).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const { line, outcome, said } = JSON.parse(part) as ApartVerdict;
      if (outcome === null) continue;
      const verdict = { construct: from.get(line) ?? "", line, outcome, said };
      verdicts.push(verdict);
      report(verdict);
    }
  }
  return verdicts;
}

async function compared(line: string): Promise<Pick<LineVerdict, "outcome" | "said">> {
  let ours: Awaited<ReturnType<typeof inCopy>>;
  try {
    ours = await inCopy(async (directory) => {
      const outcome = await runLine(line, directory);
      if (outcome.refusal !== null) throw outcome.refusal;
      return said(outcome);
    });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { outcome: "refused", said: error.message };
  }
  const theirs = await inCopy((directory) => runByShell("bash", line, directory));
  return ours.shown === theirs.shown
    ? { outcome: "same", said: "" }
    : { outcome: "different", said: `here ${ours.shown}\n   bash ${theirs.shown}` };
}

/** The rows of the report, for people. `what`: of which lines. */
export function renderLineAgreement(
  verdicts: readonly LineVerdict[],
  what = "lines beside bash",
): string {
  const row = (name: string, all: readonly LineVerdict[]): string => {
    const count = (outcome: LineVerdict["outcome"]) =>
      all.filter((one) => one.outcome === outcome).length;
    return `${name}: same ${count("same")}, refused ${count("refused")}, different ${
      count("different")
    } of ${all.length}`;
  };
  return [
    row(what, verdicts),
    ...[...Map.groupBy(verdicts, ({ construct }) => construct)]
      .map(([name, all]) => `  ${row(name, all)}`),
  ].join("\n");
}

if (import.meta.main) {
  const given = parseArgs(Deno.args, {
    string: ["lines", "seed", "construct"],
    boolean: ["gathered"],
  });
  const number = (name: "lines" | "seed") =>
    given[name] === undefined ? {} : { [name]: Number(given[name]) };
  const wanted = { ...number("lines"), ...number("seed") };
  const report = ({ outcome, construct, line, said }: LineVerdict) => {
    if (outcome !== "same") console.log(`${outcome} [${construct}]\n  $ ${line}\n   ${said}`);
  };
  const verdicts = given.gathered
    ? await gatheredAgreement(wanted, report)
    : await lineAgreement({ ...wanted, construct: given.construct }, report);
  if (verdicts !== null) console.log(renderLineAgreement(verdicts));
}
