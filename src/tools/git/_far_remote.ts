/**
 * Remotes on other machines. Git speaks to them from an empty repository in a lent folder, which sees the objects of this
 * one and none of its settings: no address is rewritten, no proxy and no program named, no password taken from there.
 * Where it gets is the policy's to say: hosts that network rules open to the words of the call.
 */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Destination, ToolContext } from "../../core/tool.ts";
import { textOf } from "../../toolkit/git/names.ts";
import { gitError, makeApart, type Repository } from "../../toolkit/git/repository.ts";

/** What of another machine's repository is spoken of. */
export interface FarRemote {
  readonly kind: "far";
  /** The remote's name. */
  readonly name: string;
  readonly protocol: "https" | "http";
  /** Without user and password. */
  readonly address: string;
  readonly to: Destination;
}

const PORTS = { https: 443, http: 80 } as const;

/** The remote of such an address. Throws GIT_ERROR for what is none, or holds a password. */
export function farRemote(
  tool: string,
  name: string,
  protocol: FarRemote["protocol"],
  address: string,
): FarRemote {
  const refuse = (what: string) =>
    new ToolError("GIT_ERROR", `${tool}: the address of the remote ${quoted(name)} ${what}`);
  if (!URL.canParse(address) || /[\s\p{Cc}]/u.test(address)) {
    throw refuse(`is none: ${printable(address.replace(/\/\/[^/]*@/, "//"), 200)}`);
  }
  const url = new URL(address);
  if (url.password !== "") {
    throw refuse(
      "holds a password, and the git tools take none from a repository; take it out of .git/config: secrets of the policy " +
        "add what the host wants, without anybody seeing it",
    );
  }
  url.username = "";
  url.hash = "";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? PORTS[protocol] : Number(url.port);
  return { kind: "far", name, protocol, address: url.href, to: { host, port } };
}

/** Speaks to it. */
export class FarRepository {
  readonly #apart: Repository;
  readonly #far: FarRemote;

  private constructor(apart: Repository, far: FarRemote) {
    this.#apart = apart;
    this.#far = far;
  }

  /** Lends the folder that it speaks from. */
  static async with<T>(
    { repository, context, far }: {
      readonly repository: Repository;
      readonly context: ToolContext;
      readonly far: FarRemote;
    },
    work: (there: FarRepository) => Promise<T>,
  ): Promise<T> {
    return await context.processes.withScratch(async (scratch) =>
      await work(new FarRepository(await makeApart(context, repository, scratch), far))
    );
  }

  /** What a ref there is; null where there is none. Throws NETWORK_DENIED, GIT_ERROR. */
  async tip(ref: string): Promise<string | null> {
    const { bytes } = await this.#connect(["ls-remote", "--quiet", "--", this.#far.address, ref]);
    // A pattern is matched at the end of each.
    const line = textOf(bytes).split("\n").find((one) => one.endsWith(`\t${ref}`));
    return /^([0-9a-f]{40,64})\t/.exec(line ?? "")?.[1] ?? null;
  }

  /**
   * Fetches a ref there, and gives the repository that has it under its name; null where there is no such ref. Throws
   * NETWORK_DENIED, GIT_ERROR.
   */
  async fetch(ref: string, known: readonly string[]): Promise<Repository | null> {
    // So that the other side knows what need not be sent.
    const lines = known.map((hash, at) => `create refs/known/${at} ${hash}\n`);
    await this.#apart.git(["update-ref", "--stdin"], {
      stdin: new TextEncoder().encode(lines.join("")),
    });
    const words = [
      "fetch",
      "--quiet",
      "--update-head-ok",
      "--no-tags",
      "--no-write-fetch-head",
      "--no-auto-gc",
    ];
    try {
      await this.#connect([...words, "--", this.#far.address, `+${ref}:${ref}`]);
      return this.#apart;
    } catch (error) {
      if (error instanceof ToolError && /couldn't find remote ref/.test(error.message)) return null;
      throw error;
    }
  }

  /** Moves a ref there from what it was seen to be; null: where there was none. Throws NETWORK_DENIED, GIT_ERROR. */
  async push(
    ref: string,
    { from, to }: { readonly from: string | null; readonly to: string },
  ): Promise<void> {
    const words = ["push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags"];
    const { bytes, status, stderr } = await this.#connect([
      ...[...words, `--force-with-lease=${ref}:${from ?? ""}`],
      ...["--", this.#far.address, `${to}:${ref}`],
    ], [0, 1]);
    if (status === 0) return;
    // git-push(1), OUTPUT: a flag, what goes where, and a summary with the reason, with tabs between.
    const rejected = textOf(bytes).split("\n").find((line) => line.startsWith("!\t"));
    const said = stderr.split("\n").filter((line) => line.startsWith("remote: "))
      .map((line) => line.slice("remote: ".length).trim()).join(" ");
    throw new ToolError(
      "GIT_ERROR",
      `${this.#apart.tool}: the remote did not take it: ${
        printable(rejected?.split("\t")[2] ?? gitError(this.#apart.tool, stderr).message, 300)
      }${said === "" ? "" : `; it said: ${printable(said, 500)}`}; nothing was changed here`,
    );
  }

  async #connect(words: readonly string[], good: readonly number[] = [0]) {
    const { protocol, to } = this.#far;
    return await this.#apart.git(words, {
      good,
      connects: to,
      env: { GIT_ALLOW_PROTOCOL: protocol },
    });
  }
}
