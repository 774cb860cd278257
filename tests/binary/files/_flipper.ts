/**
 * Exchanges names as fast as it can, until its input ends, then says how often:
 *
 *     deno run -A _flipper.ts NAME OTHER TARGET [NAME OTHER TARGET …]
 *
 * NAME is a file or a folder, OTHER becomes a link to TARGET. Both names are there at every moment
 * (RENAME_EXCHANGE), so that whoever looks sees the one or the other. What a write of the other side has put in
 * the link's place is replaced by a new link.
 */

import { openLibc } from "../../../src/sandbox/kernel/libc.ts";
import { AT_FDCWD } from "../../../src/sandbox/kernel/open_without_links.ts";

/** include/uapi/linux/fs.h */
const RENAME_EXCHANGE = 2;
/** Exchanges between two looks at whether it is to end. */
const BATCH = 100;

const libc = openLibc();
if (libc === null) throw new Error("no C library");

const pairs: { readonly name: string; readonly other: string; readonly target: string }[] = [];
for (let i = 0; i + 2 < Deno.args.length; i += 3) {
  const [name = "", other = "", target = ""] = Deno.args.slice(i, i + 3);
  pairs.push({ name, other, target });
}

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    return false;
  }
}

/** The other side works in there meanwhile, and fills or takes away what is to go: the next round sees to that. */
function renew({ name, other, target }: typeof pairs[number]): void {
  if (isLink(name) || isLink(other)) return;
  try {
    // Nobody else exchanges names, so what is no link now is none when it is removed.
    Deno.removeSync(other, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return;
  }
  try {
    Deno.symlinkSync(target, other);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.AlreadyExists)) {
      throw error;
    }
  }
}

let open = true;
Deno.stdin.read(new Uint8Array(1)).then(() => open = false);
pairs.forEach(renew);
console.log("flipping");
let flips = 0;
while (open) {
  for (let i = 0; i < BATCH; i++) {
    for (const { name, other } of pairs) {
      const result = libc.call(
        libc.numbers.renameat2,
        AT_FDCWD,
        libc.path(name, 0),
        AT_FDCWD,
        libc.path(other, 1),
        RENAME_EXCHANGE,
      );
      if (result === 0) flips++;
    }
  }
  pairs.forEach(renew);
  await new Promise((resolve) => setTimeout(resolve, 0));
}
console.log(flips);
