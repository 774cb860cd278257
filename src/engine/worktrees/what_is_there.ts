/** What lies at a path: of files that git or somebody else may take away meanwhile, so that what cannot be seen is not there. */

/** Whether anything has that name; a link counts, wherever it leads. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether a folder is there; a link is none. */
export function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** The names in a folder, in no order; none where there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return [];
  }
}

/** The text of a file; empty where there is none to be read. */
export function textIn(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** Where a path leads, links followed; null where nothing is. */
export function realPath(path: string): string | null {
  try {
    return Deno.realPathSync(path);
  } catch {
    return null;
  }
}
