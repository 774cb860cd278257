/** Searching the contents of one file after the other. */

import type { ScannedFile } from "../../../core/scan.ts";
import type { ReadContext } from "../../../core/tool.ts";
import { contentsOf } from "./_contents.ts";
import type { Findings } from "./findings.ts";
import { compilePattern, type PatternRequest } from "./pattern.ts";
import type { Scanner } from "./scanner.ts";
import { createTextSearch } from "./_text.ts";

/** Bytes between two looks at whether the call is to end, and what a file costs beside its bytes. */
const PAUSE_BYTES = 1024 * 1024;
const FILE_COST = 8 * 1024;

/** Searches files for one request, one after the other. */
export interface FileSearch {
  /** Where files are read into. */
  readonly scanner: Scanner;
  /** Adds what it finds in a file. */
  into(file: Pick<ScannedFile, "path" | "length">, findings: Findings): void;
}

/** Throws ToolError INVALID_ARGUMENTS for an expression that cannot be read. `checkpoint` ends it in time. */
export async function createFileSearch(
  request: PatternRequest & { readonly context: number },
  { checkpoint }: Pick<ReadContext, "checkpoint">,
): Promise<FileSearch> {
  const { createScanner } = await import("./scanner.ts");
  const pattern = compilePattern(request);
  const scanner = createScanner(pattern);
  const searchText = createTextSearch(pattern);
  let unchecked = 0;
  return {
    scanner,
    into(file, findings) {
      const { length } = file;
      unchecked += FILE_COST + (length ?? 0);
      if (unchecked > PAUSE_BYTES) {
        checkpoint();
        unchecked = 0;
      }
      const contents = length === null ? null : contentsOf(scanner, length, request.context);
      if (length === null || contents === null || contents.binary) {
        findings.skipped++;
        return;
      }
      findings.searched++;
      findings.bytes += length;
      if (contents.pieces === null) return;
      const { matches, total } = searchText(contents.pieces, {
        wanted: findings.wanted,
        context: request.context,
        pause: checkpoint,
      });
      // Its path is put together where it is asked for.
      if (total > 0) findings.add(file.path, matches, total);
    },
  };
}
