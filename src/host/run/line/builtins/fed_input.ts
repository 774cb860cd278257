/** What a program reads, where that says which files it comes to: taken whole and looked at before the program is started. */

import type { CanonicalPath } from "../../../../core/capability.ts";
import { joinedBytes } from "../../../../core/bytes.ts";
import { openInput } from "../../_input.ts";
import { Source } from "./_source.ts";
import type { LineHost } from "../line_host.ts";

/** A descriptor that gives it once more, to be closed by whoever asked; null where nothing was taken. */
export function fedAnew(
  host: LineHost,
  argv: readonly string[],
  directory: CanonicalPath,
  descriptor: number,
): Promise<number | null> | null {
  const feeding = host.feed(argv, directory, (most) => all(host, descriptor, most));
  return feeding?.then((input) => {
    if (input === null) return null;
    const { read, stop } = openInput(host.libc, host.poller, input);
    host.onEnd(stop);
    return read;
  }) ?? null;
}

async function all(host: LineHost, descriptor: number, most: number): Promise<Uint8Array | null> {
  const source = new Source(host, descriptor);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let some = await source.some(); some !== null; some = await source.some()) {
    length += some.length;
    if (length > most) return null;
    pieces.push(some);
  }
  return joinedBytes(pieces);
}
