/** Reads the collection: one line each, its fields apart by tabs, the command line as JSON. */

import { assert } from "@std/assert";
import { type Marker, MARKERS } from "./_arena.ts";

export interface Attack {
  readonly kind: string;
  /** The trace that it would leave. */
  readonly marker: Marker;
  /** Whether a plain bash, held by nothing, may run it to show that it is an attack. */
  readonly control: boolean;
  readonly line: string;
}

/** The lines of a file beside this one, without comments. */
export function readRows(name: string): readonly (readonly string[])[] {
  return Deno.readTextFileSync(new URL(name, import.meta.url)).split("\n")
    .filter((row) => row !== "" && !row.startsWith("#")).map((row) => row.split("\t"));
}

export function readAttacks(): readonly Attack[] {
  return readRows("lines.tsv").map(([kind = "", marker, control, line = ""]) => {
    const known = MARKERS.find((one) => one === marker);
    assert(known !== undefined, `no marker: ${marker}`);
    return { kind, marker: known, control: control === "bash", line: JSON.parse(line) as string };
  });
}
