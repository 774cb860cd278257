/** Which starts of a program that may start some others are left to the kernel, by where their names lead. */

import { assert, assertEquals } from "@std/assert";
import type { CallParts } from "../../../../src/host/broker/_call_result.ts";
import { LEAVE } from "../../../../src/host/broker/_names.ts";
import { judgeStart } from "../../../../src/host/broker/_start_judging.ts";
import type { StartList } from "../../../../src/host/broker/handed_rules.ts";
import { identityOf } from "../../../../src/host/kernel/stat.ts";
import { KnownTexts } from "../../../../src/sandbox/broker/known_texts.ts";
import { Words } from "../../../../src/sandbox/broker/notifications.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import { withDirectory } from "../files/_temporary.ts";
import { canonical } from "../../policy/_fixtures.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

const CALL = { low: 1, high: 0, thread: Deno.pid, number: 59, words: new Words() };
const TEXTS = new KnownTexts();

/** How a start by this text is judged, for a program of this process in a workspace. */
function judgerIn(root: string, list: StartList, { waits = true } = {}) {
  return (text: string | number) =>
    judgeStart(
      {
        libc,
        notifications: {
          unsureText: () => text,
          textOf: (bytes: Uint8Array, length: number) => TEXTS.textOf(bytes, 0, length),
          isWaiting: () => waits,
        },
        judge: { isRuled: (path: string) => path === root || path.startsWith(`${root}/`) },
        rules: { left: [canonical(`${root}-temporary`)] },
        // deno-lint-ignore no-explicit-any
      } as any as CallParts,
      list,
      CALL,
      0,
    );
}

const listOf = (names: readonly string[], system: readonly string[]): StartList => ({
  files: new Set(names.map((name) => identityOf(libc, name) ?? "")),
  folders: [canonical("/usr/lib/git-core")],
  names: new Set(names),
  system,
});

Deno.test("a start is left to the kernel by the file that its name leads to, and by links of the system alone", async () => {
  await withDirectory((root) => {
    const elsewhere = `${root}-elsewhere`;
    try {
      Deno.mkdirSync(`${elsewhere}/folder`, { recursive: true });
      Deno.copyFileSync("/bin/true", `${elsewhere}/tool`);
      Deno.copyFileSync("/bin/true", `${elsewhere}/folder/other`);
      Deno.symlinkSync("tool", `${elsewhere}/link`);
      Deno.symlinkSync("tool", `${elsewhere}/unnamed`);
      Deno.symlinkSync("/usr/bin/env", `${root}/link`);
      Deno.symlinkSync("/usr", `${root}/system`);
      const list = listOf(["/usr/bin/env", "/bin/sh", `${elsewhere}/link`], ["/usr", "/bin"]);
      const judge = judgerIn(root, list);
      const rows: readonly (readonly [string | number, ReturnType<typeof judge>])[] = [
        ["/usr/bin/env", LEAVE],
        ["//usr/./bin//env", LEAVE],
        ["/bin/sh", LEAVE],
        ["/usr/lib/../bin/env", LEAVE],
        ["/usr/bin/cat", -ERRNO.EACCES],
        ["/usr/bin", -ERRNO.EACCES],
        ["/usr/bin/no-such-program", -ERRNO.ENOENT],
        // By the user's own link where that is how it was found, else by none.
        [`${elsewhere}/link`, LEAVE],
        [`${elsewhere}/tool`, LEAVE],
        [`${elsewhere}/unnamed`, -ERRNO.EACCES],
        [`${elsewhere}/folder/../tool`, -ERRNO.EACCES],
        [`${elsewhere}/folder/other`, -ERRNO.EACCES],
        [`${root}/link`, -ERRNO.EACCES],
        [`${root}/system/bin/env`, -ERRNO.EACCES],
        [`${root}/../../usr/bin/env`, -ERRNO.EACCES],
        ["/proc/self/root/usr/bin/env", -ERRNO.EACCES],
        ["/proc/self/./exe", -ERRNO.EACCES],
        ["/proc/self/fd/1000", -ERRNO.EACCES],
        ["/dev/fd/1000", -ERRNO.EACCES],
        ["", -ERRNO.ENOENT],
        [-ERRNO.EFAULT, -ERRNO.EFAULT],
        [-ERRNO.EPERM, -ERRNO.EACCES],
      ];
      for (const [text, expected] of rows) assertEquals(judge(text), expected, String(text));
    } finally {
      Deno.removeSync(elsewhere, { recursive: true });
    }
  });
});

Deno.test("what a program has open is judged as what it is, and so is the program itself", async () => {
  await withDirectory((root) => {
    const none = judgerIn(root, listOf(["/usr/bin/env"], ["/usr"]));
    const own = judgerIn(root, listOf([Deno.execPath(), "/usr/bin/env"], ["/usr"]));
    assertEquals([none("/proc/self/exe"), own("/proc/self/exe")], [-ERRNO.EACCES, LEAVE]);
    const file = libc.call(libc.numbers.openat, -100, libc.path("/usr/bin/env"), 0);
    assert(file >= 0);
    for (const text of [`/proc/self/fd/${file}`, `/dev/fd/${file}`]) {
      assertEquals(none(text), LEAVE, text);
      assertEquals(judgerIn(root, listOf(["/bin/sh"], ["/usr"]))(text), -ERRNO.EACCES, text);
    }
    libc.call(libc.numbers.close, file);
  });
});

Deno.test("who does not wait any more starts nothing", async () => {
  await withDirectory((root) => {
    const gone = judgerIn(root, listOf(["/usr/bin/env"], ["/usr"]), { waits: false });
    for (const text of ["/usr/bin/env", "env", "/proc/self/exe"]) {
      assertEquals(gone(text), -ERRNO.EACCES, text);
    }
  });
});
