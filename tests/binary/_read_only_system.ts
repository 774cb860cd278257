/**
 * Starts a program for which everything is read-only but one folder:
 *
 *     deno run -A _read_only_system.ts UID FOLDER PROGRAM ARG…
 *
 * It does so by kernel rules of its own, which whoever runs the tests may use; they are inherited, and the program's
 * own come on top. The program gets no environment at all.
 */

import { probeLandlock, restrictThread } from "../../src/sandbox/landlock.ts";
import { rulesOf } from "../../src/sandbox/landlock_rules.ts";
import { openLibc } from "../../src/sandbox/kernel/libc.ts";
import type { CanonicalPath } from "../../src/core/capability.ts";

const [uid = "", folder = "", program = "", ...args] = Deno.args;
const libc = openLibc();
if (libc === null) throw new Error("no C library");
const root = "/" as CanonicalPath;
const spawn = {
  programs: "any",
  system: ["/"],
  read: [root],
  write: [folder as CanonicalPath],
  list: [],
  network: true,
} as const;
const rules = rulesOf({ read: [], write: [], connect: [], spawn }, probeLandlock(libc));
const failure = restrictThread(libc, { ...rules, scoped: 0 });
if (failure !== null) throw new Error(failure);
const { code } = await new Deno.Command(program, {
  args,
  cwd: "/",
  clearEnv: true,
  ...(uid === "" ? {} : { uid: Number(uid), gid: Number(uid) }),
}).spawn().status;
Deno.exit(code);
