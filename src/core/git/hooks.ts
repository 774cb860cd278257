/** Hooks that git's commands run of their own accord (githooks(5)). Pure. */

import type { GitWords } from "./words.ts";

/** Of one command: those that `--no-verify` leaves out, and the others. */
interface CommandHooks {
  readonly verifying: readonly string[];
  readonly others: readonly string[];
}

const PICKING: CommandHooks = {
  verifying: [],
  others: ["prepare-commit-msg", "commit-msg", "post-commit"],
};
const CHECKOUT: CommandHooks = { verifying: [], others: ["post-checkout"] };
const MERGE: CommandHooks = {
  verifying: ["pre-merge-commit", "commit-msg"],
  others: ["prepare-commit-msg", "post-merge"],
};

const HOOKS: Readonly<Record<string, CommandHooks>> = {
  commit: {
    verifying: ["pre-commit", "commit-msg"],
    others: ["prepare-commit-msg", "post-commit"],
  },
  merge: MERGE,
  pull: MERGE,
  "cherry-pick": PICKING,
  revert: PICKING,
  checkout: CHECKOUT,
  switch: CHECKOUT,
  rebase: { verifying: ["pre-rebase"], others: ["post-rewrite", "post-checkout"] },
  am: {
    verifying: ["applypatch-msg", "pre-applypatch"],
    others: ["post-applypatch"],
  },
  push: { verifying: ["pre-push"], others: [] },
};

/** All of them, once each. */
export const HOOK_NAMES: readonly string[] = [
  ...new Set(Object.values(HOOKS).flatMap(({ verifying, others }) => [...verifying, ...others])),
];

/** The names of those that such a command runs where they are there. */
export function hooksOf({ subcommand, rest }: GitWords): readonly string[] {
  const hooks = Object.hasOwn(HOOKS, subcommand) ? HOOKS[subcommand] : undefined;
  if (hooks === undefined) {
    return subcommand === "worktree" && rest[0] === "add" ? CHECKOUT.others : [];
  }
  const unverified = rest.includes("--no-verify") || subcommand === "commit" && rest.includes("-n");
  return unverified ? hooks.others : [...hooks.verifying, ...hooks.others];
}

/**
 * What `core.hooksPath` is in a text of git's settings (git-config(1)), the last that says so; null where none does. What
 * the text includes is not looked at.
 */
export function hooksPathIn(settings: string): string | null {
  let section = "";
  let found: string | null = null;
  for (const line of settings.split(/\r?\n/)) {
    const [, header, behind] = /^\s*\[\s*([^\]]*?)\s*\]\s*(.*)$/.exec(line) ?? [];
    if (header !== undefined) section = header.toLowerCase();
    const [, value] = /^\s*hookspath\s*=\s*(.*?)\s*$/i.exec(behind ?? line) ?? [];
    if (section === "core" && value !== undefined) found = value.replace(/^"(.*)"$/, "$1");
  }
  return found === "" ? null : found;
}
