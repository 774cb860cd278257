/** `policy init`: a policy for the project in the workspace, commented, to be read and kept by a person. */

import { join } from "@std/path";
import type { CanonicalPath } from "../../core/capability.ts";
import { EXIT, ToolError } from "../../core/errors.ts";
import { canonicalDirectory } from "../../host/paths/canonicalize.ts";
import { composePolicy, type ProjectPart } from "../../policy/compose.ts";
import type { Invocation } from "../invocation.ts";
import { type ProjectFiles, projectParts, projectWorkflows } from "./_project_parts.ts";
import { formatOf } from "../session.ts";
import { complain, print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

const DEFAULT_FILE = "toolgate.yaml";
/** A manifest is written by people; what is larger is none. */
const MOST_BYTES = 1024 * 1024;

/** Writes FILE (`toolgate.yaml` in the workspace unless named; `-`: standard output), never over one that is there. */
export function initPolicy(invocation: Invocation, [named]: readonly string[]): number {
  const workspace = workspaceOf(invocation);
  const files = projectFiles(workspace);
  const parts = projectParts(files);
  const text = composePolicy(parts, projectWorkflows(files));
  if (named === "-") {
    print(text.trimEnd());
    return EXIT.success;
  }
  const file = named ?? join(workspace, DEFAULT_FILE);
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
