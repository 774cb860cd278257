/** Options that stand between a program and its subcommand, so that they cannot hide the subcommand from a rule. */

import type { OptionTable } from "./option_table.ts";
import type { ProgramSpec } from "./table.ts";

/**
 * The indexes in `argv` at which the subcommand may stand: 1, and the first argument that is no option, with
 * options of unknown kind taken both ways (as standing alone, and as taking the next argument).
 */
export function subcommandPositions(
  spec: Pick<ProgramSpec, "before"> | null,
  argv: readonly string[],
): readonly number[] {
  const positions = [1];
  // Whether the argument at index `at`, or the one after it, may begin the rest.
  let here = true;
  let after = false;
  for (let at = 1; at < argv.length && (here || after); at++) {
    const argument = argv[at]!;
    let beyond = false;
    if (here) {
      if (!isOption(argument)) {
        if (at !== 1) positions.push(at);
        here = after;
        after = false;
        continue;
      }
      const kind = kindOf(argument, spec?.before);
      if (kind !== "value") after = true;
      beyond = kind !== "flag";
    }
    here = after;
    after = beyond;
  }
  return positions;
}

function isOption(argument: string): boolean {
  // cargo's and rustc's `+toolchain` stands where an option does.
  return (argument.startsWith("-") && argument !== "-") || /^\+[a-z0-9]/.test(argument);
}

function kindOf(argument: string, before: OptionTable | undefined): "flag" | "value" | "unknown" {
  if (argument === "--" || argument.startsWith("+")) return "flag";
  if (argument.startsWith("--") && argument.includes("=")) return "flag";
  const spec = before?.bySpelling.get(argument);
  if (spec === undefined) return "unknown";
  return spec.is === "flag" || spec.optional === true ? "flag" : "value";
}
