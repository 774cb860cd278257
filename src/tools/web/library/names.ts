/** What libraries are called in each ecosystem. */

import { type Ecosystem, ECOSYSTEMS } from "./library.ts";

/** As npm takes names: a scope, a name, and here a module of the package behind it. */
export const NPM_NAME =
  /^((?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-zA-Z0-9-~][a-zA-Z0-9-._~]*)((?:\/[\w.@+-]+)*)$/;

/** PEP 508 */
const PYPI_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?$/;

function isPypiName(name: string): boolean {
  return PYPI_NAME.test(name);
}

/** An import path: a host with a dot, and folders. */
const GO_PATH = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:\/[\w.~-]+)+$/i;

function isGoPath(name: string): boolean {
  return GO_PATH.test(name) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(name);
}

function isNpmName(name: string): boolean {
  return NPM_NAME.test(name) && !/(?:^|\/)\.\.?(?:\/|$)/.test(name);
}

function isCrateName(name: string): boolean {
  return /^[A-Za-z][\w-]{0,63}$/.test(name);
}

const FITS: Readonly<Record<Ecosystem, (name: string) => boolean>> = {
  npm: isNpmName,
  pypi: isPypiName,
  crates: isCrateName,
  go: isGoPath,
};

/** Ecosystems that have libraries of such names. */
export function ecosystemsOf(name: string): readonly Ecosystem[] {
  return ECOSYSTEMS.filter((one) => FITS[one](name));
}
