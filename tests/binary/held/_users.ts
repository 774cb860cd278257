/** As whom programs of a call attack: whoever runs the tests, and where that is root an ordinary user too. */

/** The kernel's nobody (include/linux/highuid.h), who owns nothing. */
export const NOBODY = { uid: 65_534, gid: 65_534 };

/** Undefined: whoever runs the tests. */
export type User = typeof NOBODY | undefined;

export const USERS: readonly (readonly [who: string, user: User])[] = Deno.uid() === 0
  ? [["root", undefined], ["an ordinary user", NOBODY]]
  : [["an ordinary user", undefined]];
