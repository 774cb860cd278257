/** A tree of source-like files to search, the same from every run: 20,000 of them, 150 MB. */

import { join } from "@std/path";
import { Random } from "../random.ts";

/** What stands in few files alone. */
export const RARE_LITERAL = "quetzalcoatl_checksum";

/** How many files hold {@linkcode RARE_LITERAL}, once each. */
export const RARE_FILES = 12;

export interface CorpusSize {
  readonly files: number;
  readonly bytes: number;
}

/** The size that the figures are promised for. */
export const FULL_SIZE: CorpusSize = { files: 20_000, bytes: 150_000_000 };

/** Spread of the sizes' logarithms: as in source trees, half of the bytes lie in a tenth of the files. */
const SIGMA = 1.35;
const LARGEST = 1_000_000;
const FILES_IN_DIRECTORY = 18;
const POOL_LINES = 40_000;

const WORDS =
  ("account address array async await batch buffer byte cache call check client close " +
    "column config context count create cursor data date decode default delete detail device disk " +
    "encode entry error event fetch field file filter flag format frame group handle hash header " +
    "index input insert item join key label layer length level limit line link list load lock log " +
    "map match member merge message method mode model module name node number object offset open " +
    "option order output owner page parse path pattern pool port prefix process query queue range " +
    "read record region remove request reset result retry root route row rule scan schema scope " +
    "search section select send server session shape signal size slot sort source stack start state " +
    "status step stop store stream string table target task text thread time token total trace tree " +
    "type update user value vector version view walk width window worker write zone").split(" ");
const FOREIGN = ["größe", "naïve", "日本語", "Übergang", "coöperate", "façade", "→", "“quoted”"];
const EXTENSIONS = ["ts", "ts", "ts", "js", "py", "py", "go", "rs", "c", "h", "md", "json", "txt"];
const IGNORED = ["*.log", "*.tmp", "/build/", "dist/", "!keep.log", "*.py[co]", ".cache", "out*/"];

/** Writes the tree into `root`, which is there and empty. */
export function writeCorpus(root: string, size: CorpusSize = FULL_SIZE): void {
  const random = new Random(20_260);
  const plain = linesOf(random, false);
  const foreign = linesOf(random, true);
  const encoder = new TextEncoder();
  const rareEvery = Math.floor(size.files / RARE_FILES);
  const median = size.bytes / size.files / Math.exp(SIGMA * SIGMA / 2);
  Deno.mkdirSync(join(root, ".git"));
  Deno.writeTextFileSync(join(root, ".gitignore"), IGNORED.join("\n") + "\n");
  let directory = root;
  for (let index = 0; index < size.files; index++) {
    if (index % FILES_IN_DIRECTORY === 0) {
      directory = join(root, ...directoryOf(random));
      Deno.mkdirSync(directory, { recursive: true });
      if (random.once(40)) Deno.writeTextFileSync(join(directory, ".gitignore"), "*.orig\n/tmp\n");
    }
    const wanted = Math.min(LARGEST, median * Math.exp(SIGMA * normal(random)));
    let text = textOf(random, random.once(30) ? foreign : plain, wanted);
    if (index % rareEvery === 0 && index / rareEvery < RARE_FILES) {
      const at = text.indexOf("\n", text.length / 2) + 1;
      text = `${text.slice(0, at)}const ${RARE_LITERAL} = ${index};\n${text.slice(at)}`;
    }
    const bytes = encoder.encode(random.once(50) ? text.replaceAll("\n", "\r\n") : text);
    // One in a hundred is binary, as pictures in a source tree are.
    if (random.once(100)) bytes.fill(0, 8, 16);
    const name = `${random.pick(WORDS)}_${random.pick(WORDS)}_${index}.${random.pick(EXTENSIONS)}`;
    Deno.writeFileSync(join(directory, name), bytes);
  }
}

function directoryOf(random: Random): string[] {
  const depth = 1 + random.below(5);
  return Array.from(
    { length: depth },
    (_, at) => at === 0 ? random.pick(["src", "lib", "test", "docs", "pkg"]) : random.pick(WORDS),
  );
}

/** Of mean 0 and deviation 1: the sum of twelve even ones, near enough. */
function normal(random: Random): number {
  let sum = -6;
  for (let count = 0; count < 12; count++) sum += random.below(1 << 20) / (1 << 20);
  return sum;
}

function textOf(random: Random, lines: readonly string[], length: number): string {
  const parts: string[] = [];
  let have = 0;
  while (have < length) {
    const from = random.below(lines.length - 12);
    for (const line of lines.slice(from, from + 1 + random.below(12))) {
      parts.push(line);
      have += line.length + 1;
    }
  }
  return parts.join("\n") + "\n";
}

function linesOf(random: Random, foreign: boolean): readonly string[] {
  const word = () => foreign && random.once(6) ? random.pick(FOREIGN) : random.pick(WORDS);
  const camel = () => word() + capital(word()) + (random.once(3) ? capital(word()) : "");
  const snake = () => `${word()}_${word()}`;
  const prose = () => Array.from({ length: 4 + random.below(9) }, word).join(" ");
  const pad = () => "  ".repeat(random.below(5));
  const shapes: readonly (() => string)[] = [
    () => `import { ${camel()}, ${camel()} } from "./${word()}/${snake()}.ts";`,
    () => `${pad()}const ${camel()} = ${camel()}(${word()}, ${random.below(5000)});`,
    () => `${pad()}if (${camel()}.${word()} !== null && ${word()} > ${random.below(99)}) {`,
    () => `${pad()}return ${camel()}.${camel()}(${word()}.${word()});`,
    () => `${pad()}}`,
    () => "",
    () => `export function ${camel()}(${word()}: ${capital(word())}): ${capital(word())} {`,
    () => `class ${capital(camel())}${random.once(6) ? "Error" : ""} extends ${capital(word())} {`,
    () => `def ${snake()}(self, ${word()}, ${word()}=None):`,
    () => `${pad()}self.${snake()} = ${snake()}[${random.below(40)}]`,
    () => `${pad()}# ${prose()}`,
    () => `${pad()}// ${random.once(20) ? "TODO: " : ""}${prose()}`,
    () => `${pad()}throw new ${capital(word())}Error("${prose()}");`,
    () => `${pad()}for (let ${word()} = 0; ${word()} < ${camel()}.length; ${word()}++) {`,
    () => `| ${word()} | ${random.below(100_000)} | ${prose()} |`,
  ];
  return Array.from({ length: POOL_LINES }, () => random.pick(shapes)());
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
