/** The section of a policy that says what git may do. */

import { GIT_FILTERS, GIT_PROTOCOLS } from "../../core/git/settings.ts";
import { list, object, otherwise, required } from "../../config/collection.ts";
import { oneOf, text } from "../../config/field.ts";
import type { Section } from "./section.ts";

const onOneLine = (what: string) =>
  text({
    what,
    check: (value) =>
      /^\s|\s$|[<>\p{Cc}]/u.test(value) ? "holds what no commit can: <, >, a line end" : null,
  });

/** `git`. */
export const git: Section<"git"> = object({
  hooks: otherwise(
    oneOf(["allow", "deny"]),
    null,
    "allow: hooks of repositories run as programs that commands judge; deny where left out",
  ),
  filters: otherwise(
    list(oneOf(GIT_FILTERS)),
    null,
    "filters of contents that run, as Toolgate knows them and where commands lets their programs: lfs is git-lfs filter-process",
  ),
  protocols: otherwise(
    list(oneOf(GIT_PROTOCOLS)),
    null,
    "transports that git may use; https alone where left out; file is a path of this machine; git_push and git_pull speak https, http and file",
  ),
  worktrees: otherwise(
    text({ what: "a folder of the workspace", check: wrongFolder }),
    null,
    "where git_worktree makes its folders, relative to the workspace",
  ),
  identity: otherwise(
    object({
      name: required(onOneLine("a name"), "the author of commits"),
      email: required(onOneLine("an address"), "and the author's address"),
    }),
    null,
    "who commits where the repository names nobody",
  ),
});

/** Below the workspace, and nowhere in git's own. */
function wrongFolder(value: string): string | null {
  const parts = value.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return "is no plain path below the workspace, such as .toolgate/worktrees";
  }
  return parts.some((part) => part.toLowerCase() === ".git") ? "lies in git's own folder" : null;
}
