/** The one thing that version control keeps of a file's mode. */

/** The mode with every bit for executing that has one for reading, or with none: as Git checks files out. */
export function executableMode(mode: number, executable: boolean): number {
  return executable ? mode | (mode & 0o444) >> 2 : mode & ~0o111;
}
