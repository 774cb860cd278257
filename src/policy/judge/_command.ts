/** Judges what a spawn would start, where, and on what, by the rules of all policies. */

import { baseName } from "../../core/path_text.ts";
import type { CanonicalPath, ResolvedSpawnCapability } from "../../core/capability.ts";
import { didYouMean, nearestOf } from "../../core/nearest.ts";
import { printable } from "../../core/printable.ts";
import {
  type CommandRules,
  findCommand,
  findRestricting,
  findRisk,
  type JudgedCommand,
} from "../match/command_rules.ts";
import type { CompiledPolicy } from "../_compiled.ts";
import { judgePath, lies } from "./path.ts";
import type { PathQuestion, Question } from "./question.ts";
import { allowed, denied, type Judged, ruled, shortList, strictest } from "./_verdict.ts";
import { type Assessed, type CommandAssessment, heaviest } from "../../programs/risk.ts";
import { RISKS } from "../../core/tool.ts";
import type { Verdict } from "../rulebook.ts";

/**
 * Judges a spawn, and says what the rules were asked. `open`: folders and files beyond the workspace that commands
 * may read.
 */
export function* judgeSpawn(
  policies: readonly CompiledPolicy[],
  capability: ResolvedSpawnCapability,
  assessment: CommandAssessment,
  open: readonly string[],
): Generator<void, Judged, void> {
  const { argv, cwd, operands } = capability;
  const commands = commandsOf(capability, assessment);
  const directory = directoryQuestion(policies, cwd);
  const named = operands.map(({ requested, path, directory }): PathQuestion => {
    const kind = directory === true ? "directory" : "file";
    return { access: "read", path, kind, requested, open };
  });
  const { uncertain } = assessment;
  const verdicts: Verdict[] = [];
  for (const command of commands) {
    verdicts.push(judgeCommand(policies, command));
    yield;
  }
  verdicts.push(
    ...(uncertain === null ? [] : [denied(
      "COMMAND_UNPARSABLE",
      `${label(argv)} cannot be judged: ${uncertain}; ask for the command itself`,
    )]),
    judgePath(policies, directory),
  );
  for (const operand of named) {
    verdicts.push(judgePath(policies, operand));
    yield;
  }
  return {
    verdict: strictest(verdicts, allowed(`${label(argv)} is allowed`)),
    asked: () => [
      ...commands.map((command, at): Question => ({
        about: "command",
        command,
        by: at === 0 ? "call" : "command",
      })),
      { about: "cwd", path: directory },
      ...named.map((path): Question => ({ about: "operand", path })),
    ],
  };
}

/** The command, and those that it would start itself. */
function commandsOf(
  { argv, program, cwd, open, started = [] }: ResolvedSpawnCapability,
  { inner }: CommandAssessment,
): readonly JudgedCommand[] {
  return [
    { argv, program, cwd, ...(open === undefined ? {} : { open }) },
    ...inner.map((words) => ({
      argv: words,
      program: started.find(({ name }) => name === words[0])?.program ?? null,
      cwd,
    })),
  ];
}

/**
 * The risk that counts for each policy: without that of commands, the one itself or one that it starts, which a rule of
 * the policy lets be as risky by name.
 */
export function risksFor(
  policies: readonly CompiledPolicy[],
  capability: ResolvedSpawnCapability,
  assessment: CommandAssessment,
): readonly Assessed[] {
  const { risk, because, risks } = assessment;
  const own = { risk, because };
  if (risk === "safe") return policies.map(() => own);
  const commands = commandsOf(capability, assessment);
  return policies.map(({ commands: rules }) =>
    rules?.bearsRisk !== true ? own : heaviest(
      risks.filter((one, at) => {
        const borne = one.risk === "safe" ? null : findRisk(rules, commands[at]!);
        return borne === null || RISKS.indexOf(one.risk) > RISKS.indexOf(borne);
      }),
    )
  );
}

/** Judges a shell that is not started, since what its script would start is judged: only what rules deny or ask counts. */
export function judgeOpened(
  policies: readonly CompiledPolicy[],
  capability: ResolvedSpawnCapability,
): Judged {
  const otherwise = `${label(capability.argv)} is not started: its parts are judged`;
  return judgeRestricted(policies, capability, otherwise);
}

/**
 * Judges a program that a tool uses for itself: the group and the risk of the tool grant it, and what rules deny or ask
 * of the same words holds for the tool, too.
 */
export function judgeOwn(
  policies: readonly CompiledPolicy[],
  capability: ResolvedSpawnCapability,
): Judged {
  const directory = directoryQuestion(policies, capability.cwd);
  const judged = judgeRestricted(policies, capability, `${label(capability.argv)} is allowed`);
  return {
    verdict: strictest([judged.verdict, judgePath(policies, directory)], judged.verdict),
    asked: () => [...judged.asked(), { about: "cwd", path: directory }],
  };
}

function judgeRestricted(
  policies: readonly CompiledPolicy[],
  { argv, program, cwd }: ResolvedSpawnCapability,
  otherwise: string,
): Judged {
  const action = `running ${label(argv)}`;
  const command = { argv, program, cwd };
  const verdicts = policies.flatMap(({ commands }) => {
    const found = commands === null ? null : findRestricting(commands, command);
    return found === null
      ? []
      : [ruled(found.effect, "COMMAND_DENIED", action, found.rule.reference)];
  });
  return {
    verdict: strictest(verdicts, allowed(otherwise)),
    asked: () => [{ about: "command", command, by: "call", restrictedOnly: true }],
  };
}

/** A command starts inside the workspace, save where a rule denies or asks, or where reading is allowed. */
function directoryQuestion(policies: readonly CompiledPolicy[], cwd: CanonicalPath): PathQuestion {
  const question = { access: "read", path: cwd, kind: "directory" } as const;
  const inside = policies.every(({ workspace }) => lies(cwd, workspace));
  return inside ? { ...question, restrictedOnly: true } : question;
}

function judgeCommand(policies: readonly CompiledPolicy[], command: JudgedCommand): Verdict {
  const action = `running ${label(command.argv)}`;
  const verdicts = policies.flatMap(({ commands, source }) => {
    if (commands === null) return [];
    const finding = findCommand(commands, command);
    if (finding.effect !== "unnamed") {
      return [ruled(finding.effect, "COMMAND_DENIED", action, finding.rule.reference)];
    }
    return [denied(
      "COMMAND_DENIED",
      `${action} is not allowed by ${source} commands: no rule names it; ${
        hint(commands, command)
      }`,
      { file: source, index: "commands" },
    )];
  });
  return strictest(verdicts, allowed(`${action} is allowed`));
}

/** What the rules allow of the same program, else which programs they allow. */
function hint({ granted }: CommandRules, { argv }: JudgedCommand): string {
  const name = baseName(argv[0] ?? "");
  const same = granted.filter(({ programs }) => programs.some((one) => baseName(one) === name));
  if (same.length > 0) return `allowed are: ${shortList(same.map(({ text }) => text))}`;
  if (granted.length === 0) return "no command is allowed";
  const programs = granted.flatMap(({ programs, text }) => programs.length > 0 ? programs : [text]);
  const near = didYouMean(nearestOf(name, [...new Set(programs.map(baseName))]));
  return `programs that may run: ${shortList(programs)}${near === "" ? "" : `.${near}`}`;
}

/** Program and subcommand: arguments may hold secrets. */
function label(argv: readonly string[]): string {
  const [program = "", second = ""] = argv;
  const shown = program === "" ? '""' : printable(program, 80);
  return /^[a-z][a-z-]{0,30}$/.test(second) ? `${shown} ${second}` : shown;
}
