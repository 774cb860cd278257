/**
 * Runs lines of others beside bash where they can do no harm: this program starts itself within bubblewrap, whose root
 * cannot be written, whose /tmp is its own, and which has no network and no other processes. Lines come on standard
 * input as JSON, verdicts go out as JSON, a line each.
 */

import type { CanonicalPath } from "../../../src/core/capability.ts";
import { ToolError } from "../../../src/core/errors.ts";
import { createProgramFinder } from "../../../src/host/run/program_search.ts";
import { SYSTEM_PATHS } from "../../../src/sandbox/system_paths.ts";
import { rulebookOf } from "../../unit/host/_rulebook.ts";
import { ENVIRONMENT, fill, runLine, text } from "../../unit/host/run/line/_line.ts";

/** What a line may take; one that takes longer under bash waits for what is not there. */
const PATIENCE_S = 3;

/** What became of one line; null where bash itself says something else each time, or does not end. */
export interface ApartVerdict {
  readonly line: string;
  readonly outcome: "same" | "refused" | "different" | null;
  readonly said: string;
}

/** The command that runs this module apart; null where there is no bubblewrap. */
export function apart(): readonly string[] | null {
  const module = new URL(import.meta.url).pathname;
  const root = new URL("../../..", import.meta.url).pathname;
  const words = ["deno", "run", "-A", "--no-prompt", "--cached-only", module];
  const command = [
    ...["bwrap", "--ro-bind", "/", "/", "--tmpfs", "/tmp", "--dev", "/dev", "--proc", "/proc"],
    // A checkout may itself lie in what is covered.
    ...["--ro-bind", root, root],
    ...["--unshare-all", "--die-with-parent", "--chdir", "/tmp"],
  ];
  const works = (() => {
    try {
      return new Deno.Command("bwrap", { args: [...command.slice(1), "true"], stderr: "null" })
        .outputSync().success;
    } catch {
      return false;
    }
  })();
  return works ? [...command, Deno.execPath(), ...words.slice(1)] : null;
}

const finder = createProgramFinder("/nowhere" as CanonicalPath, SYSTEM_PATHS, {
  searchPath: "/usr/bin:/bin",
});

async function verdictOf(line: string): Promise<Omit<ApartVerdict, "line">> {
  const first = await inFolder((folder) => byBash(line, folder));
  const second = await inFolder((folder) => byBash(line, folder));
  if (first === null || first !== second) {
    return { outcome: null, said: "bash differs from itself" };
  }
  try {
    const ours = await inFolder(async (folder) => {
      const outcome = await runLine(line, folder as CanonicalPath, {
        // What it is compared in is wall enough.
        rulebook: rulebookOf(folder as CanonicalPath, {
          paths: [{ effect: "allow", access: ["read", "write"], match: ["/**"] }],
        }),
        find: (name, directory) => finder.find(name, directory),
        timeoutMs: PATIENCE_S * 1_000,
      });
      if (outcome.refusal !== null) throw outcome.refusal;
      return shown(outcome.exitCode, text(outcome.stdout), folder);
    });
    return ours === first
      ? { outcome: "same", said: "" }
      : { outcome: "different", said: `here ${ours}\n   bash ${first}` };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { outcome: "refused", said: error.message };
  }
}

async function byBash(line: string, folder: string): Promise<string | null> {
  const output = `${folder}.out`;
  // Into a file: what the line leaves running would keep a pipe open.
  const script = `exec timeout -k 1 ${PATIENCE_S} bash -c "$1" > "$2"`;
  const { code } = await new Deno.Command("sh", {
    args: ["-c", script, "sh", line, output],
    cwd: folder,
    clearEnv: true,
    env: { ...ENVIRONMENT },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  const stdout = text(Deno.readFileSync(output));
  Deno.removeSync(output);
  return code === 124 || code === 137 ? null : shown(code, stdout, folder);
}

function shown(status: number | null, stdout: string, folder: string): string {
  return JSON.stringify({ stdout, status, files: filesOf(folder) }).replaceAll(folder, "W");
}

async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "line-" }));
  try {
    fill(folder);
    return await run(folder);
  } finally {
    await new Deno.Command("rm", { args: ["-rf", folder] }).output();
  }
}

function filesOf(folder: string, prefix = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, isDirectory, isSymlink, isFile } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    const key = prefix + name;
    // A repository has times in it.
    if (isDirectory) {
      Object.assign(found, { [key]: "/" }, name === ".git" ? {} : filesOf(path, `${key}/`));
    } else if (isSymlink) found[key] = `-> ${Deno.readLinkSync(path)}`;
    else found[key] = isFile ? text(Deno.readFileSync(path)) : "special";
  }
  return found;
}

if (import.meta.main) {
  const lines = JSON.parse(await new Response(Deno.stdin.readable).text()) as readonly string[];
  for (const line of lines) {
    const verdict: ApartVerdict = { line, ...await verdictOf(line) };
    console.log(JSON.stringify(verdict));
  }
  Deno.exit(0);
}
