/** Builds the everyday projects below `dist/everyday`: each once, as long as its description stays as it is. */

import { join } from "@std/path";
import { runSeen } from "../../../scripts/_debian.ts";
import { ROOT } from "../../../scripts/compile.ts";
import { type EverydayProject, SECRET } from "./_project.ts";

const FOLDER = join(ROOT, "dist", "everyday");
/** Whose commits these are, and when: the same on every machine. */
const IDENTITY = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};
export const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  LANG: "C.UTF-8",
  TERM: "dumb",
  ...IDENTITY,
};

/** A project as it is before each line. */
export interface Prepared {
  /** `work`, and what lies beside it. */
  readonly pristine: string;
  /** Null where it has none. */
  readonly modules: string | null;
}

/** Null, and a sentence on standard error, where something of it cannot be had. */
export async function prepare(project: EverydayProject): Promise<Prepared | null> {
  const { name, npm, debian } = project;
  const folder = join(FOLDER, name);
  const packages = join(folder, "packages");
  const modules = Object.keys(npm).length === 0 ? null : join(packages, "node_modules");
  const prepared = { pristine: join(folder, "pristine"), modules };
  const mark = join(folder, "made-of.json");
  const description = JSON.stringify(project);
  const missing = await missingOf(debian);
  if (missing.length > 0) {
    console.error(`everyday, ${name}: left out, on Debian: apt-get install ${missing.join(" ")}`);
    return null;
  }
  if (readOr(mark) === description) return prepared;
  await removed(folder);
  await Deno.mkdir(packages, { recursive: true });
  if (modules !== null) {
    await Deno.writeTextFile(join(packages, "package.json"), '{ "private": true }\n');
    const wanted = Object.entries(npm).map(([name, version]) => `${name}@${version}`);
    const got = await runSeen([
      ...["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps"],
      ...["--prefix", packages, ...wanted],
    ]);
    if (!got) {
      console.error(`everyday, ${name}: its packages cannot be had from npm`);
      return null;
    }
  }
  await fill(project, join(prepared.pristine, "work"), packages);
  await Deno.writeTextFile(join(prepared.pristine, "outside.txt"), `${SECRET}\n`);
  await Deno.writeTextFile(mark, description);
  return prepared;
}

/** Debian packages that are not here and cannot be had. */
async function missingOf(files: EverydayProject["debian"]): Promise<readonly string[]> {
  const missing = () =>
    Object.entries(files).filter(([file]) => !isThere(file)).map(([, names]) => names);
  if (missing().length > 0 && Deno.uid() === 0) {
    const words = ["apt-get", "install", "-y", "--no-install-recommends", ...missing()];
    await runSeen(words, { DEBIAN_FRONTEND: "noninteractive" });
  }
  return missing();
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

async function fill(project: EverydayProject, work: string, packages: string): Promise<void> {
  await Deno.mkdir(work, { recursive: true });
  for (const [from, to] of project.sources) {
    const source = from.startsWith("/") ? from : join(packages, "node_modules", from);
    await shell(work, 'mkdir -p "$2" && cp -rL "$1"/. "$2"', [source, to]);
  }
  for (const [name, text] of Object.entries(project.files)) {
    const path = join(work, name);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeTextFile(path, text);
    if (/(?:^configure|\.sh)$/.test(name)) await Deno.chmod(path, 0o755);
  }
  // As somebody has it who works there: never committed, and read by nobody else.
  await Deno.writeTextFile(join(work, ".env"), `KEY=${SECRET}\n`);
  await shell(work, `set -e\n${project.history}`, []);
}

async function shell(cwd: string, script: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("sh", {
    args: ["-c", script, "sh", ...args],
    cwd,
    clearEnv: true,
    env: {
      ...ENVIRONMENT,
      HOME: "/nonexistent",
      GIT_AUTHOR_DATE: "2024-01-02T03:04:05Z",
      GIT_COMMITTER_DATE: "2024-01-02T03:04:05Z",
    },
  }).output();
  if (!success) throw new Error(`${script}: ${new TextDecoder().decode(stderr)}`);
}

function readOr(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return null;
  }
}

async function removed(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
