/** Openings for who may have been killed meanwhile: what was read of it may be another's. */

import { assertEquals } from "@std/assert";
import { close } from "../../../../src/host/kernel/pipes.ts";
import type { CallParts } from "../../../../src/host/broker/_call_result.ts";
import { CoveredFolders } from "../../../../src/host/broker/_covered_folders.ts";
import { LEAVE } from "../../../../src/host/broker/_names.ts";
import { openFor } from "../../../../src/host/broker/_opening.ts";
import { NameJudge } from "../../../../src/host/broker/handed_rules.ts";
import { KnownTexts } from "../../../../src/sandbox/broker/known_texts.ts";
import { Words } from "../../../../src/sandbox/broker/notifications.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import { AT_FDCWD, OPEN } from "../../../../src/sandbox/kernel/open_without_links.ts";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { rulebookOf } from "../_rulebook.ts";
import { withDirectory } from "../files/_temporary.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

const CALL = { low: 1, high: 0, thread: Deno.pid, number: 257, words: new Words() };

/** Opens a name for a program of this process. */
function opening(root: CanonicalPath, waits: boolean) {
  const rules = [
    { effect: "allow", access: ["read", "write"], match: ["**"] },
    { effect: "deny", access: ["read", "write"], match: ["shut"] },
  ] as const;
  const judge = new NameJudge(rulebookOf(root, { paths: rules }));
  const texts = new KnownTexts();
  const refused: string[] = [];
  const open = (text: string, flags: number) => {
    const parts = {
      libc,
      judge,
      notifications: {
        unsureText: () => text,
        textOf: (bytes: Uint8Array, length: number) => texts.textOf(bytes, 0, length),
        isWaiting: () => waits,
      },
      refused: judge.refused.bind(judge),
      rules: { left: [], change: [root], shared: null, reads: true, loaders: [] },
      covered: new CoveredFolders(["/usr"]),
      lists: null,
      masks: { masked: (_: number, mode: number) => ({ mode, cut: false }) },
      refuse: ({ path }: { readonly path: string }) => refused.push(path),
      replaced: () => {},
      // deno-lint-ignore no-explicit-any
    } as any as CallParts;
    const result = openFor(parts, CALL, { directory: AT_FDCWD, address: 0, flags, mode: 0o600 });
    if (typeof result !== "object" || !("descriptor" in result)) return result;
    close(libc, result.descriptor);
    return "given";
  };
  return { open, refused };
}

Deno.test("for who is gone nothing is made, cut or told of, and what is opened to be read is given by its number alone", async () => {
  await withDirectory((root) => {
    Deno.writeTextFileSync(`${root}/open`, "kept");
    Deno.writeTextFileSync(`${root}/shut`, "sentinel");
    const TRUNCATE = 0o1000;
    const rows: readonly (readonly [string, number, boolean, unknown])[] = [
      ["open", OPEN.RDONLY, true, "given"],
      ["open", OPEN.RDONLY, false, "given"],
      ["shut", OPEN.RDONLY, true, -ERRNO.EACCES],
      ["shut", OPEN.RDONLY, false, LEAVE],
      ["open", OPEN.RDONLY | TRUNCATE, false, LEAVE],
      ["open", OPEN.WRONLY | TRUNCATE, false, LEAVE],
      ["made", OPEN.WRONLY | OPEN.CREAT, false, LEAVE],
      ["made", OPEN.RDONLY | OPEN.CREAT, false, LEAVE],
      ["shut", OPEN.RDWR, false, LEAVE],
    ];
    for (const [name, flags, waits, expected] of rows) {
      const { open, refused } = opening(root, waits);
      assertEquals(open(`${root}/${name}`, flags), expected, `${name} ${flags} ${waits}`);
      assertEquals(refused, expected === -ERRNO.EACCES ? [`${root}/${name}`] : [], name);
    }
    assertEquals([...Deno.readDirSync(root)].map(({ name }) => name).sort(), ["open", "shut"]);
    assertEquals(Deno.readTextFileSync(`${root}/open`), "kept");
  });
});

Deno.test("folders are opened as such, and nobody is held up by a pipe", async () => {
  await withDirectory((root) => {
    Deno.mkdirSync(`${root}/folder`);
    libc.call(libc.numbers.mknodat, AT_FDCWD, libc.path(`${root}/pipe`), 0o010600, 0);
    const { open } = opening(root, true);
    const { O_DIRECTORY } = libc.numbers;
    const rows: readonly (readonly [string, number, unknown])[] = [
      ["folder", OPEN.RDONLY | O_DIRECTORY, "given"],
      ["folder", OPEN.RDONLY, "given"],
      ["folder/", OPEN.RDONLY, "given"],
      ["pipe", OPEN.RDONLY, -ERRNO.ENXIO],
      ["pipe", OPEN.RDONLY | OPEN.NONBLOCK, -ERRNO.ENXIO],
      ["pipe", OPEN.RDONLY | O_DIRECTORY, -ERRNO.ENOTDIR],
      ["pipe/", OPEN.RDONLY, -ERRNO.ENOTDIR],
    ];
    for (const [name, flags, expected] of rows) {
      assertEquals(open(`${root}/${name}`, flags), expected, `${name} ${flags}`);
    }
  });
});
