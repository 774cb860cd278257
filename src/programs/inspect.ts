/** Reads the arguments of a command by the table's entry for its program. */

import type { Risk } from "../core/tool.ts";
import { RISKS } from "../core/tool.ts";
import type { CodeOptions, CommandSpec } from "./spec.ts";
import { hasOption } from "./_has_option.ts";
import { gitRisk } from "./_git_risk.ts";
import { awkRisk, sedRisk } from "./_inline_programs.ts";

/** How risky a command is, and why, in words for people. */
export interface Assessed {
  readonly risk: Risk;
  readonly because: string;
}

/** The risk of a command by the arguments alone. `name` is what messages call the program. */
export function inspectArguments(
  name: string,
  spec: CommandSpec | null,
  argv: readonly string[],
): Assessed {
  if (spec === null) return { risk: "moderate", because: "" };
  const because = spec.because === undefined ? "" : `${name} ${spec.because}`;
  const found: Assessed[] = [
    // Only as the very first argument: further on it belongs to what is run.
    spec.tamedBy?.includes(argv[1] ?? "")
      ? { risk: "moderate", because: "" }
      : { risk: spec.risk, because },
    inspected(name, spec, argv),
  ];
  for (const { options, risk, because } of spec.rules ?? []) {
    const option = options.find((one) => hasOption(clustered(spec, argv), one));
    if (option !== undefined) found.push({ risk, because: `${name} ${option} ${because}` });
  }
  const code = spec.code === undefined ? null : codeIn(spec.code, argv);
  if (code !== null) found.push({ risk: "dangerous", because: `${name} ${code}` });
  const operands = argv.slice(1).filter((argument) => !argument.startsWith("-"));
  if (operands.length > (spec.mostOperands ?? Infinity)) {
    found.push({ risk: "moderate", because: `${name} writes to its last operand` });
  }
  if (spec.dangerousOperands?.includes(operands[0] ?? "")) {
    found.push({
      risk: "dangerous",
      because: `${name} ${operands[0]} runs code from its arguments`,
    });
  }
  if (spec.assignments && argv.slice(1).some((argument) => STDIN.test(argument))) {
    found.push({ risk: "dangerous", because: `${name} runs what it reads` });
  }
  if (spec.assignments && operands.some((operand) => operand.includes("="))) {
    found.push({ risk: "dangerous", because: `${name} NAME=value sets what it runs` });
  }
  return highest(found);
}

/** make(1): a makefile that is no file (`-f -`). */
const STDIN = /^(?:-f|--file=|--makefile=)?(?:-|\/(?:dev\/(?:stdin|fd\/)|proc\/).*)$/;

/** The first of the riskiest. */
export function highest(found: readonly Assessed[]): Assessed {
  return found.reduce((a, b) => RISKS.indexOf(b.risk) > RISKS.indexOf(a.risk) ? b : a);
}

function inspected(name: string, spec: CommandSpec, argv: readonly string[]): Assessed {
  switch (spec.inspect) {
    case "awk":
      return awkRisk(name, argv);
    case "sed":
      return sedRisk(name, argv);
    case "git":
      return gitRisk(argv);
    default:
      return { risk: "safe", because: "" };
  }
}

/** tar(1) takes its first argument as a cluster of options without the dash too. */
export function clustered(spec: CommandSpec, argv: readonly string[]): readonly string[] {
  const first = argv[1];
  if (spec.inspect !== "tar" || first === undefined || first.startsWith("-")) return argv;
  return [argv[0]!, `-${first}`, ...argv.slice(2)];
}

/** How an interpreter comes by code that is in no file, as in "-c runs code from its arguments"; null where it does not. */
export function codeIn(code: CodeOptions, argv: readonly string[]): string | null {
  const address = argv.slice(1).find((argument) => /^(https?|data|blob|npm|jsr):/.test(argument));
  if (code.remote && address !== undefined) return "runs code from an address";
  let mayBeValue = false;
  for (const argument of argv.slice(1)) {
    if (argument === "-" || /^\/(dev\/(stdin|fd\/)|proc\/)/.test(argument)) {
      return `${argument} runs code that it reads`;
    }
    // Shells take `+x` and `+c` as they take `-x` and `-c`.
    if (!/^[-+]/.test(argument)) {
      if (!mayBeValue) return null;
      mayBeValue = false;
      continue;
    }
    const dashed = argument.replace("+", "-");
    const found = code.options.find((option) => hasOption(["", dashed], option));
    if (found !== undefined) return `${found} runs code from its arguments`;
    if (code.ends.includes(argument)) return null;
    if (argument === "--version" || argument === "--help") return null;
    mayBeValue = !standsAlone(code, argument);
  }
  if (argv.some((argument) => code.finds?.includes(argument))) return null;
  return "without a file runs code from stdin";
}

function standsAlone(code: CodeOptions, argument: string): boolean {
  if (argument === "--" || argument.includes("=")) return true;
  if (argument.startsWith("--")) return code.flags.includes(argument);
  return [...argument.slice(1)].every((letter) => code.letters.includes(letter));
}
