/**
 * Other repositories of the workspace, as remotes. No transport of git takes part: what one has and the other wants goes
 * over as a bundle, every object of it hashed anew, and refs are moved where they still are what was seen.
 */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { ToolContext } from "../../core/tool.ts";
import { textOf } from "../../toolkit/git/names.ts";
import { inside, leadsOut, repositoryAt } from "../../toolkit/git/place.ts";
import { openAt, type Repository } from "../../toolkit/git/repository.ts";

/** `https`, `ssh`, … of an address; `file` for a path. git-clone(1), "GIT URLS". */
function protocolOf(address: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(address)?.[1];
  if (scheme !== undefined) return scheme.toLowerCase();
  const helper = /^([A-Za-z0-9]+)::/.exec(address)?.[1];
  if (helper !== undefined) return `${helper}::`;
  return /^[^/]*:/.test(address) ? "ssh" : "file";
}

/** The repository that a remote's address leads to. Throws GIT_ERROR, NETWORK_DENIED and PATH_OUTSIDE_WORKSPACE. */
export async function openRemote(
  repository: Repository,
  context: ToolContext,
  remote: string,
  use: "fetch" | "push",
): Promise<Repository> {
  const { tool, files, root } = repository;
  const address = await addressOf(repository, remote, use);
  const protocol = protocolOf(address);
  if (protocol !== "file") throw unreachable(tool, remote, protocol, context);
  if (!context.git.protocols.includes("file")) {
    throw new ToolError(
      "NETWORK_DENIED",
      `${tool}: the remote ${
        quoted(remote)
      } is a path, and the policy's git.protocols does not name file`,
    );
  }
  const place = inside(files, root, address.replace(/^file:\/\//i, ""));
  if (place === null) throw leadsOut(tool, `the remote ${remote} leads out of the workspace`);
  const found = repositoryAt(tool, files, place) ?? repositoryAt(tool, files, `${place}.git`);
  if (found === null) {
    throw new ToolError(
      "NOT_A_REPOSITORY",
      `${tool}: the remote ${quoted(remote)} leads to ${quoted(place)}, where no repository is`,
    );
  }
  return await openAt(tool, context, found, true);
}

async function addressOf(
  repository: Repository,
  remote: string,
  use: "fetch" | "push",
): Promise<string> {
  for (const key of use === "push" ? ["pushurl", "url"] : ["url"]) {
    const { bytes, status } = await repository.git(
      ["config", "--includes", "-z", "--get", `remote.${remote}.${key}`],
      { good: [0, 1], own: true },
    );
    if (status === 0) return textOf(bytes).replace(/\0$/, "");
  }
  throw new ToolError(
    "GIT_ERROR",
    `${repository.tool}: the repository knows no remote ${quoted(remote)}`,
  );
}

function unreachable(
  tool: string,
  remote: string,
  protocol: string,
  { git }: ToolContext,
): ToolError {
  const known = git.protocols.some((one) => one === protocol);
  return new ToolError(
    "NETWORK_DENIED",
    `${tool}: the remote ${quoted(remote)} is reached by ${printable(protocol, 40)}, ` +
      (known
        ? "and the git tools reach no network yet, only repositories of the workspace; run_command may, where " +
          "a network rule names git push or git fetch in its commands"
        : "which the policy's git.protocols does not name"),
  );
}

/** The commit of a ref there; null where there is none. */
export async function tipAt(repository: Repository, ref: string): Promise<string | null> {
  const { bytes, status } = await repository.git(
    ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`],
    { good: [0, 1, 128] },
  );
  return status === 0 ? textOf(bytes).trim() : null;
}

/** Brings the commit of a ref, with all that belongs to it, from one repository into another. No ref is moved. */
export async function transfer(
  context: ToolContext,
  from: Repository,
  to: Repository,
  { ref, hash }: { readonly ref: string; readonly hash: string },
): Promise<void> {
  const { status } = await to.git(["cat-file", "-e", `${hash}^{commit}`], { good: [0, 1, 128] });
  if (status !== 0) {
    await context.processes.withScratch(async (scratch) => {
      const bundle = `${scratch}/bundle`;
      const known = await commonTips(from, to);
      await from.git(["bundle", "create", "--quiet", bundle, "--stdin"], {
        stdin: new TextEncoder().encode([ref, ...known.map((one) => `^${one}`), ""].join("\n")),
        scratch,
      });
      await to.git(["bundle", "unbundle", bundle], { changes: "git", scratch });
    });
  }
  // All that it leads to is there, whatever was there before.
  await to.git(["rev-list", "--objects", "--quiet", hash, "--not", "--all", "--"]);
}

/** Commits that refs of both have: what need not go over. */
async function commonTips(from: Repository, to: Repository): Promise<readonly string[]> {
  const { bytes } = await to.git(["for-each-ref", "--format=%(objectname) %(objecttype)"]);
  const tips = textOf(bytes).split("\n").filter((line) => line.endsWith(" commit"));
  const hashes = [...new Set(tips.map((line) => line.split(" ")[0] ?? ""))].slice(0, MOST_TIPS);
  if (hashes.length === 0) return [];
  const { bytes: found } = await from.git(["cat-file", "--batch-check"], {
    stdin: new TextEncoder().encode(`${hashes.join("\n")}\n`),
  });
  return textOf(found).split("\n").flatMap((line) =>
    / commit \d+$/.test(line) ? line.split(" ")[0] ?? [] : []
  );
}

/** More would only save bytes. */
const MOST_TIPS = 1_000;

/** Moves a ref, where it still is what was seen; null: where there was none. Throws GIT_ERROR. */
export async function moveRef(
  repository: Repository,
  ref: string,
  { from, to, why }: { readonly from: string | null; readonly to: string; readonly why: string },
): Promise<void> {
  await repository.git(
    ["update-ref", "-m", why, ref, to, from ?? "0".repeat(to.length)],
    { changes: "git" },
  );
}
