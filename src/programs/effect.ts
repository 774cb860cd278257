/** One thing that a command does to what is around it. */

/** A file or folder. The path is relative to the workspace (from the command's `cwd`), or absolute; links not followed. */
export interface FileEffect {
  readonly path: string;
  /** All that lies below it too. Where it is not set and a folder is there, the program may go into it all the same. */
  readonly tree: boolean;
  /**
   * No word names it, the program does so by itself (`ls` reads where it stands, `gzip a` writes `a.gz`): not judged,
   * so it is granted only as far as the policy allows it.
   */
  readonly implied?: true;
  /**
   * It reads, takes away or changes all that lies below, one by one: half of that would be done where it may not do the
   * rest. `into`: where that comes to lie, or the folder that it comes to lie in.
   */
  readonly through?: { readonly into: string | null };
  /** Where that is a folder, this path counts in its place (`ln -s FILE FOLDER`). */
  readonly within?: WithinFolder;
}

/** A path that counts where the folder is one. */
export interface WithinFolder {
  readonly folder: string;
  readonly path: string;
}

/** One effect. */
export type Effect =
  | { readonly kind: "read" | "write" | "delete"; readonly file: FileEffect }
  | { readonly kind: "connect"; readonly to: { readonly host: string; readonly port: number } }
  | { readonly kind: "set"; readonly name: string };
