/**
 * Looks at what a git command would show of commits and of the index, before it is started: what lies there under a name
 * that the policy denies to be read is left out of it where git takes paths, and refused by that name where it takes none.
 */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { type LedGit, ledGit } from "../../../core/git/leading.ts";
import { leavingOut, narrowed, type Narrowing } from "../../../core/git/narrowing.ts";
import { type GitShowing, gitShowing } from "../../../core/git/showing.ts";
import { colonOf, partsOf, plainPath } from "../../../core/git/revision_words.ts";
import { printable, quoted } from "../../../core/printable.ts";
import type { Rulebook } from "../../../policy/rulebook.ts";
import { DeniedNames } from "./_denied_names.ts";
import { History, type Named } from "./_history.ts";
import type { SurveyParts } from "./_parts.ts";

/** What it takes. */
export interface ShowingParts extends Pick<SurveyParts, "git" | "resolve" | "workspace"> {
  readonly rulebook: Pick<Rulebook, "judgeBelow" | "judgePath" | "mayDenyBelow" | "scope">;
}

/** What is left out of a command's answer. */
export interface LeftOut {
  /** As the workspace has them. */
  readonly names: readonly string[];
  /** The words by which it is. */
  of(argv: readonly string[]): readonly string[];
}

/** How a command came off that shows contents: it may be started, with something left out or as it is. */
export interface Shown {
  readonly leftOut: LeftOut | null;
}

const MOST_NAMED = 100;
/** Trees that hold nothing (git-hash-object(1), of either kind of hash). */
const EMPTY_TREES: ReadonlySet<string> = new Set([
  "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
]);

/**
 * Null where it shows no contents, or none could be denied. PATH_DENIED where it would show what is denied and nothing can
 * be left out. `started`: by another program, so that nothing can be put to its words, some of which may not be known.
 */
export async function surveyShowing(
  argv: readonly string[],
  from: CanonicalPath,
  parts: ShowingParts,
  started: "alone" | "within" | "unknown" = "alone",
): Promise<Shown | null> {
  const { rulebook } = parts;
  if (!rulebook.scope.read.some((root) => rulebook.mayDenyBelow("read", root))) return null;
  const led = ledGit(argv);
  const showing = led === null ? null : gitShowing(led);
  if (led === null || showing === null) return null;
  if (led.elsewhere !== null) {
    throw refusal(argv, `${led.elsewhere} makes another repository of it; say by -C where it is`);
  }
  const directory = led.folders.reduce<CanonicalPath | null>(
    (at, folder) => at === null ? null : parts.resolve(at, folder),
    from,
  );
  // Git says so itself.
  if (directory === null) return null;
  const doing = `git ${led.subcommand}`;
  const history = new History({ git: parts.git, directory, leading: led.leading, doing });
  const up = await history.top();
  if (up === null) return null;
  const top = parts.resolve(directory, up);
  if (top === null) throw refusal(argv, "its files lie where nothing can be looked at");
  const judge = new DeniedNames(rulebook, top);
  if (!judge.mayDeny) return null;
  const look = new Look({ argv, led, history, judge, directory, top, parts });
  if (started === "unknown") {
    const operands = "operands" in showing ? showing.operands : [];
    await look.at({ kind: "anything", why: "has words that are not known", operands });
    return null;
  }
  const leftOut = await look.at(showing);
  if (leftOut !== null && started === "within") throw look.refused(leftOut.names);
  return { leftOut };
}

interface LookParts {
  readonly argv: readonly string[];
  readonly led: LedGit;
  readonly history: History;
  readonly judge: DeniedNames;
  readonly directory: CanonicalPath;
  readonly top: CanonicalPath;
  readonly parts: ShowingParts;
}

class Look {
  readonly #parts: LookParts;

  constructor(parts: LookParts) {
    this.#parts = parts;
  }

  async at(showing: GitShowing): Promise<LeftOut | null> {
    switch (showing.kind) {
      case "differences":
        return await this.#differences(showing);
      case "files":
        return await this.#files(showing);
      case "objects":
        return await this.#objects(showing.operands, await this.#named(showing.operands));
      case "paths":
        return this.#paths(showing.words);
      case "patches":
        return await this.#patches(showing.words);
      case "elsewhere":
        throw refusal(this.#parts.argv, showing.why);
      case "anything":
        return await this.#anything(showing.why, showing.operands);
    }
  }

  /** Where another program starts it. */
  refused(names: readonly string[]): ToolError {
    return this.#refusedNames(names, "start git by itself, which leaves them out");
  }

  async #differences(
    showing: Extract<GitShowing, { readonly kind: "differences" }>,
  ): Promise<LeftOut | null> {
    const { operands, cut, subcommand, follows, walks, narrows } = showing;
    const { history, judge } = this.#parts;
    const words = cut === null ? operands : operands.slice(0, cut);
    const paths = cut === null ? [] : ["--", ...operands.slice(cut)];
    const named = await this.#named(words);
    await this.#objects(words, named);
    const types = words.map((word) => this.#typeOf(word, named));
    const isOdd = (word: string, at: number) => types[at] === "tree" && !this.#isRoot(word, named);
    if (subcommand !== "show" && words.some(isOdd)) {
      return await this.#anything("is told of a folder's tree", []);
    }
    // Of a file its contents are shown, of a tree its names, and of that nothing else is asked.
    const single = (_: string, at: number) =>
      types[at] === "blob" || subcommand === "show" && types[at] === "tree";
    const kept = words.filter((word, at) => !single(word, at));
    if (kept.length === 0 && words.length > 0) return null;
    const names = await history.differing(showing, [...kept, ...paths]);
    if (names === null) return await this.#anything("could not be looked through", []);
    const denied = judge.denied(names);
    if (denied.size === 0) return null;
    if (follows) throw this.#refused(denied, "leave out --follow");
    if (!narrows) throw this.#refused(denied, `git diff ${operands.join(" ")} shows the rest`);
    const excluding = this.#excluding(denied, names);
    const behind = this.#behind(operands, cut, named);
    // Each commit is told of as it would be, though nothing of it is left.
    const hasPaths = cut === null ? words.length > 0 && behind.length === 0 : cut < operands.length;
    const options = walks && !hasPaths ? ["--full-history", "--sparse"] : [];
    const again = await history.differing(
      { ...showing, selecting: [...options, ...showing.selecting] },
      [...kept, ...paths, ...behind, ...excluding],
    );
    if (again === null || judge.denied(again).size > 0) {
      throw this.#refused(denied, "name the paths that it is about");
    }
    return this.#leftOut(denied, { options, paths: [...behind, ...excluding] });
  }

  async #files(
    { operands, cut, otherwise, dashes }: Extract<GitShowing, { readonly kind: "files" }>,
  ): Promise<LeftOut | null> {
    const { history, judge, led } = this.#parts;
    const words = cut === null ? operands : operands.slice(0, cut);
    const named = await this.#named(words);
    await this.#objects(words, named);
    const trees = words.filter((word) => named.has(word) && this.#typeOf(word, named) !== "blob");
    if (trees.some((word) => this.#typeOf(word, named) === "tree" && !this.#isRoot(word, named))) {
      return await this.#anything("is told of a folder's tree", []);
    }
    const lists = trees.length > 0
      ? await Promise.all(trees.map((tree) => history.filesOf(tree)))
      : otherwise === "index"
      ? [await history.filesOfIndex()]
      : [];
    if (lists.includes(null)) return await this.#anything("could not be looked through", []);
    const names = lists.flatMap((list) => list ?? []);
    const denied = judge.denied(names);
    if (denied.size === 0) return null;
    if (led.leading.some((word) => word.endsWith("-pathspecs"))) {
      throw this.#refused(denied, "leave out what says how paths are read");
    }
    const behind = dashes ? this.#behind(operands, cut, named) : [];
    const paths = [...behind, ...this.#excluding(denied, names)];
    return this.#leftOut(denied, { options: [], paths });
  }

  /** Refuses contents of objects: by the path where the word has one, by all that they are called where it has not. */
  async #objects(
    words: readonly string[],
    named: ReadonlyMap<string, Named>,
  ): Promise<null> {
    const { judge, history } = this.#parts;
    const nameless = new Set<string>();
    const denied = new Set<string>();
    for (const word of words.flatMap(partsOf)) {
      const found = named.get(word);
      const path = await this.#pathIn(word);
      if (found === undefined && !word.includes("\n")) continue;
      if (found !== undefined && found.type !== "blob") continue;
      if (path !== null) { for (const name of judge.denied([path])) denied.add(name); }
      else if (found !== undefined) nameless.add(found.hash);
      else denied.add(word);
    }
    if (nameless.size > 0) {
      const names = await history.namesOf(nameless);
      for (const hash of nameless) {
        const its = names.get(hash) ?? new Set();
        // Of what no commit has, nobody can say whose contents it is.
        if (its.size === 0) denied.add(hash);
        for (const name of judge.denied(its)) denied.add(name);
      }
    }
    if (denied.size > 0) throw this.#refused(denied, "show another path, or by COMMIT:PATH");
    return null;
  }

  /** The path from the top that a word ends with; null where it has none, or not one from the top of a commit. */
  async #pathIn(word: string): Promise<string | null> {
    const { history, directory, top } = this.#parts;
    const cut = colonOf(word);
    if (cut === -1) return null;
    const staged = /^:(?:[0-3]:)?([^/:].*)$/s.exec(word)?.[1];
    const revision = word.slice(0, cut);
    const path = cut === 0 ? staged ?? null : word.slice(cut + 1);
    if (path === null || path === "") return null;
    if (cut > 0) {
      const base = revision.replace(/\^\{tree\}$/, "");
      const known = await history.named([`${base}^{commit}`, base]);
      if (!known.has(`${base}^{commit}`)) return null;
      if (known.get(base)?.type === "tree") return null;
    }
    if (!/^\.\.?(?:\/|$)/.test(path)) return path;
    const prefix = directory === top ? "" : directory.slice(top === "/" ? 1 : top.length + 1);
    return plainPath(`${prefix}/${path}`);
  }

  #paths(words: readonly string[]): null {
    const { parts: { rulebook }, directory } = this.#parts;
    const denied = words.filter((word) => {
      const path = word.startsWith("/") ? plainPath(word) : plainPath(`${directory}/${word}`);
      return path !== null && path !== "" &&
        rulebook.judgePath("read", `/${path}` as CanonicalPath, "file").code === "PATH_DENIED";
    });
    if (denied.length > 0) throw this.#refused(new Set(denied), "name another file");
    return null;
  }

  async #patches(words: readonly string[]): Promise<null> {
    const { history, directory, top, judge } = this.#parts;
    const patched = await history.patched(words);
    // Where it is no patch git says so itself.
    if (patched === null) return await this.#anything("could not be looked through", []);
    if (patched.binary) await this.#anything("takes objects that a patch names", []);
    const { names } = patched;
    const prefix = directory === top ? "" : directory.slice(top === "/" ? 1 : top.length + 1);
    const denied = judge.denied(names.map((name) => plainPath(`${prefix}/${name}`) ?? name));
    if (denied.size > 0) throw this.#refused(denied, "leave them out of the patch");
    return null;
  }

  async #anything(why: string, operands: readonly string[]): Promise<null> {
    const { history, judge } = this.#parts;
    const words = operands.flatMap(partsOf);
    const named = await history.named([...words, ...words.map((word) => `${word}^{commit}`)]);
    await this.#objects(operands, named);
    const commits = words.flatMap((word) => named.get(`${word}^{commit}`)?.hash ?? []);
    const names = await history.everything([...new Set(commits)]);
    if (names === null) {
      throw refusal(this.#parts.argv, `it ${why}, and git cannot say what the repository holds`);
    }
    const denied = judge.denied(names);
    if (denied.size > 0) throw this.#refused(denied, `it ${why}`);
    return null;
  }

  async #named(words: readonly string[]): Promise<ReadonlyMap<string, Named>> {
    return await this.#parts.history.named(words.flatMap(partsOf));
  }

  #typeOf(word: string, named: ReadonlyMap<string, Named>): string | null {
    const types = partsOf(word).map((part) => named.get(part)?.type);
    return types.includes("blob") ? "blob" : types.find((type) => type !== undefined) ?? null;
  }

  /** Whether its names are those from the top. */
  #isRoot(word: string, named: ReadonlyMap<string, Named>): boolean {
    const isHash = /^[0-9a-f]+$/.test(word);
    return partsOf(word).every((part) => {
      const found = named.get(part);
      return found?.type !== "tree" || EMPTY_TREES.has(found.hash) ||
        part.endsWith("^{tree}") && !isHash && colonOf(part) === -1 &&
          named.get(part.slice(0, -"^{tree}".length))?.type !== "tree";
    });
  }

  #leftOut(denied: ReadonlySet<string>, narrowing: Narrowing): LeftOut {
    const { led: { at } } = this.#parts;
    return { names: this.#shown(denied), of: (argv) => narrowed(argv, at, narrowing) };
  }

  #excluding(denied: ReadonlySet<string>, names: readonly string[]): readonly string[] {
    const paths = leavingOut(denied, names);
    if (paths === null) throw this.#refused(denied, "name the paths that it is about");
    return paths;
  }

  /** What has to stand between its words and further paths: behind a path there are paths alone. */
  #behind(
    operands: readonly string[],
    cut: number | null,
    named: ReadonlyMap<string, Named>,
  ): readonly string[] {
    if (cut !== null) return [];
    const last = operands.at(-1);
    const isRevision = last === undefined || partsOf(last).some((part) => named.has(part));
    return isRevision ? ["--"] : [];
  }

  #shown(names: Iterable<string>): readonly string[] {
    const { top, parts: { workspace } } = this.#parts;
    const prefix = top === workspace || !top.startsWith(`${workspace}/`)
      ? ""
      : `${top.slice(workspace === "/" ? 1 : workspace.length + 1)}/`;
    return [...names].sort().map((name) => `${prefix}${name}`);
  }

  #refused(denied: ReadonlySet<string>, advice: string): ToolError {
    return this.#refusedNames(this.#shown(denied), advice);
  }

  #refusedNames(names: readonly string[], advice: string): ToolError {
    const few = names.slice(0, 5).map((name) => printable(name, 200)).join(", ");
    const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
    return new ToolError(
      "PATH_DENIED",
      `${
        quoted(printable(this.#parts.argv.join(" "), 200))
      } would show what commits or the index hold of ${few}${more}, ` +
        `which the policy's paths deny, or do not plainly allow; it was not started: ${advice}`,
      { details: { denied: names.slice(0, MOST_NAMED) } },
    );
  }
}

function refusal(argv: readonly string[], why: string): ToolError {
  return new ToolError(
    "PATH_DENIED",
    `${
      quoted(printable(argv.join(" "), 200))
    } was not started, as the policy denies names and ${why}`,
  );
}
