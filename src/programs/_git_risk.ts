/** What a git command would do, by its options and subcommand (git(1) and the pages of its commands). */

import type { Risk } from "../core/tool.ts";
import { hasOption } from "./_has_option.ts";
import { subcommandPositions } from "./global_options.ts";

interface GitSpec {
  readonly risk: Risk;
  /** Options with which it is dangerous. */
  readonly options?: readonly string[];
}

const reads: GitSpec = {
  risk: "safe",
  options: [
    ...["--output", "--ext-diff", "--textconv", "--filters", "-O", "--open-files-in-pager"],
    ...["--no-index", "--contents"],
  ],
};
/** Transports run programs: `ext::`, `--upload-pack`. */
const remote: GitSpec = {
  risk: "moderate",
  options: ["-u", "--upload-pack", "--receive-pack", "--exec", "-c", "--config", "--template"],
};
const dangerous: GitSpec = { risk: "dangerous" };

const SUBCOMMANDS: ReadonlyMap<string, GitSpec> = new Map<string, GitSpec>([
  ...[
    ...["status", "log", "diff", "show", "blame", "describe", "rev-parse", "rev-list", "ls-files"],
    ...["ls-tree", "cat-file", "shortlog", "merge-base", "name-rev", "for-each-ref", "diff-tree"],
    ...["show-ref", "count-objects", "check-ignore", "version", "grep"],
  ].map((name) => [name, reads] as const),
  ...["clone", "fetch", "pull", "ls-remote", "archive", "remote", "init"].map((name) =>
    [name, remote] as const
  ),
  ...[
    ...["clean", "filter-branch", "bisect", "submodule", "difftool", "mergetool", "daemon"],
    ...["instaweb", "send-email", "credential", "fast-import", "hook", "maintenance", "config"],
    ...["svn", "p4", "web--browse", "upload-pack", "receive-pack", "http-backend", "shell"],
  ].map((name) => [name, dangerous] as const),
  ["push", {
    risk: "moderate",
    options: ["-f", "--force", "--mirror", "-d", "--delete", "--prune", "--receive-pack", "--exec"],
  }],
  ["rebase", { risk: "moderate", options: ["-x", "--exec", "-i", "--interactive"] }],
  ["reset", { risk: "moderate", options: ["--hard"] }],
  ["apply", { risk: "moderate", options: ["--unsafe-paths"] }],
]);

/** Options before the subcommand that set configuration, or where git finds its own programs. */
const GLOBAL_DANGERS = ["-c", "--config-env", "--exec-path"];

/** Assesses `git …`. A subcommand that is not known is moderate. */
export function gitRisk(
  argv: readonly string[],
): { readonly risk: Risk; readonly because: string } {
  const positions = subcommandPositions("git", argv);
  const subcommand = positions.length > 1 ? positions[positions.length - 1]! : 1;
  const before = argv.slice(0, subcommand);
  const danger = GLOBAL_DANGERS.find((option) => hasOption(before, option));
  if (danger !== undefined) {
    return { risk: "dangerous", because: `git ${danger} changes what git runs` };
  }
  const name = argv[subcommand] ?? "";
  if (name === "" || name.startsWith("-")) return { risk: "safe", because: "" };
  // With options that are not known, which argument is the subcommand is not certain.
  if (positions.length > 2) return { risk: "moderate", because: "" };
  const spec = SUBCOMMANDS.get(name);
  if (spec === undefined) return { risk: "moderate", because: "" };
  if (spec.risk === "dangerous") {
    return isReadingConfig(argv.slice(subcommand))
      ? { risk: "safe", because: "" }
      : { risk: "dangerous", because: `git ${name} runs commands, sets what git runs, or deletes` };
  }
  const rest = argv.slice(subcommand);
  const option = spec.options?.find((one) => hasOption(rest, one));
  if (option !== undefined) {
    return {
      risk: "dangerous",
      because: `git ${name} ${option} runs a program, writes or destroys`,
    };
  }
  if (spec.risk === "moderate" && rest.some((argument) => /^[a-z0-9-]+::/i.test(argument))) {
    return { risk: "dangerous", because: `git ${name} with a transport of its own runs a program` };
  }
  return { risk: spec.risk, because: "" };
}

/** `git config --get x`, `git config --list`, `git config get x`: one form each, nothing else before it. */
function isReadingConfig(rest: readonly string[]): boolean {
  return rest[0] === "config" &&
    ["--get", "--get-all", "--list", "-l", "get", "list"].includes(rest[1] ?? "");
}
