/** Variables that belong to the shell (bash(1), Shell Variables). */

/** What a shell sets itself, and what its output hangs on: nothing here stands in for their values. */
const SPECIAL =
  /^(?:BASH_(?!REMATCH$|SOURCE$).*|BASH[A-Z]+|COMP_.*|COPROC|DIRSTACK|EPOCHREALTIME|GROUPS|HIST.*|HOSTNAME|MAPFILE|PS[034]|READLINE_.*|SHELLOPTS|SHLVL|SRANDOM|_)$/;

/** What the runner sets as bash does, and no line. */
const OWN =
  /^(?:PIPESTATUS|FUNCNAME|PPID|OSTYPE|HOSTTYPE|MACHTYPE|BASH|BASH_REMATCH|BASH_SOURCE|RANDOM|UID|EUID|EPOCHSECONDS|LINENO|PWD|OLDPWD|OPTERR)$/;

/** Whether the variable belongs to the shell: nothing here stands in for its value. */
export function isSpecialVariable(name: string): boolean {
  return SPECIAL.test(name);
}

/** Whether a line may not set it. */
export function isSetByShell(name: string): boolean {
  return SPECIAL.test(name) || OWN.test(name);
}

/** What a line may set for nobody to read (`read -r first _`, `for _ in 1 2 3`): bash has words of its own in it soon after. */
export function isThrownAway(name: string): boolean {
  return name === "_";
}
