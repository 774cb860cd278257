import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import { openOwnCalls, type OwnCalls } from "../../../../src/sandbox/launcher/own_calls.ts";
import { withOwnStarts } from "../../../../src/sandbox/launcher/own_starts.ts";
import type { ProgramStart, Spawner } from "../../../../src/sandbox/spawner.ts";
import { SPAWNER } from "../../host/run/_starter.ts";
import { LIBC } from "../_libc.ts";

const own = openOwnCalls(LIBC);
assert(own !== null);
/** P_PID, WEXITED (waitid(2)) */
const P_PID = 1;
const WEXITED = 4;
const TRUE: ProgramStart = {
  path: "/bin/true",
  argv: ["true"],
  environment: [],
  directory: null,
  descriptors: [],
};

/** A spawner that says what it was asked for, and starts nothing. */
function noting(): Spawner & { readonly asked: ProgramStart[] } {
  const asked: ProgramStart[] = [];
  return { ...SPAWNER, asked, start: (start) => (asked.push(start), -ERRNO.EAGAIN) };
}

Deno.test("what has room is started by own calls, and the other spawner is asked for nothing", () => {
  const other = noting();
  const spawner = withOwnStarts(other, LIBC, own);
  const id = spawner.start(TRUE);
  assert(id > 0, `errno ${-id}`);
  assertEquals(LIBC.call(LIBC.numbers.waitid, P_PID, id, 0, WEXITED, 0), 0);
  // What failed was waited for: nothing of it is left.
  assertEquals(spawner.start({ ...TRUE, path: "/no/such/program" }), -ERRNO.ENOENT);
  assertEquals(LIBC.call(LIBC.numbers.waitid, P_PID, id, 0, WEXITED, 0), -ERRNO.ECHILD);
  assertEquals(other.asked, []);
});

Deno.test("what has no room is the other spawner's, and so is all where own starts cannot be made", () => {
  const other = noting();
  assertStrictEquals(withOwnStarts(other, LIBC, null), other);
  const long = { ...TRUE, argv: Array.from({ length: 50_000 }, () => "123456789") };
  const spawner = withOwnStarts(other, LIBC, own);
  assertEquals(spawner.start(long), -ERRNO.EAGAIN);
  assertEquals(other.asked, [long]);
  for (const errno of [ERRNO.ENOSYS, ERRNO.EPERM, ERRNO.EINVAL]) {
    let tries = 0;
    const refusing: OwnCalls = { ...own, start: () => (tries++, -errno) };
    const before = other.asked.length;
    const refused = withOwnStarts(other, LIBC, refusing);
    for (let time = 0; time < 2; time++) assertEquals(refused.start(TRUE), -ERRNO.EAGAIN);
    // Once known, it is not tried again.
    assertEquals([tries, other.asked.length - before], [1, 2]);
  }
  const full: OwnCalls = { ...own, start: () => -ERRNO.ENOMEM };
  assertEquals(withOwnStarts(other, LIBC, full).start(TRUE), -ERRNO.ENOMEM);
});
