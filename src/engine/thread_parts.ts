/** What the contexts of all calls on one thread share. */

import type { Syntax } from "../core/tool.ts";
import { openCarried } from "../host/carried.ts";
import { type ContextOptions, createFileBackend } from "../host/context.ts";
import type { Boundary } from "../sandbox/boundary.ts";
import { enterBoundary, type Entered } from "../sandbox/enter.ts";
import { openLibc } from "../sandbox/libc.ts";
import type { SyntaxOptions } from "../syntax/validators.ts";

/** What programs get that is the same for all of them; read on the main thread, where the environment is. */
export interface ProgramSurroundings {
  readonly environment: Readonly<Record<string, string>>;
  /** Folder for the private TMPDIR of each run; null where the policy wants none. */
  readonly temporaryRoot: string | null;
}

/** Of threads that start no programs. */
export const NO_SURROUNDINGS: ProgramSurroundings = { environment: {}, temporaryRoot: null };

export type ThreadParts = Pick<
  ContextOptions,
  "files" | "libc" | "layers" | "environment" | "temporaryRoot" | "syntax"
>;

/**
 * Binds the calling thread to the boundary, for ever: `enterBoundary`, with what has to be opened before. `scans`: its
 * calls go through many files.
 */
export async function enterThread(
  boundary: Boundary,
  sandbox: Parameters<typeof enterBoundary>[1],
  surroundings: ProgramSurroundings,
  { scans = false }: { readonly scans?: boolean } = {},
): Promise<{ readonly held: Entered; readonly parts: ThreadParts }> {
  const libc = openLibc({ quickFiles: scans });
  const python = openCarried(libc);
  const held = await enterBoundary(boundary, sandbox, () => libc);
  const files = await createFileBackend(held.libc);
  const { layers } = held;
  const syntax = createLazySyntax({ python });
  return { held, parts: { files, libc: held.libc, layers, syntax, ...surroundings } };
}

/** Few calls judge a text: the others load nothing for it. */
export function createLazySyntax(options: SyntaxOptions): Syntax {
  let loading: Promise<Syntax> | null = null;
  return {
    async check(path, text) {
      loading ??= import("../syntax/validators.ts").then(({ createSyntax }) =>
        createSyntax(options)
      );
      await (await loading).check(path, text);
    },
  };
}
