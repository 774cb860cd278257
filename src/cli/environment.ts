/** What the environment says where flags do not. */

import { FLAGS } from "./flags.ts";

/** The value of the variable that stands for a flag; null where there is none, or it is empty. */
export function variable(flag: string): string | null {
  const name = FLAGS.find((known) => known.name === flag)?.environment;
  return name === undefined ? null : environmentVariable(name);
}

/** Null where it is not set, or empty. */
export function environmentVariable(name: string): string | null {
  const value = Deno.env.get(name);
  return value === undefined || value === "" ? null : value;
}
