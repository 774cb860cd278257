/** Which of many names the policy does not let be read, folder by folder. */

import type { CanonicalPath } from "../../../core/capability.ts";
import type { EntryJudge, Rulebook } from "../../../policy/rulebook.ts";

/** Which names below a folder may not be read, or not plainly. */
export class DeniedNames {
  readonly #folders = new Map<string, EntryJudge>();

  constructor(rulebook: Pick<Rulebook, "judgeBelow">, top: CanonicalPath) {
    this.#folders.set("", rulebook.judgeBelow("read", top));
  }

  get mayDeny(): boolean {
    return this.#in("").mayDeny;
  }

  denied(names: Iterable<string>): ReadonlySet<string> {
    const denied = new Set<string>();
    for (const name of names) {
      const cut = name.lastIndexOf("/");
      const effect = this.#in(name.slice(0, Math.max(cut, 0))).effectOf(
        name.slice(cut + 1),
        "file",
      );
      if (effect !== "allow") denied.add(name);
    }
    return denied;
  }

  #in(folder: string): EntryJudge {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const cut = folder.lastIndexOf("/");
    const judge = this.#in(folder.slice(0, Math.max(cut, 0))).into(folder.slice(cut + 1));
    this.#folders.set(folder, judge);
    return judge;
  }
}
