/** Programs on the list of commands that run whatever they are given, and so make the rest of the list worthless. */

import type { CanonicalPath } from "../../core/capability.ts";
import { baseName } from "../../programs/risk.ts";
import type { PlacedPolicy } from "../_settings.ts";
import { matchesText } from "../match/text_pattern.ts";
import { parseCommandPattern, type TokenPattern } from "../match/argv.ts";
import type { Rulebook, Subject } from "../rulebook.ts";
import { type PolicyWarning, quotedPattern } from "./_warning.ts";

/** How a program can be made to run what no rule names. */
interface Interpreter {
  readonly names: readonly string[];
  /** Arguments that do it, the least conspicuous first. */
  readonly ways: readonly (readonly string[])[];
  /** What is as useful and runs less. */
  readonly instead: string;
}

/** No rule but one for all programs names it. */
const ANY_PROGRAM = "toolgate-probe";

const shells: Interpreter = {
  names: ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "pwsh"],
  ways: [["script.sh"], ["-c", ANY_PROGRAM]],
  instead: "name the programs that the scripts start",
};

function scripts(
  names: readonly string[],
  file: string,
  code: string,
  instead: string,
): Interpreter {
  return { names, ways: [[file], [code, "CODE"]], instead };
}

function wrapper(names: readonly string[], words: readonly string[] = []): Interpreter {
  return {
    names,
    ways: [[...words, ANY_PROGRAM]],
    instead: "name the commands that it is to start",
  };
}

/** From the programs' manuals and GTFOBins' classes "shell" and "command"; what each may do is asked of the policy. */
const INTERPRETERS: readonly Interpreter[] = [
  shells,
  scripts(
    ["python", "python2", "python3", "pypy", "pypy3", "ipython"],
    "script.py",
    "-c",
    'write what it is for, such as "python3 -m pytest"',
  ),
  scripts(["node", "nodejs"], "script.js", "-e", 'write "npm test" or "node --test"'),
  {
    names: ["deno"],
    ways: [["run", "-A", "script.ts"], ["eval", "CODE"]],
    instead: 'write "deno {check,fmt,lint,test}"',
  },
  { names: ["bun"], ways: [["script.ts"], ["-e", "CODE"]], instead: 'write "bun test"' },
  scripts(["perl"], "script.pl", "-e", 'write the script, as in "perl tools/check.pl"'),
  scripts(["ruby"], "script.rb", "-e", 'write the script, as in "ruby tools/check.rb"'),
  scripts(["php"], "script.php", "-r", 'write the script, as in "php tools/check.php"'),
  scripts(["lua", "luajit", "Rscript", "julia"], "script", "-e", "write the script behind it"),
  scripts(["tclsh", "expect", "guile", "osascript"], "script", "-e", "write the script behind it"),
  {
    names: ["awk", "gawk", "mawk", "nawk"],
    ways: [["-f", "script.awk"], [`BEGIN{system("${ANY_PROGRAM}")}`]],
    instead: "leave it to grep, cut and sort",
  },
  {
    names: ["sed"],
    ways: [["-f", "script.sed"], [`1e ${ANY_PROGRAM}`]],
    instead: 'write "sed -n"',
  },
  {
    names: ["find"],
    ways: [[".", "-exec", ANY_PROGRAM, "{}", ";"]],
    instead: "leave it to the tools list_directory and search_files",
  },
  wrapper(["env", "nice", "nohup", "time", "setsid", "stdbuf", "xargs", "sudo", "doas", "busybox"]),
  wrapper(["timeout"], ["5"]),
  wrapper(["watch", "parallel", "strace", "unshare", "chroot", "script", "flock"]),
  {
    names: ["vi", "vim", "nvim", "ex", "emacs", "gdb", "lldb"],
    ways: [["-c", `!${ANY_PROGRAM}`]],
    instead: "leave changes to the file tools",
  },
  {
    names: ["docker", "podman"],
    ways: [["run", "-v", "/:/host", "IMAGE"]],
    instead: 'write "docker ps" and the like',
  },
];

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
  return policies.slice(0, reviewed).flatMap(({ policy: { commands } }, policy) =>
    (commands ?? []).flatMap(({ effect, exact, patterns, reason }, order) =>
      effect !== "allow" || exact ? [] : patterns.flatMap((text, at): PolicyWarning[] => {
        const why = whyFree(parseCommandPattern(text).tokens, runs);
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

function whyFree([program, option, ...more]: readonly TokenPattern[], runs: Runs): string | null {
  if (program === undefined || more.length > 0) return null;
  if (program.any && option === undefined) {
    return runs([ANY_PROGRAM])
      ? "lets every program run, shells and interpreters too: the rest of the list only matters " +
        "where it denies or asks; name the programs"
      : null;
  }
  for (const { names, ways, instead } of INTERPRETERS) {
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
