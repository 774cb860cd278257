import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import type { PolicyScope } from "../../../src/policy/rulebook.ts";
import { permissionFlags, permissionLists } from "../../../src/sandbox/permission_flags.ts";

const at = (path: string): CanonicalPath => path as CanonicalPath;
const settings = {
  workspace: at("/w/p"),
  environment: { pass: ["LANG", "PATH"], set: {} },
  sandbox: { system: null },
};
const nothing: PolicyScope = {
  read: [],
  write: [],
  denyRead: [],
  denyWrite: [],
  programs: [],
  hosts: [],
  connect: [],
  programConnect: [],
};
/** All flags but the variables', which are checked on their own. */
function flagsOf(scope: PolicyScope, workspace = settings.workspace): readonly string[] {
  return permissionFlags(permissionLists(scope, { ...settings, workspace }))
    .filter((flag) => !flag.startsWith("--allow-env"));
}

Deno.test("permissionFlags names each variable that Toolgate or its programs read, once", () => {
  const [flag = ""] = permissionFlags(permissionLists(nothing, settings));
  const names = flag.replace("--allow-env=", "").split(",");
  for (const name of ["TOOLGATE_POLICY", "TOOLGATE_ROOT", "HOME", "NO_COLOR", "LANG"]) {
    assert(names.includes(name), name);
  }
  assertEquals(names.filter((name) => name === "PATH"), ["PATH"]);
  assert(names.every((name) => /^[A-Z_]+$/.test(name)));
});

Deno.test("permissionFlags has no flag for what a policy gives no use to", () => {
  assertEquals(flagsOf(nothing), ["--allow-ffi"]);
});

Deno.test("permissionFlags names exactly the policy's scope, relative in the workspace", () => {
  const scope: PolicyScope = {
    read: [at("/w/p"), at("/data"), at("/w/project")],
    write: [at("/w/p/src")],
    denyRead: [at("/w/p/secret")],
    denyWrite: [at("/w/p/.git"), at("/w/p/a,b")],
    programs: ["git", "./run.sh", "/opt/x/tool"],
    hosts: ["api.example", "docs.example"],
    connect: [{ to: "8.8.8.8", port: 443 }, { to: "2001:4860::1", port: 443 }],
    programConnect: nothing.programConnect,
  };
  assertEquals(flagsOf(scope), [
    "--allow-read=.,/data,/w/project,./src",
    "--deny-read=./secret",
    "--allow-write=./src",
    "--deny-write=./.git,./a,,b",
    "--allow-run=/usr/local/bin/git,/usr/bin/git,/bin/git,/usr/local/sbin/git,/usr/sbin/git," +
    "/sbin/git,./run.sh,/opt/x/tool",
    "--allow-net=api.example,docs.example,8.8.8.8:443,[2001:4860::1]:443",
    "--allow-ffi",
  ]);
});

Deno.test("permissionFlags lets the proxy listen and dial where rules open hosts to programs", () => {
  const programConnect = [{ to: "10.0.0.1", port: 8443 }];
  assertEquals(permissionLists({ ...nothing, programConnect }, settings).net, [
    "10.0.0.1:8443",
    "127.0.0.1:0",
  ]);
});

Deno.test("permissionFlags bakes the name alone only where a policy has folders of its own for programs", () => {
  const scope = { ...nothing, programs: ["git"] };
  const runs = (system: readonly string[] | null) =>
    permissionLists(scope, { ...settings, sandbox: { system } }).run;
  assertEquals(runs(["/opt/tools", "/usr"]), ["git", ...runs(null)]);
  assertEquals(runs(["/usr", "/bin"]), runs(null));
});

Deno.test("permissionFlags bakes whole kinds only where a rule has a wildcard", () => {
  const flags = permissionFlags(
    permissionLists({ ...nothing, programs: "any", hosts: "any" }, settings),
  );
  assertEquals(flags.slice(0, 2), ["--allow-run", "--allow-net"]);
});

Deno.test("permissionFlags of a workspace at the root stay absolute", () => {
  const flags = flagsOf({ ...nothing, read: [at("/"), at("/etc")] }, at("/"));
  assertEquals(flags[0], "--allow-read=.,/etc");
});
