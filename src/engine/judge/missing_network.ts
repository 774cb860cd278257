/** The answer where a command is allowed by its words, but does nothing without a network that the policy gives no program. */

import type { CanonicalPath, ResolvedSpawnCapability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { parentOf } from "../../core/path_text.ts";
import { quoted } from "../../core/printable.ts";
import {
  isAddress,
  lackingNetwork,
  type ProgramNetworkRules,
} from "../../policy/judge/lacking_network.ts";
import { isWithin } from "../../sandbox/within.ts";

/** NETWORK_DENIED for a command that could only fail, so that nobody is asked about it and waits for it; else null. */
export function missingNetwork(
  tool: string,
  spawn: ResolvedSpawnCapability,
  rules: ProgramNetworkRules,
): ToolError | null {
  const need = spawn.own === undefined ? lackingNetwork(spawn, rules) : null;
  if (need === null || (need.byRemote && !hasFarRemotes(spawn, rules.settings.workspace))) {
    return null;
  }
  const instead = need.instead === null ? "" : `. Without: ${need.instead}`;
  return new ToolError(
    "NETWORK_DENIED",
    `${tool}: ${
      quoted(need.what)
    } needs other machines, and the policy gives programs no network, so that it ` +
      `could only fail; sandbox.network: allow in the policy gives it to them${instead}`,
  );
}

/** Settings of a repository that are looked through: those of most have a few hundred bytes. */
const LONGEST_SETTINGS = 1 << 16;

/** Whether the repository around has remotes, and each of them is another machine's. Not known: false. */
function hasFarRemotes({ cwd }: ResolvedSpawnCapability, workspace: CanonicalPath): boolean {
  for (let folder = cwd; isWithin(workspace, folder); folder = parentOf(folder)) {
    const text = settingsIn(folder);
    if (text === null) {
      if (folder === "/") return false;
      continue;
    }
    // What rewrites addresses may lead back to this machine.
    if (/^\s*(?:insteadof|pushinsteadof|path)\s*=/im.test(text)) return false;
    const urls = [...text.matchAll(/^\s*(?:push)?url\s*=\s*"?([^"\n]*)/gim)].map(([, url = ""]) =>
      url
    );
    return urls.length > 0 && urls.every(isAddress);
  }
  return false;
}

/** Null where there are none, or none that can be read. */
function settingsIn(folder: CanonicalPath): string | null {
  const path = `${folder === "/" ? "" : folder}/.git/config`;
  try {
    const { isFile, size } = Deno.lstatSync(path);
    return isFile && size <= LONGEST_SETTINGS ? Deno.readTextFileSync(path) : null;
  } catch {
    return null;
  }
}
