/** Which names of its folder git is given, and for what. */

import { assert, assertEquals } from "@std/assert";
import { isSettled } from "../../../../src/host/broker/git_folder.ts";
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
      const git = { folder, programs: [], settles: true };
      const [config, lock] = [`${folder}/config`, `${folder}/config.lock`];
      Deno.writeTextFileSync(config, BEFORE);
      const rows: readonly (readonly [string, string, string | null, boolean])[] = [
        [SETTLED, config, lock, true],
        [OTHER, config, lock, false],
        // Opened, cut, removed, moved away, given another file's text: none of it is what git does.
        [SETTLED, config, null, false],
        [SETTLED, config, `${folder}/index`, false],
        [SETTLED, config, `${folder}/objects/config.lock`, false],
        [OTHER, lock, null, true],
        [SETTLED, `${folder}/hooks`, lock, false],
      ];
      for (const [text, path, from, expected] of rows) {
        Deno.writeTextFileSync(lock, text);
        assertEquals(isSettled(libc, git, path, from), expected, `${path} from ${from}`);
        assertEquals(isSettled(libc, { ...git, settles: false }, path, from), false);
      }
    }),
);
