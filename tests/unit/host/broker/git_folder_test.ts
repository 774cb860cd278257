/** Which names of its folder git is given, and for what. */

import { assert, assertEquals } from "@std/assert";
import { isSettled, type NameChange } from "../../../../src/host/broker/git_folder.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";
import { withDirectory } from "../files/_temporary.ts";

const BEFORE = "[user]\n\tname = Ann\n";
const SETTLED = "[user]\n\tname = Bob\n";
const OTHER = "[core]\n\tpager = touch x\n";

Deno.test(
  "settings are given a new text by its name alone, and that is looked at",
  // The C library stays open as long as the process.
  { sanitizeResources: false },
  () =>
    withDirectory((folder) => {
      const libc = openLibc();
      assert(libc !== null);
      const git = {
        ...{ folder, programs: [], settles: "names", worktrees: "none", link: null } as const,
      };
      const [config, lock] = [`${folder}/config`, `${folder}/config.lock`];
      Deno.writeTextFileSync(config, BEFORE);
      const rows: readonly (readonly [string, string, NameChange | null, boolean])[] = [
        [SETTLED, config, { from: lock }, true],
        [OTHER, config, { from: lock }, false],
        [SETTLED, config, "attributes", false],
        // Opened, cut, removed, moved away, given another file's text: none of it is what git does.
        [SETTLED, config, null, false],
        [SETTLED, config, { from: `${folder}/index` }, false],
        [SETTLED, config, { from: `${folder}/objects/config.lock` }, false],
        [OTHER, lock, null, true],
        [SETTLED, `${folder}/hooks`, { from: lock }, false],
      ];
      for (const [text, path, from, expected] of rows) {
        Deno.writeTextFileSync(lock, text);
        assertEquals(isSettled(libc, git, path, from), expected, `${path} ${JSON.stringify(from)}`);
        assertEquals(isSettled(libc, { ...git, settles: "nothing" }, path, from), false);
      }
      // A repository that is begun has no settings yet, and git tries there whether modes are kept.
      const begun = { ...git, settles: "beginning" } as const;
      assertEquals(isSettled(libc, begun, config, "attributes"), true);
      Deno.removeSync(config);
      Deno.writeTextFileSync(lock, "[core]\n\tbare = false\n");
      assertEquals(isSettled(libc, begun, config, { from: lock }), true);
      assertEquals(isSettled(libc, git, config, { from: lock }), false);
      Deno.writeTextFileSync(lock, OTHER);
      assertEquals(isSettled(libc, begun, config, { from: lock }), false);
    }),
);
