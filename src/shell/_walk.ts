/** Where the reading of a line has come to, and what all parts of it share. */

import type { forEachChild, ParsedScript } from "unbash";
import type { assessCommand } from "../programs/risk.ts";
import type { Scanner } from "./words/scanner.ts";
import type { ScriptFacts } from "./_facts.ts";
import type { Script } from "./_script.ts";
import { Refused } from "./_constructs.ts";

/** Groups, substitutions and `sh -c` within each other. */
const MOST_LEVELS = 8;

/** Words and signs that were read so far: of all scripts of a request. */
export interface SpentPieces {
  pieces: number;
}

/** What all of a line shares, scripts within it included. */
export interface Reading {
  readonly parse: (source: string) => ParsedScript;
  readonly forEachChild: typeof forEachChild;
  /** What is known of programs; null where nothing in the script asks for it. */
  readonly assess: typeof assessCommand | null;
  /** Whether it is read while the line runs. */
  readonly later: boolean;
  /** Whether it is of the line as that is judged, and no shell that is started reads it. */
  readonly byLine: boolean;
  commands: number;
  readonly spent: SpentPieces;
  posix: boolean;
}

/** Where a script stands: its arguments, how deep, and where in the line for scripts within words. */
export interface ScriptPosition {
  readonly positional: readonly string[] | null;
  readonly level: number;
  /** The position in the line for all commands of a script that is itself a word; null for those of the line. */
  readonly position: number | null;
  /** Loops around it in its shell: what `break` can leave. */
  readonly loops?: number;
  /** Of the script around one that shares its functions. */
  readonly around?: ScriptFacts;
  /** Whether it is the body of a function. */
  readonly inFunction?: boolean;
  /** Whether it shares its shell with a script around it. */
  readonly shared?: boolean;
  /** Whether what is read stands in the list of a shell of its own: `exec` there reaches to the shell's end. */
  readonly listed?: boolean;
  /** The lines of a substitution as bash prints it anew to run it; left out elsewhere. */
  readonly printed?: PrintedLines;
}

/** How far such a text has come. */
export interface PrintedLines {
  readonly come: { line: number };
  /** Whether a loop or a condition is around: its commands stand each on a line of its own. */
  readonly inside: boolean;
}

/** What is needed to turn commands of the parser into plans. */
export interface Walk {
  readonly reading: Reading;
  readonly place: ScriptPosition;
  readonly scanner: Scanner;
  /** Of the script that it is in. */
  readonly facts: ScriptFacts;
  /** Reads all commands up to the end of the walk's scanner. */
  readonly readCommands: (script: ParsedScript, walk: Walk) => Script;
  /** Reads a script that stands in a word. */
  readonly readScript: (source: string, reading: Reading, place: ScriptPosition) => Script;
}

/** The same, in a shell of its own: no loop around it can be left from there. */
export function outsideLoops(walk: Walk): Walk {
  return { ...walk, place: { ...walk.place, loops: 0, listed: false } };
}

/** The same, in the list of a shell of its own. */
export function inShell(walk: Walk): Walk {
  return { ...walk, place: { ...walk.place, listed: walk.place.shared !== true } };
}

/** The same, in a function: called where other loops are, and with parameters of its own. */
export function inFunction(walk: Walk): Walk {
  return { ...walk, place: { ...walk.place, loops: 0, inFunction: true } };
}

/** Goes to a further line of a substitution's text. */
export function printLines({ place: { printed } }: Walk, count: number): void {
  if (printed !== undefined) printed.come.line += count;
}

/** The same, in one loop more. */
export function inLoop(walk: Walk): Walk {
  return { ...walk, place: { ...walk.place, loops: (walk.place.loops ?? 0) + 1 } };
}

/** The same, one level further in. */
export function deeper(walk: Walk, index: number): Walk {
  const level = walk.place.level + 1;
  if (level > MOST_LEVELS) throw new Refused("deep", index);
  return { ...walk, place: { ...walk.place, level, listed: false } };
}
