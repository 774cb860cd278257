/** How options are read, held against getopt_long(3) itself: getopt(1) of util-linux is fed what the table says. */

import { assert, assertEquals } from "@std/assert";
import { hasOption } from "../../../src/programs/_options.ts";
import { placeArguments } from "../../../src/programs/arguments.ts";
import { effectsOf } from "../../../src/programs/effects.ts";
import { assessCommand } from "../../../src/programs/risk.ts";
import { builtInKnowledge, type ProgramSpec } from "../../../src/programs/table.ts";
import { Random } from "../../random.ts";

/** Programs whose parser is getopt_long, and which take options behind operands. */
const PROGRAMS = (
  "sort cp mv install ln grep sed gzip xz split csplit mktemp curl wget rsync shuf touch truncate mkdir " +
  "du stat file ls head tail cut wc xargs nl tee shred split"
).split(" ");

const VALUES = ["v", "a.txt", ".exe", "x=y", "touch x", "-", "5"];

/** Options as words, in all the spellings that getopt_long takes, and operands between them. */
function words(spec: ProgramSpec, random: Random): readonly string[] {
  const options = [...spec.options.bySpelling];
  const found: string[] = [];
  for (let count = 1 + random.below(5); count > 0; count--) {
    if (random.once(4)) {
      found.push(random.pick(VALUES));
      continue;
    }
    const [option, { is, optional }] = random.pick(options);
    const value = random.pick(VALUES);
    const takes = is !== "flag";
    if (option.startsWith("--")) {
      const length = random.once(2) ? option.length : 3 + random.below(option.length - 2);
      const name = option.slice(0, length);
      if (!takes) found.push(name);
      else if (optional === true) found.push(random.once(2) ? name : `${name}=${value}`);
      else if (random.once(2)) found.push(`${name}=${value}`);
      else found.push(name, value);
      continue;
    }
    const flags = options.filter(([one, spec]) => one.length === 2 && spec.is === "flag")
      .map(([one]) => one[1]!);
    const before = flags.length > 0 && random.once(2) ? random.pick(flags) : "";
    const cluster = `-${before}${option.slice(1)}`;
    if (!takes || (optional === true && random.once(2))) found.push(cluster);
    else if (optional === true || random.once(2)) found.push(`${cluster}${value}`);
    else found.push(cluster, value);
  }
  if (random.once(6)) found.splice(random.below(found.length + 1), 0, "--");
  return found;
}

/** What getopt(1) is told of the options. */
function told({ options }: ProgramSpec): { readonly short: string; readonly long: string } {
  const colons = (is: string, optional?: true) =>
    is === "flag" ? "" : optional === true ? "::" : ":";
  const entries = [...options.bySpelling];
  return {
    short: entries.filter(([option]) => option.length === 2)
      .map(([option, { is, optional }]) => `${option[1]}${colons(is, optional)}`).join(""),
    long: entries.filter(([option]) => option.startsWith("--"))
      .map(([option, { is, optional }]) => `${option.slice(2)}${colons(is, optional)}`).join(","),
  };
}

interface Reading {
  /** Values of options, in order. */
  readonly values: readonly string[];
  readonly operands: readonly string[];
  readonly options: readonly string[];
}

/** Reads what getopt(1) answers without quoting: one line an argument would be ambiguous, so words are told apart by NUL. */
function readAnswer(spec: ProgramSpec, answer: string): Reading | null {
  const all = answer.split("\0");
  if (all.pop() !== "" || all[0] === "failed") return null;
  const values: string[] = [];
  const options: string[] = [];
  let at = 0;
  for (; all[at] !== "--"; at++) {
    const option = all[at]!;
    options.push(option);
    const known = spec.options.bySpelling.get(option);
    assert(known !== undefined, `${option} in ${JSON.stringify(answer)}`);
    if (known.is === "flag") continue;
    const value = all[++at]!;
    if (known.optional !== true || value !== "") values.push(value);
  }
  return { values, operands: all.slice(at + 1), options };
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

Deno.test("grammar: options and operands are those that getopt_long finds", async () => {
  const random = new Random(20_251_122);
  const cases = PROGRAMS.flatMap((name) => {
    const spec = builtInKnowledge(name);
    assert(spec !== null, name);
    if (spec.options.bySpelling.size === 0) return [];
    return Array.from({ length: 30 }, () => ({ name, spec, argv: [name, ...words(spec, random)] }));
  });
  const script = cases.map(({ spec, argv }) => {
    const { short, long } = told(spec);
    const line = ["getopt", "-o", short, "-l", long, "--", ...argv.slice(1)].map(quoted).join(" ");
    // `eval` undoes the quoting of getopt(1) itself.
    return `if out=$(${line} 2>/dev/null); then eval "printf '%s\\0' $out"; else printf 'failed\\0'; fi; printf '\\n'`;
  }).join("\n");
  const child = new Deno.Command("sh", {
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const written = writer.write(new TextEncoder().encode(script)).then(() => writer.close());
  const { stdout } = await child.output();
  await written;
  const answers = new TextDecoder().decode(stdout).split("\n");
  let compared = 0;
  cases.forEach(({ spec, argv }, at) => {
    const real = readAnswer(spec, answers[at] ?? "");
    if (real === null) return;
    compared++;
    const read = placeArguments(spec, argv);
    const said = argv.join(" ");
    assertEquals(read.values.map(({ text }) => text), real.values, said);
    assertEquals(read.operands.map(({ text }) => text), real.operands, said);
    for (const option of real.options) assert(hasOption(argv, option), `${option} in ${said}`);
  });
  assert(compared > cases.length / 2, `${compared} of ${cases.length} were read by both`);
});

/** Each way of writing an option with its value. */
function spellings(option: string, value: string, flags: string): readonly (readonly string[])[] {
  if (option.startsWith("--")) return [[option, value], [`${option}=${value}`]];
  return [[option, value], [`${option}${value}`], [`-${flags}${option.slice(1)}`, value], [
    `-${flags}${option.slice(1)}${value}`,
  ]];
}

const COMMANDS: readonly (readonly [
  program: string,
  options: string,
  flags: string,
  operands: readonly string[],
])[] = [
  ["tar", "-I --use-compress-program --use-comp -F --info-script --to-command --to-c", "cv", [
    "-f",
    "a.tar",
    "b",
  ]],
  ["split", "--filter --filt", "", ["a"]],
  ["sort", "--compress-program --compress-p", "", ["a"]],
  ["zip", "-TT --unzip-command --unzip-c", "qr", ["a.zip", "b"]],
  ["rsync", "-e --rsh --rsync-path", "av", ["a", "b"]],
  ["rg", "--pre --hostname-bin", "", ["x"]],
  ["man", "-P --pager", "", ["x"]],
  ["git ls-remote", "-u --upload-pack --upl --exec", "q", ["x"]],
  ["git clone", "-u --upload-pack", "q", ["x"]],
  ["git rebase", "-x --exec", "q", ["x"]],
  ["git difftool", "-x --extcmd", "y", []],
  ["git filter-branch", "--tree-filter --msg-filter", "", []],
];

for (const [program, options, flags, operands] of COMMANDS) {
  Deno.test(`grammar: what ${program} would start is told, however the option is written`, () => {
    for (const option of options.split(" ")) {
      for (const written of spellings(option, "touch x", flags)) {
        for (const words of [[...written, ...operands], [...operands, ...written]]) {
          const argv = [...program.split(" "), ...words];
          const { risk, inner } = assessCommand({ argv }, null);
          assertEquals(risk, "dangerous", argv.join(" "));
          assertEquals(inner, [["touch", "x"]], argv.join(" "));
          const { starts } = effectsOf({ argv });
          if (starts !== "any") assert(starts.includes("touch"), argv.join(" "));
        }
      }
    }
  });
}

const SUFFIXES: readonly (readonly [
  program: string,
  options: string,
  flags: string,
  operands: readonly string[],
  written: readonly string[],
])[] = [
  ["gzip", "-S --suffix --suf", "k9", ["a", "b"], ["a.exe", "b.exe"]],
  ["xz", "-S --suffix", "k", ["a"], ["a.exe"]],
  ["cp", "-S --suffix --suf", "bf", ["a", "b"], ["b.exe", "b/a.exe"]],
  ["mv", "-S --suffix", "b", ["a", "b"], ["b.exe", "b/a.exe"]],
  ["ln", "-S --suffix", "f", ["a", "b"], ["b.exe", "b/a.exe"]],
  ["install", "-S --suffix", "b", ["a", "b"], ["b.exe", "b/a.exe"]],
  ["split", "--additional-suffix --add", "", ["a", "p"], ["p.exe"]],
  ["mktemp", "--suffix --suf", "", ["aXXX"], ["aXXX.exe"]],
  ["patch", "-z --suffix", "b", ["a", "p"], ["a.exe"]],
];

for (const [program, options, flags, operands, expected] of SUFFIXES) {
  Deno.test(`grammar: the ending that ${program} is given counts, however it is written`, () => {
    for (const option of options.split(" ")) {
      for (const written of spellings(option, ".exe", flags)) {
        for (const words of [[...written, ...operands], [...operands, ...written]]) {
          const argv = [program, ...words];
          const { writes } = effectsOf({ argv });
          const paths = writes.filter(({ implied }) => implied !== true).map(({ path }) => path);
          for (const path of expected) assert(paths.includes(path), `${argv.join(" ")}: ${paths}`);
        }
      }
    }
  });
}
