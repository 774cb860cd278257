/** Counting what a change of a whole tree would touch. */

import type { TreeCount } from "../../../core/files.ts";
import { refusal, requirePermission, withPermission } from "../../kernel/refusal.ts";
import type { Stat } from "../../kernel/stat.ts";
import { kindOf, requireEntry, withEntry } from "../_target_entry.ts";
import { traverse } from "../_tree.ts";
import type { LongOptions, TreeTarget } from "../file_backend.ts";
import type { ReadPrimitives } from "../primitives.ts";

/** As `Files.countTree`. */
export function countTree(
  files: ReadPrimitives,
  tree: TreeTarget,
  { checkpoint }: LongOptions,
): TreeCount {
  requirePermission("read", tree);
  return withEntry(files, tree, (entry) => {
    const stat = requireEntry(files, entry);
    tree.require(kindOf(stat));
    const counts = { files: 0, directories: 0, others: 0, bytes: 0, refused: 0 };
    const count = ({ type, size }: Pick<Stat, "type" | "size">): void => {
      if (type === "directory") counts.directories++;
      else if (type !== "file") counts.others++;
      else {
        counts.files++;
        counts.bytes += size;
      }
    };
    count(stat);
    if (stat.type === "directory") {
      const { path, admit } = withPermission("read", tree);
      const directory = files.openAt(entry.parent, entry.name, "directory");
      if (directory < 0) throw refusal(tree, directory);
      const result = traverse(files, { directory, path, admit }, {
        leaf(parent, { name, type, admitted }) {
          if (!admitted) counts.refused++;
          else if (type !== "file") counts.others++;
          else {
            const own = files.statAt(parent, name);
            if (typeof own === "object") count(own);
          }
          return 0;
        },
        enter(_, { admitted }) {
          counts[admitted ? "directories" : "refused"]++;
          return admitted;
        },
        // It was counted when it was entered; of what lies below nothing can be said.
        closed: () => 0,
      }, checkpoint);
      if (result < 0) throw refusal(tree, result);
    }
    return { type: stat.type, ...counts };
  });
}
