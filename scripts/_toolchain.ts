/**
 * Gets the programs that `tests/binary/toolchain_test.ts` runs: packages of Node into `dist/toolchain`, those of Python
 * as Debian packages where this is root on Debian. What cannot be had is said, and what is missing without it.
 */

import { join } from "@std/path";

/** Exact, so that what they print is what the tests expect. */
export const NODE_PACKAGES = {
  eslint: "9.39.5",
  prettier: "3.10.1",
  typescript: "5.9.3",
} as const;

/** Debian packages, by the program that they bring. */
export const PYTHON_PROGRAMS = {
  pytest: "python3-pytest",
  flake8: "flake8",
  mypy: "mypy",
  black: "black",
} as const;

/** Where programs that all users have are: what the tests let the binary see. */
export const SYSTEM_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];

/** The folder that has `node_modules`. */
export function packagesFolder(root: string): string {
  return join(root, "dist", "toolchain");
}

export function hasPackage(root: string, name: keyof typeof NODE_PACKAGES): boolean {
  try {
    const file = join(packagesFolder(root), "node_modules", name, "package.json");
    const { version } = JSON.parse(Deno.readTextFileSync(file)) as { readonly version?: unknown };
    return version === NODE_PACKAGES[name];
  } catch {
    return false;
  }
}

export function hasProgram(name: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => {
    try {
      return Deno.statSync(join(folder, name)).isFile;
    } catch {
      return false;
    }
  });
}

/** Gets what is missing. Answers one sentence for each thing that cannot be had. */
export async function installToolchain(root: string): Promise<readonly string[]> {
  return [...await installPackages(root), ...await installPrograms()];
}

async function installPackages(root: string): Promise<readonly string[]> {
  const names = Object.keys(NODE_PACKAGES) as (keyof typeof NODE_PACKAGES)[];
  if (names.every((name) => hasPackage(root, name))) return [];
  const folder = packagesFolder(root);
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(join(folder, "package.json"), '{ "private": true }\n');
  await run([
    ...["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"],
    ...["--prefix", folder],
    ...names.map((name) => `${name}@${NODE_PACKAGES[name]}`),
  ]);
  return names.filter((name) => !hasPackage(root, name)).map((name) =>
    `${name} ${NODE_PACKAGES[name]} cannot be had from npm: tests that run it are left out`
  );
}

async function installPrograms(): Promise<readonly string[]> {
  const missing = () => Object.entries(PYTHON_PROGRAMS).filter(([program]) => !hasProgram(program));
  if (missing().length > 0 && hasProgram("apt-get") && Deno.uid() === 0) {
    const install = () =>
      run(
        [
          "apt-get",
          "install",
          "-y",
          "--no-install-recommends",
          ...missing().map(([, name]) => name),
        ],
        { DEBIAN_FRONTEND: "noninteractive" },
      );
    // Lists of packages may be old, or not there at all.
    if (!await install() && await run(["apt-get", "update"])) await install();
  }
  return missing().map(([program, name]) =>
    `${program} is not here: tests that run it are left out; on Debian: apt-get install ${name}`
  );
}

/** Whether it ended well; its output goes to standard error, where people look. */
async function run(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  try {
    const { success, stdout, stderr } = await new Deno.Command(program, {
      args,
      env,
      stdin: "null",
    }).output();
    if (!success) {
      await Deno.stderr.write(stdout);
      await Deno.stderr.write(stderr);
    }
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
