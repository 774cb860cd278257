/** What a call needs, and what its preview looks at beside: a preview may see more than the call is granted. */

import type { Capability } from "../../core/capability.ts";
import { HOOK_NAMES, hooksOf } from "../../core/git/hooks.ts";
import { FILTER_PROGRAMS } from "../../core/git/settings.ts";
import { gitWords } from "../../core/git/words.ts";
import { baseName, foldersFrom } from "../../core/path_text.ts";
import type { Tool } from "../../core/tool.ts";
import { type Grant, grantOf } from "../../policy/grant.ts";
import { withoutRefusedOptions } from "./_optional_capabilities.ts";
import type { Settings } from "../../policy/rulebook.ts";
import type { DecidedCall, DecisionParts } from "./decided_call.ts";
import { atOnce } from "../turns.ts";

/** The capabilities of a call, or of its preview. Throws as the tool does. All tools are asked from the workspace. */
export function needsOf(
  tool: Tool,
  input: unknown,
  preview: boolean,
  { web, git }: Pick<Settings, "web" | "git">,
): readonly Capability[] | Promise<readonly Capability[]> {
  const own = tool.capabilities(input, { cwd: ".", web, git });
  const looks = preview ? looksOf(tool, input) : [];
  const isPlain = git.home === null && git.filters.length === 0 && git.hooks === "deny";
  if (looks.length === 0 && isPlain) return own;
  const whole = (found: readonly Capability[]) => [
    ...found,
    ...looks,
    ...homeOf(found, git),
    ...filtersOf(found, git),
    ...hooksIn(found, git),
  ];
  return own instanceof Promise ? own.then(whole) : whole(own);
}

/** Git in an agent's own worktree reads the repository that it belongs to, too. */
function homeOf(
  found: readonly Capability[],
  { home }: Settings["git"],
): readonly Capability[] {
  const uses = found.flatMap((one) => one.kind === "process.spawn" ? one.own ?? [] : []);
  if (home === null || uses.length === 0) return [];
  const state = uses.some(({ access }) => access === "write")
    ? [`${home.own}/HEAD`, `${home.own}/index`]
    : [];
  return [
    { kind: "fs.read", path: home.common, tree: true, contents: "any" },
    ...state.map((path) => ({ kind: "fs.read", path, tree: false, optional: true }) as const),
  ];
}

/** Git has contents changed by programs, which the call can do without. */
function filtersOf(
  found: readonly Capability[],
  { filters }: Settings["git"],
): readonly Capability[] {
  const isGit = found.some((one) =>
    one.kind === "process.spawn" && one.own !== undefined && one.argv[0] === "git"
  );
  return !isGit
    ? []
    : filters.map((name) =>
      ({ kind: "process.spawn", argv: FILTER_PROGRAMS[name], cwd: ".", optional: true }) as const
    );
}

/** Hooks that a git of the call's own words comes to, wherever its repository begins: each judged as a command. */
function hooksIn(found: readonly Capability[], { hooks }: Settings["git"]): readonly Capability[] {
  if (hooks === "deny") return [];
  const folders = found.flatMap((one) => {
    if (one.kind !== "process.spawn" || one.own !== undefined) return [];
    if (baseName(one.argv[0] ?? "") !== "git") return [];
    const words = gitWords(one.argv);
    if (words === null || hooksOf(words).length === 0) return [];
    return foldersFrom([one.cwd, ...words.folders].join("/"));
  });
  return [...new Set(folders)].flatMap((cwd) =>
    HOOK_NAMES.map((name) =>
      ({ kind: "process.spawn", argv: [`.git/hooks/${name}`], cwd, optional: true }) as const
    )
  );
}

/** The grant for the preview of a call that was judged as what it is: for who is to agree to it. */
export function previewGrantOf(
  { rulebook, resolver }: DecisionParts,
  agent: string,
  { tool, input, grant }: DecidedCall,
): Grant {
  const looks = looksOf(tool, input);
  if (looks.length === 0) return grant;
  const seen = atOnce(withoutRefusedOptions(rulebook, agent, resolver.resolve(looks)));
  const { read } = grantOf(seen, rulebook.settings, grant.timeoutMs);
  return { ...grant, read: [...grant.read, ...read] };
}

/** Left out where the policy does not plainly allow them. */
function looksOf(tool: Tool, input: unknown): readonly Capability[] {
  const reads = tool.previewReads?.(input) ?? [];
  return reads.map(({ path, tree }) => ({ kind: "fs.read", path, tree, optional: true }));
}
