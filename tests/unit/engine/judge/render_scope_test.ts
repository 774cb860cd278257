import { assert, assertEquals } from "@std/assert";
import { renderScope } from "../../../../src/engine/judge/render_scope.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { commandRule, pathRule } from "../../policy/_fixtures.ts";
import { ABI } from "../../sandbox/_libc.ts";
import { openEngine } from "../_stand_ins.ts";

/** The C library is opened once a process and never closed. */
const LIBRARY_STAYS = { sanitizeResources: false };

const OPEN: Partial<Policy> = {
  paths: [pathRule("allow", ["src/**"], ["read"]), pathRule("allow", ["out/**"])],
  commands: [commandRule("allow", ["cat"])],
};

async function rendered(sections: Partial<Policy>) {
  await using workspace = new Workspace({ "src/a.ts": "", "out/b": "" });
  const scope = renderScope(openEngine(workspace.root, sections));
  const short = (path: string) => path.replace(workspace.root, ".");
  const rights = (rules: typeof scope.landlock.files) =>
    Object.fromEntries(rules.map(({ path, rights }) => [short(path), rights]));
  return {
    landlock: scope.landlock,
    files: rights(scope.landlock.files),
    programs: rights(scope.landlock.programs),
    bubblewrap: scope.bubblewrap.map(short),
  };
}

Deno.test(
  "what the policy can allow is shown as the kernel's rules, of files and of programs",
  LIBRARY_STAYS,
  async () => {
    const { landlock, files, programs } = await rendered(OPEN);
    assertEquals([landlock.abi > 0, landlock.probed], [true, ABI > 0]);
    assert(files["./src"]?.includes("read_file") && !files["./src"]?.includes("write_file"));
    assert(files["./out"]?.includes("write_file"), JSON.stringify(files));
    assertEquals(files["./"], undefined);
    assert(programs["./src"]?.includes("read_file") && !programs["./src"]?.includes("write_file"));
    assert(
      Object.entries(programs).some(([path, rights]) =>
        path.startsWith("/usr") && rights.includes("execute")
      ),
    );
  },
);

Deno.test(
  "bubblewrap's arguments are shown whether this machine has it or not, without temporary folders",
  LIBRARY_STAYS,
  async () => {
    for (const bubblewrap of ["off", "auto", "required"] as const) {
      const sandbox = { bubblewrap, temporary: true };
      const { bubblewrap: argv } = await rendered({ ...OPEN, sandbox });
      assertEquals(argv.at(-1), "PROGRAM");
      assert(argv.includes("./out"), argv.join(" "));
      assert(!argv.some((word) => word.includes("/toolgate-") && !word.includes("-test-")));
    }
  },
);

Deno.test(
  "a policy that allows nothing opens nothing of the workspace",
  LIBRARY_STAYS,
  async () => {
    const { files, programs, bubblewrap } = await rendered({});
    assertEquals(Object.keys(files).filter((path) => path.startsWith(".")), []);
    assertEquals(Object.keys(programs).filter((path) => path.startsWith(".")), []);
    assert(!bubblewrap.includes("./src"));
  },
);
