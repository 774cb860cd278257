/** The links by which a path is reached: whoever changes one of them changes what the path leads to. */

import { dirname, join } from "@std/path";
import type { CanonicalPath } from "../../core/capability.ts";

/** MAXSYMLINKS (include/linux/namei.h) */
const MOST_LINKS = 40;

/**
 * Each by its own place, in the order in which they are followed; those of what they lead to, too. Of a path that cannot be
 * looked at any further what was found so far.
 */
export function linksTo(path: string): readonly CanonicalPath[] {
  const found: CanonicalPath[] = [];
  // Not joined: that would take the folder in front of `..` away where it is a link.
  const whole = path.startsWith("/") ? path : `${Deno.cwd()}/${path}`;
  const pending = whole.split("/").reverse();
  let at = "/";
  while (pending.length > 0) {
    const name = pending.pop()!;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const place = join(at, name);
    const target = targetOf(place);
    if (target === null) {
      at = place;
      continue;
    }
    found.push(place as CanonicalPath);
    if (found.length === MOST_LINKS) break;
    if (target.startsWith("/")) at = "/";
    pending.push(...target.split("/").reverse());
  }
  return found;
}

/** Null for what is no link, or not there, or out of sight. */
function targetOf(path: string): string | null {
  try {
    return Deno.lstatSync(path).isSymlink ? Deno.readLinkSync(path) : null;
  } catch {
    return null;
  }
}
