/**
 * How often the validators agree with the judges of their languages, on more mutants than the tests ask about;
 * then how long they take. `deno task bench` prints both.
 */

import { carriedFiles } from "../../src/engine/pool/carried_files.ts";
import { openCarried } from "../../src/host/carried/carried.ts";
import { createPythonValidator } from "../../src/syntax/python.ts";
import { checkTypeScript } from "../../src/syntax/typescript.ts";
import {
  type Agreement,
  agreeOnPython,
  agreeOnTypeScript,
  shareOf,
} from "../unit/syntax/_agreement.ts";
import { findCPython } from "../unit/syntax/_cpython.ts";
import { ownSources } from "../unit/syntax/_own_sources.ts";
import { SYNTAX } from "../unit/syntax/_syntax.ts";

const MUTANTS = 20_000;
const SEED = 2;

function report(language: string, judge: string, agreement: Agreement, target: number): void {
  const { judged, valid, alarms, misses } = agreement;
  const share = shareOf(agreement);
  console.log(
    `${language}: agrees with ${judge} on ${(100 * share).toFixed(3)} % of ${judged} mutants ` +
      `(${valid} valid; ${alarms.length} false alarms, ${misses.length} misses), ` +
      `target ≥ ${100 * target} %: ${share >= target ? "met" : "NOT MET"}`,
  );
}

const checkPython = createPythonValidator(
  (await openCarried(null, await carriedFiles())())("ruff"),
);
const cpython = await findCPython();
if (cpython === null) {
  console.log("Python: no CPython of version 3.9 or later here to compare with");
} else {
  const agreement = await agreeOnPython(checkPython, cpython, MUTANTS, SEED);
  report("Python", `CPython ${cpython.version}`, agreement, 0.995);
}
const own = ["src", "scripts", "tests"].flatMap(ownSources);
const agreement = agreeOnTypeScript(checkTypeScript, own, MUTANTS, SEED);
report("TypeScript", "the compiler's parser", agreement, 0.99);

/** A text of about 10 KB in each language. */
const TEXTS: Readonly<Record<string, string>> = {
  py: "def f(a, b=1, *c, **d):\n    return [a + b for e in c if e not in d]\n\n\n".repeat(140),
  ts: "export function f<T>(a: T, b = 1): T[] {\n  return [a].slice(b);\n}\n".repeat(150),
  tsx: "var a = <b c={d as string}>{e.map((f) => <g key={f} />)}</b>;\n".repeat(155),
  js: "function f(a, b = 1) {\n  return [a].slice(b);\n}\n".repeat(200),
  jsx: "var a = () => <b c={d}>{e.map((f) => <g key={f} />)}</b>;\n".repeat(165),
  json: `[${'{"a": [1, true, null], "b": "c"}, '.repeat(300)}null]`,
  yaml: "- a: [1, true]\n  b: c\n  d: |\n    text\n".repeat(250),
  toml: '[[a]]\nb = 1\nc = "d"\n'.repeat(450),
};

for (const [ending, text] of Object.entries(TEXTS)) {
  await SYNTAX.check(`a.${ending}`, text);
  Deno.bench(`syntax of ${Math.round(text.length / 1000)} KB of .${ending}`, async () => {
    await SYNTAX.check(`a.${ending}`, text);
  });
}
