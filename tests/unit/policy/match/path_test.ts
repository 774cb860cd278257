import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { GlobError, matchesPathGlob, parsePathGlob } from "../../../../src/policy/match/path.ts";
import type { Steps } from "../../../../src/core/glob_segment.ts";
import {
  addGlob,
  coversBelow,
  createTrie,
  hitsAt,
  isLive,
  placeAt,
  placeBelow,
} from "../../../../src/policy/match/_path_trie.ts";
import { rootedSegments, segmentsOf } from "../../../../src/policy/match/path.ts";
import { Random } from "../../../random.ts";
import { at, WORKSPACE } from "../_fixtures.ts";

const MATCHES: readonly [glob: string, paths: readonly string[], others: readonly string[]][] = [
  ["**", [".", "a", ".env", "a/b/.c", "a\nb"], ["/w", "/w/projects", "/etc/passwd"]],
  ["*", ["a", ".hidden", "ä b"], [".", "a/b", "/w"]],
  ["src/**", ["src", "src/a", "src/.a/b"], ["srcs", "a/src", "."]],
  ["src/", ["src", "src/a/b"], ["srcs"]],
  ["src", ["src"], ["src/a", "Src"]],
  ["./src", ["src"], ["./src/x"]],
  [".", ["."], ["a"]],
  ["**/.env", [".env", "a/.env", "a/b/.env"], [".env.x", "a/.env/b"]],
  ["**/.env.*", [".env.a", "x/.env."], [".env", ".envx"]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b", "a/b/b"], ["a", "a/b/c", "ab"]],
  ["a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c"], ["a/c/b"]],
  ["**/**/x", ["x", "a/x"], ["a"]],
  ["*.{ts,js}", ["a.ts", ".js"], ["a.tsx", "a/b.ts"]],
  ["{a,b/{c,d}}/x", ["a/x", "b/c/x", "b/d/x"], ["b/x", "c/x"]],
  ["a{,.bak}", ["a", "a.bak"], ["a."]],
  ["?", ["a", "ä", "😀", "\n"], ["", "ab", "."]],
  // Bytes that are no UTF-8, as `nameText` has them: each is one character.
  ["?", ["\udcff", "\udce9"], ["\udce2\udc82", "a\udcff"]],
  ["*.key", ["\udcff.key", "\udce2\udc82.key", ".\udcc0\udcae.key"], ["\udcff.key\udcff"]],
  ["**/.env", ["\udcff/.env", "a/\udced\udca0\udc80/.env"], ["\udcff.env", ".env\udcff"]],
  ["[!a-z]x", ["\udcffx", "1x"], ["ax"]],
  ["\udcff*", ["\udcff", "\udcffa"], ["\udcfe", "\ufffd", "\u00ff"]],
  ["\ufffd", ["\ufffd"], ["\udcff"]],
  ["[abc]", ["a", "c"], ["d", "ab"]],
  ["[a-cx]?", ["a1", "x2"], ["d1", "a"]],
  ["[!a-c]", ["d", "-", "😀"], ["a", "b"]],
  ["[^a]", ["b", "^"], ["a"]],
  ["[]]", ["]"], ["["]],
  ["[!]]", ["a"], ["]"]],
  ["[a-]", ["a", "-"], ["b"]],
  ["[\\]\\-]", ["]", "-"], ["\\"]],
  ["[{,}]", ["{", ",", "}"], ["a"]],
  ["\\*\\?\\[\\{\\\\", ["*?[{\\"], ["a?[{\\"]],
  ["a\\,b", ["a,b"], ["ab"]],
  ["x*y*z", ["xyz", "xaybz", "xyyzz"], ["xy", "xzy"]],
  ["/etc/*.conf", ["/etc/a.conf"], ["/etc/a/b.conf", "etc/a.conf"]],
  ["/**", ["/", "/etc/passwd", "a"], []],
  ["/w/project/sub/**", ["sub", "sub/a"], ["other"]],
  ["a//b", ["a/b"], []],
];

for (const [glob, paths, others] of MATCHES) {
  Deno.test(`glob ${glob}`, () => {
    const parsed = parsePathGlob(glob);
    for (const path of paths) {
      assert(matchesPathGlob(parsed, WORKSPACE, at(path)), `matches ${path}`);
    }
    for (const path of others) {
      assert(
        !matchesPathGlob(parsed, WORKSPACE, path === "" ? "/w/project/" : at(path)) || path === "",
        path,
      );
    }
  });
}

const WRONG: readonly [glob: string, message: string][] = [
  ["", "empty"],
  ["a/{b", "{ is not closed"],
  ["a}", "} without its {"],
  ["{a}", "two alternatives"],
  ["[abc", "[ is not closed"],
  ["[", "[ is not closed"],
  ["a\0b", "NUL"],
  ["../a", ".. is not taken"],
  ["a/../b", ".. is not taken"],
  ["a/..", ".. is not taken"],
  ["\\.\\./a", ".. is not taken"],
  ["{a,..}/b", ".. is not taken"],
  ["a**b", "whole segment"],
  ["a/**b", "whole segment"],
  ["***", "whole segment"],
  ["a\\", "lone backslash"],
  ["a\\/b", "\\/ means nothing"],
  ["[a/b]", "slash"],
  ["[z-a]", "backwards"],
  ["[[:alpha:]]", "named classes"],
  ["~/x", "~ is not expanded"],
  ["/", "/**"],
  ["{,a}", "empty alternative"],
  ["a/{,b}", "ends in /"],
  ["x".repeat(5000), "longer than"],
  ["{a,b}".repeat(11), "1024 alternatives"],
  ["{x,".repeat(20), "inside each other"],
];

for (const [glob, message] of WRONG) {
  Deno.test(`glob error ${glob.slice(0, 20)}`, () => {
    const error = assertThrows(() => parsePathGlob(glob), GlobError);
    assertStringIncludes(error.message, message);
  });
}

Deno.test("a relative glob never matches outside the workspace", () => {
  for (const glob of ["**", "*", "*/**", "**/passwd", "w/**", "etc/**"]) {
    for (const path of ["/", "/w", "/etc/passwd", "/w/project2", "/w/projectx/passwd"]) {
      assert(!matchesPathGlob(parsePathGlob(glob), WORKSPACE, path), `${glob} ${path}`);
    }
  }
});

Deno.test("a workspace with characters of globs in its name is plain", () => {
  const glob = parsePathGlob("**");
  assert(matchesPathGlob(glob, "/w/[a]*", "/w/[a]*/x"));
  assert(!matchesPathGlob(glob, "/w/[a]*", "/w/ab/x"));
});

// A glob as the pieces it is made of, and a reference that tries every way.
type Piece = { readonly text: string; readonly test: (character: string) => boolean } | "*";
type Segment = readonly Piece[] | "**";

function literal(text: string): Piece {
  return { text: /[*?[\]{}\\,~]/.test(text) ? `\\${text}` : text, test: (other) => other === text };
}

function naive(
  segments: readonly Segment[],
  names: readonly string[],
  outside: readonly string[] = [],
): boolean {
  const [segment, ...rest] = segments;
  if (segment === undefined) return names.length === 0;
  if (segment === "**") {
    return naive(rest, names, outside) ||
      (names.length > 0 && !outside.includes(names[0] ?? "") &&
        naive(segments, names.slice(1), outside));
  }
  const [name, ...others] = names;
  return name !== undefined && naiveName(segment, [...name]) &&
    naive(rest, others, outside);
}

function naiveName(pieces: readonly Piece[], characters: readonly string[]): boolean {
  const [piece, ...rest] = pieces;
  if (piece === undefined) return characters.length === 0;
  if (piece === "*") {
    return naiveName(rest, characters) ||
      (characters.length > 0 && naiveName(pieces, characters.slice(1)));
  }
  const [character, ...others] = characters;
  return character !== undefined && piece.test(character) && naiveName(rest, others);
}

const ALPHABET = ["a", "b", ".", "*", "[", "\\", "{", "\n", "é", "😀", "A"];

function generate(seed: number) {
  const source = new Random(seed);
  const below = (end: number) => source.below(end);
  const pick = <T>(from: readonly T[]) => source.pick(from);
  const piece = (): Piece => {
    switch (below(6)) {
      case 0:
        return "*";
      case 1:
        return { text: "?", test: () => true };
      case 2:
        return { text: "[a-c]", test: (one) => ["a", "b", "c"].includes(one) };
      case 3:
        return { text: "[!a]", test: (one) => one !== "a" };
      default:
        return literal(pick(ALPHABET));
    }
  };
  const segment = (): Segment => {
    if (below(4) === 0) return "**";
    const pieces = Array.from({ length: 1 + below(4) }, piece);
    // Two stars in a row would be the text `**`.
    return pieces.filter((one, index) => one !== "*" || pieces[index - 1] !== "*");
  };
  const segments = () => Array.from({ length: 1 + below(4) }, segment);
  const name = () => Array.from({ length: 1 + below(3) }, () => pick(ALPHABET)).join("");
  const names = () =>
    Array.from({ length: below(5) }, name).filter((one) => one !== "." && one !== "..");
  return { segments, names, below };
}

function render(segments: readonly Segment[]): string {
  return segments.map((one) =>
    one === "**" ? one : one.map((piece) => piece === "*" ? "*" : piece.text).join("")
  ).join("/");
}

/** `.` and `..` mean something else than their characters. */
function isPlain(segments: readonly Segment[]): boolean {
  return !render(segments).split("/").some((one) => one === "." || one === "..");
}

Deno.test("fuzz: one glob matches as a reference that tries every way", () => {
  const { segments, names } = generate(20_240_601);
  let matched = 0;
  for (let round = 0; round < 20_000; round++) {
    const made = segments();
    if (!isPlain(made)) continue;
    const path = names();
    const text = render(made);
    const expected = naive(made, path);
    if (expected) matched++;
    const actual = matchesPathGlob(parsePathGlob(text), WORKSPACE, [WORKSPACE, ...path].join("/"));
    assertEquals(actual, expected, `${JSON.stringify(text)} ${JSON.stringify(path)}`);
  }
  assert(matched > 1000);
});

Deno.test("fuzz: many globs in one tree match as each alone", () => {
  const { segments, names, below } = generate(7);
  for (let round = 0; round < 400; round++) {
    const made = Array.from({ length: 1 + below(12) }, segments).filter(isPlain);
    const trie = createTrie<{ readonly order: number }>();
    const outside = made.map(() => below(2) === 0 ? [] : [["a"], ["b", "A"]][below(2)] ?? []);
    made.forEach((one, order) => {
      for (const path of parsePathGlob(render(one)).paths) {
        const ending = { rule: { order }, effect: "deny", pattern: render(one) } as const;
        addGlob(trie, rootedSegments(path, WORKSPACE), ending, null, outside[order]);
      }
    });
    for (let probe = 0; probe < 20; probe++) {
      const path = names();
      const here = made.findIndex((one, order) => naive(one, path, outside[order]));
      const above = made.findIndex((one, order) =>
        [...path, ""].some((_, index) => naive(one, path.slice(0, index), outside[order]))
      );
      // Begun at the workspace, as walks of its paths are.
      const place = placeBelow(placeAt(trie, segmentsOf(WORKSPACE), null), path, null);
      const label = `${made.map(render).join(" | ")} outside ${JSON.stringify(outside)} on ${
        JSON.stringify(path)
      }`;
      assertEquals(hitsAt(place).deny?.order ?? -1, here, label);
      assertEquals(place.any.deny?.order ?? -1, above, label);
    }
  }
});

Deno.test("fuzz: what a walk calls covered and dead below is so", () => {
  const { segments, names, below } = generate(99);
  for (let round = 0; round < 300; round++) {
    const made = Array.from({ length: 1 + below(4) }, segments).filter(isPlain);
    const trie = createTrie<{ readonly order: number }>();
    made.forEach((one, order) => {
      for (const path of parsePathGlob(render(one)).paths) {
        const ending = { rule: { order }, effect: "allow", pattern: render(one) } as const;
        addGlob(trie, rootedSegments(path, WORKSPACE), ending, null);
      }
    });
    const directory = names();
    const place = placeAt(trie, [...segmentsOf(WORKSPACE), ...directory], null);
    for (let probe = 0; probe < 20; probe++) {
      const path = [...directory, ...names()];
      const label = `${made.map(render).join(" | ")} ${JSON.stringify(path)}`;
      const matched = made.some((one) => naive(one, path));
      if (coversBelow(place)) assert(matched, label);
      if (matched && path.length > directory.length) {
        assert(isLive(place) || coversBelow(place), label);
      }
    }
  }
});

Deno.test("no glob and path need more steps than the product of their lengths", () => {
  const hostile: readonly [string, string][] = [
    ["*a".repeat(50) + "b", "a".repeat(2000)],
    ["**/a/".repeat(40) + "b", "a/".repeat(400) + "a"],
    ["**/*a*a*a*b/".repeat(20) + "x", `${"a".repeat(100)}/`.repeat(100) + "a"],
    ["?*".repeat(60) + "!", "x".repeat(1000)],
    ["[!b]*".repeat(60) + "b", "a".repeat(1000)],
  ];
  for (const [glob, path] of hostile) {
    const parsed = parsePathGlob(glob);
    const steps: Steps = { count: 0 };
    assert(!matchesPathGlob(parsed, WORKSPACE, at(path), steps));
    assert(steps.count <= 4 * glob.length * (path.length + WORKSPACE.length), `${steps.count}`);
    const trie = createTrie<{ readonly order: number }>();
    for (const one of parsed.paths) {
      const ending = { rule: { order: 0 }, effect: "allow", pattern: glob } as const;
      addGlob(trie, rootedSegments(one, WORKSPACE), ending, null);
    }
    const walked: Steps = { count: 0 };
    const place = placeAt(trie, segmentsOf(at(path)), null, walked);
    assertEquals(hitsAt(place).allow, null);
    assert(walked.count <= 4 * glob.length * (path.length + WORKSPACE.length), `${walked.count}`);
  }
});

Deno.test("random text never makes the parser throw anything but a GlobError", () => {
  const source = new Random(5);
  for (let round = 0; round < 20_000; round++) {
    const text = source.text(12, [..."*?[]{},\\/!-^.a~\0"]);
    try {
      parsePathGlob(text);
    } catch (error) {
      assert(error instanceof GlobError, `${JSON.stringify(text)}: ${error}`);
    }
  }
});
