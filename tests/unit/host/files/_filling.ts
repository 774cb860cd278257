/** Everything that writes, for places where there is no room; as a program it says what became of each. */

import { ToolError } from "../../../../src/core/errors.ts";
import type { FileBackend } from "../../../../src/host/files/file_backend.ts";
import {
  ALONE,
  at,
  backends,
  bytes,
  KEEPING,
  keeping,
  LONG,
  OVERWRITING,
  paint,
  picture,
  tree,
} from "./_backends.ts";

/** Of which there is room for one. */
const BIG = 700_000;
/** Each would need room for another big file. */
export function attempts(
  files: FileBackend,
  root: string,
): Readonly<Record<string, () => unknown>> {
  const big = new Uint8Array(BIG).fill(1);
  const write = (path: string) => ({
    kind: "write" as const,
    target: at(`${root}/${path}`),
    bytes: big,
    ...ALONE,
  });
  return {
    write: () => files.write(at(`${root}/small`), big, ALONE),
    "write with parents": () =>
      files.write(at(`${root}/n/e/w`), big, { createParents: true, expect: "nothing" }),
    append: () =>
      files.append(at(`${root}/d/big`), bytes("more"), { createParents: false, ...LONG }),
    "append to little": () =>
      files.append(at(`${root}/small`), big, { createParents: false, ...LONG }),
    apply: () => files.apply([{ ...write("small"), bytes: bytes("new") }, write("d/new")], LONG),
    backUp: () => files.backUp(at(`${root}/d/big`), keeping()),
    restore: () => files.restore(at(`${root}/small`), at(`${root}/d/big`), LONG),
    "copy of a file": () => files.copy(tree(`${root}/d/big`), tree(`${root}/copy`), KEEPING),
    "copy over a file": () => files.copy(tree(`${root}/d/big`), tree(`${root}/small`), OVERWRITING),
    "copy of a tree": () => files.copy(tree(`${root}/t`), tree(`${root}/u`), KEEPING),
  };
}

/** What is there; of what is big only how big. */
export const sizes = (root: string): readonly string[] =>
  picture(root).map((entry) =>
    entry.length > 100 ? `${entry.split(" = ")[0]} ${entry.length}` : entry
  );

/** A big file, under two names, and a small one. */
export function paintBig(root: string): void {
  paint(root, ["d/", "t/", "small = s"]);
  Deno.writeFileSync(`${root}/d/big`, new Uint8Array(BIG).fill(120));
  Deno.linkSync(`${root}/d/big`, `${root}/t/big`);
}

if (import.meta.main) {
  const [root = ""] = Deno.args;
  const said = backends.map(([, create]) =>
    Object.entries(attempts(create(), root)).map(([what, attempt]) => {
      try {
        attempt();
        return `${what}: done`;
      } catch (error) {
        return `${what}: ${error instanceof ToolError ? error.code : error}`;
      }
    })
  );
  console.log(JSON.stringify(said));
}
