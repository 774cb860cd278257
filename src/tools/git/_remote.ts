/**
 * Remotes: other repositories of the workspace, and those of other machines (`_far_remote.ts`). Among the former no
 * transport of git takes part: what one has and the other wants goes over as a bundle, every object of it hashed anew, and
 * refs are moved where they still are what was seen.
 */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { ToolContext } from "../../core/tool.ts";
import { textOf } from "../../toolkit/git/names.ts";
import { inside, leadsOut, repositoryAt } from "../../toolkit/git/place.ts";
import { openAt, type Repository } from "../../toolkit/git/repository.ts";
import { withScratchOf } from "../../toolkit/git/besides.ts";
import { type FarRemote, farRemote, FarRepository } from "./_far_remote.ts";

/** `https`, `ssh`, … of an address; `file` for a path. git-clone(1), "GIT URLS". */
function protocolOf(address: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(address)?.[1];
  if (scheme !== undefined) return scheme.toLowerCase();
  const helper = /^([A-Za-z0-9]+)::/.exec(address)?.[1];
  if (helper !== undefined) return `${helper}::`;
  return /^[^/]*:/.test(address) ? "ssh" : "file";
}

/** Another repository of the workspace. */
export interface NearRemote {
  readonly kind: "near";
  readonly repository: Repository;
}

/** What the tools reach others by, where the policy names it. */
const SPOKEN: ReadonlySet<string> = new Set(["https", "http", "file"]);

/** What a remote's address leads to. Throws GIT_ERROR, NETWORK_DENIED and PATH_OUTSIDE_WORKSPACE. */
export async function remoteOf(
  repository: Repository,
  context: ToolContext,
  remote: string,
  use: "fetch" | "push",
): Promise<NearRemote | FarRemote> {
  const { tool, files, root } = repository;
  const address = await addressOf(repository, remote, use);
  const protocol = protocolOf(address);
  if (!SPOKEN.has(protocol)) {
    throw new ToolError(
      "NETWORK_DENIED",
      `${tool}: the remote ${quoted(remote)} is reached by ${
        printable(protocol, 40)
      }, which no proxy here speaks, whatever ` +
        "git.protocols names: git reaches other machines by https and http; give it such an address, " +
        'and the policy a network rule for its host with commands: ["git push"] or ["git pull"]',
    );
  }
  if (!context.git.protocols.some((one) => one === protocol)) {
    throw new ToolError(
      "NETWORK_DENIED",
      `${tool}: the remote ${quoted(remote)} is ${
        protocol === "file" ? "a path" : `reached by ${protocol}`
      }, and the policy's git.protocols does not name ${protocol}; it names ${
        context.git.protocols.join(", ") || "none"
      }`,
    );
  }
  if (protocol === "https" || protocol === "http") {
    return farRemote(tool, remote, protocol, address);
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
  return { kind: "near", repository: await openAt(tool, context, found, true) };
}

/** What a remote's branch is, and the repository that has all that it leads to. */
export interface Fetched {
  readonly remote: Repository;
  readonly tip: string | null;
}

/**
 * Looks at a branch of a remote. Of another machine's it is fetched into a lent folder; `asked`: nobody is asked, and it is
 * as it was seen last.
 */
export async function withFetched<T>(
  { repository, context, remote, branch, asked }: {
    readonly repository: Repository;
    readonly context: ToolContext;
    readonly remote: NearRemote | FarRemote;
    readonly branch: string;
    readonly asked: boolean;
  },
  work: (fetched: Fetched) => Promise<T>,
): Promise<T> {
  const ref = `refs/heads/${branch}`;
  if (remote.kind === "near") {
    return await work({ remote: remote.repository, tip: await tipAt(remote.repository, ref) });
  }
  if (!asked) {
    const tip = await tipAt(repository, `refs/remotes/${remote.name}/${branch}`);
    return await work({ remote: repository, tip });
  }
  return await FarRepository.with({ repository, context, far: remote }, async (there) => {
    const found = await there.fetch(ref, await tipsOf(repository));
    return await work({
      remote: found ?? repository,
      tip: found === null ? null : await tipAt(found, ref),
    });
  });
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
    await withScratchOf(context, [from, to], async (scratch) => {
      const bundle = `${scratch}/bundle`;
      const known = await commonTips(from, to);
      // As words: git before 2.32 reads no refs from standard input.
      const without = known.map((one) => `^${one}`);
      await from.git(["bundle", "create", "--quiet", bundle, ref, ...without, "--"], { scratch });
      await to.git(["bundle", "unbundle", bundle], { changes: "git", scratch });
    });
  }
  // All that it leads to is there, whatever was there before.
  await to.git(["rev-list", "--objects", "--quiet", hash, "--not", "--all", "--"]);
}

/** Commits that refs of both have: what need not go over. */
async function commonTips(from: Repository, to: Repository): Promise<readonly string[]> {
  const hashes = await tipsOf(to);
  if (hashes.length === 0) return [];
  const { bytes: found } = await from.git(["cat-file", "--batch-check"], {
    stdin: new TextEncoder().encode(`${hashes.join("\n")}\n`),
  });
  return textOf(found).split("\n").flatMap((line) =>
    / commit \d+$/.test(line) ? line.split(" ")[0] ?? [] : []
  );
}

/** Commits that its refs are. */
async function tipsOf(repository: Repository): Promise<readonly string[]> {
  const { bytes } = await repository.git(["for-each-ref", "--format=%(objectname) %(objecttype)"]);
  const tips = textOf(bytes).split("\n").filter((line) => line.endsWith(" commit"));
  return [...new Set(tips.map((line) => line.split(" ")[0] ?? ""))].slice(0, MOST_TIPS);
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
