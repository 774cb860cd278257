/** Repositories by their files (gitrepository-layout(5)), where asking git would take longer than all else. */

import { textIn } from "./what_is_there.ts";

/** gitrepository-layout(5): what git takes for a repository, with nothing in it. Throws where the folder is there. */
export function makeEmptyRepository(git: string, branch: string): void {
  for (const name of ["", "/objects", "/objects/pack", "/refs", "/refs/heads"]) {
    Deno.mkdirSync(`${git}${name}`);
  }
  Deno.writeTextFileSync(`${git}/HEAD`, `ref: refs/heads/${branch}\n`);
  Deno.writeTextFileSync(
    `${git}/config`,
    "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tlogallrefupdates = true\n",
  );
}

/**
 * The commit that HEAD leads to, by the files of the repository (gitrepository-layout(5)), since asking git takes as long as a
 * third of making a worktree. Null where there is none, or git has to be asked.
 */
export function headOf(workspace: string): string | null {
  const git = `${workspace === "/" ? "" : workspace}/.git`;
  const head = textIn(`${git}/HEAD`);
  const [, ref = ""] = /^ref: (refs\/\S+)$/m.exec(head) ?? [];
  if (ref === "") return hashIn(head);
  const packed = textIn(`${git}/packed-refs`).split("\n").find((line) => line.endsWith(` ${ref}`));
  return hashIn(textIn(`${git}/${ref}`)) ?? hashIn(packed?.split(" ")[0] ?? "");
}

function hashIn(text: string): string | null {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.exec(text.trim())?.[0] ?? null;
}
