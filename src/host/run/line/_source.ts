/** The text of a file whose commands are run in a line. */

import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { close } from "../../kernel/pipes.ts";
import type { LineHost } from "./line_host.ts";
import type { LineState } from "./_state.ts";
import { MOST_SOURCED, tooLong } from "./builtins/read_open.ts";
import { textOf } from "./_substitution.ts";

/** The text; an error number with its sign turned where it cannot be opened. Throws the ToolError that refuses it. */
export async function readText(
  host: LineHost,
  path: string,
  state: LineState,
): Promise<string | number> {
  const { directory } = state;
  const redirections = [{ kind: "read", target: path }] as const;
  await host.allow({ argv: null, directory, redirections, variables: [] });
  const found = path === "" ? null : host.resolve(directory, path);
  if (found === null) return -ERRNO.ENOENT;
  const descriptor = await host.open("read", found);
  if (descriptor < 0) return descriptor;
  try {
    const { libc } = host;
    const chunks: Uint8Array[] = [];
    for (let size = 0;;) {
      const buffer = new Uint8Array(16 * 1024);
      const count = libc.transfer(libc.numbers.read, descriptor, buffer, buffer.length);
      if (count < 0) return count;
      if (count === 0) return textOf(chunks);
      size += count;
      if (size > MOST_SOURCED) throw tooLong(path);
      chunks.push(buffer.slice(0, count));
    }
  } finally {
    close(host.libc, descriptor);
  }
}
