/** How an interpreter comes by code that is in no file: the words before its file, read as it reads them. */

import { hasOption, optionIn, parted } from "./_options.ts";
import type { ProgramSpec } from "./table.ts";

/** What an interpreter's words say of the code that it runs. */
export interface CodeFinding {
  /** As in "-c runs code from its arguments"; null where it runs a file. */
  readonly code: string | null;
  /** Its own words, its name first: those behind its file are the file's. */
  readonly own: readonly string[];
}

const ADDRESS = /(?:^|=)(?:https?|data|blob|npm|jsr):/;
const DATA = /(?:^|=)data:/;
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
    if (found !== undefined && !exact) return upTo(`${found[0]} runs code from its arguments`);
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

/** make(1): a makefile that is no file, wherever it is named (`-f -`, `-sf-`, `--makefi=/dev/stdin`). */
export function streamsIn(spec: ProgramSpec, argv: readonly string[]): string | null {
  for (const word of argv.slice(1)) {
    if (STREAM.test(word)) return word;
    const read = optionIn(spec.options, word, spec.grammar);
    if (read?.spec.is === "input" && read.value !== null && STREAM.test(read.value)) return word;
  }
  return null;
}
