/**
 * Programs of an honest day's work by name, each held under the default policy with approvals given, in a workspace
 * with secrets that stay closed: they say what they say unheld, and end as they end then.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { hasProgram } from "../../../scripts/_debian.ts";
import { hasProgramPackage, programsFolder } from "../../../scripts/_toolchain.ts";
import { ROOT } from "../../../scripts/compile.ts";
import { own } from "../../attacks/_users.ts";
import { BROWSERS } from "./_named_browsers.ts";
import { MACHINE_PROGRAMS, type NamedProgram, NODE_PROGRAMS } from "./_named_programs.ts";
import { NODE } from "./_project.ts";
import { call, Workspace } from "../toolgate.ts";

const USER = Deno.uid() === 0 ? { user: { uid: 65532, gid: 65532 } } : {};
/** A name that is denied, so that what programs do by names is handed over. */
const SECRET = "conf/server.key";

function isHere(need: string): boolean {
  if (need === "node") return NODE !== null;
  if (need.startsWith("npm:")) {
    const name = need.slice(4) as Parameters<typeof hasProgramPackage>[1];
    return NODE !== null && hasProgramPackage(ROOT, name);
  }
  if (!need.startsWith("/")) return hasProgram(need);
  try {
    return Deno.statSync(need).isFile;
  } catch {
    return false;
  }
}

/** The packages, as hard links or, on another file system, as copies. */
async function bringPackages(root: string): Promise<void> {
  const from = join(programsFolder(ROOT), "node_modules");
  for (const way of ["-al", "-a"]) {
    const copy = new Deno.Command("cp", { args: [way, from, root], stderr: "null" });
    if ((await copy.output()).success) return;
  }
}

/** A workspace of the user's, with a home for him beside it. */
function openWorkspace(): Workspace {
  const workspace = new Workspace();
  Deno.chmodSync(workspace.base, 0o755);
  Deno.mkdirSync(join(workspace.base, "home"));
  own(join(workspace.base, "home"), USER.user);
  own(workspace.root, USER.user);
  return workspace;
}

async function hold(
  workspace: Workspace,
  { files, command, said }: NamedProgram,
): Promise<void> {
  for (const { name } of [...Deno.readDirSync(workspace.root)]) {
    if (name !== "node_modules") Deno.removeSync(workspace.path(name), { recursive: true });
  }
  for (const [path, text] of Object.entries({ ...files, [SECRET]: "secret\n" })) {
    workspace.write(path, text);
  }
  for (const { name } of Deno.readDirSync(workspace.root)) {
    if (name !== "node_modules") own(workspace.path(name), USER.user);
  }
  const request = JSON.stringify({ command });
  const { answer } = await call(["run_command", "--approve", "--json", request], {
    cwd: workspace.root,
    env: { HOME: join(workspace.base, "home"), NO_COLOR: "1" },
    ...USER,
  });
  const { stdout = "", stderr = "" } = answer.output ?? {};
  assert(answer.success, `${JSON.stringify(answer.error)}\n${stdout}\n${stderr}`);
  if (typeof said === "string") assertEquals(stdout.trim(), said, stderr);
  else assertMatch(stdout, said, stderr);
}

const missingOf = ({ needs }: NamedProgram) => needs.filter((need) => !isHere(need));
const leftOut = (missing: readonly string[]): string =>
  missing.length === 0 ? "" : ` (left out: ${missing.join(", ")} not here)`;

const missing = [...new Set(NODE_PROGRAMS.flatMap(missingOf))];
Deno.test({
  name: `held as unheld: programs that npm brings${leftOut(missing)}`,
  ignore: missing.length > 0,
  fn: async (test) => {
    await using workspace = openWorkspace();
    await bringPackages(workspace.root);
    // Where they keep what they have transformed.
    const modules = workspace.path("node_modules");
    if (USER.user !== undefined) Deno.chownSync(modules, USER.user.uid, USER.user.gid);
    for (const program of NODE_PROGRAMS) {
      await test.step(program.name, () => hold(workspace, program));
    }
  },
});

for (const program of [...MACHINE_PROGRAMS, ...BROWSERS]) {
  const missing = missingOf(program);
  Deno.test({
    name: `held as unheld: ${program.name}${leftOut(missing)}`,
    ignore: missing.length > 0,
    fn: async () => {
      await using workspace = openWorkspace();
      await hold(workspace, program);
    },
  });
}
