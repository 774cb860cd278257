/** As whom attacks are tried: root, and somebody whom file modes and owners hold. */

import { lchownSync } from "node:fs";
import type { StartOptions } from "../binary/toolgate.ts";

/** Who the binary runs as. */
export type User = Pick<StartOptions, "user">;

/** An ordinary user beside root, where root runs the tests. */
export const USERS: readonly (readonly [string, User])[] = Deno.uid() === 0
  ? [["root", {}], ["an ordinary user", { user: { uid: 65532, gid: 65532 } }]]
  : [["this user", {}]];

/** Makes it the user's. What is his already is left as it is: its identity changes with its owner. */
export function own(path: string, user: User["user"]): void {
  if (user === undefined) return;
  const { uid, isDirectory } = Deno.lstatSync(path);
  if (uid !== user.uid) lchownSync(path, user.uid, user.gid);
  if (!isDirectory) return;
  for (const { name } of Deno.readDirSync(path)) own(`${path}/${name}`, user);
}
