/** A file by which git shows nothing of the folder that it is in, itself neither (gitignore(5)): worktrees are no part of what they lie in. */
export const UNSEEN = { name: ".gitignore", text: "*\n" } as const;
