/** Paths of the workspace and of the repository, and which of them the policy lets the agent have. */

import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import { nameText } from "../../core/name_text.ts";
import { printable, quoted } from "../../core/printable.ts";
import { bytesOf, encoded, nameOf } from "./names.ts";
import { within } from "./place.ts";
import { type Repository } from "./repository.ts";

type RepositoryFiles = Pick<Repository, "root" | "files">;

/** A path of the repository, as answers show it: relative to the workspace. */
export function shown({ root }: Pick<RepositoryFiles, "root">, path: Uint8Array): string {
  if (root === ".") return nameOf(path);
  return nameOf(joinedBytes([encoded(root), SLASH, path]));
}

const SLASH = Uint8Array.of(0x2f);

/** Whether the policy plainly allows it: of what is no UTF-8 each byte is one character, as for programs. */
export function isAllowed(
  { root, files }: RepositoryFiles,
  access: "read" | "write",
  path: Uint8Array,
) {
  return files.allows(access, within(root, nameText(path).replace(/\/+$/, "")));
}

/** PATH_DENIED where it does not. */
export function requireAllowed(
  place: RepositoryFiles & Pick<Repository, "tool">,
  access: "read" | "write",
  path: Uint8Array,
): void {
  if (isAllowed(place, access, path)) return;
  const doing = access === "read" ? "read" : "written";
  throw new ToolError(
    "PATH_DENIED",
    `${place.tool}: ${
      printable(shown(place, path))
    } may not be ${doing}: the policy's paths deny ` +
      "it, or do not plainly allow it; leave it out",
  );
}

/**
 * A path of the request as one of the repository, empty for its root. Throws INVALID_ARGUMENTS for what lies elsewhere.
 */
export function ofRepository(
  { root, files, tool }: RepositoryFiles & Pick<Repository, "tool">,
  path: string,
): Uint8Array {
  const known = path.startsWith("/") ? files.display(path) : path;
  const parts = nameText(bytesOf(known)).split("/").filter((part) => part !== "" && part !== ".");
  const outside = known.startsWith("/") || parts.includes("..");
  const base = root === "." ? [] : root.split("/");
  if (outside || base.some((part, index) => parts[index] !== part)) {
    throw new ToolError(
      "INVALID_ARGUMENTS",
      `${tool}: ${quoted(path)} does not lie in the repository ${quoted(root)}; ` +
        "paths are relative to the workspace",
    );
  }
  if (parts.slice(base.length).some((part) => part.toLowerCase() === ".git")) {
    throw new ToolError("PATH_DENIED", `${tool}: ${quoted(path)} is git's own`);
  }
  return encoded(parts.slice(base.length).join("/"));
}

/** As words of a command. */
export function asWords(
  repository: RepositoryFiles & Pick<Repository, "tool">,
  paths: readonly string[],
): readonly string[] {
  return paths.map((path) => nameText(ofRepository(repository, path)));
}
