/** All languages that code is analysed in, and which a file is in: by the ending of its name, or by its first line. */

import { baseName } from "../../../core/path_text.ts";
import type { Language } from "./language.ts";
import { OTHERS } from "./_others.ts";
import * as TABLE from "./table.ts";

/** All languages that are parsed, in the order of their names in the table: no two know an ending. */
export const LANGUAGES: readonly Language[] = Object.values(TABLE);

/** Grammars by name, as files of the npm packages that they come in. */
export const GRAMMARS: ReadonlyMap<string, string> = new Map(
  LANGUAGES.map(({ grammar, package: from = `tree-sitter-${grammar}` }) => [
    grammar,
    `${from}/tree-sitter-${grammar}.wasm`,
  ]),
);

/** The languages as a sentence names them: "C, Go and Java". What several are written alike is said once. */
export const LANGUAGE_NAMES: string = sentence(
  [...Map.groupBy(LANGUAGES, ({ grammar }) => grammar).values()].flatMap(([first]) =>
    first === undefined ? [] : [first.name]
  ),
);

/** What a file is written in: a language, or the name alone of one that is not analysed. */
export type FileLanguage = { readonly language: Language } | { readonly name: string };

const BY_ENDING = new Map<string, FileLanguage>([
  ...Object.entries(OTHERS).flatMap(([name, endings]) =>
    endings.map((ending) => [ending, { name }] as const)
  ),
  ...LANGUAGES.flatMap((language) =>
    language.endings.map((ending) => [ending, { language }] as const)
  ),
]);

const BY_INTERPRETER = new Map<string, FileLanguage>(
  LANGUAGES.flatMap((language) =>
    (language.interpreters ?? []).map((name) => [name, { language }] as const)
  ),
);

/** By the path's ending; null where that says nothing. */
export function languageOf(path: string): FileLanguage | null {
  const name = baseName(path).toLowerCase();
  const dot = name.lastIndexOf(".");
  return dot < 0 ? BY_ENDING.get(name) ?? null : BY_ENDING.get(name.slice(dot)) ?? null;
}

/** By the program that a first line `#!…` names, `env` and its options passed over; null where there is no such line. */
export function languageOfFirstLine(text: string): FileLanguage | null {
  if (!text.startsWith("#!")) return null;
  const end = text.indexOf("\n");
  const words = text.slice(2, end < 0 ? 256 : Math.min(end, 256)).trim().split(/\s+/);
  const program = words.find((word) =>
    !/(^|\/)env$/.test(word) && !word.startsWith("-") && !word.includes("=")
  );
  const name = baseName(program ?? "").replace(/[\d.]+$/, "");
  return BY_INTERPRETER.get(name) ?? null;
}

/** The language of that ending, grammar or name, in any case; null where none has it. */
export function languageNamed(name: string): Language | null {
  const wanted = name.toLowerCase();
  const known = BY_ENDING.get(`.${wanted}`);
  if (known !== undefined && "language" in known) return known.language;
  return LANGUAGES.find(({ grammar }) => grammar === wanted) ??
    LANGUAGES.find((language) => language.name.toLowerCase() === wanted) ?? null;
}

function sentence(names: readonly string[]): string {
  const [last = "", ...others] = [...new Set(names)].sort().reverse();
  return others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`;
}
