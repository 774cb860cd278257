/** Files by name alone: what `find_files` and a search without a pattern do. */

import { baseName } from "../../../core/path_text.ts";
import type { ReadContext } from "../../../core/tool.ts";
import { createFilter, type FilterOptions } from "../../../toolkit/file_filter.ts";
import { scanOrVisit } from "../../../toolkit/scan_or_visit.ts";

/** Files between two events on progress. */
const PROGRESS = 5000;

/** The first `wanted` files in the order of paths, and how many there are. */
export function findFiles(
  options: FilterOptions & { readonly wanted: number },
  context: ReadContext,
): { readonly found: readonly string[]; readonly total: number } {
  const { path, glob, wanted } = options;
  const { files } = context;
  const found: string[] = [];
  let total = 0;
  const add = (file: { readonly path: string }) => {
    if (++total <= wanted) found.push(file.path);
    if (total % PROGRESS === 0) context.progress(total, null, "files");
  };
  scanOrVisit(path, context, () => {
    files.scan(path, { filter: createFilter(options, context), room: null, limit: 0 }, add);
  }, (file) => {
    if (matchesFile(glob, file)) add({ path: file });
  });
  return { found, total };
}

/** Whether a glob means the one file that was named: by its name, or by its path. */
export function matchesFile(glob: FilterOptions["glob"], path: string): boolean {
  return glob.matches(path) || glob.matches(baseName(path));
}
