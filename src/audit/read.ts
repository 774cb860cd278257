/** Reading a log back: its files oldest first, line by line, however large they are. */

import type { LogFile, LogStorage } from "./storage.ts";
import type { LogText } from "./verify.ts";

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** All files of the log. Each is open only while its lines are taken; `ended` is right once they all are. */
export function* readLog(storage: LogStorage): Generator<LogText> {
  for (const number of [...storage.rotated(), "current" as const]) {
    const file = storage.openExisting(number);
    if (file === null) continue;
    try {
      const size = file.size();
      yield {
        file: number === "current" ? "the current file" : `file ${number}`,
        lines: linesOf(file, size),
        ended: size === 0 || file.read(size - 1, 1)[0] === NEWLINE,
      };
    } finally {
      file.close();
    }
  }
}

/** The lines of the first `size` bytes from `start`, a last one without its newline too. */
export function* linesOf(file: LogFile, size: number, start = 0): Generator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for (let offset = start; offset < size;) {
    const bytes = file.read(offset, Math.min(CHUNK_BYTES, size - offset));
    if (bytes.length === 0) break;
    offset += bytes.length;
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
