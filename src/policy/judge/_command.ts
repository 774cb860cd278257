/** Judges what a spawn would start, where, and on what, by the rules of all policies. */

import type { CanonicalPath, ResolvedSpawnCapability } from "../../core/capability.ts";
import { printable } from "../../core/printable.ts";
import {
  type CommandRules,
  findCommand,
  findRestricting,
  type JudgedCommand,
} from "../match/command_rules.ts";
import type { CompiledPolicy } from "../_compiled.ts";
import { judgeNamed, judgePath, lies, onSystem } from "./path.ts";
import { allowed, denied, ruled, shortList, strictest } from "./_verdict.ts";
import { baseName, type CommandAssessment } from "../../programs/risk.ts";
import type { Verdict } from "../rulebook.ts";

/** Judges a spawn. `system`: folders and files beyond the workspace that commands may read. */
export function judgeSpawn(
  policies: readonly CompiledPolicy[],
  capability: ResolvedSpawnCapability,
  assessment: CommandAssessment,
  system: readonly string[],
): Verdict {
  const { argv, program, cwd, operands } = capability;
  const commands: JudgedCommand[] = [
    { argv, program, cwd },
    ...assessment.inner.map((inner) => ({ argv: inner, program: null, cwd })),
  ];
  const verdicts = commands.map((command) => judgeCommand(policies, command));
  if (assessment.uncertain !== null) {
    verdicts.push(denied(
      "COMMAND_UNPARSABLE",
      `${label(argv)} cannot be judged: ${assessment.uncertain}; ask for the command itself`,
    ));
  }
  const cwdVerdict = judgeDirectory(policies, cwd);
  if (cwdVerdict !== null) verdicts.push(cwdVerdict);
  for (const { requested, path, directory } of operands) {
    const kind = directory === true ? "directory" : "file";
    verdicts.push(
      judgePath(
        policies,
        { access: "read", path, kind, requested },
        (path) => onSystem(system, path),
      ),
    );
  }
  return strictest(verdicts, allowed(`${label(argv)} is allowed`));
}

/** Judges a shell that is not started, since what its script would start is judged: only what rules deny or ask counts. */
export function judgeOpened(
  policies: readonly CompiledPolicy[],
  { argv, program, cwd }: ResolvedSpawnCapability,
): Verdict {
  const action = `running ${label(argv)}`;
  const verdicts = policies.flatMap(({ commands }) => {
    const found = commands === null ? null : findRestricting(commands, { argv, program, cwd });
    return found === null
      ? []
      : [ruled(found.effect, "COMMAND_DENIED", action, found.rule.reference)];
  });
  return strictest(verdicts, allowed(`${label(argv)} is not started: its parts are judged`));
}

/** A command starts inside the workspace, save where a rule denies or asks, or where reading is allowed. */
function judgeDirectory(policies: readonly CompiledPolicy[], cwd: CanonicalPath): Verdict | null {
  const question = { access: "read", path: cwd, kind: "directory" } as const;
  const inside = policies.every(({ workspace }) => lies(cwd, workspace));
  return inside ? judgeNamed(policies, question) : judgePath(policies, question);
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
  return `programs that may run: ${shortList(programs)}`;
}

/** Program and subcommand: arguments may hold secrets. */
function label(argv: readonly string[]): string {
  const [program = "", second = ""] = argv;
  const shown = program === "" ? '""' : printable(program, 80);
  return /^[a-z][a-z-]{0,30}$/.test(second) ? `${shown} ${second}` : shown;
}
