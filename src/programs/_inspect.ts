/** The risk of a command by what is known of its program: its options, its operands, the texts that it runs. */

import { type Risk, RISKS } from "../core/tool.ts";
import { awkRisk } from "./scripts/awk.ts";
import { findCode, isCodeAddress, streamsIn } from "./_code.ts";
import { hasOption } from "./_options.ts";
import { plainWords } from "./arguments.ts";
import { sedRisk } from "./scripts/sed.ts";
import type { OptionTable } from "./option_table.ts";
import type { Grammar, OptionSpec, ValueKind } from "./spec.ts";
import { subcommandPositions } from "./subcommands.ts";
import type { ProgramSpec } from "./table.ts";

/** How risky a command is, and why, in words for people. */
export interface Assessed {
  readonly risk: Risk;
  readonly because: string;
}

const SAFE: Assessed = { risk: "safe", because: "" };
const MODERATE: Assessed = { risk: "moderate", because: "" };

/** What an option makes of a program by what its value is; null where nothing. */
function riskOfPlace(is: ValueKind): Assessed | null {
  switch (is) {
    case "write":
    case "delete":
    case "folder":
    case "into":
      return { risk: "moderate", because: "writes a file" };
    case "command":
      return { risk: "dangerous", because: "runs a program" };
    case "code":
      return { risk: "dangerous", because: "runs code from its arguments" };
    case "library":
      return { risk: "dangerous", because: "loads code" };
    default:
      return null;
  }
}

/** Whether such an option makes the program run another, or load code. */
export function runsSomething({ is }: OptionSpec): boolean {
  return is === "command" || is === "code" || is === "library";
}

/** The risk of a command by its own words alone. `name` is what messages call the program. */
export function inspectArguments(
  name: string,
  spec: ProgramSpec | null,
  argv: readonly string[],
  installed = false,
): Assessed {
  if (spec === null) return MODERATE;
  const because = spec.because === undefined ? "" : `${name} ${spec.because}`;
  const found: Assessed[] = [
    // Only as the very first argument: further on it belongs to what is run.
    installed || spec.tamedBy.includes(argv[1] ?? "") ? MODERATE : { risk: spec.risk, because },
  ];
  if (spec.inspect === "awk") found.push(awkRisk(name, argv));
  if (spec.inspect === "sed") found.push(sedRisk(name, argv));
  const code = spec.runs === undefined ? null : findCode(spec, argv);
  if (code !== null && code.code !== null) {
    found.push({ risk: "dangerous", because: `${name} ${code.code}` });
  }
  // Of an interpreter's options, those that its file does not end first were looked at.
  if (code === null) {
    found.push(...optionRisks(name, spec.options, plainWords(spec, argv), spec.grammar));
  }
  const operands = argv.slice(1).filter((argument) => !argument.startsWith("-"));
  if (operands.length > (spec.mostOperands ?? Infinity)) {
    found.push({ risk: "moderate", because: `${name} writes to its last operand` });
  }
  if (spec.modules.includes(operands[0] ?? "")) {
    found.push({
      risk: "dangerous",
      because: `${name} ${operands[0]} runs code from its arguments`,
    });
  }
  if (spec.runs === undefined && streamsIn(spec, argv) !== null) {
    found.push({ risk: "dangerous", because: `${name} runs what it reads` });
  }
  if (spec.loads === true && argv.some(isCodeAddress)) {
    found.push({ risk: "dangerous", because: `${name} runs code from an address` });
  }
  if (spec.assignments === true && operands.some((operand) => operand.includes("="))) {
    found.push({ risk: "dangerous", because: `${name} NAME=value sets what it runs` });
  }
  if (spec.subcommands.size > 0) found.push(...subcommandRisks(name, spec, argv));
  return found.reduce((a, b) => RISKS.indexOf(b.risk) > RISKS.indexOf(a.risk) ? b : a);
}

/** What the options among the words make of it, each option once. */
function optionRisks(
  name: string,
  options: OptionTable,
  words: readonly string[],
  grammar?: Grammar,
): readonly Assessed[] {
  const found: Assessed[] = [];
  for (const [option, spec] of options.risky) {
    const own = riskOfPlace(spec.is);
    const risk = spec.risk ?? own?.risk;
    if (risk === undefined || !hasOption(words, option, grammar)) continue;
    const { holding } = spec;
    if (holding !== undefined && !words.slice(1).some((word) => holding.test(word))) continue;
    found.push({ risk, because: `${name} ${option} ${spec.because ?? own?.because ?? ""}`.trim() });
  }
  return found;
}

/** Every word that may be the subcommand counts: with options that are not known, which it is is not certain. */
function subcommandRisks(
  name: string,
  spec: ProgramSpec,
  words: readonly string[],
): readonly Assessed[] {
  const argv = words.filter((word) => word !== "-");
  const positions = subcommandPositions(spec, argv).filter((at) => {
    const word = argv[at];
    return word !== undefined && word !== "" && !word.startsWith("-");
  });
  const last = positions[positions.length - 1] ?? argv.length;
  const found = [...optionRisks(name, spec.before, argv.slice(0, last), spec.grammar)];
  if (positions.length > 1) found.push(MODERATE);
  // Interpreters take a file where others take a subcommand.
  const unknown = spec.runs === undefined ? MODERATE : SAFE;
  return [...found, ...positions.map((at) => subcommandRisk(name, spec, argv.slice(at), unknown))];
}

function subcommandRisk(
  name: string,
  spec: ProgramSpec,
  rest: readonly string[],
  unknown: Assessed,
): Assessed {
  const called = `${name} ${rest[0]}`;
  const sub = spec.subcommands.get(rest[0] ?? "");
  const transport = rest.some((argument) => /^[a-z0-9-]+::/i.test(argument));
  if (sub === undefined) return unknown;
  if (sub.risk === "dangerous") {
    return sub.tamedBy.includes(rest[1] ?? "")
      ? SAFE
      : { risk: "dangerous", because: `${called} ${sub.because ?? ""}`.trim() };
  }
  const options = sub.options === spec.options
    ? []
    : optionRisks(called, sub.options, rest, spec.grammar);
  const worst = options.find(({ risk }) => risk === "dangerous");
  if (worst !== undefined) return worst;
  if (sub.transport === true && transport) {
    return { risk: "dangerous", because: `${called} with a transport of its own runs a program` };
  }
  return options[0] !== undefined && sub.risk === "safe"
    ? options[0]
    : { risk: sub.risk, because: "" };
}

/** Where the program lies that the command stands for, if it is installed (`npx tsc`); null where it is no such command. */
export function installedPath(
  spec: ProgramSpec | null,
  [, name = ""]: readonly string[],
): string | null {
  if (spec?.installedIn === undefined || !/^[a-z0-9][\w.-]*$/i.test(name)) return null;
  return `${spec.installedIn}/${name}`;
}
