import { assertEquals } from "@std/assert";
import { HOOK_NAMES } from "../../../../src/core/git/hooks.ts";
import { standInsIn, writeHookStandIns } from "../../../../src/engine/programs/_hook_stand_ins.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";

// It stays open for as long as the process lives.
const libc = openLibc();

/** The first bytes of an executable (elf(5)). */
const ELF = [0x7f, 0x45, 0x4c, 0x46];
/** Permission bits of a mode (inode(7)). */
const PERMISSIONS = 0o777;

function modeOf(path: string): number {
  return (Deno.statSync(path).mode ?? 0) & PERMISSIONS;
}

Deno.test("something stands in for every hook, in a folder made for it, which nobody may write to", () => {
  const root = Deno.makeTempDirSync({ prefix: "toolgate-test-" });
  try {
    const folder = writeHookStandIns(root);
    assertEquals(folder, `${root}/hooks`);
    assertEquals(modeOf(`${root}/hooks`), 0o700);
    const names = [...Deno.readDirSync(`${root}/hooks`)].map(({ name }) => name).sort();
    assertEquals(names, [...HOOK_NAMES].sort());
    for (const name of names) {
      const path = `${root}/hooks/${name}`;
      assertEquals(modeOf(path), 0o500, name);
      assertEquals([...Deno.readFileSync(path).subarray(0, ELF.length)], ELF, name);
    }
    // What is there already is somebody else's.
    assertEquals(writeHookStandIns(root), null);
    assertEquals(writeHookStandIns(`${root}/none`), null);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("where nothing may be executed nothing stands in: git would leave a hook out and say nothing", () => {
  if (libc === null) throw new Error("this takes the C library of Linux");
  const root = Deno.makeTempDirSync({ prefix: "toolgate-test-" });
  try {
    assertEquals(standInsIn(null, libc), null);
    assertEquals(standInsIn(`${root}/hooks`, libc), null);
    const folder = writeHookStandIns(root);
    const files = HOOK_NAMES.map((name) => `${root}/hooks/${name}`);
    assertEquals(standInsIn(folder, libc), { folder: `${root}/hooks`, files });
    for (const file of files) Deno.chmodSync(file, 0o400);
    assertEquals(standInsIn(folder, libc), null);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
