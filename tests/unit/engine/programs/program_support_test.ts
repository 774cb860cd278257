import { atOnce } from "../../../../src/engine/turns.ts";
import { RUNTIME_PROBE } from "../../../../src/host/paths/path_probe.ts";
import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import {
  createProgramSupport,
  type ProgramSupport,
} from "../../../../src/engine/programs/program_support.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import type { Bubblewrap } from "../../../../src/sandbox/bubblewrap.ts";
import { SYSTEM_PATHS } from "../../../../src/sandbox/system_paths.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { rulebookOf } from "../../host/_rulebook.ts";
import { canonical, commandRule, pathRule } from "../../policy/_fixtures.ts";

/** The C library is opened once a process and never closed. */
const LIBRARY_STAYS = { sanitizeResources: false };

const OPEN: Partial<Policy> = {
  paths: [pathRule("allow", ["**"]), pathRule("deny", ["shut/**"])],
  commands: [commandRule("allow", ["cat", "no-such-program", "ls"])],
};

function withSupport(
  sections: Partial<Policy>,
  bubblewrap: Bubblewrap | null,
  look: (support: ProgramSupport, workspace: Workspace) => void,
): Promise<void> {
  const workspace = new Workspace({ "a.txt": "", "shut/b.txt": "" });
  const rulebook = rulebookOf(canonical(workspace.root), { ...OPEN, ...sections });
  const support = createProgramSupport(rulebook, bubblewrap);
  try {
    look(support, workspace);
  } finally {
    support.close();
  }
  return workspace[Symbol.asyncDispose]();
}

Deno.test(
  "programs that the policy names and that are there may start, and the shell that lines are handed to",
  LIBRARY_STAYS,
  async () => {
    await withSupport({}, null, (support) => {
      const { programs, system, network, bubblewrap } = support.boundary().spawn;
      assertEquals(programs, ["/usr/bin/cat", "/usr/bin/ls"]);
      assertEquals([system, network, bubblewrap], [SYSTEM_PATHS, false, undefined]);
    });
    await withSupport({ shell: { mode: "sh" } }, null, (support) => {
      assertEquals(support.boundary().spawn.programs, [
        "/usr/bin/cat",
        "/usr/bin/ls",
        "/usr/bin/sh",
      ]);
    });
    const any = { commands: [commandRule("allow", ["*"])] };
    await withSupport(any, null, (support) => {
      assertEquals(support.boundary().spawn.programs, "any");
    });
    const wide = { sandbox: { network: "allow", system: ["/usr"] } } as const;
    await withSupport(wide, null, (support) => {
      const { network, system } = support.boundary().spawn;
      assertEquals([network, system, support.system], [true, ["/usr"], ["/usr"]]);
    });
  },
);

Deno.test(
  "what programs may touch leaves out what is denied, and is drawn anew when the workspace changes",
  LIBRARY_STAYS,
  async () => {
    await withSupport({}, null, (support, workspace) => {
      const { spawn: { read }, state } = support.boundary();
      const short = read.map((path) => path.slice(workspace.root.length));
      assert(
        short.includes("/a.txt") && !short.some((path) => path.startsWith("/shut")),
        short.join(),
      );
      assertEquals(support.boundary().state, state);
      workspace.write("new.txt", "");
      assertNotEquals(support.boundary().state, state);
    });
  },
);

Deno.test(
  "temporary files have a folder of their own, which goes with the rest",
  LIBRARY_STAYS,
  async () => {
    let root: string | null = null;
    await withSupport({ sandbox: { temporary: true } }, null, (support) => {
      root = support.programEnvironment.temporaryRoot;
      assert(support.boundary().spawn.write.some((path) => path === root));
    });
    assertThrows(() => Deno.statSync(root ?? ""), Deno.errors.NotFound);
  },
);

Deno.test(
  "bubblewrap is used where it works, missed where it is only wanted, and required where it is",
  LIBRARY_STAYS,
  async () => {
    const works: Bubblewrap = { works: true, path: "/usr/bin/bwrap" };
    const broken: Bubblewrap = { works: false, reason: "no namespaces here" };
    await withSupport({ sandbox: { bubblewrap: "auto" } }, works, (support) => {
      assertEquals(support.boundary().spawn.bubblewrap, "/usr/bin/bwrap");
      assertEquals(support.programEnvironment.reasons, []);
    });
    await withSupport({ sandbox: { bubblewrap: "auto" } }, broken, (support) => {
      assertEquals(support.boundary().spawn.bubblewrap, undefined);
      assertEquals(support.programEnvironment.reasons, ["no namespaces here"]);
    });
    for (const found of [broken, null]) {
      await withSupport({ sandbox: { bubblewrap: "required" } }, found, (support) => {
        for (const draw of [support.boundary, support.ofThread]) {
          const error = assertThrows(() => draw(), ToolError, "auto or off");
          assertEquals(error.code, "NATIVE_DENIED");
        }
      });
    }
  },
);

Deno.test(
  "commands are resolved by the machine's own programs, and watched over where the C library is there",
  LIBRARY_STAYS,
  async () => {
    await withSupport({}, null, (support) => {
      const resolved = (name: string) =>
        atOnce(support.resolve({ kind: "process.spawn", argv: [name], cwd: "." }, RUNTIME_PROBE));
      const { spawn } = resolved("cat");
      assertEquals(spawn.program?.start, "/usr/bin/cat");
      const missing = resolved("no-such");
      assertEquals(missing.spawn.program, null);
    });
  },
);
