/** Lays out the repositories of the attack table: one with a change of each kind, and the trap in it. */

import type { HostileRepository } from "../../../attacks/hostile_repositories.ts";
import { git, makeRepository } from "./_history.ts";

/** `marker`: what is there afterwards where the trap was sprung; an absolute path. */
export async function layOut(
  root: string,
  { config = "", attributes = "", files = {} }: HostileRepository,
  marker: string,
): Promise<void> {
  await makeRepository(root);
  const write = (path: string, text: string) => {
    Deno.mkdirSync(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${root}/${path}`, text);
  };
  const lines = Array.from({ length: 9 }, (_, line) => `${line}\n`);
  write("a", lines.join(""));
  write("b", "one\n");
  write("gone", "one\n");
  await git(root, ["add", "--all"]);
  await git(root, ["commit", "-qm", "one"]);
  await git(root, ["checkout", "-qb", "side"]);
  write("a", lines.with(4, "side\n").join(""));
  await git(root, ["commit", "-qam", "side"]);
  await git(root, ["checkout", "-q", "main"]);
  write("a", lines.with(4, "main\n").join(""));
  await git(root, ["commit", "-qam", "main"]);
  write("b", "two\n");
  await git(root, ["add", "b"]);
  write("a", lines.with(0, "changed\n").with(4, "main\n").join(""));
  Deno.removeSync(`${root}/gone`);
  write("new", "new\n");
  const armed = (text: string) => text.replaceAll("MARK", `touch ${marker}`);
  for (const [path, text] of Object.entries(files)) {
    write(path, armed(text));
    if (text.startsWith("#!")) Deno.chmodSync(`${root}/${path}`, 0o755);
  }
  if (attributes !== "") write(".git/info/attributes", `${attributes}\n`);
  const before = Deno.readTextFileSync(`${root}/.git/config`);
  Deno.writeTextFileSync(`${root}/.git/config`, `${before}\n${armed(config)}\n`);
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
