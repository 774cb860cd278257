import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { carriedFiles } from "../../../../../src/engine/pool/carried_files.ts";
import { LIBRARIES } from "../../../../../src/host/carried/carried_layout.ts";
import type { Language } from "../../../../../src/toolkit/code/languages/language.ts";
import {
  GRAMMARS,
  LANGUAGE_NAMES,
  languageNamed,
  languageOf,
  languageOfFirstLine,
  LANGUAGES,
} from "../../../../../src/toolkit/code/languages/languages.ts";
import { TOOLS } from "../../../../../src/tools/registry.ts";

const ROOT = fromFileUrl(new URL("../../../../..", import.meta.url));
const FOLDER = join(ROOT, "src/toolkit/code/languages");
/** Modules of the folder that are no language. */
const SHARED = ["language.ts", "languages.ts", "table.ts"];

function nameOf(found: ReturnType<typeof languageOf>): string | null {
  return found === null ? null : "language" in found ? found.language.name : found.name;
}

Deno.test("every module of a language is a line of the table", () => {
  const modules = [...Deno.readDirSync(FOLDER)].map(({ name }) => name)
    .filter((name) => !name.startsWith("_") && !SHARED.includes(name));
  const table = Deno.readTextFileSync(join(FOLDER, "table.ts"));
  const lines = [...table.matchAll(/^export \{ [A-Z_, ]+ \} from "\.\/(.+)";$/gm)].map(([, name]) =>
    name
  );
  assertEquals(lines.toSorted(), modules.toSorted());
});

Deno.test("the packages of grammars are those of the table, locked to one version each", () => {
  const { imports } = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json"))) as {
    imports: Record<string, string>;
  };
  const { specifiers } = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.lock"))) as {
    specifiers: Record<string, string>;
  };
  const packages = new Set([...GRAMMARS.values()].map((file) => file.split("/")[0] as string));
  const named = Object.keys(imports).filter((name) => name.startsWith("tree-sitter-"));
  assertEquals(named.toSorted(), [...packages].sort());
  for (const name of packages) {
    const specifier = imports[name] ?? "";
    assertMatch(specifier, /^npm:[a-z-]+@\d+\.\d+\.\d+$/);
    assertEquals(specifiers[specifier], specifier.split("@")[1]);
  }
});

Deno.test("a build carries the grammar of every language, and the libraries", async () => {
  const carried = await carriedFiles();
  const wanted = [...LIBRARIES.keys(), ...LANGUAGES.map(({ grammar }) => grammar)];
  assertEquals([...carried.keys()].sort(), [...new Set(wanted)].sort());
  for (const file of carried.values()) {
    const bytes = Deno.readFileSync(new URL(import.meta.resolve(file)));
    assertEquals(new TextDecoder().decode(bytes.subarray(0, 4)), "\0asm", file);
  }
});

Deno.test("what is known of languages leads to one of them", () => {
  const known: readonly ((language: Language) => readonly string[])[] = [
    ({ endings }) => endings,
    ({ interpreters = [] }) => interpreters,
  ];
  for (const of of known) {
    const all = LANGUAGES.flatMap(of);
    assertEquals(all.length, new Set(all).size, "two languages want the same files");
  }
  for (const { name, grammar, endings, interpreters = [] } of LANGUAGES) {
    for (const ending of endings) {
      assertMatch(ending, /^\.[^A-Z.]+$/);
      assertEquals(nameOf(languageOf(`a/B${ending.toUpperCase()}`)), name);
      assertEquals(languageNamed(ending.slice(1))?.name, name);
    }
    for (const interpreter of interpreters) {
      for (const line of [`#!/bin/${interpreter}`, `#!/usr/bin/env -S ${interpreter} -x`]) {
        assertEquals(nameOf(languageOfFirstLine(line)), name);
      }
    }
    assertEquals(languageNamed(name.toUpperCase())?.name, name);
    assertEquals(languageNamed(grammar)?.grammar, grammar);
  }
  assertEquals(languageNamed("latin"), null);
});

Deno.test("languages with one grammar have it from one package", () => {
  for (const [grammar, languages] of Map.groupBy(LANGUAGES, (language) => language.grammar)) {
    assertEquals(new Set(languages.map((language) => language.package)).size, 1, grammar);
  }
});

Deno.test("the tools that take code say which languages they know", async () => {
  for (const name of new Set(LANGUAGES.map(({ name }) => name))) {
    // Headers are C or C++, which is said.
    if (name !== "C/C++ Header") assert(LANGUAGE_NAMES.split(/, | and /).includes(name), name);
  }
  for (
    const name of [
      "analyze_code_structure",
      "find_code_patterns",
      "find_similar_code",
      "measure_code_complexity",
    ]
  ) {
    const tool = await TOOLS.find((entry) => entry.name === name)?.load();
    assert(tool?.default.description.includes(LANGUAGE_NAMES), name);
  }
});
