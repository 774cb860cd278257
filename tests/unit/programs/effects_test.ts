/** What a command would do, as the launcher asks: files, hosts, further programs. */

import { assertEquals } from "@std/assert";
import { type Effects, effectsOf } from "../../../src/programs/effects.ts";
import { splitCommand } from "../../../src/policy/match/argv.ts";

/** `r a`, `w a`, `d a`; capitals for trees, `(…)` for what no word names; then `> a b` for what it starts, `!` for anything. */
function short({ reads, writes, deletes, connects, starts, touchesAnything }: Effects): string {
  const files = (
    [["r", reads], ["w", writes], ["d", deletes]] as const
  ).flatMap(([letter, all]) =>
    all.map(({ path, tree, implied }) => {
      const text = `${tree ? letter.toUpperCase() : letter} ${path}`;
      return implied === true ? `(${text})` : text;
    })
  );
  return [
    ...files,
    ...connects.map(({ host, port }) => `c ${host}:${port}`),
    ...(starts === "none" ? [] : [`> ${starts === "any" ? "any" : starts.join(" ")}`]),
    ...(touchesAnything ? ["!"] : []),
  ].join(", ");
}

const CASES: readonly (readonly [command: string, expected: string])[] = [
  ["cat a b", "r a, r b"],
  ["sort -o out a", "r a, w out"],
  ["curl -o out https://a.example/x", "w out, c a.example:443"],
  ["timeout 5 cat a", "r a, > cat"],
  ["timeout 5 make all", "> any, !"],
  ["find a -exec grep x {} +", "r a, r a, > grep"],
  ["xargs grep -l x", "(R .), > grep echo"],
  ["tar xzf a.tgz -C d", "r a.tgz, W d, > sh gzip bzip2 xz lzip lzma lzop zstd compress"],
  ["python3 x.py", "> any, !"],
  ["unknown-program a", "> any, !"],
  ["sh -c ls", "> any, !"],
];

for (const [command, expected] of CASES) {
  Deno.test(`effects: ${command}`, () => {
    assertEquals(short(effectsOf({ argv: splitCommand(command) })), expected);
  });
}
