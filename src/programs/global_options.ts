/** Options that stand between a program and its subcommand, so that they cannot hide the subcommand from a rule. */

/** Options before the subcommand: those that take the next argument, and those that stand alone. */
export interface GlobalOptions {
  readonly values: readonly string[];
  readonly flags: readonly string[];
}

/** From each program's manual: git(1), npm config, docker(1), kubectl options, cargo(1), systemctl(1), gh(1), pip(1). */
const GLOBAL_OPTIONS: Readonly<Record<string, GlobalOptions>> = {
  git: {
    values: [
      "-C",
      "-c",
      "--git-dir",
      "--work-tree",
      "--namespace",
      "--super-prefix",
      "--config-env",
      "--attr-source",
    ],
    flags: [
      "-p",
      "--paginate",
      "-P",
      "--no-pager",
      "--bare",
      "--no-replace-objects",
      "--no-lazy-fetch",
      "--no-optional-locks",
      "--no-advice",
      "--literal-pathspecs",
      "--glob-pathspecs",
      "--noglob-pathspecs",
      "--icase-pathspecs",
      "--exec-path",
      "--html-path",
      "--man-path",
      "--info-path",
    ],
  },
  npm: {
    values: ["--prefix", "-C", "-w", "--workspace", "--registry", "--userconfig", "--loglevel"],
    flags: ["-s", "--silent", "-q", "--quiet", "-d", "--verbose", "-g", "--global", "--workspaces"],
  },
  docker: {
    values: ["-c", "--context", "--config", "-H", "--host", "-l", "--log-level"],
    flags: ["-D", "--debug", "--tls", "--tlsverify"],
  },
  kubectl: {
    values: [
      "-n",
      "--namespace",
      "--context",
      "--cluster",
      "--kubeconfig",
      "--user",
      "-s",
      "--server",
    ],
    flags: ["--insecure-skip-tls-verify"],
  },
  cargo: {
    values: ["-C", "--config", "--color", "-Z"],
    flags: ["-q", "--quiet", "-v", "--verbose", "--frozen", "--locked", "--offline"],
  },
  go: { values: ["-C"], flags: [] },
  pip: {
    values: ["--python", "--log", "--proxy", "--cache-dir"],
    flags: ["-q", "--quiet", "-v", "--verbose", "--isolated", "--no-input", "--no-color"],
  },
  systemctl: {
    values: ["-H", "--host", "-M", "--machine", "-t", "--type", "-n", "--lines"],
    flags: ["--user", "--system", "--no-pager", "-q", "--quiet", "--no-block"],
  },
};

/**
 * The indexes in `argv` at which the subcommand may stand: 1, and the first argument that is no option, with
 * options of unknown kind taken both ways (as standing alone, and as taking the next argument).
 */
export function subcommandPositions(
  program: string | undefined,
  argv: readonly string[],
): readonly number[] {
  const options = program === undefined ? undefined : GLOBAL_OPTIONS[program];
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
      const kind = kindOf(argument, options);
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

function kindOf(
  argument: string,
  options: GlobalOptions | undefined,
): "flag" | "value" | "unknown" {
  if (argument === "--" || argument.startsWith("+")) return "flag";
  if (argument.startsWith("--") && argument.includes("=")) return "flag";
  if (options?.flags.includes(argument)) return "flag";
  if (options?.values.includes(argument)) return "value";
  return "unknown";
}
