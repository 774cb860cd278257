/** Which commands can do nothing without other machines: what their words say, by program and subcommand. Pure. */

import { gitWords } from "../core/git/words.ts";
import { baseName } from "../core/path_text.ts";
import { names } from "./option_table.ts";

/** What a command reaches. */
export interface NetworkNeed {
  /** As it is told: `npm install`. */
  readonly what: string;
  /** How the same is done without: a sentence's end; null where there is no way. */
  readonly instead: string | null;
  /** It is a matter of the addresses that a repository's settings give its remotes. */
  readonly byRemote: boolean;
}

/** What a program's words mean for the network. */
interface Needing {
  /** Subcommands that reach others; null: whatever it is told. */
  readonly subcommands: readonly string[] | null;
  /** Options with which it stays where it is. */
  readonly offline: readonly string[];
  /** Whether it is for what it names alone: without a name that is no path it may find all it needs here. */
  readonly named: boolean;
  readonly instead: string | null;
}

const CACHED = names("--offline --prefer-offline");
const FROM_CACHE = "add --offline where its cache holds all of it";
const INSTALLED = "what is installed already can be used as it is";

const NPM: Needing = {
  subcommands: names(
    "install i in ins add ci clean-install ic install-clean update up upgrade view info show search outdated audit " +
      "publish login ping dlx",
  ),
  offline: CACHED,
  named: false,
  instead: FROM_CACHE,
};
/** Of those whose installing may find all that it needs in the project. */
const YARN: Needing = {
  ...NPM,
  subcommands: names("add up upgrade dlx outdated audit info publish"),
};
const PIP: Needing = {
  subcommands: names("install download wheel index search"),
  offline: ["--no-index"],
  named: true,
  instead: `${INSTALLED}, or --no-index --find-links FOLDER names where packages lie`,
};
const CARGO: Needing = {
  subcommands: names("install search publish login yank owner fetch update add"),
  offline: names("--offline --frozen --path"),
  named: false,
  instead: "add --offline where its cache holds all of it",
};
const PACKAGES: Needing = {
  subcommands: names(
    "install update upgrade full-upgrade dist-upgrade build-dep download makecache refresh",
  ),
  offline: names("--no-download --no-network -s --simulate --dry-run"),
  named: false,
  instead: INSTALLED,
};
const ANY: Needing = {
  subcommands: null,
  offline: ["-V", "--version"],
  named: true,
  instead: null,
};

const PROGRAMS: Readonly<Record<string, Needing>> = {
  ...forNames("npm pnpm", NPM),
  ...forNames("yarn bun", YARN),
  ...forNames("pip pip3", PIP),
  cargo: CARGO,
  go: {
    subcommands: ["get"],
    offline: [],
    named: true,
    instead: "what is in its cache is built as it is",
  },
  uv: { ...PIP, subcommands: ["add"], offline: ["--offline"], instead: FROM_CACHE },
  poetry: { ...PIP, subcommands: ["add"], offline: [], instead: INSTALLED },
  gem: {
    ...PACKAGES,
    subcommands: names("install update fetch push"),
    offline: names("--local -l"),
  },
  ...forNames("apt apt-get aptitude dnf yum brew snap", PACKAGES),
  apk: { ...PACKAGES, subcommands: names("add update upgrade fetch") },
  ...forNames("ssh sftp", ANY),
};

function forNames(programs: string, needing: Needing): Readonly<Record<string, Needing>> {
  return Object.fromEntries(names(programs).map((name) => [name, needing]));
}

/** Subcommands of git that speak to another repository, which may lie in a folder. */
const GIT_TRANSFERS: ReadonlySet<string> = new Set(names("push fetch pull clone ls-remote"));
/** Options whose value is a word of its own (pip(1), npm-install(1)): nothing that is installed. */
const VALUED: ReadonlySet<string> = new Set(names(
  "-r -c -e -t -d -f -i -w --requirement --constraint --editable --target --dest --find-links --index-url " +
    "--extra-index-url --prefix --root --cache-dir --python --platform --python-version --registry --workspace --tag",
));

/** What a command cannot do without; null where its words leave a way that stays on this machine. */
export function networkNeedOf(argv: readonly string[]): NetworkNeed | null {
  const name = baseName(argv[0] ?? "");
  // What the same call serves is reached; which registry a project's own settings name is not known.
  if (argv.some((word) => word === "--help" || word === "-h" || LOOPBACK.test(word))) return null;
  if (name === "git") return needOfGit(argv);
  if (/^python[0-9.]*$/.test(name) && argv[1] === "-m" && /^pip3?$/.test(argv[2] ?? "")) {
    return needOf(PIP, `${name} -m pip`, argv.slice(3));
  }
  if (name === "scp" || name === "rsync") {
    const there = argv.slice(1).some((word) => !word.startsWith("-") && isAddress(word));
    return there ? { what: name, instead: null, byRemote: false } : null;
  }
  if (name === "uv" && argv[1] === "pip") return needOf(PIP, "uv pip", argv.slice(2));
  const needing = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  return needing === undefined ? null : needOf(needing, name, argv.slice(1));
}

function needOf(
  { subcommands, offline, named, instead }: Needing,
  program: string,
  words: readonly string[],
): NetworkNeed | null {
  const isOffline = (word: string) =>
    offline.some((option) => word === option || word === `${option}=true`);
  if (words.some(isOffline)) return null;
  const at = subcommands === null ? -1 : words.findIndex((word) => !word.startsWith("-"));
  const subcommand = words[at] ?? "";
  if (subcommands !== null && !subcommands.includes(subcommand)) return null;
  const operands = operandsOf(words.slice(at + 1));
  if (operands.length === 0 ? named : operands.every(isHere)) return null;
  const what = subcommand === "" ? program : `${program} ${subcommand}`;
  return { what, instead, byRemote: false };
}

function operandsOf(words: readonly string[]): readonly string[] {
  return words.filter((word, at) => !word.startsWith("-") && !VALUED.has(words[at - 1] ?? ""));
}

/** A path, a package in a file, or one that goes (`x@none`, go-get). */
function isHere(word: string): boolean {
  return /^(?:\.{0,2}\/|\.{1,2}$|file:|link:|workspace:)/.test(word) ||
    /\.(?:tgz|tar\.gz|whl|deb|rpm|gem|zip)$/.test(word) && !isAddress(word) ||
    word.endsWith("@none");
}

function needOfGit(argv: readonly string[]): NetworkNeed | null {
  const words = gitWords(argv);
  if (words === null || !GIT_TRANSFERS.has(words.subcommand)) return null;
  const { subcommand, rest, folders } = words;
  const what = `git ${subcommand}`;
  const operands = rest.filter((word) => !word.startsWith("-"));
  if (operands.some((word) => /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(word))) return null;
  // Behind the repository come refs, `a:b` among them.
  const named = subcommand === "clone" ? operands : operands.slice(0, 1);
  if (named.some(isAddress)) return { what, instead: null, byRemote: false };
  // Where its settings lie is not known of every way to say it.
  if (subcommand === "clone" || folders.length > 0) return null;
  return { what, instead: null, byRemote: true };
}

/** The own machine as words name it: by itself, in an address, or in an option's value. */
const LOOPBACK = /(?:^|[/@=])(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[:/]|$)/i;

/** A repository, or a file, of another machine (git(1), "GIT URLS"; scp(1)): not `ext::x`, nor `./a:b`. */
export function isAddress(word: string): boolean {
  if (LOOPBACK.test(word)) return false;
  return /^(?:https?|ssh|git|git\+ssh|ftps?|rsync|sftp|scp):\/\//i.test(word) ||
    /^[^/:\s]+:(?!:)/.test(word) && !/^(?:file|link|workspace|npm):/i.test(word);
}
