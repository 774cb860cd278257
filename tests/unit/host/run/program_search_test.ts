import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { createKernelProbe, RUNTIME_PROBE } from "../../../../src/host/paths/path_probe.ts";
import { createProgramFinder, type ProgramProbe } from "../../../../src/host/run/program_search.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { withDirectory } from "../files/_temporary.ts";

function program(path: string, mode = 0o755): void {
  Deno.writeTextFileSync(path, "#!/bin/sh\n");
  Deno.chmodSync(path, mode);
}

const probes: readonly (readonly [string, ProgramProbe])[] = [
  ["the runtime", RUNTIME_PROBE],
  ["the kernel", createKernelProbe(LIBC)],
];

for (const [name, probe] of probes) {
  Deno.test(`programs are found on the trusted part of the path alone, by ${name}`, async () => {
    await withDirectory((root) => {
      const w = `${root}/w` as CanonicalPath;
      for (const folder of ["w/bin", "w/sub", "sys/bin", "sys/real", "home/bin"]) {
        Deno.mkdirSync(`${root}/${folder}`, { recursive: true });
      }
      Deno.symlinkSync("sys/bin", `${root}/syslink`);
      program(`${w}/bin/git`);
      program(`${w}/run.sh`);
      program(`${w}/sub/plain`, 0o644);
      program(`${root}/home/bin/git`);
      program(`${root}/home/bin/only-home`);
      program(`${root}/sys/bin/git`);
      program(`${root}/sys/bin/noexec`, 0o644);
      program(`${root}/sys/real/box`);
      Deno.symlinkSync("../real/box", `${root}/sys/bin/ls`);
      Deno.symlinkSync("../../home/bin/only-home", `${root}/sys/bin/leaves`);
      Deno.symlinkSync("../../w/run.sh", `${root}/sys/bin/inside`);
      Deno.mkdirSync(`${root}/sys/bin/folder`);
      Deno.symlinkSync(`${root}/sys/bin/git`, `${w}/gitlink`);
      const searchPath = [
        `${w}/bin`,
        "bin",
        "",
        `${root}/home/bin`,
        `${root}/none`,
        `${root}/syslink/`,
      ].join(":");
      const system = [`${root}/sys`, `${root}/nowhere`];
      const finder = createProgramFinder(w, system, { searchPath, probe });
      const find = (words: string, cwd = "") => {
        const found = finder.find(words, `${w}${cwd}` as CanonicalPath);
        if (found === null) return null;
        const short = (path: string) => path.replace(`${root}/`, "");
        return [short(found.path), short(found.start), ...found.names.map(short)];
      };
      assertEquals(find("git"), [
        "sys/bin/git",
        "syslink/git",
        "git",
        "syslink/git",
        "sys/bin/git",
      ]);
      // A multi-call binary is started by the name that it was found under.
      assertEquals(find("ls"), ["sys/real/box", "syslink/ls", "ls", "syslink/ls", "sys/real/box"]);
      for (const none of ["only-home", "noexec", "leaves", "inside", "folder", "run.sh", "", "."]) {
        assertEquals(find(none), null, none);
      }
      assertEquals(find("./run.sh"), ["w/run.sh", "w/run.sh", "w/run.sh"]);
      assertEquals(find("../run.sh", "/sub"), ["w/run.sh", "w/run.sh", "w/run.sh"]);
      assertEquals(find("bin/git"), ["w/bin/git", "w/bin/git", "w/bin/git"]);
      // By its path it may use the bare name only where the search path leads to the very same.
      assertEquals(find(`${root}/sys/bin/git`), [
        "sys/bin/git",
        "sys/bin/git",
        "git",
        "sys/bin/git",
      ]);
      assertEquals(find("gitlink", ""), null);
      assertEquals(find("./gitlink"), ["sys/bin/git", "w/gitlink", "w/gitlink", "sys/bin/git"]);
      const none = [
        "./none",
        "sub/plain",
        "sub/",
        "./sub",
        "./..",
        `${root}/home/bin/git`,
        "../home/bin/git",
        "bin/git/x",
        "a\0/b",
      ];
      for (const words of none) assertEquals(find(words), null, words);
    });
  });
}

Deno.test("a program that was found is not looked for again", async () => {
  await withDirectory((root) => {
    let looks = 0;
    program(`${root}/tool`);
    const counting: ProgramProbe = {
      entryAt(path) {
        looks++;
        return RUNTIME_PROBE.entryAt(path);
      },
      isProgram: RUNTIME_PROBE.isProgram,
      isStraight(path) {
        looks++;
        return RUNTIME_PROBE.isStraight(path);
      },
    };
    const finder = createProgramFinder("/nowhere" as CanonicalPath, [root], {
      searchPath: root,
      probe: counting,
    });
    assertEquals(looks, 0);
    const first = finder.find("tool", root);
    const looked = looks;
    assert(first !== null && looked > 0);
    assertEquals(finder.find("tool", root), first);
    assertEquals(looks, looked);
    assertEquals(finder.find("later", root), null);
    program(`${root}/later`);
    assertEquals(finder.find("later", root)?.path, `${root}/later`);
  });
});

Deno.test("the search path has the folders that count, and no others", async () => {
  await withDirectory((root) => {
    for (const folder of ["system/bin", "shims", "w/bin"]) {
      Deno.mkdirSync(`${root}/${folder}`, { recursive: true });
    }
    const searchPath = `${root}/shims:bin:${root}/w/bin:${root}/system/bin:${root}/none`;
    const finder = createProgramFinder(
      `${root}/w` as CanonicalPath,
      [`${root}/system`],
      { searchPath },
    );
    assertEquals(finder.searchPath, `${root}/system/bin`);
  });
});

Deno.test("near a name that means no program are those that are found, and a folder that is not looked in", async () => {
  await withDirectory((root) => {
    const workspace = `${root}/w` as CanonicalPath;
    for (const folder of ["w/bin", "sys/bin", "shims"]) {
      Deno.mkdirSync(`${root}/${folder}`, { recursive: true });
    }
    for (const name of ["git", "gitk", "grep", "python3"]) program(`${root}/sys/bin/${name}`);
    program(`${root}/sys/bin/gtis`, 0o644);
    program(`${root}/shims/ruff`);
    program(`${root}/shims/plain`, 0o644);
    program(`${workspace}/bin/black`);
    const finder = createProgramFinder(workspace, [`${root}/sys`], {
      searchPath: ["bin", `${workspace}/bin`, `${root}/gone`, `${root}/sys/bin`, `${root}/shims`]
        .join(":"),
    });
    const cases: readonly (readonly [string, readonly string[], string | null])[] = [
      ["gti", ["git"], null],
      ["pyhton3", ["python3"], null],
      ["gitt", ["git", "gitk"], null],
      ["ruff", [], `${root}/shims`],
      // No program, and one of the workspace: nothing to be added to what commands may use.
      ["plain", [], null],
      ["black", [], null],
      ["./ruff", [], null],
      ["../shims/ruff", [], null],
      ["", [], null],
      ["a\0b", [], null],
      ["x".repeat(5000), [], null],
    ];
    for (const [name, names, untrusted] of cases) {
      assertEquals(finder.near(name), { names, untrusted }, name.slice(0, 20));
    }
  });
});
