/**
 * Which changes of a repository's settings git may make: who commits, and what a branch follows; of a repository that it
 * begins also what kind of one it is and what it is a copy of. Settings name programs that run (git-config(1): filters,
 * hooks, pagers, aliases), so all others must be in the new text as they are in the old.
 */

/** `names`: who commits and what branches follow. `beginning`: what `git init` and `git clone` write, too. */
export type GitSettling = "nothing" | "names" | "beginning";

/** Whole lines of what git writes. What else the format allows (a key behind its section, lines that go on) is not read. */
const SECTION = /^\[([A-Za-z0-9-]+)(?: "((?:[^"\\]|\\["\\])*)")?\]$/;
const KEY = /^\s*([A-Za-z][A-Za-z0-9-]*)(?:\s*=\s*(.*?))?\s*$/;
const IGNORED = /^\s*(?:[#;].*)?$/;

/** A value that says nothing beyond itself: no escapes, no comment behind it. */
const PLAIN = /^(?:[^"\\#;]*|"[^"\\]*")$/;
/** A remote by its name, a branch by its own: no address, no option. */
const NAME = /^(?!-)[\w./+@-]+$/;
/** By section and key, in small letters: what a value may be. */
const FREE: Readonly<Record<string, RegExp>> = {
  "user.name": PLAIN,
  "user.email": PLAIN,
  "branch.remote": NAME,
  "branch.merge": NAME,
  "branch.rebase": /^(?:true|false|merges)$/,
};
const EITHER = /^(?:true|false)$/;
/** Of a repository that is begun: an address is a path or one of the web, never one that names a program. */
const FREE_AT_FIRST: Readonly<Record<string, RegExp>> = {
  ...FREE,
  "core.repositoryformatversion": /^[01]$/,
  "core.filemode": EITHER,
  "core.bare": EITHER,
  "core.logallrefupdates": EITHER,
  "core.symlinks": EITHER,
  "core.ignorecase": EITHER,
  "core.precomposeunicode": EITHER,
  "extensions.objectformat": /^sha(?:1|256)$/,
  "remote.url":
    /^(?:(?:\/|https?:\/\/|file:\/\/\/)[^"\\#;]*|"(?:\/|https?:\/\/|file:\/\/\/)[^"\\]*")$/,
  "remote.fetch": /^\+?refs\/[\w./+@*-]+:refs\/[\w./+@*-]+$/,
  "remote.tagopt": /^--no-tags$/,
};
/** Sections that are about nothing further. */
const WHOLE: ReadonlySet<string> = new Set(["user", "core", "extensions"]);

/** The values of each key, in order, as they are written; null for a text that is not understood whole. */
function settingsOf(text: string): ReadonlyMap<string, readonly string[]> | null {
  const found = new Map<string, string[]>();
  let section: { readonly name: string; readonly about: string } | null = null;
  for (const line of text.split("\n")) {
    if (IGNORED.test(line)) continue;
    if (line.endsWith("\\")) return null;
    const header = SECTION.exec(line);
    if (header !== null) {
      const [, name = "", about] = header;
      section = { name: name.toLowerCase(), about: about ?? "" };
      continue;
    }
    const [, key, value = ""] = KEY.exec(line) ?? [];
    if (key === undefined || section === null) return null;
    const full = `${section.name}\0${section.about}\0${key.toLowerCase()}`;
    found.set(full, [...found.get(full) ?? [], value]);
  }
  return found;
}

/** Whether the new text differs from the old in nothing but what git may settle. */
export function settlesNothingElse(
  before: string,
  after: string,
  settles: GitSettling = "names",
): boolean {
  const [old, made] = [settingsOf(before), settingsOf(after)];
  if (old === null || made === null) return false;
  return [...new Set([...old.keys(), ...made.keys()])].every((full) => {
    const [section = "", about = "", key = ""] = full.split("\0");
    const [were, are] = [old.get(full) ?? [], made.get(full) ?? []];
    if (were.length === are.length && were.every((value, at) => value === are[at])) return true;
    const free = (settles === "beginning" ? FREE_AT_FIRST : FREE)[`${section}.${key}`];
    // What a key of a user's section is about git does not ask.
    return free !== undefined && WHOLE.has(section) === (about === "") &&
      are.every((value) => free.test(value));
  });
}
