/** `--token FILE|-`: the token itself is no word of a command line, which others can read. */

import { readInput } from "../../host/standard_input.ts";
import { UsageError } from "../usage_error.ts";

/** A token and a line end, with room to spare. */
const MOST_BYTES = 4096;
const TOKEN = /^tg_[A-Za-z0-9_-]+$/;
/** Bits of a mode by which others than the owner may read or write. */
const OTHERS = 0o066;

/** What else takes standard input. */
interface Taken {
  readonly json?: readonly string[];
  readonly protocol: "ndjson" | "mcp";
}

/** Throws a UsageError, which never shows what was read. */
export async function readToken(source: string, { json, protocol }: Taken): Promise<string> {
  if (source.startsWith("tg_")) {
    throw new UsageError(
      "--token takes the name of a file, or -: others can read the words of a command line, so this token is no secret " +
        "any more; revoke it",
    );
  }
  if (source === "-" && (protocol === "mcp" || json?.[0] === "-")) {
    throw new UsageError("--token -: standard input is taken by something else; name a file");
  }
  const text = new TextDecoder().decode(await bytesOf(source)).trim();
  if (TOKEN.test(text)) return text;
  throw new UsageError(
    `--token ${source}: there is no token in it; toolgate gate token prints one`,
  );
}

async function bytesOf(source: string): Promise<Uint8Array> {
  try {
    const file = source === "-" ? null : await Deno.open(source);
    if (file === null) return await firstOf({ read: readInput });
    using opened = file;
    const { isFile, mode } = await opened.stat();
    if (isFile && mode !== null && (mode & OTHERS) !== 0) {
      throw new UsageError(`--token ${source}: others may read or write it; chmod 600 it`);
    }
    return await firstOf(opened);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof Error ? error.name : "?";
    throw new UsageError(`--token ${source}: cannot be read (${why})`);
  }
}

async function firstOf(
  reader: { read(bytes: Uint8Array): Promise<number | null> },
): Promise<Uint8Array> {
  const bytes = new Uint8Array(MOST_BYTES);
  let length = 0;
  while (length < MOST_BYTES) {
    const count = await reader.read(bytes.subarray(length));
    if (count === null) break;
    length += count;
  }
  return bytes.subarray(0, length);
}
