/** How a command says what it would come to, and what all that read their words share. */

/** How a command is had to say what it would come to. */
export interface Listing {
  /** Words by which the same program prints that and changes nothing; null where what it reads says it. */
  readonly ask: readonly string[] | null;
  /** Files and folders that asking reads, as they are written; without `ask` the file that says it. */
  readonly reads: readonly string[];
  /** Its standard input is part of what says it. */
  readonly fed: boolean;
  /** What it does with what it comes to. */
  readonly access: "read" | "write";
  /** Of a link it comes to what that leads to. */
  readonly follows: boolean;
  /** The names in what was printed, or read, from where the command stands; the same one may lie in several places. */
  readonly namesIn: (text: string) => readonly string[];
}

/** A name from a folder; `.` for none. */
export function beneath(folder: string, name: string): string {
  return folder === "." || name.startsWith("/") ? name : `${folder.replace(/\/+$/, "")}/${name}`;
}

/** Words of standard input. */
export const INPUTS: ReadonlySet<string> = new Set(["-", "/dev/stdin", "/dev/fd/0"]);
