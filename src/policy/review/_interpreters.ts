/** Programs on the list of commands that run whatever they are given, and so make the rest of the list worthless. */

import { baseName } from "../../core/path_text.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { knownPrograms } from "../../programs/table.ts";
import type { PlacedPolicy } from "../_settings.ts";
import { matchesText } from "../match/text_pattern.ts";
import { parseCommandPattern, type TokenPattern } from "../match/argv.ts";
import type { Rulebook, Subject } from "../rulebook.ts";
import { type PolicyWarning, quotedPattern } from "./_warning.ts";

/** No rule but one for all programs names it. */
const ANY_PROGRAM = "toolgate-probe";

/** Stands for it in the table of programs. */
const PROGRAM = "PROGRAM";

/** How a program can be made to run what no rule names. */
interface Interpreter {
  readonly names: readonly string[];
  /** Arguments that do it, the least conspicuous first. */
  readonly ways: readonly (readonly string[])[];
  /** What is as useful and runs less. */
  readonly instead: string;
}

/** From the table of programs; what each may do is asked of the policy. */
function interpreters(): readonly Interpreter[] {
  return knownPrograms().flatMap(([names, { review, wraps }]): readonly Interpreter[] => {
    const starts = wraps === undefined || wraps.by === "options" ? null : {
      ways: [[...(wraps.by === "prefix" ? Array<string>(wraps.operands).fill("5") : []), PROGRAM]],
      instead: "name the commands that it is to start",
    };
    const known = review ?? starts;
    if (known === null) return [];
    const ways = known.ways.map((words) => words.map((word) => word.replace(PROGRAM, ANY_PROGRAM)));
    return [{ names, ways, instead: known.instead }];
  });
}

const ROOT_AGENT = "root";
/** Agents that are tried. */
const MOST_AGENTS = 20;

/**
 * Rules that plainly allow such a program without saying what it may run, where this policy as a whole then lets it
 * run anything: each is tried, with `decide`. A rule that gives a reason is taken as meant.
 */
export function reviewInterpreters(
  policies: readonly PlacedPolicy[],
  reviewed: number,
  rulebook: Rulebook,
): readonly PolicyWarning[] {
  const agents = agentsOf(policies);
  const runs = (argv: readonly string[]) =>
    agents.some((agent) => isAllowed(rulebook, agent, argv));
  const known = interpreters();
  return policies.slice(0, reviewed).flatMap(({ policy: { commands } }, policy) =>
    (commands ?? []).flatMap(({ effect, exact, patterns, reason }, order) =>
      effect !== "allow" || exact ? [] : patterns.flatMap((text, at): PolicyWarning[] => {
        const why = whyFree(parseCommandPattern(text).tokens, known, runs);
        return why === null ? [] : [{
          policy,
          key: `commands[${order}].allow[${at}]`,
          message: `${quotedPattern(text)} ${why}`,
          ...(reason === undefined ? {} : { accepted: reason }),
        }];
      })
    )
  );
}

type Runs = (argv: readonly string[]) => boolean;

function whyFree(
  [program, option, ...more]: readonly TokenPattern[],
  known: readonly Interpreter[],
  runs: Runs,
): string | null {
  if (program === undefined || more.length > 0) return null;
  if (program.any && option === undefined) {
    return runs([ANY_PROGRAM])
      ? "lets every program run, shells and interpreters too: the rest of the list only matters " +
        "where it denies or asks; name the programs"
      : null;
  }
  for (const { names, ways, instead } of known) {
    for (const name of namesIn(program, names)) {
      const way = ways.find((words) => fits(option, words) && runs([name, ...words]));
      if (way === undefined) continue;
      return `lets an agent run ${shown([name, ...way])}, and with it whatever program the list ` +
        `leaves out (what holds it then is the kernel's layer alone); ${instead}, ask for it, ` +
        "or give the rule a reason, which says that this is meant";
    }
  }
  return null;
}

/** The names that the pattern of a program stands for, as it writes them. */
function namesIn({ literals, wild }: TokenPattern, names: readonly string[]): readonly string[] {
  const plain = [...literals].filter((literal) => {
    const name = baseName(literal).toLowerCase();
    return names.some((known) => known.toLowerCase() === withoutVersion(name) || known === name);
  });
  return [...plain, ...names.filter((name) => wild.some((text) => matchesText(text, name)))];
}

/** `python3.11` is `python3` is `python`, as far as this goes. */
function withoutVersion(name: string): string {
  return name.replace(/\.exe$/, "").replace(/(?<=[a-z])[0-9]*(?:\.[0-9]+)+$|-[0-9.]+$/, "");
}

/** A second word leaves it free only where it is the very option that takes code. */
function fits(option: TokenPattern | undefined, [first = ""]: readonly string[]): boolean {
  return option === undefined || option.any ||
    (first.startsWith("-") && option.literals.has(first));
}

function shown(argv: readonly string[]): string {
  return `"${
    argv.map((word) => word === ANY_PROGRAM ? "PROGRAM" : word).join(" ").replace(
      ANY_PROGRAM,
      "PROGRAM",
    )
  }"`;
}

function agentsOf(policies: readonly PlacedPolicy[]): readonly string[] {
  const named = policies.flatMap(({ policy: { agents } }) => Object.keys(agents ?? {}));
  return [...new Set([ROOT_AGENT, ...named.map((name) => name.replaceAll("*", "x"))])]
    .slice(0, MOST_AGENTS);
}

const RUNNING: Omit<Subject, "agent"> = {
  tool: "run_command",
  risk: "dangerous",
  permission: "code_execution",
  riskOfPrograms: true,
};

function isAllowed(
  { settings, decide }: Rulebook,
  agent: string,
  argv: readonly string[],
): boolean {
  const cwd: CanonicalPath = settings.workspace;
  const spawn = { kind: "process.spawn", argv, cwd, program: null, operands: [] } as const;
  return decide({ ...RUNNING, agent }, [spawn]).effect === "allow";
}
