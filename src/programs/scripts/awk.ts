/** Judges the programs that awk takes as arguments: what is not plainly harmless is not. */

import type { Risk } from "../../core/tool.ts";

interface Judged {
  readonly risk: Risk;
  readonly because: string;
}

const SAFE: Judged = { risk: "safe", because: "" };

/** awk(1) of POSIX: `-F`, `-v` and `-f` are known; any other option is not. */
export function awkRisk(name: string, argv: readonly string[]): Judged {
  let risk = SAFE;
  for (let at = 1; at < argv.length; at++) {
    const argument = argv[at]!;
    if (argument === "--") return textRisk(argv[at + 1] ?? "");
    if (!argument.startsWith("-") || argument === "-") {
      return risk.risk === "safe" ? textRisk(argument) : risk;
    }
    const option = argument.slice(0, 2);
    if (option === "-F" || option === "-v" || option === "-f") {
      if (argument.length === 2) at++;
      // With a file of its own, the first operand is data.
      if (option === "-f") risk = { risk: "dangerous", because: `${name} -f runs a file` };
    } else {
      return { risk: "dangerous", because: `${name} ${argument} is not known to be harmless` };
    }
  }
  return risk;

  function textRisk(program: string): Judged {
    if (risk.risk !== "safe") return risk;
    // Redirection, pipes, includes and calls by name; `>=` and `||` compare.
    const rest = program.replaceAll(">=", "").replaceAll("||", "");
    const found = /system|getline|close|fflush|[|>@]/.exec(rest);
    if (found === null) return SAFE;
    return { risk: "dangerous", because: `${name}: ${found[0]} in its program may run or write` };
  }
}

/** Escapes of a string of awk's, or in `$'…'` of a shell's: awk(1), "Regular Expressions" and "String constants". */
export function unescaped(text: string): string {
  const letters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
  return text.replace(
    /\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))/gs,
    (_, octal?: string, hex?: string, letter = "") => {
      if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8));
      if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
      return letters[letter] ?? letter;
    },
  );
}
