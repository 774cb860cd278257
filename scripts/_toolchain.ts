/** What tests run or read that is not Deno's: packages of Node in `dist/toolchain`, Python's programs from Debian. */

import { join } from "@std/path";
import { runSeen } from "./_debian.ts";

/** Exact, so that what they print is what the tests expect. */
export const NODE_PACKAGES = {
  // It carries the JSON Schemas of each revision of MCP, which no package publishes on their own.
  "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
  "@modelcontextprotocol/inspector": "2.12.0",
  eslint: "9.39.5",
  prettier: "3.10.1",
  typescript: "5.9.3",
} as const;

/** Programs that an honest day's work starts: apart from those above, which tests give to projects whole. */
export const PROGRAM_PACKAGES = {
  chokidar: "4.0.3",
  jest: "30.2.0",
  mocha: "11.7.4",
  tsx: "4.20.6",
  vite: "7.1.12",
  vitest: "3.2.4",
} as const;

/** Debian packages, by the program that they bring. */
export const PYTHON_PROGRAMS = {
  pytest: "python3-pytest",
  flake8: "flake8",
  mypy: "mypy",
  black: "black",
} as const;

/** The folder that has `node_modules` with {@linkcode NODE_PACKAGES}. */
export function packagesFolder(root: string): string {
  return join(root, "dist", "toolchain");
}

/** The one with {@linkcode PROGRAM_PACKAGES}. */
export function programsFolder(root: string): string {
  return join(root, "dist", "programs");
}

export function hasPackage(root: string, name: keyof typeof NODE_PACKAGES): boolean {
  return isInstalled(packagesFolder(root), name, NODE_PACKAGES[name]);
}

export function hasProgramPackage(root: string, name: keyof typeof PROGRAM_PACKAGES): boolean {
  return isInstalled(programsFolder(root), name, PROGRAM_PACKAGES[name]);
}

function isInstalled(folder: string, name: string, wanted: string): boolean {
  try {
    const file = join(folder, "node_modules", name, "package.json");
    const { version } = JSON.parse(Deno.readTextFileSync(file)) as { readonly version?: unknown };
    return version === wanted;
  } catch {
    return false;
  }
}

/** Gets the packages that are missing. Answers one sentence for each that cannot be had. */
export async function installPackages(root: string): Promise<readonly string[]> {
  return [
    ...await installInto(packagesFolder(root), NODE_PACKAGES),
    ...await installInto(programsFolder(root), PROGRAM_PACKAGES),
  ];
}

async function installInto(
  folder: string,
  packages: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const missing = () =>
    Object.entries(packages).filter(([name, version]) => !isInstalled(folder, name, version));
  if (missing().length === 0) return [];
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(join(folder, "package.json"), '{ "private": true }\n');
  await runSeen([
    ...["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"],
    ...["--prefix", folder],
    ...Object.entries(packages).map(([name, version]) => `${name}@${version}`),
  ]);
  return missing().map(([name, version]) =>
    `${name} ${version} cannot be had from npm: tests that run it are left out`
  );
}
