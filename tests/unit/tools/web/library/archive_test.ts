import { assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import type { ToolError } from "../../../../../src/core/errors.ts";
import { readTar, readZip } from "../../../../../src/tools/web/library/archive.ts";
import { Random } from "../../../../random.ts";
import { packed, tarball, tarEntry, zip } from "./_packages.ts";

const all = () => true;
const utf8 = (text: string) => new TextEncoder().encode(text);
const paths = (files: ReadonlyMap<string, Uint8Array>) => [...files.keys()];

/** The code of the error, or what was read. */
function outcome(read: () => ReadonlyMap<string, Uint8Array>): unknown {
  try {
    return paths(read());
  } catch (error) {
    return (error as ToolError).code;
  }
}

const LONG = `package/${"d/".repeat(90)}a.txt`;

/** A tar, and what is read of it. */
const TARS: readonly (readonly [string, Uint8Array, unknown])[] = [
  ["files", tarball({ "package/a.txt": "a", "./package/b": "" }), ["package/a.txt", "package/b"]],
  ["nothing", packed([]), []],
  [
    "paths that lead out",
    tarball({ "../a": "x", "/etc/b": "x", "a/../../c": "x", "C:/d": "x" }),
    [],
  ],
  ["paths of another system", tarball({ "a\\..\\b": "x" }), []],
  [
    "links and devices",
    packed(["1", "2", "3", "4", "5", "6"].map((type) => tarEntry(`p/${type}`, utf8(""), { type }))),
    [],
  ],
  [
    "long names of GNU",
    packed([
      tarEntry("././@LongLink", utf8(`${LONG}\0`), { type: "L" }),
      tarEntry("short", utf8("x")),
    ]),
    [LONG],
  ],
  [
    "long names of pax",
    packed([
      tarEntry("PaxHeader", utf8(`${LONG.length + 10} path=${LONG}\n`), { type: "x" }),
      tarEntry("short", utf8("x")),
    ]),
    [LONG],
  ],
  [
    "a long name that leads out",
    packed([
      tarEntry("PaxHeader", utf8(`16 path=../../a\n`), { type: "x" }),
      tarEntry("short", utf8("x")),
    ]),
    [],
  ],
  [
    "a size beyond its end",
    packed([tarEntry("a", utf8("x"), { size: 9_000_000 })]),
    "SYNTAX_INVALID",
  ],
  ["no tar", new Uint8Array(gzipSync(utf8("x".repeat(2000)))), "SYNTAX_INVALID"],
  ["no gzip", utf8("x".repeat(2000)), "SYNTAX_INVALID"],
  ["a bomb", new Uint8Array(gzipSync(new Uint8Array(65 * 1024 * 1024))), "RESOURCE_LIMIT"],
];

Deno.test("a tar gives its files and nothing that leads out of it", () => {
  for (const [name, bytes, expected] of TARS) {
    assertEquals(outcome(() => readTar(bytes, all)), expected, name);
  }
  const one = readTar(tarball({ "p/a": "one", "p/b": "two" }), (path) => path === "p/b");
  assertEquals([...one].map(([path, body]) => [path, new TextDecoder().decode(body)]), [[
    "p/b",
    "two",
  ]]);
});

const ZIPS: readonly (readonly [string, Uint8Array, unknown])[] = [
  ["files", zip({ "a/b.py": "x", "c": "" }), ["a/b.py", "c"]],
  ["nothing", zip({}), []],
  ["paths that lead out", zip({ "../a": "x", "/b": "x", "a/../../c": "x", "d/": "" }), []],
  ["less than its directory says", zip({ a: "abc" }, { size: 4 }), "SYNTAX_INVALID"],
  ["more than its directory says", zip({ a: "x".repeat(9000) }, { size: 4 }), "SYNTAX_INVALID"],
  ["another way of packing", zip({ a: "abc" }, { method: 12 }), "SYNTAX_INVALID"],
  ["too large a file", zip({ a: "abc" }, { size: 2 ** 31 }), []],
  ["no zip", utf8("x".repeat(500)), "SYNTAX_INVALID"],
  ["less than a directory's end", utf8("PK"), "SYNTAX_INVALID"],
  [
    "a bomb of many",
    zip(
      Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}`, new Uint8Array(4 << 20)])),
    ),
    "RESOURCE_LIMIT",
  ],
];

Deno.test("a zip gives its files and nothing that leads out of it", () => {
  for (const [name, bytes, expected] of ZIPS) {
    assertEquals(outcome(() => readZip(bytes, all)), expected, name);
  }
});

Deno.test("packages that were damaged on the way end with a code", () => {
  const random = new Random(7);
  for (
    const [whole, read] of [
      [tarball({ "a/b": "text".repeat(300), "c": "d" }), readTar],
      [zip({ "a/b": "text".repeat(300), "c": "d" }), readZip],
    ] as const
  ) {
    for (let round = 0; round < 300; round++) {
      const bytes = whole.slice(0, round % 3 === 0 ? random.below(whole.length) : whole.length);
      for (let change = 0; change < 3 && bytes.length > 0; change++) {
        bytes[random.below(bytes.length)] = random.below(256);
      }
      const found = outcome(() => read(bytes, all));
      const isFine = Array.isArray(found) || found === "SYNTAX_INVALID" ||
        found === "RESOURCE_LIMIT";
      assertEquals(isFine, true, `${round}: ${found}`);
    }
  }
});
