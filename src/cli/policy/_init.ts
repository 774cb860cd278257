/** `policy init`: a policy for the project in the workspace, commented, to be read and kept by a person. */

import { createHash } from "node:crypto";
import { join } from "@std/path";
import { baseName } from "../../core/path_text.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { EXIT, ToolError } from "../../core/errors.ts";
import { canonicalDirectory } from "../../host/paths/canonicalize.ts";
import { composePolicy, type ProjectPart } from "../../policy/compose.ts";
import type { Invocation } from "../invocation.ts";
import { type ProjectFiles, projectParts, projectWorkflows } from "./_project_parts.ts";
import { formatOf } from "../format.ts";
import { complain, print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** A manifest is written by people; what is larger is none. */
const MOST_BYTES = 1024 * 1024;

/**
 * Writes FILE (unless named one of this workspace's own below the user's configuration; `-`: standard output), never over
 * one that is there.
 */
export function initPolicy(invocation: Invocation, [named]: readonly string[]): number {
  const workspace = workspaceOf(invocation);
  const files = projectFiles(workspace);
  const parts = projectParts(files);
  const text = composePolicy(parts, projectWorkflows(files), invocation.embedded.policy.policy);
  if (named === "-") {
    print(text.trimEnd());
    return EXIT.success;
  }
  const file = named ?? ownFile(workspace);
  write(file, text, invocation.switches.has("force"));
  const found = parts.map(({ name, seenBy }) => ({ name, seen_by: seenBy }));
  if (formatOf(invocation) === "json") print(JSON.stringify({ file, found }));
  else if (!invocation.switches.has("quiet")) complain(summary(file, parts));
  return EXIT.success;
}

function workspaceOf({ values }: Invocation): CanonicalPath {
  const root = values["root"]?.[0] ?? Deno.env.get("TOOLGATE_ROOT") ?? ".";
  try {
    return canonicalDirectory(root === "" ? "." : root);
  } catch (error) {
    if (error instanceof ToolError) throw new UsageError(`--root: ${error.message}`);
    throw error;
  }
}

/**
 * Outside of the workspace, where agents write. XDG Base Directory Specification. Throws a UsageError where there is no
 * such place.
 */
function ownFile(workspace: CanonicalPath): string {
  const config = Deno.env.get("XDG_CONFIG_HOME");
  const home = Deno.env.get("HOME");
  const base = config?.startsWith("/") === true
    ? config
    : home?.startsWith("/") === true
    ? join(home, ".config")
    : null;
  if (base === null) throw new UsageError("there is no home folder to write to: name a FILE");
  const folder = join(base, "toolgate");
  try {
    Deno.mkdirSync(folder, { recursive: true });
  } catch (error) {
    const why = error instanceof Error ? error.name : "?";
    throw new UsageError(
      `${folder} cannot be made (${why}); name a FILE, or - for standard output`,
    );
  }
  // Two workspaces of one name are two.
  const mark = createHash("sha256").update(workspace).digest("hex").slice(0, 8);
  const name = baseName(workspace).replaceAll(/[^\w.-]/g, "_");
  return join(folder, `${name === "" ? "root" : name}-${mark}.yaml`);
}

function projectFiles(workspace: CanonicalPath): ProjectFiles {
  return {
    has(name) {
      try {
        Deno.lstatSync(join(workspace, name));
        return true;
      } catch {
        return false;
      }
    },
    read(name) {
      try {
        const path = join(workspace, name);
        const info = Deno.lstatSync(path);
        if (!info.isFile || info.size > MOST_BYTES) return null;
        return new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(path));
      } catch {
        return null;
      }
    },
  };
}

function write(file: string, text: string, replace: boolean): void {
  try {
    if (!replace) {
      Deno.writeTextFileSync(file, text, { createNew: true });
      return;
    }
    // Whole or not at all: a policy cut in the middle could be one that says less.
    const beside = `${file}.${crypto.randomUUID()}.tmp`;
    try {
      Deno.writeTextFileSync(beside, text, { createNew: true });
      Deno.renameSync(beside, file);
    } catch (error) {
      removeQuietly(beside);
      throw error;
    }
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new UsageError(
        `${file} is there already; --force replaces it, - prints to standard output`,
      );
    }
    const why = error instanceof Error ? error.name : "?";
    throw new UsageError(`${file} cannot be written (${why}); - prints to standard output`);
  }
}

function removeQuietly(file: string): void {
  try {
    Deno.removeSync(file);
  } catch {
    // It was not made.
  }
}

function summary(file: string, parts: readonly ProjectPart[]): string {
  const found = parts.length === 0
    ? "nothing of this project was recognized: name what checks it under commands"
    : `for ${parts.map(({ name, seenBy }) => `${name} (${seenBy})`).join(", ")}`;
  return `${file}: written, ${found}\n` +
    `next: toolgate policy check --policy ${file}; keep it where the agent cannot write`;
}
