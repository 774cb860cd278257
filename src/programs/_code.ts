/** How an interpreter comes by code that is in no file: the words before its file, read as it reads them. */

import { hasOption, optionIn, parted } from "./_options.ts";
import type { OptionSpec } from "./spec.ts";
import type { ProgramSpec } from "./table.ts";

/** What an interpreter's words say of the code that it runs. */
export interface CodeFinding {
  /** As in "-c runs code from its arguments"; null where it runs a file. */
  readonly code: string | null;
  /** Its own words, its name first: those behind its file are the file's. */
  readonly own: readonly string[];
}

/** Schemes are spelled in any case, and parsers of addresses pass over blanks and line ends (URL standard, 4.4). */
const ADDRESS = addressIn("https?|data|blob|npm|jsr");
const DATA = addressIn("data");

function addressIn(schemes: string): RegExp {
  const between = "[\\t\\n\\r]*";
  const spelled = schemes.split("|").map((scheme) =>
    [...scheme.matchAll(/[a-z]\??/g)].map(([letter]) =>
      letter.endsWith("?") ? `(?:${letter[0]}${between})?` : letter + between
    ).join("")
  );
  return new RegExp(`(?:^|=)[\\x00-\\x20]*(?:${spelled.join("|")}):`, "i");
}

/** Whether a word is, or holds behind `=`, code as an address. */
export function isCodeAddress(word: string): boolean {
  return DATA.test(word);
}

/** What is no file though it stands where one does. */
const STREAM = /^(?:-|\/dev\/(?:stdin|fd\/.*)|\/proc\/.*)$/;

/** Reads the words of a program that `runs` code. */
export function findCode(spec: ProgramSpec, argv: readonly string[]): CodeFinding {
  const remote = spec.runs?.remote === true;
  if (remote && argv.slice(1).some((word) => ADDRESS.test(word))) {
    return { code: "runs code from an address", own: argv };
  }
  let mayBeValue = false;
  let subcommand: { readonly onlyReads: boolean; readonly certain: boolean } | null = null;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]!;
    const upTo = (code: string | null): CodeFinding => ({ code, own: argv.slice(0, at + 1) });
    if (DATA.test(word)) return upTo("runs code from an address");
    if (STREAM.test(word)) {
      if (subcommand?.onlyReads === true) continue;
      return upTo(`${word} runs code that it reads`);
    }
    // Shells take `+x` and `+c` as they take `-x` and `-c`.
    if (!/^[-+]/.test(word)) {
      const named = spec.subcommands.get(word);
      if (named !== undefined && subcommand === null) {
        subcommand = { onlyReads: named.onlyReads === true, certain: !mayBeValue };
        mayBeValue = false;
        continue;
      }
      if (!mayBeValue) return upTo(null);
      mayBeValue = false;
      continue;
    }
    const dashed = word.replace("+", "-");
    const found = spec.options.risky.find(([option, { is, risk }]) =>
      (is === "code" || is === "library" || risk === "dangerous") &&
      hasOption(["", dashed], option, spec.grammar)
    );
    const read = optionIn(spec.options, dashed, spec.grammar);
    const exact = read?.spec.is === "text" || read?.spec.is === "module";
    if (found !== undefined && !exact) {
      const end = at + (read?.takesNext === true ? 2 : 1);
      return { code: `${found[0]} runs code from its arguments`, own: argv.slice(0, end) };
    }
    if (read?.spec.is === "module") {
      const module = read.value ?? argv[at + 1] ?? "";
      const runs = spec.modules.includes(module.split(".")[0] ?? "");
      return {
        code: runs ? `-m ${module} runs code from its arguments` : null,
        own: argv.slice(0, at + 2),
      };
    }
    if (word === "--version" || word === "--help") return upTo(null);
    if (read?.spec.is === "text") {
      // Its value is no file; one that may be an option, or code, is looked at all the same.
      const value = argv[at + 1] ?? "-";
      if (read.takesNext && !/^[-+]/.test(value) && !STREAM.test(value) && !DATA.test(value)) at++;
      mayBeValue = false;
      continue;
    }
    mayBeValue = !standsAlone(spec, word);
  }
  if (subcommand?.certain === true) return { code: null, own: argv };
  const finds = argv.some((word) => spec.finds.includes(word));
  const tells = argv.length === 2 && spec.tells.includes(argv[1] ?? "");
  return { code: finds || tells ? null : "without a file runs code from stdin", own: argv };
}

/** The module that an interpreter is to run (`-m pytest -q`) with its arguments; none where it runs another thing. */
export function moduleWords(spec: ProgramSpec, argv: readonly string[]): readonly string[] {
  if (spec.runs === undefined || ![...spec.options.bySpelling.values()].some(isModule)) return [];
  const { own } = findCode(spec, argv);
  const word = own[own.length - 2] ?? "";
  const last = own[own.length - 1] ?? "";
  const apart = optionIn(spec.options, word, spec.grammar);
  if (apart !== null && isModule(apart.spec) && apart.takesNext) {
    return [last, ...argv.slice(own.length)];
  }
  // `-mpytest`: the word behind it is the module's own already.
  return apart !== null && isModule(apart.spec) && apart.value !== null
    ? [apart.value, ...argv.slice(own.length - 1)]
    : [];
}

function isModule({ is }: OptionSpec): boolean {
  return is === "module";
}

/** Letters of a cluster that are looked at: nobody writes so many. */
const LONGEST = 200;

function standsAlone({ options, grammar }: ProgramSpec, word: string): boolean {
  if (word === "--" || word.includes("=")) return true;
  if (word.startsWith("--")) {
    return options.bySpelling.get(parted(word, grammar).name)?.is === "flag";
  }
  return [...word.slice(1, LONGEST)].every((letter) =>
    options.bySpelling.get(`-${letter}`)?.is === "flag"
  );
}

/**
 * What is no file where one to be run is named: `make -f -`, `-sf-`, `--makefi=/dev/stdin`, `cmake -P /dev/stdin`; and
 * options that a compiler reads (`@/dev/stdin`).
 */
export function streamsIn(spec: ProgramSpec, argv: readonly string[]): string | null {
  for (const [at, word] of argv.slice(1).entries()) {
    if (spec.assignments === true && STREAM.test(word)) return word;
    if (spec.responses === true && word.startsWith("@") && STREAM.test(word.slice(1))) return word;
    const read = optionIn(spec.options, word, spec.grammar);
    if (read?.spec.is !== "input") continue;
    const value = read.takesNext ? argv[at + 2] : read.value;
    if (value !== null && value !== undefined && STREAM.test(value)) return word;
  }
  return null;
}
