/** Reading runs of files away from the scan that came upon them: their directory is opened by its path. */

import type { CanonicalPath } from "../../../core/capability.ts";
import type { HelpOptions, RunAnswer, ScannedFile } from "../../../core/scan.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { openWithoutLinks } from "../../../sandbox/kernel/open_without_links.ts";
import { isWithin } from "../../../sandbox/within.ts";
import type {
  EntryAdmits,
  EntryOptions,
  HelpTreeOptions,
  Target,
} from "../../files/file_backend.ts";
import { requirePermission } from "../../kernel/refusal.ts";
import { flagsOf, pathBelow, pathShown, readNamed } from "./_scan_file.ts";
import { mayRead, mayReadBelow } from "./_scan_permission.ts";

/** Files that follow one another in one directory. */
export interface Run {
  readonly directory: CanonicalPath;
  readonly names: readonly string[];
}

/** What neither a path nor a name holds. */
const SEPARATOR = "\0";

/** A run as the text that the other thread gets. */
export function textOfRun({ directory, names }: Run): string {
  return [directory, ...names].join(SEPARATOR);
}

/** Throws a `TypeError` for what is no run. */
function runOf(text: string): Run {
  const [directory = "", ...names] = text.split(SEPARATOR);
  const canonical = directory.startsWith("/") && !/\/\.{1,2}(?:\/|$)/.test(directory);
  if (!canonical || names.some((name) => name === "" || name === ".." || name.includes("/"))) {
    throw new TypeError("no run of files");
  }
  return { directory: directory as CanonicalPath, names };
}

type RunOptions = HelpOptions & EntryOptions;

/** Reads runs of one tree. Each is judged anew: whoever named it, nothing is opened that the call may not read. */
export class RunReader implements ScannedFile {
  readonly #libc: Libc;
  readonly #target: Target;
  readonly #options: RunOptions;
  readonly #flags: number;
  readonly #free: boolean;
  #descriptor = -1;
  #shown = "";
  #name = "";
  length: number | null = null;
  place = 0;

  constructor(libc: Libc, target: Target, options: RunOptions) {
    this.#libc = libc;
    this.#target = target;
    this.#options = options;
    this.#flags = flagsOf(libc);
    this.#free = mayReadBelow(target.path);
  }

  get path(): string {
    return pathShown(this.#shown, this.#name);
  }

  /** A file that is no longer there is visited with nothing read. */
  read({ directory, names }: Run, place: number, visit: (file: ScannedFile) => void): void {
    const judge = this.#judgeOf(directory);
    this.#shown = this.#options.show(directory);
    const flags = this.#flags | this.#libc.numbers.O_DIRECTORY;
    this.#descriptor = openWithoutLinks(this.#libc, directory, flags);
    this.place = place;
    try {
      for (const name of names) {
        if (judge?.admits(name, "file") === false) continue;
        if (!this.#free && !mayRead(pathBelow(directory, name))) continue;
        this.length = this.#descriptor < 0
          ? null
          : readNamed(this.#libc, this.#descriptor, name, this.#flags, this.#options);
        this.#name = name;
        visit(this);
      }
    } finally {
      this.close();
    }
  }

  /** Lets go of what a reading that was ended within left open. */
  close(): void {
    if (this.#descriptor >= 0) this.#libc.files.close(this.#descriptor);
    this.#descriptor = -1;
  }

  /** As a scan that came down to the directory has it. */
  #judgeOf(directory: CanonicalPath): EntryAdmits | null {
    const { path } = this.#target;
    if (!isWithin(path, directory)) return NOTHING;
    let judge = this.#options.judge;
    for (const name of directory.slice(path.length).split("/")) {
      if (name === "" || judge === null) continue;
      judge = judge.admits(name, "directory") ? judge.into(name) : NOTHING;
    }
    return judge;
  }
}

const NOTHING: EntryAdmits = { admits: () => false, into: () => NOTHING };

/** See `ReadFiles.help`. */
export function helpScan(
  libc: Libc,
  target: Target,
  options: HelpTreeOptions,
  answer: RunAnswer,
): void {
  requirePermission("read", target);
  const { scanShare, checkpoint } = options;
  const reader = new RunReader(libc, target, options);
  try {
    options.timed(() =>
      scanShare.serve((work, wanted) => {
        const run = runOf(work);
        return answer(wanted, (visit) => reader.read(run, 0, visit));
      }, checkpoint)
    );
  } finally {
    reader.close();
    scanShare.leave();
  }
}
