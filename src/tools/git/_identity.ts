/** Whose commits a tool makes. */

import { ToolError } from "../../core/errors.ts";
import type { ToolContext } from "../../core/tool.ts";
import type { Repository } from "../../toolkit/git/repository.ts";

/**
 * The variables that say so: none where the repository names somebody, the policy's `git.identity` where it names
 * nobody. Throws GIT_ERROR where nobody is named at all.
 */
export async function committer(
  repository: Repository,
  { git }: Pick<ToolContext, "git">,
): Promise<Readonly<Record<string, string>>> {
  const { status } = await repository.git(["var", "GIT_COMMITTER_IDENT"], { good: [0, 128] });
  if (status === 0) return {};
  if (git.identity === null) throw nobody(repository.tool);
  const { name, email } = git.identity;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

function nobody(tool: string): ToolError {
  return new ToolError(
    "GIT_ERROR",
    `${tool}: the repository names nobody as the author: set user.name and user.email in its configuration (\`git ` +
      "config user.name NAME`), or git.identity in the policy; settings of the home folder do not count here",
  );
}
