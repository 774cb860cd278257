import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { names } from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

const PROCESSES = ["a", "b", "c", "d"];

/** So many rounds of one change in each of four processes at once; the last two over another backend. */
async function together(what: string, root: string, rounds: number): Promise<void> {
  const done = await Promise.all(PROCESSES.map((name, index) =>
    new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--quiet",
        "-A",
        "--no-lock",
        "--no-check",
        "--cached-only",
        fromFileUrl(import.meta.resolve("./_changer.ts")),
        what,
        root,
        name,
        String(rounds),
        index < 2 ? "descriptors" : "the runtime",
      ],
      stderr: "inherit",
    }).output()
  ));
  assert(done.every(({ success }) => success));
}

Deno.test("lines that four processes append at once are all there, each whole", async () => {
  await withDirectory(async (root) => {
    await together("append", root, 50);
    const lines = Deno.readTextFileSync(`${root}/log`).split("\n").slice(0, -1);
    const expected = PROCESSES.flatMap((name) =>
      [...Array(50).keys()].map((round) => `${name} ${round}`)
    );
    assertEquals(lines.toSorted(), expected.toSorted());
    for (const name of PROCESSES) {
      const own = lines.filter((line) => line.startsWith(name));
      assertEquals(own, [...Array(50).keys()].map((round) => `${name} ${round}`), "in their order");
    }
    assertEquals(names(root), ["log"]);
  });
});

Deno.test("edits that four processes make at once of one file are none of them lost", async () => {
  await withDirectory(async (root) => {
    Deno.writeTextFileSync(`${root}/number`, "0");
    await together("increment", root, 50);
    assertEquals(Deno.readTextFileSync(`${root}/number`), "200");
    assertEquals(names(root), ["number"]);
  });
});

Deno.test("backups that four processes make at once are never one and the same", async () => {
  await withDirectory(async (root) => {
    Deno.writeTextFileSync(`${root}/f`, "contents");
    await together("backUpAll", root, 20);
    const backups = names(root).filter((name) => name !== "f");
    const expected = [...Array(80).keys()].map((number) =>
      number === 0 ? "f.bak" : `f.bak.${number}`
    );
    assertEquals(backups, expected.toSorted());
    for (const name of backups) assertEquals(Deno.readTextFileSync(`${root}/${name}`), "contents");
  });
});
