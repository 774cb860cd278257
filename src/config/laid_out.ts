/** Files of a throw-away workspace, as cases write them down. */

import { converted, mapping, object, required } from "./collection.ts";
import { type Field, text } from "./field.ts";

/** What is laid out before a case: a file's text, a folder, or a symbolic link. */
export type LaidOut = { readonly text: string } | { readonly folder: true } | {
  readonly link: string;
};

const linked: Field<LaidOut> = object({
  link: required(text({ what: "where the link leads" }), "where the symbolic link leads"),
});

const laidOut: Field<LaidOut> = {
  schema: { oneOf: [{ type: "string" }, linked.schema] },
  read: (value, position) =>
    typeof value === "string" ? { text: value } : linked.read(value, position),
};

/** What is wrong with a path as one below the throw-away workspace; null where nothing is. */
export function wrongLaidOutPath(path: string): string | null {
  const parts = path.replace(/\/$/, "").split("/");
  if (path.startsWith("/")) return "is absolute; write a path below the workspace";
  if (path.includes("\0") || parts.some((part) => part === "" || part === "." || part === "..")) {
    return "is no path below the workspace; write it without . and ..";
  }
  return null;
}

/** By path, relative to the throw-away workspace; parents are made. A name that ends in `/` is a folder. */
export const laidOutFiles: Field<Readonly<Record<string, LaidOut>>> = converted(
  mapping(laidOut, { pattern: "^[^/]", wrong: wrongLaidOutPath }),
  (files) =>
    Object.fromEntries(
      Object.entries(files).map(([path, what]): [string, LaidOut] =>
        path.endsWith("/") && "text" in what ? [path.slice(0, -1), { folder: true }] : [path, what]
      ),
    ),
);
