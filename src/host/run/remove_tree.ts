/** Removing a folder of a run, whatever its programs have made in it. */

/** Removes the folder; a program that hangs in the kernel may still have a file there: the sweep of the root takes it. */
export function removeTree(folder: string): void {
  try {
    // Most runs leave it empty: then it takes nothing but to remove it.
    Deno.removeSync(folder);
    return;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
  }
  try {
    Deno.removeSync(folder, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    try {
      // Go keeps its modules in folders that nobody may write to (`go help modcache`).
      openFolders(folder);
      Deno.removeSync(folder, { recursive: true });
    } catch {
      // It is left for the system's own sweep.
    }
  }
}

function openFolders(folder: string): void {
  Deno.chmodSync(folder, 0o700);
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) openFolders(`${folder}/${name}`);
  }
}
