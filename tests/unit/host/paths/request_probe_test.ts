import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { type PathProbe, RUNTIME_PROBE } from "../../../../src/host/paths/path_probe.ts";
import { createRequestProbe } from "../../../../src/host/paths/request_probe.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";
import { isWithoutLinks } from "../../../../src/sandbox/kernel/open_without_links.ts";
import { canonical } from "../../policy/_fixtures.ts";

const BASE = canonical("/w");

// It stays open for as long as the process lives.
const libc = openLibc();

/** Notes what it is asked; `onLook` is told of each look. */
function probeOf(asked: string[], onLook: () => void = () => {}): PathProbe {
  const note = <T>(text: string, answer: T): T => {
    asked.push(text);
    onLook();
    return answer;
  };
  return {
    canonicalize(base, path) {
      if (path === "loop") throw note(path, new ToolError("INVALID_ARGUMENTS", "a circle"));
      return note(path, canonical(`${base}/${path}`));
    },
    exists: (_, path) => note(`${path}?`, path !== "gone"),
    isDirectory: (path) => note(`${path}/`, false),
    isStraight: () => false,
    entryAt: () => "missing",
    isProgram: () => false,
  };
}

Deno.test("each word is looked at once, whatever came of it", () => {
  const asked: string[] = [];
  const probe = createRequestProbe(probeOf(asked));
  for (let round = 0; round < 3; round++) {
    assertEquals(probe.canonicalize(BASE, "a"), canonical("/w/a"));
    assertEquals(probe.canonicalize(canonical("/x"), "a"), canonical("/x/a"));
    assertThrows(() => probe.canonicalize(BASE, "loop"), ToolError, "circle");
    assertEquals([probe.exists(BASE, "a"), probe.exists(BASE, "gone")], [true, false]);
  }
  assertEquals(asked, ["a", "a", "loop", "a?", "gone?"]);
});

Deno.test("the paths of one request take so long and no longer", () => {
  const asked: string[] = [];
  let clock = 0;
  const probe = createRequestProbe(probeOf(asked, () => clock += 700), { now: () => clock });
  const error = assertThrows(() => {
    for (let at = 0; at < 100; at++) probe.canonicalize(BASE, `p${at}`);
  }, ToolError);
  assertEquals([error.code, asked.length], ["RESOURCE_LIMIT", 5]);
});

Deno.test("what leads where its words do is asked of nobody else", () => {
  const asked: string[] = [];
  const straight = (path: string) => path !== "/w/link";
  const probe = createRequestProbe(probeOf(asked), { straight });
  const rows: readonly (readonly [string, string])[] = [
    ["a", "/w/a"],
    ["/x/b", "/x/b"],
    ["link", "/w/link"],
    ["./a", "/w/./a"],
    ["a/", "/w/a/"],
    ["a//b", "/w/a//b"],
    ["a/../b", "/w/a/../b"],
  ];
  for (const [path, leads] of rows) {
    assertEquals<string>(probe.canonicalize(BASE, path), leads, path);
  }
  // These are the odd ones, and the link.
  assertEquals(asked, rows.slice(2).map(([path]) => path));
  assertEquals<string>(probe.canonicalize(canonical("/"), "c"), "/c");
});

Deno.test("what is not there is found to be so as by the runtime, however many names are asked for", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
  const outside = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
  try {
    Deno.mkdirSync(`${root}/sub/deep`, { recursive: true });
    Deno.writeTextFileSync(`${root}/sub/file`, "");
    Deno.symlinkSync("nowhere", `${root}/sub/dangling`);
    Deno.symlinkSync("/nowhere/at/all", `${root}/sub/far`);
    Deno.symlinkSync("sub", `${root}/link`);
    Deno.symlinkSync(outside, `${root}/out`);
    Deno.symlinkSync("circle", `${root}/circle`);
    const names = [
      "a",
      "b",
      "c",
      "d",
      "dangling",
      "far",
      "file",
      "deep",
      "file/x",
      "dangling/x",
      ".",
      "",
    ];
    const folders = [
      "",
      "sub/",
      "link/",
      "./sub//",
      "none/",
      "none/at/all/",
      "sub/none/deeper/",
      "link/none/",
      "sub/dangling/none/",
      `${"e/".repeat(20)}`,
      "sub/file/",
      "out/",
      `${outside}/`,
      "circle/",
    ];
    const words = [
      ...folders.flatMap((folder) => names.map((name) => folder + name)),
      ...[
        "sub/../none",
        "..",
        "../x",
        `${root}/sub/e`,
        "x".repeat(300),
        "é".repeat(100),
        "\ud800",
        "a\0b",
      ],
    ].filter((word) => word !== "");
    const base = canonical(root);
    const told = (look: () => unknown): string => {
      try {
        return String(look());
      } catch (error) {
        return error instanceof ToolError ? `${error.code}: ${error.message}` : String(error);
      }
    };
    const ways = [
      null,
      ...(libc === null ? [] : [(path: string) => isWithoutLinks(libc, path)]),
    ];
    // What was asked before decides what is known: each order is another case.
    const orders = [words, words.toReversed()];
    for (
      const [quick, word] of ways.flatMap((straight) =>
        orders.flatMap((order) => {
          const probe = createRequestProbe(RUNTIME_PROBE, { straight });
          return order.map((word) => [probe, word] as const);
        })
      )
    ) {
      for (const kind of ["canonicalize", "exists"] as const) {
        assertEquals(
          told(() => quick[kind](base, word)),
          told(() => RUNTIME_PROBE[kind](base, word)),
          `${kind} ${word}`,
        );
      }
      const path = canonical(`${root}/${word}`);
      assertEquals(quick.isDirectory(path), RUNTIME_PROBE.isDirectory(path), word);
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
    Deno.removeSync(outside, { recursive: true });
  }
});
