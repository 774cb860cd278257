/** Leaves names out of what a command of git shows, by paths that it is given beside its own (gitglossary(7), "pathspec"). Pure. */

/** What comes to the words of a command. */
export interface Narrowing {
  /** Behind the subcommand. */
  readonly options: readonly string[];
  /** Behind all other words. */
  readonly paths: readonly string[];
}

/** More of them would be a command that is too long. */
const MOST_PATHS = 400;

/**
 * Paths that leave out `denied` of `all`: whole folders where nothing else of them is shown. Null where that takes too many.
 */
export function leavingOut(
  denied: ReadonlySet<string>,
  all: Iterable<string>,
): readonly string[] | null {
  const kept = new Set<string>();
  for (const name of all) {
    if (denied.has(name)) continue;
    for (let cut = name.indexOf("/"); cut !== -1; cut = name.indexOf("/", cut + 1)) {
      kept.add(name.slice(0, cut));
    }
  }
  const out = new Set<string>();
  for (const name of denied) {
    let cut = name.indexOf("/");
    while (cut !== -1 && kept.has(name.slice(0, cut))) cut = name.indexOf("/", cut + 1);
    out.add(cut === -1 ? name : name.slice(0, cut));
  }
  return out.size > MOST_PATHS ? null : [...out].sort().map(excluding);
}

/** What is no text is matched by `*`: rather more is left out than less. */
function excluding(name: string): string {
  if (!name.includes("\ufffd")) return `:(top,exclude,literal)${name}`;
  const pattern = name.replaceAll(/[*?[\]\\]/g, "\\$&").replaceAll("\ufffd", "*");
  return `:(top,exclude,glob)${pattern}`;
}

/** The words with it; `at`: where the subcommand stands. */
export function narrowed(
  argv: readonly string[],
  at: number,
  { options, paths }: Narrowing,
): readonly string[] {
  return [...argv.slice(0, at + 1), ...options, ...argv.slice(at + 1), ...paths];
}
