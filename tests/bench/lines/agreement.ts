/**
 * Lines run by Toolgate's runner and by bash, each in a folder of its own that looks the same: how many come out the same
 * (standard output, status, files), how many are refused, and how many differ, which none may. As a program:
 * `agreement.ts [--lines N] [--seed N] [--construct NAME]` says each that is refused or differs.
 */

import { parseArgs } from "@std/cli";
import { ToolError } from "../../../src/core/errors.ts";
import { Random } from "../../random.ts";
import { inCopy, runByShell, runLine, said } from "../../unit/host/run/line/_line.ts";
import { CONSTRUCTS } from "./_constructs.ts";

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
  const theirs = await inCopy((directory) => runByShell("/bin/bash", line, directory));
  return ours.shown === theirs.shown
    ? { outcome: "same", said: "" }
    : { outcome: "different", said: `here ${ours.shown}\n   bash ${theirs.shown}` };
}

/** The rows of the report, for people. */
export function renderLineAgreement(verdicts: readonly LineVerdict[]): string {
  const row = (name: string, all: readonly LineVerdict[]): string => {
    const count = (outcome: LineVerdict["outcome"]) =>
      all.filter((one) => one.outcome === outcome).length;
    return `${name}: same ${count("same")}, refused ${count("refused")}, different ${
      count("different")
    } of ${all.length}`;
  };
  return [
    row("lines beside bash", verdicts),
    ...CONSTRUCTS.map(({ name }) =>
      [name, verdicts.filter((one) => one.construct === name)] as const
    )
      .filter(([, all]) => all.length > 0).map(([name, all]) => `  ${row(name, all)}`),
  ].join("\n");
}

if (import.meta.main) {
  const given = parseArgs(Deno.args, { string: ["lines", "seed", "construct"] });
  const number = (name: "lines" | "seed") =>
    given[name] === undefined ? {} : { [name]: Number(given[name]) };
  const wanted = { ...number("lines"), ...number("seed"), construct: given.construct };
  const verdicts = await lineAgreement(wanted, ({ outcome, construct, line, said }) => {
    if (outcome !== "same") console.log(`${outcome} [${construct}]\n  $ ${line}\n   ${said}`);
  });
  console.log(renderLineAgreement(verdicts));
}
