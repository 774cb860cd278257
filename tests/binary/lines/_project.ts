/** A project of real programs, with a policy that allows them, for the tests of the tools that run them. */

import { assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { hasProgram } from "../../../scripts/_debian.ts";
import { hasPackage, packagesFolder } from "../../../scripts/_toolchain.ts";
import { SYSTEM_PATHS } from "../../../src/sandbox/system_paths.ts";
import { type Answer, call, Pipe, type Started, Workspace } from "../toolgate.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));
const DENO = dirname(Deno.realPathSync(Deno.execPath()));
/** The folder of node, wherever it is; null where there is none. */
export const NODE = nodeFolder();

function nodeFolder(): string | null {
  try {
    const { success, stdout } = new Deno.Command("node", { args: ["-p", "process.execPath"] })
      .outputSync();
    return success ? dirname(new TextDecoder().decode(stdout).trim()) : null;
  } catch {
    return null;
  }
}

const FOLDERS = [DENO, ...NODE === null ? [] : [NODE]];
const PATH = [...FOLDERS, "/usr/local/bin", "/usr/bin", "/bin"].join(":");

/** Deno takes a home that is no folder for an error, and one that is not there for none. */
export const ENVIRONMENT = { PATH, HOME: "/nonexistent" };

export const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["closed/**"] }
commands:
  - { allow: [python3, pytest, flake8, mypy, black, node, deno, "true"] }
  - { ask: ["npm install"], reason: brings in code from elsewhere }
timeouts: { default: 60s }
limits: { memory: 4GiB, processes: 200 }
sandbox: { temporary: true, system: ${JSON.stringify([...SYSTEM_PATHS, ...FOLDERS])} }
`;

/** A project with its policy. */
export class Project extends Workspace {
  readonly #policy: string;
  #pipe: Pipe | null = null;

  constructor(files: Readonly<Record<string, string>>, policy = POLICY) {
    super(files);
    this.#policy = this.policy(policy);
  }

  /** By a call of its own. */
  run(
    tool: string,
    args: Readonly<Record<string, unknown>> = {},
  ): Promise<Started & { readonly answer: Answer }> {
    const given = ["--policy", this.#policy, tool, "--json", JSON.stringify(args)];
    return call(given, { cwd: this.root, env: ENVIRONMENT });
  }

  /** The answer over a pipe that stays open. */
  ask(
    tool: string,
    args: Readonly<Record<string, unknown>> = {},
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<Answer> {
    this.#pipe ??= new Pipe(["--policy", this.#policy], { cwd: this.root, env: ENVIRONMENT });
    return this.#pipe.ask({ id: 1, tool, args, ...more });
  }

  /** The output of what succeeds, over the pipe. */
  async output(
    tool: string,
    args: Readonly<Record<string, unknown>> = {},
    more: Readonly<Record<string, unknown>> = {},
  ) {
    const answer = await this.ask(tool, args, more);
    assertEquals([answer.success, answer.error], [true, null], JSON.stringify(answer.output));
    return answer.output;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.#pipe?.close();
    await super[Symbol.asyncDispose]();
  }

  /** Packages as npm would have put them there; links to the same files, not copies. */
  install(...names: readonly Parameters<typeof hasPackage>[1][]): void {
    const from = join(packagesFolder(ROOT), "node_modules");
    // What a package needs lies beside it: all or, for those without needs, the one.
    const needed = names.includes("eslint")
      ? [...Deno.readDirSync(from)].flatMap(({ name }) => name.startsWith(".") ? [] : [name])
      : names;
    for (const name of needed) linkTree(join(from, name), this.path("node_modules", name));
  }
}

function linkTree(from: string, to: string): void {
  Deno.mkdirSync(to, { recursive: true });
  for (const { name, isDirectory, isFile } of Deno.readDirSync(from)) {
    if (isDirectory) linkTree(join(from, name), join(to, name));
    else if (isFile) link(join(from, name), join(to, name));
  }
}

/** Or a copy, where the two are on different file systems. */
function link(from: string, to: string): void {
  try {
    Deno.linkSync(from, to);
  } catch {
    Deno.copyFileSync(from, to);
  }
}

/** A test that needs these programs and packages. */
export function testWith(
  needs: readonly string[],
  name: string,
  run: () => Promise<void>,
): void {
  const missing = needs.filter((need) =>
    need === "node"
      ? NODE === null
      : need.startsWith("npm:")
      ? NODE === null || !hasPackage(ROOT, need.slice(4) as Parameters<typeof hasPackage>[1])
      : !hasProgram(need)
  );
  const left = missing.length === 0 ? "" : ` (left out: ${missing.join(", ")} not here)`;
  Deno.test({ name: name + left, ignore: missing.length > 0, fn: run });
}
