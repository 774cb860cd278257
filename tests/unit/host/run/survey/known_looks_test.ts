import { assertEquals, assertNotEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../../src/core/capability.ts";
import {
  isSettledAt,
  KnownLooks,
  LooksHere,
  repositoryState,
} from "../../../../../src/host/run/survey/known_looks.ts";
import { LIBC } from "../../../sandbox/_libc.ts";

/** A folder that looks like a repository, whose files were made long ago as far as the kernel's clock can be waited for. */
async function inRepository(
  use: (folder: CanonicalPath, settled: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    for (const name of ["objects", "refs"]) {
      Deno.mkdirSync(`${folder}/.git/${name}`, { recursive: true });
    }
    Deno.writeTextFileSync(`${folder}/.git/HEAD`, "ref: refs/heads/main\n");
    Deno.writeTextFileSync(`${folder}/.git/config`, "[core]\n\tbare = false\n");
    Deno.writeTextFileSync(`${folder}/.git/index`, "DIRC");
    Deno.mkdirSync(`${folder}/a/b`, { recursive: true });
    const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 150));
    await settled();
    await use(folder as CanonicalPath, settled);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** How often was asked, of one question asked again and again. */
function asking(known: KnownLooks, directory: CanonicalPath, rules: unknown = "rules") {
  let asked = 0;
  const ask = async (hangsOn: "settings" | "index") => {
    const here = new LooksHere(known, { rules, libc: LIBC, directory });
    return await here.of(["what"], hangsOn, () => Promise.resolve(`${++asked}`));
  };
  return { ask, asked: () => asked };
}

Deno.test("repositoryState finds what git would by files alone, and nothing where git must be asked", async () => {
  await inRepository(async (folder, settled) => {
    const below = `${folder}/a/b` as CanonicalPath;
    const stamp = repositoryState(LIBC, folder)?.stamp;
    assertNotEquals(stamp, undefined);
    assertEquals(repositoryState(LIBC, below)?.stamp, stamp);
    // A repository without files of its own.
    Deno.writeTextFileSync(`${folder}/a/HEAD`, "ref: refs/heads/main\n");
    assertEquals(repositoryState(LIBC, below), null);
    Deno.removeSync(`${folder}/a/HEAD`);
    Deno.writeTextFileSync(`${folder}/a/.git`, "gitdir: ../.git\n");
    assertEquals(repositoryState(LIBC, below), null);
    Deno.removeSync(`${folder}/a/.git`);
    await settled();
    Deno.removeSync(`${folder}/.git/refs`);
    assertEquals(repositoryState(LIBC, below), null);
  });
});

Deno.test("LooksHere asks once as long as nothing has changed that the answer hangs on", async () => {
  await inRepository(async (folder, settled) => {
    const { ask, asked } = asking(new KnownLooks(), folder);
    assertEquals([await ask("index"), await ask("index"), asked()], ["1", "1", 1]);
    const changes: readonly (readonly [file: string, text: string])[] = [
      ["config", "[core]\n\tbare = true \n"],
      ["config.worktree", ""],
      ["shallow", "0"],
      ["HEAD", "ref: refs/heads/side\n"],
      ["index", "CRID"],
    ];
    for (const [file, text] of changes) {
      const before = asked();
      Deno.writeTextFileSync(`${folder}/.git/${file}`, text);
      // Of what was changed just now a second change could not be told.
      await ask("index");
      await ask("index");
      assertEquals([file, asked()], [file, before + 2]);
      await settled();
      await ask("index");
      await ask("index");
      assertEquals([file, asked()], [file, before + 3]);
    }
  });
});

Deno.test("LooksHere keeps nothing by other rules, and where settings take in others", async () => {
  await inRepository(async (folder, settled) => {
    const known = new KnownLooks();
    const first = asking(known, folder);
    await first.ask("settings");
    const second = asking(known, folder, "other rules");
    await second.ask("settings");
    await second.ask("settings");
    assertEquals([first.asked(), second.asked()], [1, 1]);
    Deno.writeTextFileSync(`${folder}/.git/config`, "[include]\n\tpath = other\n");
    await settled();
    await second.ask("settings");
    await second.ask("settings");
    assertEquals(second.asked(), 3);
  });
});

Deno.test("isSettledAt holds for what was changed long enough before", () => {
  assertEquals([isSettledAt(1000, 1050), isSettledAt(1000, 1200)], [false, true]);
});

Deno.test("KnownLooks forgets the oldest", () => {
  const known = new KnownLooks();
  for (let at = 0; at < 3000; at++) known.keep("rules", `${at}`, "x");
  assertEquals([known.find("rules", "0"), known.find("rules", "2999")], [null, "x"]);
});
