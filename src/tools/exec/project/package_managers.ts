/** The package managers that are known, and which names of packages each is given. */

import type { Facts } from "./facts.ts";
import { packageManager } from "./test_frameworks.ts";
import { invalid } from "../../../toolkit/words.ts";

/** Package managers that are known. */
export const MANAGERS = ["pip", "uv", "npm", "pnpm", "yarn", "bun", "deno", "cargo", "go"] as const;
/** A package manager that is known. */
export type Manager = (typeof MANAGERS)[number];

/** What is to be installed; the project's own packages where none are named. */
export interface Packages {
  readonly packages: readonly string[];
  readonly dev: boolean;
  /** Whether code of the packages may run while they are installed. */
  readonly run_scripts: boolean;
}

/** PEP 508: a name, extras, versions; no address (`@ https://…`), no marker. */
const PYTHON_NAME =
  /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9._,-]+\])?(?:(?:===?|~=|!=|<=?|>=?)[A-Za-z0-9.*+!_-]+(?:,(?:===?|~=|!=|<=?|>=?)[A-Za-z0-9.*+!_-]+)*)?$/;
/** validate-npm-package-name, and a version, range or tag; no `npm:`, no address, no folder. */
const NODE_NAME =
  /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*(?:@[\^~<>=]*[A-Za-z0-9][A-Za-z0-9.+-]*)?$/i;
/** Crates: RFC 940, and a version requirement. */
const CRATE_NAME = /^[A-Za-z][A-Za-z0-9_-]*(?:@[\^~=<>]*[0-9][A-Za-z0-9.+-]*)?$/;
/** Modules: go.dev/ref/mod, an address without scheme, and a version query. */
const GO_NAME =
  /^[A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z]+(?:\/[A-Za-z0-9._~-]+)*(?:@[A-Za-z0-9.+-]+)?$/;
/** deno add: registry first. */
const DENO_NAME =
  /^(?:npm|jsr):(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*(?:@[\^~<>=]*[A-Za-z0-9][A-Za-z0-9.+-]*)?$/i;

const NAMES: Readonly<Record<Manager, { readonly form: RegExp; readonly example: string }>> = {
  pip: { form: PYTHON_NAME, example: "requests==2.32.3" },
  uv: { form: PYTHON_NAME, example: "requests==2.32.3" },
  npm: { form: NODE_NAME, example: "left-pad@1.3.0" },
  pnpm: { form: NODE_NAME, example: "left-pad@1.3.0" },
  yarn: { form: NODE_NAME, example: "left-pad@1.3.0" },
  bun: { form: NODE_NAME, example: "left-pad@1.3.0" },
  deno: { form: DENO_NAME, example: "npm:left-pad@1.3.0" },
  cargo: { form: CRATE_NAME, example: "serde@1.0.219" },
  go: { form: GO_NAME, example: "golang.org/x/text@v0.14.0" },
};

/** Throws INVALID_ARGUMENTS for what is no name of a package: an option, an address, a file. */
export function checkPackages(manager: Manager, packages: readonly string[]): void {
  const { form, example } = NAMES[manager];
  packages.forEach((name, index) => {
    // Segments of dots alone climb out of a folder.
    if (form.test(name) && !/(?:^|\/)\.+(?:\/|$)/.test(name)) return;
    throw invalid(
      `packages[${index}]`,
      `must be the name of a package for ${manager}, with a version or without, such as ${example}; ` +
        "options, addresses and files are not taken",
    );
  });
}

/** By the project's lock file or manifest; null where there is none. */
export function managerOf(facts: Facts): Manager | null {
  if (facts.has("uv.lock")) return "uv";
  if (facts.has("deno.json", "deno.jsonc") && !facts.has("package.json")) return "deno";
  if (facts.has("package.json")) return packageManager(facts);
  if (facts.has("Cargo.toml")) return "cargo";
  if (facts.has("go.mod")) return "go";
  return facts.isPython || facts.text(".venv/pyvenv.cfg") !== "" ? "pip" : null;
}

/** Commands, best first. */
export function installCommands(
  manager: Manager,
  facts: Facts,
  { packages, dev, run_scripts }: Packages,
): readonly (readonly string[])[] {
  const flag = (on: boolean, ...words: readonly string[]) => on ? words : [];
  switch (manager) {
    case "pip":
      // Only wheels: to build anything else runs its code.
      return facts.pythons.map((python) => [
        ...[python, "-m", "pip", "install", "--no-input", "--disable-pip-version-check"],
        ...flag(!run_scripts, "--only-binary=:all:"),
        ...packages,
      ]);
    case "uv":
      return [[
        "uv",
        "add",
        ...flag(dev, "--dev"),
        ...flag(!run_scripts, "--no-build"),
        ...packages,
      ]];
    case "npm":
      return [[
        ...["npm", "install", "--no-audit", "--no-fund"],
        ...flag(!run_scripts, "--ignore-scripts"),
        ...flag(dev, "--save-dev"),
        ...packages,
      ]];
    case "pnpm":
    case "yarn":
    case "bun":
      return [[
        ...[manager, "add"],
        ...flag(!run_scripts, "--ignore-scripts"),
        ...flag(dev, manager === "pnpm" ? "--save-dev" : "--dev"),
        ...packages,
      ]];
    case "deno":
      // Scripts of packages run only where --allow-scripts names them.
      return [["deno", "add", ...flag(dev, "--dev"), ...packages]];
    case "cargo":
      return [["cargo", "add", ...flag(dev, "--dev"), ...packages]];
    case "go":
      return [["go", "get", ...packages]];
  }
}
