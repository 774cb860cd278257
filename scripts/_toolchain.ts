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

/** Debian packages, by the program that they bring. */
export const PYTHON_PROGRAMS = {
  pytest: "python3-pytest",
  flake8: "flake8",
  mypy: "mypy",
  black: "black",
} as const;

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

/** Gets the packages that are missing. Answers one sentence for each that cannot be had. */
export async function installPackages(root: string): Promise<readonly string[]> {
  const names = Object.keys(NODE_PACKAGES) as (keyof typeof NODE_PACKAGES)[];
  if (names.every((name) => hasPackage(root, name))) return [];
  const folder = packagesFolder(root);
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(join(folder, "package.json"), '{ "private": true }\n');
  await runSeen([
    ...["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"],
    ...["--prefix", folder],
    ...names.map((name) => `${name}@${NODE_PACKAGES[name]}`),
  ]);
  return names.filter((name) => !hasPackage(root, name)).map((name) =>
    `${name} ${NODE_PACKAGES[name]} cannot be had from npm: tests that run it are left out`
  );
}
