/** Whether what a command of git shows holds no denied name, where that is known of an earlier look, or of more than it shows. */

import type { GitShowing } from "../../../core/git/showing.ts";
import type { DeniedNames } from "./_denied_names.ts";
import type { History } from "./_history.ts";
import type { LooksHere } from "./known_looks.ts";

type Differences = Extract<GitShowing, { readonly kind: "differences" }>;

/** Of one repository, by the rules of one thread. */
export class CleanNames {
  readonly #history: History;
  readonly #judge: DeniedNames;
  readonly #looks: LooksHere;

  constructor(
    { history, judge, looks }: {
      readonly history: History;
      readonly judge: DeniedNames;
      readonly looks: LooksHere;
    },
  ) {
    this.#history = history;
    this.#judge = judge;
    this.#looks = looks;
  }

  /** Whether the index has no name that is denied. */
  async isIndex(): Promise<boolean> {
    const found = await this.#looks.of(
      ["index"],
      "index",
      async () => this.#said(await this.#history.filesOfIndex()),
    );
    return found === "clean";
  }

  /** Whether none of these trees has one. */
  async areTrees(trees: readonly string[]): Promise<boolean> {
    for (const tree of trees) if (!await this.#isTree(tree)) return false;
    return true;
  }

  /**
   * The names that it shows, or that none of them is denied; null where git cannot say. `about`: its revisions, by their
   * hashes, and paths; `key`: what else it hangs on; `trees`: those that it compares with the index or working files, null
   * where it compares commits alone.
   */
  async of(
    showing: Differences,
    about: readonly string[],
    { key, trees }: { readonly key: readonly string[]; readonly trees: readonly string[] | null },
  ): Promise<readonly string[] | "clean" | null> {
    const differing = () => this.#history.differing(showing, about);
    if (showing.beside !== null && trees !== null) {
      // It shows names of these, and no others.
      const isClean = await this.isIndex() && await this.areTrees(trees);
      return isClean ? "clean" : await differing();
    }
    // What the words say may be another thing the next time.
    if (showing.timed || about.some((word) => word.includes("(attr"))) return await differing();
    const words = ["shown", ...key, showing.subcommand, ...showing.selecting, "|", ...about];
    const asked: { names: readonly string[] | null }[] = [];
    const found = await this.#looks.of(words, "settings", async () => {
      const names = await differing();
      asked.push({ names });
      return this.#said(names) === "clean" ? "clean" : null;
    });
    return found === "clean" ? found : asked[0]?.names ?? null;
  }

  /** By what it has that one did not have which was looked at before, where there is one. */
  async #isTree(tree: string): Promise<boolean> {
    const looks = this.#looks;
    const found = await looks.of(["tree", tree], "settings", async () => {
      const last = await looks.of(["last tree"], "settings", () => Promise.resolve(null));
      const since = last === null ? null : await this.#history.between(last, tree);
      if (this.#said(since) === "clean") return "clean";
      return this.#said(await this.#history.filesOf(tree));
    });
    if (found === "clean") looks.keep(["last tree"], tree);
    return found === "clean";
  }

  #said(names: readonly string[] | null): "clean" | "denied" | null {
    return names === null ? null : this.#judge.denied(names).size === 0 ? "clean" : "denied";
  }
}
