/** Lays out the repositories of the attack table: one with a change of each kind, and the trap in it. */

import type { HostileRepository } from "../../../attacks/hostile_repositories.ts";
import { git, makeRepository } from "./_history.ts";

/**
 * Makes what all of them are made from, once: two branches that changed the same line, a remote of its own whose traps
 * lie there too, and a change that is staged. `root`: a folder that is not there yet.
 */
export async function makeTemplate(root: string): Promise<void> {
  await makeRepository(root);
  const write = (path: string, text: string) => Deno.writeTextFileSync(`${root}/${path}`, text);
  write("a", LINES.join(""));
  write("b", "one\n");
  write("gone", "one\n");
  await git(root, ["add", "--all"]);
  await git(root, ["commit", "-qm", "one"]);
  await git(root, ["checkout", "-qb", "side"]);
  write("a", LINES.with(4, "side\n").join(""));
  await git(root, ["commit", "-qam", "side"]);
  await git(root, ["checkout", "-q", "main"]);
  write("a", LINES.with(4, "main\n").join(""));
  await git(root, ["commit", "-qam", "main"]);
  await git(root, ["clone", "--quiet", "--bare", ".", ".git/there.git"]);
  await git(root, ["remote", "add", "there", ".git/there.git"]);
  write("b", "two\n");
  await git(root, ["add", "b"]);
  // Git's own samples are nothing that anybody looks at.
  for (const folder of ["", "/there.git"]) {
    Deno.removeSync(`${root}/.git${folder}/hooks`, { recursive: true });
  }
}

const LINES = Array.from({ length: 9 }, (_, line) => `${line}\n`);

/**
 * A copy of the template with changes of each kind, armed. `marker`: what is there afterwards where the trap was sprung;
 * an absolute path.
 */
export async function layOut(
  template: string,
  root: string,
  { config = "", attributes = "", files = {}, script = "" }: HostileRepository,
  marker: string,
): Promise<void> {
  copyFolder(template, root);
  const write = (path: string, text: string) => {
    Deno.mkdirSync(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${root}/${path}`, text);
  };
  // The index knows times and numbers of files that were copied.
  await git(root, ["update-index", "-q", "--refresh"]);
  write("a", LINES.with(0, "changed\n").with(4, "main\n").join(""));
  Deno.removeSync(`${root}/gone`);
  write("new", "new\n");
  const armed = (text: string) => text.replaceAll("MARK", `touch ${marker}`);
  if (script !== "") await inShell(root, armed(script));
  for (const [path, text] of Object.entries(files)) {
    write(path, armed(text));
    if (text.startsWith("#!")) Deno.chmodSync(`${root}/${path}`, 0o755);
  }
  if (attributes !== "") write(".git/info/attributes", `${attributes}\n`);
  const before = Deno.readTextFileSync(`${root}/.git/config`);
  Deno.writeTextFileSync(`${root}/.git/config`, `${before}\n${armed(config)}\n`);
}

async function inShell(root: string, script: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("sh", {
    args: ["-c", script],
    cwd: root,
    env: {
      ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
      ...{ GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.org" },
      ...{ GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.org" },
    },
  }).output();
  if (!success) throw new Error(`${root}: ${new TextDecoder().decode(stderr)}`);
}

/** Files and folders, with the times of the copy. */
export function copyFolder(from: string, to: string): void {
  Deno.mkdirSync(to, { recursive: true });
  for (const { name, isDirectory } of Deno.readDirSync(from)) {
    const copy = isDirectory ? copyFolder : Deno.copyFileSync;
    copy(`${from}/${name}`, `${to}/${name}`);
  }
}

/** Whether the trap was sprung. */
export function isSprung(marker: string): boolean {
  try {
    Deno.lstatSync(marker);
    return true;
  } catch {
    return false;
  }
}

/** A repository with several traps in it, and where each leaves its mark. */
export interface Trapped extends HostileRepository {
  /** Command lines of plain git by which one or the other of them is sprung. */
  readonly lines: readonly (readonly string[])[];
  readonly traps: readonly { readonly name: string; readonly marker: string }[];
}

/**
 * The same traps in fewer repositories: those together that set other keys and lay other files, each with a marker of
 * its own below the folder. `alone`: those that change what the others can be asked for.
 */
export function together(
  repositories: readonly HostileRepository[],
  folder: string,
  alone: (repository: HostileRepository) => boolean,
): readonly Trapped[] {
  const packs: { one: Trapped; taken: Set<string>; closed: boolean }[] = [];
  for (const [index, repository] of repositories.entries()) {
    const marker = `${folder}/sprung-${index}`;
    const { name, attributes = "", files = {} } = repository;
    const arm = (text: string) => text.replaceAll("MARK", `touch ${marker}`);
    const taken = new Set([...keysOf(repository.config ?? ""), ...Object.keys(files)]);
    const closed = alone(repository);
    const pack = closed
      ? undefined
      : packs.find((other) =>
        !other.closed && [...taken].every((key) => !other.taken.has(key)) &&
        (attributes === "" || ["", attributes].includes(other.one.attributes ?? ""))
      );
    const traps = [{ name, marker }];
    const lines = linesOf(repository);
    const script = repository.script === undefined ? "" : `(${arm(repository.script)})`;
    const armed = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, arm(text)]),
    );
    const config = arm(repository.config ?? "");
    if (pack === undefined) {
      const one = { name, config, attributes, files: armed, script, springs: null, traps, lines };
      packs.push({ one, taken, closed });
      continue;
    }
    for (const key of taken) pack.taken.add(key);
    pack.one = {
      name: `${pack.one.name}, ${name}`,
      config: `${pack.one.config}\n${config}`,
      attributes: attributes === "" ? pack.one.attributes ?? "" : attributes,
      files: { ...pack.one.files, ...armed },
      script: [pack.one.script ?? "", script].filter((text) => text !== "").join(" &&\n"),
      springs: null,
      lines: [...pack.one.lines, ...lines],
      traps: [...pack.one.traps, ...traps],
    };
  }
  return packs.map(({ one }) => one);
}

/** How it is sprung. */
export function linesOf(
  { springs, also = [] }: Pick<HostileRepository, "springs" | "also">,
): readonly (readonly string[])[] {
  return springs === null ? [] : [springs, ...also];
}

/** The keys that a configuration sets, with their sections. */
function keysOf(config: string): readonly string[] {
  let section = "";
  return [...config.toLowerCase().matchAll(/\[([^\]]*)\]|(\w+)\s*=/g)].flatMap(
    ([, opened, key]) => {
      if (opened !== undefined) section = opened.replaceAll(/[\s".]+/g, ".");
      return key === undefined ? [] : [`${section.replace(/\.$/, "")}.${key}`];
    },
  );
}

/** What each tool is asked for, in a folder; in this order, so that what one leaves the next one finds. */
export const callsIn = (
  repository: string,
): readonly (readonly [string, Readonly<Record<string, unknown>>])[] => {
  const a = repository === "." ? "a" : `${repository}/a`;
  return CALLS.map(([name, args]) => [name, {
    repository,
    ...args,
    ...(args.path === "a" ? { path: a } : {}),
    ...(args.files === undefined ? {} : { files: [a] }),
    ...(args.paths === undefined ? {} : { paths: [a] }),
  }]);
};

/** Each with its arguments. */
export const CALLS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["git_stash", { action: "push", include_untracked: true }],
  ["git_stash", { action: "show" }],
  ["git_stash", { action: "pop" }],
  ["git_status", {}],
  ["git_log", { limit: 5 }],
  ["git_log", { path: "a", grep: "." }],
  ["git_diff", {}],
  ["git_diff", { staged: true }],
  ["git_diff", { from: "HEAD~1", to: "side" }],
  ["git_show", { ref: "HEAD" }],
  ["git_show", { ref: "HEAD", path: "a" }],
  ["git_add", { files: ["a"] }],
  ["git_add", { all: true }],
  ["git_commit", { message: "two" }],
  ["git_commit", { message: "three", amend: true }],
  ["git_branch", { action: "list" }],
  ["git_branch", { action: "create", branch_name: "made" }],
  ["git_branch", { action: "rename", branch_name: "made", new_name: "named" }],
  ["git_branch", { action: "delete", branch_name: "named" }],
  ["git_pull", { remote: "there", branch: "main" }],
  ["git_push", { remote: "there", branch: "side" }],
  ["git_worktree", { action: "add", branch: "apart" }],
  ["git_worktree", { action: "list" }],
  ["git_worktree", { action: "remove", path: ".toolgate/worktrees/apart" }],
  ["git_worktree", { action: "prune" }],
  ["git_branch", { action: "create", branch_name: "fresh" }],
  ["git_push", { remote: "there", branch: "fresh", set_upstream: true }],
  ["git_pull", { remote: "there", branch: "side", strategy: "rebase" }],
  ["git_merge", { branch: "side" }],
  ["git_merge", { abort: true }],
  ["git_checkout", { branch_or_commit: "side" }],
  ["git_checkout", { branch_or_commit: "HEAD", paths: ["a"] }],
  ["git_checkout", { branch_or_commit: "there", create: true }],
];

/** Git is not started in it. */
export const UNSWITCHABLE = "a filter whose name holds what ends a key";

/** A merge without its driver would be another one. */
export const DRIVER = "a merge driver";

/** Those that change what the others can be asked for. */
export function isOddOne({ name }: HostileRepository): boolean {
  return name === UNSWITCHABLE || name === DRIVER;
}
