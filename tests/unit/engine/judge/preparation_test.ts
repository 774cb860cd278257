import { atOnce } from "../../../../src/engine/turns.ts";
import { RUNTIME_PROBE } from "../../../../src/host/paths/path_probe.ts";
import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { createPreparation } from "../../../../src/engine/judge/preparation.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { canonical } from "../../policy/_fixtures.ts";
import { rulebookOf } from "../../host/_rulebook.ts";
import { toolOf } from "../_stand_ins.ts";

/** The C library is opened once a process and never closed. */
const LIBRARY_STAYS = { sanitizeResources: false };

const READ = { kind: "fs.read", path: "a", tree: false } as const;
const SPAWN = { kind: "process.spawn", argv: ["cat"], cwd: "." } as const;

Deno.test(
  "nothing is missing for files; for programs it is loaded once, by what the call or the tool is",
  LIBRARY_STAYS,
  async () => {
    await using workspace = new Workspace();
    const rulebook = rulebookOf(canonical(workspace.root), {});
    for (const first of [() => [[SPAWN]], () => [[], toolOf({ riskOfPrograms: true })]] as const) {
      const preparation = createPreparation(rulebook);
      assertEquals([preparation.prepare([READ]), preparation.prepare([READ], toolOf())], [
        null,
        null,
      ]);
      assertThrows(() => preparation.programs(), Error, "before prepare()");
      const [capabilities, tool] = first() as [
        readonly (typeof SPAWN)[],
        ReturnType<typeof toolOf>?,
      ];
      await Promise.all([
        preparation.prepare(capabilities, tool),
        preparation.prepare(capabilities, tool),
      ]);
      const support = preparation.programs();
      assertStrictEquals(preparation.programs(), support);
      assertEquals(
        atOnce(support.resolve(SPAWN, RUNTIME_PROBE)).spawn.program?.start,
        "/usr/bin/cat",
      );
      await preparation.prepare([SPAWN]);
      assertEquals(preparation.prepare([SPAWN]), null);
      preparation.close();
    }
  },
);

Deno.test(
  "what programs took is let go of; where none were started there is nothing",
  LIBRARY_STAYS,
  async () => {
    await using workspace = new Workspace();
    const rulebook = rulebookOf(canonical(workspace.root), { sandbox: { temporary: true } });
    createPreparation(rulebook).close();
    const preparation = createPreparation(rulebook);
    await preparation.prepare([SPAWN]);
    const root = preparation.programs().programEnvironment.temporaryRoot ?? "";
    assert(Deno.statSync(root).isDirectory);
    preparation.close();
    assertThrows(() => Deno.statSync(root), Deno.errors.NotFound);
  },
);

Deno.test("files are opened once, and read only", LIBRARY_STAYS, async () => {
  await using workspace = new Workspace({ a: "text" });
  const root = canonical(workspace.root);
  const preparation = createPreparation(rulebookOf(root, {}));
  const [files, again] = await Promise.all([preparation.files(), preparation.files()]);
  assertStrictEquals(files, again);
  const target = { path: canonical(`${root}/a`), shown: "a", granted: root };
  assertThrows(() => files.write(target as never, new Uint8Array(1), {} as never));
  assertEquals(workspace.read("a"), "text");
});
