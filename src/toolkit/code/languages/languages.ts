/** All languages that code is analysed in, and which a file is in: by the ending of its name, or by its first line. */

import { baseName } from "../../../core/path_text.ts";
import { C } from "./c.ts";
import { CPP, HEADER } from "./cpp.ts";
import { GO } from "./go.ts";
import { JAVA } from "./java.ts";
import { JAVASCRIPT } from "./javascript.ts";
import type { Language } from "./language.ts";
import { PYTHON } from "./python.ts";
import { RUST } from "./rust.ts";
import { SHELL } from "./shell.ts";
import { TSX, TYPESCRIPT } from "./typescript.ts";
import { OTHERS } from "./_others.ts";

/** All languages that are parsed; of two that know an ending the first. */
export const LANGUAGES: readonly Language[] = [
  TYPESCRIPT,
  TSX,
  JAVASCRIPT,
  PYTHON,
  GO,
  RUST,
  JAVA,
  C,
  CPP,
  HEADER,
  SHELL,
];

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

/** The language of that name or ending, in any case; null where none has it. */
export function languageNamed(name: string): Language | null {
  const wanted = name.toLowerCase();
  return LANGUAGES.find((language) =>
    language.name.toLowerCase() === wanted || language.grammar === wanted ||
    language.endings.includes(`.${wanted}`)
  ) ?? null;
}
