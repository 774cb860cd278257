/** What lines are read by beside their text. */

/**
 * Whether a name in /tmp stands for one in the folder that lines have in its place; `open`: more may follow right behind it,
 * known only when it runs.
 */
export type IsOwnTemporary = (path: string, open: boolean) => boolean;

/** Asked only where it matters. */
export interface LineScope {
  readonly ownTemporary: () => Promise<IsOwnTemporary>;
}
