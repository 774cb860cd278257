/** What the modules that a file names turn out to be. */

import type { Import } from "../_imports.ts";

/** What an import leads to. */
export type Target =
  /** A file or folder of the tree. */
  | { readonly is: "node"; readonly path: string }
  /** A package of somebody else; `builtin`: of the language or its runtime. */
  | {
    readonly is: "external";
    readonly name: string;
    readonly version?: string;
    readonly builtin?: true;
  }
  /** Nothing that is there. */
  | { readonly is: "unresolved" }
  /** No module at all: a name of the language itself, or of the file. */
  | { readonly is: "nothing" };

/** What leads nowhere. */
export const UNRESOLVED: Target = { is: "unresolved" };
/** What is no import of a module. */
export const NOTHING: Target = { is: "nothing" };

/** Finds what the imports of one language lead to, each perhaps to several. */
export type Resolve = (from: string, imported: Import) => readonly Target[];

/** The files of a tree. */
export interface Tree {
  /** Files of code, by path. */
  readonly code: ReadonlySet<string>;
  /** Folders that hold any. */
  readonly folders: ReadonlySet<string>;
  /** Whether a file of any kind is there, and may be seen. */
  exists(path: string): boolean;
}

/** A file or folder of the tree. */
export function node(path: string): Target {
  return { is: "node", path };
}

/** A module of the language or its runtime. */
export function builtin(name: string): Target {
  return { is: "external", name, builtin: true };
}

/** A package of somebody else. */
export function external(name: string, version?: string): Target {
  return { is: "external", name, ...(version === undefined ? {} : { version }) };
}
