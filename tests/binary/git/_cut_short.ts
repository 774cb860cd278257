/** What tests of git tools that are killed look at. */

/** Whether a name is there, whatever it is of. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Waits until no git goes on in the folder: those that a git has started outlive it by a moment. */
export async function untilNoGit(root: string): Promise<void> {
  while (gitIn(root)) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Whether a git goes on in another folder, of another test: whose a lock is cannot be told beside one. */
export function isGitElsewhere(root: string): boolean {
  return isGit((folder) => !folder.startsWith(root));
}

function gitIn(root: string): boolean {
  return isGit((folder) => folder.startsWith(root));
}

function isGit(where: (folder: string) => boolean): boolean {
  return [...Deno.readDirSync("/proc")].some(({ name }) => {
    try {
      return /^\d+$/.test(name) && where(Deno.readLinkSync(`/proc/${name}/cwd`)) &&
        Deno.readTextFileSync(`/proc/${name}/comm`).startsWith("git");
    } catch {
      return false;
    }
  });
}
