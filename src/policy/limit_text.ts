/** Limits as a policy writes them. */

import { formatDuration } from "../config/duration.ts";
import { formatSize } from "../config/size.ts";

const TIMES: ReadonlySet<string> = new Set(["cpu", "timeout"]);
const SIZES: ReadonlySet<string> = new Set(["memory", "file"]);

/** One that programs are held to: `2GiB`, `1h`, `64`. */
export function limitText(name: string, value: number): string {
  if (TIMES.has(name)) return formatDuration(value);
  return SIZES.has(name) ? formatSize(value) : String(value);
}
