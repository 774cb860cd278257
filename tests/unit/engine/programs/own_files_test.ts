import { assertEquals } from "@std/assert";
import { withAgreed } from "../../../../src/engine/programs/_agreed_rules.ts";
import { ownFiles } from "../../../../src/engine/programs/_own_files.ts";
import type { PathRule } from "../../../../src/policy/model.ts";
import type { Effects } from "../../../../src/policy/rulebook.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { rulebookOf } from "../../host/_rulebook.ts";
import { canonical, pathRule } from "../../policy/_fixtures.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

const RULES = [
  pathRule("allow", ["**"]),
  pathRule("deny", ["shut/**", "**/*.key"]),
  pathRule("ask", ["asked/**"]),
];
const FILES = {
  "a.txt": "",
  "src/b.txt": "",
  "src/deep/c.txt": "",
  "mixed/d.txt": "",
  "mixed/e.key": "",
  "shut/f.txt": "",
  "asked/g.txt": "",
};

/** What a command with these effects is given, each path from the workspace. */
async function given(
  effects: Partial<Effects>,
  rules: readonly PathRule[] = RULES,
  agreed: readonly string[] = [],
) {
  await using workspace = new Workspace(FILES);
  Deno.symlinkSync("shut/f.txt", workspace.path("link"));
  Deno.symlinkSync(workspace.outside, workspace.path("out"));
  const root = canonical(workspace.root);
  const { read, readFiles, write, list } = ownFiles(
    {
      libc,
      rulebook: withAgreed(
        rulebookOf(root, { paths: rules }),
        agreed.map((path) => ({ access: "read", path: canonical(`${root}/${path}`) })),
      ),
      system: () => [canonical(`${root}/src/deep`)],
    },
    {
      reads: [],
      writes: [],
      deletes: [],
      connects: [],
      sets: [],
      probes: [],
      starts: "none",
      unbounded: false,
      ...effects,
    } as unknown as Effects,
    root,
  );
  const short = (paths: readonly string[]) =>
    paths.map((path) => path.replace(root, ".")).toSorted();
  return { read: short(read), readFiles: short(readFiles), write: short(write), list: short(list) };
}

const effect = (path: string, tree = false) => ({ path, tree }) as Effects["reads"][number];
const NOTHING = { read: [], readFiles: [], write: [], list: [] };

Deno.test("files that are read are given as files, folders with all in them", async () => {
  assertEquals(await given({ reads: [effect("a.txt"), effect("src", true)] }), {
    ...NOTHING,
    read: ["./src"],
    readFiles: ["./a.txt"],
  });
  // What is not known may hang on an option: what is there counts.
  assertEquals(await given({ probes: ["a.txt", "nothing", "a\0b"] }), {
    ...NOTHING,
    readFiles: ["./a.txt"],
  });
});

Deno.test("what the policy denies or asks about is not given, by whatever name", async () => {
  const paths = [
    "shut/f.txt",
    "shut",
    "link",
    "asked/g.txt",
    "mixed/e.key",
    "out/sentinel.txt",
    "..",
  ];
  for (const path of paths) {
    assertEquals(await given({ reads: [effect(path, true)] }), NOTHING, path);
  }
});

Deno.test("of a folder with something denied in it all else is given, piece by piece", async () => {
  const { read, readFiles, list } = await given({ reads: [effect("mixed", true)] });
  assertEquals([read, readFiles], [["./mixed/d.txt"], []]);
  assertEquals(list, ["./mixed"]);
});

Deno.test("what is written may have to be made or replaced: its folder is given as far as nothing in it is denied", async () => {
  assertEquals((await given({ writes: [effect("src/new.txt")] })).write, ["./src"]);
  assertEquals((await given({ writes: [effect("src/none/yet/new.txt")] })).write, ["./src"]);
  assertEquals((await given({ writes: [effect("mixed/new.txt")] })).write, ["./mixed/d.txt"]);
  assertEquals((await given({ writes: [effect("shut/new.txt")] })).write, []);
  assertEquals((await given({ deletes: [effect("src/deep", true)] })).write, [
    "./src",
  ]);
  // Nothing outside, and not the folder around the workspace.
  for (const path of ["../new.txt", "out/new.txt", "."]) {
    assertEquals((await given({ writes: [effect(path)] })).write, [], path);
  }
});

Deno.test("beyond the workspace a program reads what all programs may, whatever the rules for paths say", async () => {
  const rules = [pathRule("deny", ["**"])];
  assertEquals(await given({ reads: [effect("src/deep", true)] }, rules), {
    ...NOTHING,
    read: ["./src/deep"],
  });
  assertEquals(await given({ reads: [effect("src/deep/c.txt")] }, rules), {
    ...NOTHING,
    readFiles: ["./src/deep/c.txt"],
  });
});

Deno.test("what has to be asked for is given where somebody agreed, and nothing else with it", async () => {
  const both = { reads: [effect("asked/g.txt"), effect("shut/f.txt"), effect("asked2/h.txt")] };
  assertEquals(await given(both), NOTHING);
  // What is denied stays so, whoever agreed.
  assertEquals(await given(both, RULES, ["asked/g.txt", "shut/f.txt"]), {
    ...NOTHING,
    readFiles: ["./asked/g.txt"],
  });
  // A folder that has to be asked for, and one that need not be.
  const folder = { reads: [effect("asked")] };
  const rules = [...RULES, pathRule("ask", ["asked"])];
  assertEquals(await given(folder, rules), NOTHING);
  const whole = await given(folder, rules, ["asked"]);
  assertEquals([...whole.read, ...whole.readFiles], ["./asked"]);
  const all = await given({ reads: [effect(".")] }, RULES, ["."]);
  assertEquals([...all.read, ...all.readFiles].filter((path) => path.includes("asked")), []);
});
