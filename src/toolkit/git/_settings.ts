/** What tools start git with: an environment from nothing, and what a repository's own keys must be overridden by. */

import { ToolError } from "../../core/errors.ts";
import { GIT_ENVIRONMENT, GIT_KEYS, protocolVariables } from "../../core/git/settings.ts";
import { printable } from "../../core/printable.ts";

/** The whole environment; `GIT_DIR` and `GIT_WORK_TREE` come to it, so that git looks for no repository itself. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/bin:/bin",
  LC_ALL: "C.UTF-8",
  ...GIT_ENVIRONMENT,
  ...protocolVariables([]),
};

/** Sections none of whose keys is overridden key by key: with these alone nothing need be listed. */
const PLAIN: ReadonlySet<string> = new Set(
  ("core remote branch user author committer init pull push fetch extensions color gc pack index " +
    "receive transfer rerere commit log advice i18n apply checkout rebase status stash tag")
    .split(" "),
);

/** Whether a configuration has, by its sections, nothing that must be overridden key by key. */
export function isPlain(configuration: string): boolean {
  return [...configuration.matchAll(/\[\s*([^\]\s".]*)/g)].every(([, section = ""]) =>
    PLAIN.has(section.toLowerCase())
  );
}

/** What the keys of a repository say must be done about it. */
export interface Overrides {
  /** Settings to lay over it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Filters that it names, which do not run. */
  readonly filters: readonly string[];
  /** Merge drivers that it names, which fail in place of running. */
  readonly mergeDrivers: readonly string[];
}

/** Where the repository's configuration says nothing that has to be overridden. */
export const NOTHING_OVERRIDDEN: Overrides = { settings: {}, filters: [], mergeDrivers: [] };

/** Values that make a key harmless, by its section and its last part; `subsection` between them is the repository's. */
const BY_KEY: readonly (readonly [RegExp, string, Readonly<Record<string, string>>])[] = [
  [/^filter\.(.*)\.(?:clean|smudge|process|required)$/s, "filter", {
    clean: "",
    smudge: "",
    process: "",
    required: "false",
  }],
  [/^diff\.(.*)\.(?:command|textconv)$/s, "diff", { command: "", textconv: "" }],
  [/^trailer\.(.*)\.(?:cmd|command)$/s, "trailer", { cmd: "", command: "" }],
  // gitattributes(5), "Defining a custom merge driver": one that fails merges nothing.
  [/^merge\.(.*)\.driver$/s, "merge", { driver: "false" }],
  [/^submodule\.(.*)\.update$/s, "submodule", { update: "none" }],
  [/^credential\.(.*)\.helper$/s, "credential", { helper: "" }],
  [/^remote\.(.*)\.(?:proxy|uploadpack|receivepack)$/s, "remote", {
    proxy: "",
    uploadpack: "git-upload-pack",
    receivepack: "git-receive-pack",
  }],
];

/**
 * What must be overridden, by the names of all keys (`git config --list --name-only -z --includes`). Throws GIT_ERROR
 * for a name that no override can be written for: then git is not started.
 */
export function overridesOf(keys: readonly string[]): Overrides {
  const settings: Record<string, string> = {};
  const filters = new Set<string>();
  const mergeDrivers = new Set<string>();
  for (const key of keys) {
    for (const [pattern, section, values] of BY_KEY) {
      const subsection = pattern.exec(key)?.[1];
      if (subsection === undefined) continue;
      // `-c` ends the key at the first `=`, and other bytes than UTF-8's cannot be said at all.
      if (/[=\n\ufffd]/.test(subsection)) {
        throw new ToolError(
          "GIT_ERROR",
          `the repository's configuration names a ${section} "${printable(subsection, 60)}" that ` +
            "cannot be switched off; take it out of .git/config",
        );
      }
      if (section === "filter") filters.add(subsection);
      if (section === "merge") mergeDrivers.add(subsection);
      for (const [name, value] of Object.entries(values)) {
        settings[`${section}.${subsection}.${name}`] = value;
      }
    }
  }
  return { settings, filters: [...filters].sort(), mergeDrivers: [...mergeDrivers].sort() };
}

/** The settings as options of git, before its subcommand. */
export function settingOptions(overrides: Overrides): readonly string[] {
  return Object.entries({ ...GIT_KEYS, ...overrides.settings })
    .flatMap(([key, value]) => ["-c", `${key}=${value}`]);
}
