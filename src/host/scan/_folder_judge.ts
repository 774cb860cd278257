/** How the entries of folders fare, for reading and for writing at once. */

import type { CanonicalPath } from "../../core/capability.ts";
import { createNameFilter, type NameFilter } from "../../policy/match/name_filter.ts";
import type { Access } from "../../policy/model.ts";
import type { EntryJudge, Rulebook } from "../../policy/rulebook.ts";

/** One value for reading and one for writing, which programs may only where they may read too. */
export type ByAccess<T> = Readonly<Record<Access, T>>;

/** Both kinds of access, in the order in which they are spoken of. */
export const ACCESSES = ["read", "write"] as const satisfies readonly Access[];

type Kind = "file" | "directory";

/** The judge of all folders whose entries fare alike. */
export class FolderJudge {
  readonly #judges: ByAccess<EntryJudge>;
  /** The names that are not judged one by one are judged as one. Null where all are. */
  readonly #usual: Readonly<Record<Kind, ByAccess<boolean>>> | null;
  /** The judge of the folders below whose names are not judged one by one. */
  #below: FolderJudge | null = null;
  /** Null where every name is to be judged. */
  readonly filter: NameFilter | null;
  /** Whether something below could be other than allowed. */
  readonly mayDeny: ByAccess<boolean>;

  constructor(read: EntryJudge, write: EntryJudge) {
    this.#judges = { read, write };
    this.mayDeny = { read: read.mayDeny, write: read.mayDeny || write.mayDeny };
    const names = [read.names(), write.names()] as const;
    const [forRead, forWrite] = names;
    if (forRead === null || forWrite === null) {
      this.filter = null;
      this.#usual = null;
      return;
    }
    this.filter = createNameFilter(
      [...forRead.rules, ...forWrite.rules],
      [...forRead.endings, ...forWrite.endings],
    );
    const usual = (kind: Kind): ByAccess<boolean> => {
      const mayRead = forRead.usual[kind] === "allow";
      return { read: mayRead, write: mayRead && forWrite.usual[kind] === "allow" };
    };
    this.#usual = { file: usual("file"), directory: usual("directory") };
  }

  /** What may be done to an entry; `suspected`: the filter does not pass its name. */
  allowed(name: string, kind: Kind, suspected: boolean): ByAccess<boolean> {
    if (!suspected && this.#usual !== null) return this.#usual[kind];
    const { read, write } = this.#judges;
    const mayRead = read.effectOf(name, kind) === "allow";
    return { read: mayRead, write: mayRead && write.effectOf(name, kind) === "allow" };
  }

  /** What may be done to files that the filter passes. */
  get usualFile(): ByAccess<boolean> {
    return this.#usual?.file ?? { read: false, write: false };
  }

  /** The judge of a folder below. */
  into(name: string, suspected: boolean): FolderJudge {
    if (!suspected && this.#below !== null) return this.#below;
    const read = this.#judges.read.into(name);
    const write = this.#judges.write.into(name);
    const same = read === this.#judges.read && write === this.#judges.write;
    const judge = same ? this : new FolderJudge(read, write);
    if (!suspected) this.#below = judge;
    return judge;
  }
}

/** The judge of one folder, asked of the policy. */
export function judgeOf(
  rulebook: Pick<Rulebook, "judgeBelow">,
  folder: CanonicalPath,
): FolderJudge {
  return new FolderJudge(
    rulebook.judgeBelow("read", folder),
    rulebook.judgeBelow("write", folder),
  );
}
