import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { type PathProbe, RUNTIME_PROBE } from "../../../../src/host/paths/path_probe.ts";
import { isThere } from "../../../../src/host/kernel/stat.ts";
import {
  createRequestProbe,
  type RequestProbeOptions,
} from "../../../../src/host/paths/request_probe.ts";
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
    const ways: readonly RequestProbeOptions[] = [
      {},
      ...(libc === null ? [] : [
        { straight: (path: string) => isWithoutLinks(libc, path) },
        { there: (path: string) => isThere(libc, path) },
      ]),
    ];
    // What was asked before decides what is known: each order is another case.
    const orders = [words, words.toReversed()];
    for (
      const [quick, word] of ways.flatMap((looks) =>
        orders.flatMap((order) => {
          const probe = createRequestProbe(RUNTIME_PROBE, looks);
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

Deno.test("the runtime is asked whether something is there only where the kernel does not say", () => {
  const asked: string[] = [];
  const answers: Readonly<Record<string, boolean>> = {
    "/w/a": true,
    "/w/gone": false,
    "/x/b": true,
  };
  const probe = createRequestProbe(probeOf(asked), { there: (path) => answers[path] ?? null });
  const rows: readonly (readonly [string, boolean])[] = [
    ["a", true],
    ["./a", true],
    ["gone", false],
    ["/x/b", true],
    ["unknown", true],
    ["a\0", true],
    ["\udc80", true],
    ["x".repeat(2000), true],
  ];
  for (const [path, there] of rows) assertEquals(probe.exists(BASE, path), there, path);
  assertEquals(asked, rows.slice(4).map(([path]) => `${path}?`));
});

Deno.test("isThere answers as the runtime does, and knows what it does not know", () => {
  if (libc === null) return;
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
  try {
    Deno.mkdirSync(`${root}/folder`);
    Deno.writeTextFileSync(`${root}/file`, "");
    Deno.symlinkSync("nowhere", `${root}/dangling`);
    Deno.symlinkSync("circle", `${root}/circle`);
    Deno.symlinkSync("folder", `${root}/link`);
    const rows: readonly (readonly [string, boolean | null])[] = [
      ["folder", true],
      ["folder/", true],
      ["file", true],
      ["file/", false],
      ["file/x", false],
      ["gone", false],
      ["gone/x", false],
      ["dangling", true],
      ["dangling/", false],
      ["dangling/x", false],
      ["link/x", false],
      ["circle", true],
      // ELOOP: what cannot be looked at counts as there.
      ["circle/x", null],
      ["n".repeat(300), false],
      ["日本", false],
    ];
    for (const [name, there] of rows) {
      const path = `${root}/${name}`;
      assertEquals(isThere(libc, path), there, name);
      assertEquals(RUNTIME_PROBE.exists(canonical("/"), path), there ?? true, name);
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
