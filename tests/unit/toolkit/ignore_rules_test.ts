import { assert, assertEquals } from "@std/assert";
import ignore from "ignore";
import { compileIgnoreFile, type IgnoreView } from "../../../src/toolkit/_ignore_file.ts";
import { Random } from "../../random.ts";

const compile = (text: string) => compileIgnoreFile(new TextEncoder().encode(text));

/** Whether a path is passed over: by a verdict on itself, or on a directory that it lies in. */
function ignores(view: IgnoreView | null, path: string): boolean {
  const isDirectory = path.endsWith("/");
  const names = path.replace(/\/$/, "").split("/");
  let place = view;
  for (const [index, name] of names.entries()) {
    const last = index === names.length - 1;
    if (place?.verdict(name, !last || isDirectory) === "ignored") return true;
    place = place?.into(name) ?? null;
  }
  return false;
}

Deno.test("an ignore file names what gitignore(5) says", () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["a", ["a", "a/", "x/a", "a/b"], ["A", "ab"]],
    ["/a", ["a", "a/b"], ["x/a"]],
    ["a/", ["a/", "x/a/", "a/b"], ["a"]],
    ["a/b", ["a/b", "a/b/c"], ["x/a/b", "a"]],
    ["*.log", ["a.log", "x/.log"], ["a.logs"]],
    ["*", ["a", ".b", "x/y"], []],
    ["**", ["a", "x/y"], []],
    ["a*b", ["ab", "axb", "x/ab"], ["a/b", "abc"]],
    ["a?c", ["abc"], ["ac", "a/c"]],
    ["[a-c]x", ["ax", "q/cx"], ["dx", "-x"]],
    ["[!a]x", ["bx"], ["ax"]],
    ["*.py[co]", ["a.pyc", "a.pyo"], ["a.py"]],
    ["**/a", ["a", "x/y/a"], ["xa"]],
    ["a/**", ["a/b", "a/b/c"], ["a", "a/", "x/a/b"]],
    ["a/**/b", ["a/b", "a/x/y/b"], ["b", "x/a/b"]],
    ["/**/b", ["b", "x/b"], []],
    ["x/*/b", ["x/y/b"], ["x/b", "x/y/z/b"]],
    ["a\n!a", [], ["a"]],
    ["!a\na", ["a"], []],
    ["*.a\n!b.a", ["c.a"], ["b.a"]],
    ["a/\n!a/b", ["a/b"], []],
    ["a/*\n!a/b", ["a/c"], ["a/b"]],
    ["# a\n\\#b\n\\!c", ["#b", "!c"], ["a", "# a", "b"]],
    ["a \nb\\ \n c", ["a", "b ", " c"], ["a ", "b", "c"]],
    ["a\r\nb\r\n", ["a", "b"], ["a\r"]],
    ["\ufeffa", ["a"], []],
    ["\\*", ["*"], ["a"]],
    ["a\\", [], ["a", "a\\"]],
    ["a[", [], ["a", "a["]],
    ["/", [], ["a"]],
    ["!", [], ["a"]],
    ["", [], ["a"]],
    ["größe*", ["größe.txt"], ["grosse"]],
    ["é?", ["éx"], ["é"]],
  ];
  for (const [text, yes, no] of cases) {
    const view = compile(text);
    for (const path of yes) assert(ignores(view, path), `${JSON.stringify(text)} names ${path}`);
    for (const path of no) assert(!ignores(view, path), `${JSON.stringify(text)} names no ${path}`);
  }
  assertEquals(compile("# nothing\n\n"), null);
});

const PARTS = ["a", "b", "ab", "a.b", ".x", "a-b", "ba", "c"] as const;

function randomPath(random: Random): string {
  return Array.from({ length: 1 + random.below(4) }, () => random.pick(PARTS)).join("/");
}

function randomFile(random: Random): string {
  const part = () =>
    random.once(4)
      ? "**"
      : random.once(3)
      ? random.text(4, [..."ab.*?-", "[ab]", "[!a]"]) || "a"
      : random.pick(PARTS);
  const line = () => {
    const text = Array.from({ length: 1 + random.below(3) }, part).join("/");
    return (random.once(4) ? "!" : "") + (random.once(4) ? "/" : "") + text +
      (random.once(4) ? "/" : "");
  };
  return Array.from({ length: 1 + random.below(5) }, line).join("\n");
}

/** Where the package differs from Git, as tried: `**` beside other characters, and an empty name. */
const UNCERTAIN = /\*\*[^/\n]|[^/\n!]\*\*|\/\/|^!?\/?\*\*\/?$/m;

Deno.test("fuzz: an ignore file means what the package ignore takes it for", () => {
  const random = new Random(41);
  let named = 0;
  for (let round = 0; round < 3000; round++) {
    const text = randomFile(random);
    if (UNCERTAIN.test(text)) continue;
    const view = compile(text);
    const oracle = ignore({ ignorecase: false }).add(text);
    for (let probe = 0; probe < 8; probe++) {
      const path = randomPath(random) + (random.once(3) ? "/" : "");
      const expected = oracle.ignores(path);
      assertEquals(ignores(view, path), expected, `${JSON.stringify(text)} on ${path}`);
      if (expected) named++;
    }
  }
  assert(named > 3000, `${named}`);
});

/** What `git check-ignore` names, of files and directories that are there; null where there is no Git. */
function gitIgnores(root: string, paths: readonly string[]): ReadonlySet<string> | null {
  const run = (args: string[], input?: string) => {
    const file = `${root}/.git-input`;
    if (input !== undefined) Deno.writeTextFileSync(file, input);
    const { stdout, code } = new Deno.Command("sh", {
      args: ["-c", `git "$@" ${input === undefined ? "" : '< "$0/.git-input"'}`, root, ...args],
      cwd: root,
      env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
      stderr: "null",
    }).outputSync();
    return { text: new TextDecoder().decode(stdout), code };
  };
  if (run(["init", "-q"]).code !== 0) return null;
  const { text } = run(["check-ignore", "--no-index", "-z", "--stdin"], paths.join("\0") + "\0");
  return new Set(text.split("\0").filter((path) => path !== ""));
}

Deno.test("an ignore file means what Git takes it for", () => {
  const random = new Random(43);
  const roots = Array.from({ length: 12 }, () => Deno.makeTempDirSync());
  try {
    let named = 0;
    for (const root of roots) {
      const paths = new Set<string>();
      for (let count = 0; count < 60; count++) {
        const path = randomPath(random);
        try {
          Deno.mkdirSync(`${root}/${path.slice(0, path.lastIndexOf("/") + 1)}`, {
            recursive: true,
          });
          Deno.writeTextFileSync(`${root}/${path}`, "", { createNew: true });
        } catch {
          // A file stands where the path has a directory, or the other way round.
          continue;
        }
        const names = path.split("/");
        names.forEach((_, depth) => paths.add(names.slice(0, depth + 1).join("/")));
      }
      for (let round = 0; round < 10; round++) {
        const text = randomFile(random);
        Deno.writeTextFileSync(`${root}/.gitignore`, text);
        const expected = gitIgnores(root, [...paths]);
        if (expected === null) return;
        const view = compile(text);
        for (const path of paths) {
          const isDirectory = Deno.lstatSync(`${root}/${path}`).isDirectory;
          const label = `${JSON.stringify(text)} on ${path}${isDirectory ? "/" : ""}`;
          assertEquals(ignores(view, isDirectory ? `${path}/` : path), expected.has(path), label);
        }
        named += expected.size;
      }
    }
    assert(named > 500, `${named}`);
  } finally {
    for (const root of roots) Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("no ignore file takes long, however it is written", () => {
  const name = "a".repeat(250);
  const files = [
    "*a".repeat(1000) + "b",
    ("*a".repeat(30) + "b\n").repeat(1000),
    "a/**/".repeat(700) + "b",
    "x\n".repeat(100_000),
    `${"*".repeat(4000)}b`,
  ];
  for (const text of files) {
    let view = compile(text);
    assertEquals(view?.verdict(name, false) ?? null, null);
    for (let depth = 0; depth < 30 && view !== null; depth++) view = view.into("a");
  }
});
