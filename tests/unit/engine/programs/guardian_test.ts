import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { LIBC } from "../../sandbox/_libc.ts";
import { comesToBe } from "../../../until.ts";
import { running, sleepMark, table } from "./_runs.ts";

/** Ends them; what the guardian has killed may be gone by now. */
function kill(...ids: readonly number[]): void {
  for (const id of ids) LIBC.call(LIBC.numbers.kill, id, 9);
}

/** Starts `_guarded.ts`; what it tells of its programs. */
async function guarded(word: string, way: string, folder?: string) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", fromFileUrl(new URL("_guarded.ts", import.meta.url)), way],
    env: { WORD: word, ...(folder === undefined ? {} : { FOLDER: folder }) },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  let said = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  while (!said.includes("\n")) {
    const { value, done } = await reader.read();
    assert(!done, said);
    said += value;
  }
  const { guardian, bystander } = JSON.parse(said) as Record<string, number>;
  const end = async () => {
    child.kill("SIGKILL");
    await reader.cancel();
    await child.stdin.close().catch(() => {});
    await child.status;
  };
  return { guardian: guardian ?? 0, bystander: bystander ?? 0, end };
}

Deno.test("when Toolgate is killed its programs end: those that are marked, those it was told of, and no others", async () => {
  const word = sleepMark();
  const { guardian, bystander, end } = await guarded(word, "wait");
  try {
    assert(await comesToBe(() => running(word).length === 2));
    assert(table.facts(guardian) !== null);
    await end();
    assert(await comesToBe(() => running(word).length === 0), "something runs on");
    assert(await comesToBe(() => running("toolgate-guardian").every((id) => id !== guardian)));
    // It may still be what was forked to become it.
    await comesToBe(() => running(`${word}1`).length > 0);
    assertEquals(running(`${word}1`), [bystander]);
  } finally {
    kill(...running(word), bystander);
  }
});

Deno.test("one that is closed is gone at once, and ends nothing", async () => {
  const word = sleepMark();
  const { guardian, bystander, end } = await guarded(word, "close");
  try {
    assert(await comesToBe(() => table.facts(guardian) === null));
    await end();
    assert(await comesToBe(() => running(word).length === 2));
  } finally {
    kill(...running(word), bystander);
  }
});

Deno.test("when Toolgate is killed its temporary folder goes, whatever lies in it, and nothing that it leads to", async () => {
  const base = Deno.realPathSync(Deno.makeTempDirSync());
  const folder = `${base}/-temporary *`;
  Deno.mkdirSync(`${folder}/closed/deep`, { recursive: true });
  Deno.writeTextFileSync(`${base}/kept`, "kept");
  Deno.symlinkSync(`${base}/kept`, `${folder}/closed/link`);
  Deno.symlinkSync(base, `${folder}/base`);
  Deno.chmodSync(`${folder}/closed`, 0o500);
  const word = sleepMark();
  try {
    for (const way of ["close", "wait"]) {
      const { guardian, bystander, end } = await guarded(word, way, folder);
      // It may have told of itself and not yet have closed it.
      if (way === "close") assert(await comesToBe(() => table.facts(guardian) === null));
      await end();
      await comesToBe(() => running("toolgate-guardian").every((id) => id !== guardian));
      kill(...running(word), bystander);
      const left = [...Deno.readDirSync(base)].map(({ name }) => name).sort();
      assertEquals(left, way === "close" ? ["-temporary *", "kept"] : ["kept"]);
    }
    assertEquals(Deno.readTextFileSync(`${base}/kept`), "kept");
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
});
