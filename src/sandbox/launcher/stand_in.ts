/**
 * A program that stands where another is to be started, and does nothing itself: it makes one call that comes to Toolgate
 * (`Notifications`), waits for the answer, and ends with it. What it stands for runs elsewhere meanwhile, held by itself.
 */

import { HANDED_CALLS } from "../handed_calls.ts";
import { AT_FDCWD } from "../kernel/open_without_links.ts";
import type { Architecture } from "../seccomp.ts";
import { ImageMaker, randomBase } from "./image.ts";
import { ONE_CALL_LISTINGS } from "./_machine_code.ts";

/** Which call it is. Of no name: where nobody answers, the kernel makes nothing (ENOENT). */
export const STAND_IN_CALL = "mknodat";

/** The executable file. */
export function standInImage(architecture: Architecture): Uint8Array {
  const call = HANDED_CALLS[STAND_IN_CALL][architecture];
  if (call === null) throw new Error(`${architecture} has no ${STAND_IN_CALL}`);
  const maker = new ImageMaker(architecture, ONE_CALL_LISTINGS);
  const words = [AT_FDCWD, "", 0, 0];
  const image = maker.make(randomBase(architecture), [{ name: STAND_IN_CALL, call, words }]);
  if (image === null) throw new Error("an image of one call is short");
  return image.slice();
}
