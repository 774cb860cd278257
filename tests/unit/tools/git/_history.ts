/** Histories of git for tests, made by git itself, and what it says of them. */

import { assert } from "@std/assert";
import { Random } from "../../../random.ts";

/** What these tests start git with: nothing of whoever runs them. */
const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  LC_ALL: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  // Else each commit starts another git, to find that there is nothing to tidy up.
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
};

/** Runs git; what it printed. `input`: what it reads. Throws where it fails, unless told how it may end. */
export async function git(
  root: string,
  words: readonly string[],
  { good = [0], input }: { readonly good?: readonly number[]; readonly input?: Uint8Array } = {},
): Promise<Uint8Array> {
  const child = new Deno.Command("git", {
    args: [...words],
    cwd: root,
    clearEnv: true,
    env: ENVIRONMENT,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(input);
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  assert(good.includes(code), `git ${words.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return stdout;
}

/** {@linkcode git}, as text without its last newline. */
export async function said(root: string, words: readonly string[]): Promise<string> {
  return new TextDecoder().decode(await git(root, words)).replace(/\n$/, "");
}

/** An empty repository with an author. */
export async function makeRepository(root: string): Promise<void> {
  Deno.mkdirSync(root, { recursive: true });
  await git(root, ["init", "--quiet", "--initial-branch=main"]);
  setAuthor(root);
}

/** As `git config` does it, without two processes for each of hundreds of repositories. */
export function setAuthor(root: string): void {
  const text = "[user]\n\tname = Ada\n\temail = ada@example.org\n";
  Deno.writeTextFileSync(`${root}/.git/config`, text, { append: true });
}

/** Names that are hard to read back. */
export const NAMES = [
  "plain.txt",
  "two words.txt",
  "new\nline",
  "tab\tbed",
  'quo"ted',
  '"whole"',
  "back\\slash",
  "-dash",
  ":colon",
  ":(glob)*.txt",
  "star*",
  "brack[et]",
  "ünïcode",
  "folder/deep/a",
  "folder/b",
  "\u202eturned",
];

/** Changes files at random, commits some of it, and leaves some unstaged, staged and untracked. */
export async function makeHistory(root: string, seed: number): Promise<void> {
  await makeRepository(root);
  const random = new Random(seed);
  const write = (name: string) => {
    const slash = name.lastIndexOf("/");
    if (slash !== -1) Deno.mkdirSync(`${root}/${name.slice(0, slash)}`, { recursive: true });
    const lines = Array.from({ length: 5 + random.below(20) }, () => `line ${random.below(50)}\n`);
    Deno.writeTextFileSync(`${root}/${name}`, lines.join(""));
  };
  const present = () => NAMES.filter((name) => exists(`${root}/${name}`));
  const change = () => {
    for (const name of NAMES) {
      const choice = random.below(6);
      if (choice < 2) write(name);
      else if (choice === 2 && exists(`${root}/${name}`)) Deno.removeSync(`${root}/${name}`);
      else if (choice === 3 && exists(`${root}/${name}`)) {
        Deno.renameSync(`${root}/${name}`, `${root}/moved ${random.below(5)}`);
      }
    }
  };
  for (let commit = 0; commit < 4; commit++) {
    change();
    await git(root, ["add", "--all"]);
    const message = `commit ${commit}\n\nwith a body\nof ${seed} lines`;
    await git(root, ["commit", "--quiet", "--allow-empty", `--message=${message}`]);
    if (random.below(2) === 0) await git(root, ["tag", `v${commit}`]);
    if (random.below(2) === 0) await git(root, ["branch", `side/${commit}`]);
  }
  change();
  const [one] = present();
  if (one !== undefined) await git(root, ["--literal-pathspecs", "add", "--", one]);
  change();
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** All that a repository and its files hold, as text that can be compared: refs, HEAD, index and contents. */
export async function stateOf(root: string): Promise<readonly string[]> {
  const refs = await said(root, ["for-each-ref", "--format=%(refname) %(objectname)"]);
  const index = new TextDecoder("latin1").decode(await git(root, ["ls-files", "--stage", "-z"]));
  const head = Deno.readTextFileSync(`${root}/.git/HEAD`);
  return [head, refs, ...index.split("\0").sort(), ...contentsOf(root)];
}

/** The files below a folder with what they hold, but git's own. Of folders git knows nothing. */
export function contentsOf(root: string, below = ""): readonly string[] {
  return [...Deno.readDirSync(`${root}${below}`)].flatMap(({ name, isDirectory, isSymlink }) => {
    const path = `${below}/${name}`;
    if (name === ".git") return [];
    if (isSymlink) return [`${path} -> ${Deno.readLinkSync(`${root}${path}`)}`];
    if (isDirectory) return contentsOf(root, path);
    return [`${path}: ${Deno.readTextFileSync(`${root}${path}`)}`];
  }).sort();
}
