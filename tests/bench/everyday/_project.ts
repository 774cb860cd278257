/** What an everyday project is made of. */

/** A project: real sources from a package, and what a project has beside them. */
export interface EverydayProject {
  /** Also the name of its file of lines. */
  readonly name: string;
  /** Packages of npm in exact versions, which become its `node_modules`. */
  readonly npm: Readonly<Record<string, string>>;
  /** Debian packages, by a file that each brings. */
  readonly debian: Readonly<Record<string, string>>;
  /** Copied into it: from a path (below the folder of the npm packages, or absolute), to a name in it. */
  readonly sources: readonly (readonly [from: string, to: string])[];
  /** Written into it; those in `scripts/` that end with `.sh`, and `configure`, can be started. */
  readonly files: Readonly<Record<string, string>>;
  /** What makes its history, by `sh`, once the files are there. */
  readonly history: string;
}

/** Two commits, the second of one file: `HEAD~1` is there. */
export const TWO_COMMITS = `git init -q -b main
git add -A
git commit -q -m "Begin"
echo "more" >> NOTES
git add NOTES
git commit -q -m "Say more"
`;

/** What may be read by nobody, in each project. */
export const SECRET = "everyday-secret-5d2e";
