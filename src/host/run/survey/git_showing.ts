/**
 * Looks at what a git command would show of commits and of the index, before it is started: what lies there under a name
 * that the policy denies to be read is left out of it where git takes paths, and refused by that name where it takes none.
 */

import type { CanonicalPath } from "../../../core/capability.ts";
import type { ToolError } from "../../../core/errors.ts";
import { type LedGit, ledGit } from "../../../core/git/leading.ts";
import { leavingOut, narrowed, type Narrowing } from "../../../core/git/narrowing.ts";
import { type GitShowing, gitShowing, type Standing } from "../../../core/git/showing.ts";
import { colonOf, partsOf, plainPath } from "../../../core/git/revision_words.ts";
import type { Rulebook } from "../../../policy/rulebook.ts";
import { CleanNames } from "./_clean_names.ts";
import { DeniedNames } from "./_denied_names.ts";
import { History, type Named } from "./_history.ts";
import { isRoot, typeOf } from "./_named_words.ts";
import { type Pins, pinsOf } from "./_pins.ts";
import { refusal, wouldShow } from "./_show_refusals.ts";
import type { LooksHere } from "./known_looks.ts";
import type { SurveyParts } from "./_parts.ts";

/** What it takes. */
export interface ShowingParts extends Pick<SurveyParts, "git" | "resolve" | "workspace"> {
  readonly rulebook: Pick<Rulebook, "judgeBelow" | "judgePath" | "mayDenyBelow" | "scope">;
  /** What is known of the repository around a folder. */
  readonly looks: (directory: CanonicalPath) => LooksHere;
  /** Whether there is anything under that name. */
  readonly isThere: (directory: CanonicalPath, name: string) => boolean;
}

/** How a command came off that shows contents: it may be started. */
export interface Shown {
  /** Names that are left out, as the workspace has them. */
  readonly leftOut: readonly string[];
  /** The words by which they are, and by which it shows what was looked at; null where they are as they were. */
  readonly of: ((argv: readonly string[]) => readonly string[]) | null;
}

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
  const looks = parts.looks(directory);
  const isPlain = !led.leading.includes("-c");
  const up = isPlain
    ? await looks.of(["top", directory, ...led.leading], "settings", () => history.top())
    : await history.top();
  if (up === null) return null;
  const top = parts.resolve(directory, up);
  if (top === null) throw refusal(argv, "its files lie where nothing can be looked at");
  const judge = new DeniedNames(rulebook, top);
  if (!judge.mayDeny) return null;
  const clean = new CleanNames({ history, judge, looks });
  const look = new Look({ argv, led, history, judge, directory, top, parts, clean });
  if (started === "unknown") {
    const operands = "operands" in showing ? showing.operands : [];
    await look.at({ kind: "anything", why: "has words that are not known", operands });
    return null;
  }
  const shown = await look.at(showing) ?? AS_IT_IS;
  if (shown.leftOut.length > 0 && started === "within") throw look.refused(shown.leftOut);
  return shown;
}

const AS_IT_IS: Shown = { leftOut: [], of: null };

interface LookParts {
  readonly argv: readonly string[];
  readonly led: LedGit;
  readonly history: History;
  readonly judge: DeniedNames;
  readonly directory: CanonicalPath;
  readonly top: CanonicalPath;
  readonly parts: ShowingParts;
  readonly clean: CleanNames;
}

class Look {
  readonly #parts: LookParts;

  constructor(parts: LookParts) {
    this.#parts = parts;
  }

  async at(showing: GitShowing): Promise<Shown | null> {
    switch (showing.kind) {
      case "differences":
        return await this.#differences(showing);
      case "files":
        return await this.#files(showing);
      case "objects":
        return await this.#single(showing);
      case "paths":
        return this.#paths(showing.words);
      case "patches":
        return await this.#patches(showing.words);
      case "staging":
        return await this.#staging(showing);
      case "elsewhere":
        throw refusal(this.#parts.argv, showing.why);
      case "anything":
        return await this.#anything(showing.why, showing.operands);
    }
  }

  /** Where another program starts it. */
  refused(names: readonly string[]): ToolError {
    return wouldShow(this.#parts.argv, names, "start git by itself, which leaves them out");
  }

  async #differences(
    showing: Extract<GitShowing, { readonly kind: "differences" }>,
  ): Promise<Shown | null> {
    const { operands, cut, subcommand, follows, walks, narrows, standing } = showing;
    const { history, judge, led, clean, directory } = this.#parts;
    const words = cut === null ? operands : operands.slice(0, cut);
    const meant = standing.implied?.revision ?? "HEAD";
    const named = await this.#named([...words, meant]);
    await this.#objects(words, named);
    const types = words.map((word) => typeOf(word, named));
    const isOdd = (word: string, at: number) => types[at] === "tree" && !isRoot(word, named);
    if (subcommand !== "show" && words.some(isOdd)) {
      return await this.#anything("is told of a folder's tree", []);
    }
    const pins = await this.#pins(words, standing, { named, cut });
    if (pins === null) return await this.#anything("takes what is not known before", []);
    const asItIs = { leftOut: [], of: this.#words(pins) };
    // Of a file its contents are shown, of a tree its names, and of that nothing else is asked.
    const single = (_: string, at: number) =>
      types[at] === "blob" || subcommand === "show" && types[at] === "tree";
    const kept = pins.revisions.filter((word, at) => !single(word, at));
    if (kept.length + pins.besides.length === 0 && words.length > 0 && pins.paths.length === 0) {
      return asItIs;
    }
    const pinned = { ...showing, selecting: pins.selecting(showing.selecting) };
    const behindThem = cut === null ? pins.paths : operands.slice(cut);
    const about = [...pins.besides, ...kept, "--", ...behindThem];
    const key = [directory, ...led.leading];
    const names = await clean.of(pinned, about, { key, trees: pins.compared });
    if (names === "clean") return asItIs;
    if (names === null) return await this.#anything("could not be looked through", []);
    const denied = judge.denied(names);
    if (denied.size === 0) return asItIs;
    if (follows) throw this.#refused(denied, "leave out --follow");
    if (!narrows) throw this.#refused(denied, `git diff ${operands.join(" ")} shows the rest`);
    const excluding = this.#excluding(denied, names);
    const behind = this.#behind(operands, cut, named);
    // Each commit is told of as it would be, though nothing of it is left.
    const hasPaths = cut === null ? words.length > 0 && behind.length === 0 : cut < operands.length;
    const options = walks && !hasPaths ? ["--full-history", "--sparse"] : [];
    const again = await history.differing(
      { ...pinned, selecting: [...options, ...pinned.selecting] },
      [...about, ...excluding],
    );
    if (again === null || judge.denied(again).size > 0) {
      throw this.#refused(denied, "name the paths that it is about");
    }
    return this.#leftOut(denied, pins, { options, paths: [...behind, ...excluding] });
  }

  async #files(
    { operands, cut, otherwise, dashes, standing }: Extract<
      GitShowing,
      { readonly kind: "files" }
    >,
  ): Promise<Shown | null> {
    const { history, judge, led, clean } = this.#parts;
    const words = cut === null ? operands : operands.slice(0, cut);
    const named = await this.#named(words);
    await this.#objects(words, named);
    const pins = await this.#pins(words, standing, { named, cut });
    const isKnown = pins !== null && (dashes || pins.revisions.length > 0);
    if (!isKnown) return await this.#anything("takes what is not known before", []);
    const trees = words.filter((word) => named.has(word) && typeOf(word, named) !== "blob");
    if (trees.some((word) => typeOf(word, named) === "tree" && !isRoot(word, named))) {
      return await this.#anything("is told of a folder's tree", []);
    }
    const hashes = trees.map((tree) => named.get(tree)!.own);
    const isIndex = trees.length === 0 && otherwise === "index";
    const asItIs = { leftOut: [], of: this.#words(pins) };
    if (isIndex ? await clean.isIndex() : await clean.areTrees(hashes)) return asItIs;
    const lists = isIndex
      ? [await history.filesOfIndex()]
      : await Promise.all(hashes.map((tree) => history.filesOf(tree)));
    if (lists.includes(null)) return await this.#anything("could not be looked through", []);
    const names = lists.flatMap((list) => list ?? []);
    const denied = judge.denied(names);
    if (denied.size === 0) return asItIs;
    if (led.leading.some((word) => word.endsWith("-pathspecs"))) {
      throw this.#refused(denied, "leave out what says how paths are read");
    }
    const behind = dashes ? this.#behind(operands, cut, named) : [];
    const paths = [...behind, ...this.#excluding(denied, names)];
    return this.#leftOut(denied, pins, { options: [], paths });
  }

  /** Objects by their names. */
  async #single(
    { operands, standing }: Extract<GitShowing, { readonly kind: "objects" }>,
  ): Promise<Shown | null> {
    const named = await this.#named(operands);
    await this.#objects(operands, named);
    // What stands before the last word is a type.
    const last = operands.slice(-1);
    const its = { ...standing, places: standing.places.slice(-1) };
    const pins = await this.#pins(last, its, { named, cut: null });
    if (pins === null || pins.revisions.length < last.length) {
      return await this.#anything("takes what is not known before", []);
    }
    return { leftOut: [], of: this.#words(pins) };
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

  /** What comes into the index has a name of its own there, and git shows it as what was changed. */
  async #staging(
    { operands, cut }: Extract<GitShowing, { readonly kind: "staging" }>,
  ): Promise<null> {
    const { history, judge } = this.#parts;
    const words = cut === null ? operands : operands.slice(0, cut);
    const named = await this.#named(words);
    const [word = ""] = words;
    if (!named.has(word)) return null;
    const paths = operands.slice(1);
    const names = await history.wouldStage(named.get(word)!.own, paths);
    if (names === null) return await this.#anything("could not be looked through", []);
    const denied = judge.denied(names);
    if (denied.size > 0) throw this.#refused(denied, "name the paths that it is about");
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

  #leftOut(denied: ReadonlySet<string>, pins: Pins, narrowing: Narrowing): Shown {
    const { led: { at } } = this.#parts;
    const words = this.#words(pins);
    return { leftOut: this.#shown(denied), of: (argv) => narrowed(words(argv), at, narrowing) };
  }

  async #pins(
    operands: readonly string[],
    standing: Standing,
    { named, cut }: {
      readonly named: ReadonlyMap<string, Named>;
      readonly cut: number | null;
    },
  ): Promise<Pins | null> {
    const { history, led: { rest }, parts, directory } = this.#parts;
    const isPath = (word: string) =>
      cut === null && (/^:|[*?[\\]/.test(word) || parts.isThere(directory, word));
    return await pinsOf({ operands, standing, rest, named, history, isPath });
  }

  /** A command's words with hashes for revisions. */
  #words(pins: Pins): (argv: readonly string[]) => readonly string[] {
    const { led: { at } } = this.#parts;
    return (argv) => [...argv.slice(0, at + 1), ...pins.of(argv.slice(at + 1))];
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
    return wouldShow(this.#parts.argv, this.#shown(denied), advice);
  }
}
