/**
 * What git is started with: an environment from nothing, and settings that stand above those of the repository, whose
 * configuration is somebody else's data. Names: git(1) "Environment Variables", git-config(1).
 */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";

/** The whole environment; `GIT_DIR` and `GIT_WORK_TREE` come to it, so that git looks for no repository itself. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/bin:/bin",
  LC_ALL: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "/bin/false",
  GIT_SSH_COMMAND: "/bin/false",
  GIT_PAGER: "cat",
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  // Reading must not fetch, and no object stands in for another.
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  // None: `protocol.*.allow` of the repository is not asked then.
  GIT_ALLOW_PROTOCOL: "",
};

/** Keys that run programs, read other files or change what is printed; a repository's own values do not count. */
const FIXED: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.sshCommand": "false",
  "core.askPass": "",
  "core.alternateRefsCommand": "",
  "core.attributesFile": "/dev/null",
  "core.excludesFile": "/dev/null",
  "core.gitProxy": "",
  "core.quotePath": "false",
  "credential.helper": "",
  "uploadpack.packObjectsHook": "",
  "interactive.diffFilter": "",
  "gpg.program": "false",
  "gpg.ssh.program": "false",
  "gpg.x509.program": "false",
  "commit.gpgSign": "false",
  "tag.gpgSign": "false",
  "push.gpgSign": "false",
  "log.showSignature": "false",
  "merge.verifySignatures": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "safe.bareRepository": "explicit",
  "submodule.recurse": "false",
  "push.recurseSubmodules": "no",
  "fetch.recurseSubmodules": "false",
  "color.ui": "false",
  "diff.external": "",
  "diff.orderFile": "/dev/null",
  "diff.noprefix": "false",
  "diff.mnemonicPrefix": "false",
  "grep.patternType": "default",
  "mailmap.file": "/dev/null",
  "i18n.logOutputEncoding": "UTF-8",
  "user.useConfigOnly": "true",
  "advice.detachedHead": "false",
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
  /** A merge driver that it names; null where there is none. */
  readonly mergeDriver: string | null;
}

/** Where the repository's configuration says nothing that has to be overridden. */
export const NOTHING_OVERRIDDEN: Overrides = { settings: {}, filters: [], mergeDriver: null };

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
  let mergeDriver: string | null = null;
  for (const key of keys) {
    mergeDriver ??= /^merge\.(.*)\.driver$/s.exec(key)?.[1] ?? null;
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
      for (const [name, value] of Object.entries(values)) {
        settings[`${section}.${subsection}.${name}`] = value;
      }
    }
  }
  return { settings, filters: [...filters].sort(), mergeDriver };
}

/** The settings as options of git, before its subcommand. */
export function settingOptions(overrides: Overrides): readonly string[] {
  return Object.entries({ ...FIXED, ...overrides.settings })
    .flatMap(([key, value]) => ["-c", `${key}=${value}`]);
}
