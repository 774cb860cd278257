/** Where lines run: one place, made anew before each of them, and what they leave there. */

import { createHash } from "node:crypto";
import { join } from "@std/path";
import { ENVIRONMENT, type Prepared } from "./_prepare.ts";

/** Nobody of this machine; whoever runs the benchmark, where that is not root. */
export const USER = Deno.uid() === 0 ? { uid: 65532, gid: 65532 } : {};
/** Processes of the machine, which are nobody's business here, would be in what ps(1) says. */
const ALONE = [
  ...["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c"],
  // How wide ps(1) writes numbers.
  `echo "$1" > /proc/sys/kernel/pid_max; shift; exec setpriv --clear-groups "$@"`,
  ...["sh", Deno.readTextFileSync("/proc/sys/kernel/pid_max").trim()],
  ...["--reuid", String(USER.uid), "--regid", String(USER.gid)],
];
/** A line that takes longer has hung. */
export const PATIENCE_S = 60;

/** What a line came to. */
export interface Came {
  readonly status: number | null;
  readonly stdout: string;
  /** By path: kind, mode, and what is in it. */
  readonly files: ReadonlyMap<string, string>;
  /** Branches, the index, stashes, settings: what git says of itself. */
  readonly git: string;
  readonly hung: boolean;
}

const GIT_STATE = `
git symbolic-ref -q HEAD || git log -1 --format='%T %s'
git for-each-ref --format='%(refname) %(objecttype)'
git for-each-ref --format='%(refname)' | while read ref; do git log -4 --format='%T %s %p' "$ref" -- | cut -c1-60 | sed 's/ [0-9a-f]*$//'; done
git ls-files -s
git status --porcelain
git stash list
git config --local --list
ls .git | grep -E '^(MERGE|CHERRY|REVERT|rebase|BISECT)'
git worktree list --porcelain | grep -c worktree
`;

/** One project's ground. `base` is removed at the end. */
export class Ground {
  readonly base: string;
  readonly root: string;
  readonly home: string;
  readonly #prepared: Prepared;
  /** What bash is started by. */
  readonly #before: readonly string[];

  constructor(prepared: Prepared) {
    this.#prepared = prepared;
    const alone = Deno.uid() === 0 && new Deno.Command("unshare", {
      args: [...ALONE.slice(1), "true"],
      stderr: "null",
    }).outputSync().success;
    this.#before = alone ? ALONE : [];
    this.base = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-everyday-" }));
    this.root = join(this.base, "work");
    this.home = join(this.base, "home");
    for (const folder of [this.base, this.root, this.home]) {
      Deno.mkdirSync(folder, { recursive: true });
      if (USER.uid !== undefined) Deno.chownSync(folder, USER.uid, USER.gid);
    }
    const { modules } = prepared;
    if (modules !== null) this.#shell('cp -r --no-preserve=ownership "$1" .', [modules]);
  }

  /** As before the first line. What installed packages keep beside themselves goes as well. */
  restore(): void {
    this.#shell(
      `chmod -R u+rwX . 2>/dev/null
find . .. -mindepth 1 -maxdepth 1 ! -name node_modules ! -name work ! -name home -exec rm -rf {} +
rm -rf node_modules/.cache node_modules/.vite node_modules/.vite-temp node_modules/.vitest
cp -a --no-preserve=ownership "$1"/. ..`,
      [this.#prepared.pristine],
    );
  }

  /** What is there now. */
  seen(): Pick<Came, "files" | "git"> {
    return { files: filesOf(this.root), git: this.#shell(GIT_STATE, []) };
  }

  byBash(line: string): Came {
    this.restore();
    const command = ["timeout", "-k", "1", String(PATIENCE_S), "setsid", "-w", "bash", "-c", line];
    const [program = "", ...args] = [...this.#before, ...command];
    const { code, stdout } = new Deno.Command(program, {
      args,
      cwd: this.root,
      clearEnv: true,
      env: { ...ENVIRONMENT, HOME: this.home },
      ...(this.#before.length > 0 ? {} : USER),
      stdin: "null",
      stderr: "null",
    }).outputSync();
    return {
      status: code,
      stdout: new TextDecoder().decode(stdout),
      ...this.seen(),
      hung: code === 124 && !line.includes("timeout"),
    };
  }

  #shell(script: string, args: readonly string[]): string {
    const { stdout } = new Deno.Command("sh", {
      args: ["-c", script, "sh", ...args],
      cwd: this.root,
      clearEnv: true,
      env: { ...ENVIRONMENT, HOME: this.home, GIT_OPTIONAL_LOCKS: "0" },
      ...USER,
      stdin: "null",
      stderr: "null",
    }).outputSync();
    return new TextDecoder().decode(stdout);
  }

  close(): void {
    Deno.removeSync(this.base, { recursive: true });
  }
}

/** Names that stand for folders of caches: what is in them is nobody's. */
const LEFT_OUT = new Set([
  ".git",
  "node_modules",
  "__pycache__",
  ".pytest_cache",
  ".mypy_cache",
  ".venv",
  // What ctest writes of each run, with times.
  "Testing",
  // What rustc and cargo remember: its names and the order in it are others each time.
  "incremental",
  ".rustc_info.json",
]);

function filesOf(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (below: string) => {
    for (const { name, isDirectory, isSymlink } of Deno.readDirSync(join(root, below))) {
      const path = below === "" ? name : `${below}/${name}`;
      const full = join(root, path);
      if (LEFT_OUT.has(name)) {
        found.set(path, "left out");
        continue;
      }
      const { mode, isFile } = Deno.lstatSync(full);
      const bits = ((mode ?? 0) & 0o777).toString(8);
      if (isDirectory) found.set(path, bits);
      else if (isSymlink) found.set(path, `-> ${Deno.readLinkSync(full)}`);
      else if (isFile) {
        const hash = createHash("sha256").update(Deno.readFileSync(full)).digest("hex");
        found.set(path, `${bits} ${hash}`);
      }
      if (isDirectory) visit(path);
    }
  };
  visit("");
  return found;
}
