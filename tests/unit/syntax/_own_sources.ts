/** Our own sources: a corpus of TypeScript that is always there. */

import { fromFileUrl, join } from "@std/path";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

/** The texts of all `.ts` files below a folder of the repository, in the order of their paths. */
export function ownSources(folder: string): string[] {
  return [...Deno.readDirSync(join(ROOT, folder))]
    .sort((a, b) => a.name < b.name ? -1 : 1)
    .flatMap(({ name, isDirectory }) => {
      if (isDirectory) return ownSources(`${folder}/${name}`);
      return name.endsWith(".ts") ? [Deno.readTextFileSync(join(ROOT, folder, name))] : [];
    });
}
