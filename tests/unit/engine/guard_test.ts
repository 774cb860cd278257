import { assertEquals } from "@std/assert";
import { guardOf, plainGlob } from "../../../src/engine/guard.ts";
import type { GoverningFiles } from "../../../src/engine/guard.ts";
import type { PathRule } from "../../../src/policy/model.ts";
import { canonical, pathRule, policy, rulebook, WORKSPACE } from "../policy/_fixtures.ts";

const NOTHING: GoverningFiles = {
  unwritable: [],
  keys: [],
  manifests: [],
  kept: null,
  log: null,
};
const HERE = canonical(WORKSPACE);

function placed(...paths: readonly PathRule[]) {
  return { source: "p.yaml", policy: policy({ paths }), workspace: HERE };
}

/** What the policies and the guard together say to reading and writing a path. */
function effects(paths: readonly PathRule[], files: GoverningFiles, path: string): string {
  const guard = guardOf([placed(...paths)], HERE, files);
  const book = rulebook(guard === null ? [{ paths }] : [{ paths }, guard.policy]);
  return (["read", "write"] as const).map((access) =>
    book.judgePath(access, canonical(path)).effect
  ).join(" ");
}

Deno.test("what governs a run is never written, and its log is not even read", () => {
  const all = [pathRule("allow", ["**"])];
  const files: GoverningFiles = {
    unwritable: [canonical(`${WORKSPACE}/policy.yaml`)],
    keys: [canonical(`${WORKSPACE}/token`)],
    manifests: [{ glob: `${WORKSPACE}/plugins/*.yaml`, below: canonical(`${WORKSPACE}/plugins`) }],
    kept: canonical(`${WORKSPACE}/.local/state/toolgate/policies`),
    log: canonical(`${WORKSPACE}/audit.log`),
  };
  const cases: readonly (readonly [string, string])[] = [
    ["policy.yaml", "allow deny"],
    ["plugins/new.yaml", "allow deny"],
    ["plugins/readme.md", "allow allow"],
    ["token", "deny deny"],
    ["tokens", "allow allow"],
    ["audit.log", "deny deny"],
    ["audit.log.1", "deny deny"],
    ["audit.log.12", "deny deny"],
    ["audit.logs", "allow allow"],
    [".local/state/toolgate/policies", "allow deny"],
    [".local/state/toolgate/policies/0.json", "allow deny"],
    [".local/state/toolgate/policies/a/b", "allow deny"],
    [".local/state/toolgate/other", "allow allow"],
    ["src/a.ts", "allow allow"],
  ];
  for (const [path, expected] of cases) {
    assertEquals(effects(all, files, `${WORKSPACE}/${path}`), expected, path);
  }
});

Deno.test("where the policies reach none of them there is no guard to pay for", () => {
  const outside: GoverningFiles = {
    unwritable: [canonical("/etc/toolgate/policy.yaml")],
    keys: [],
    manifests: [{ glob: "/opt/plugins/*.yaml", below: canonical("/opt/plugins") }],
    kept: canonical("/home/u/.local/state/toolgate/policies"),
    log: canonical("/var/log/audit.log"),
  };
  assertEquals(guardOf([placed(pathRule("allow", ["**"]))], HERE, outside), null);
  assertEquals(guardOf([placed(pathRule("deny", ["/**"]))], HERE, outside), null);
  assertEquals(guardOf([placed()], HERE, NOTHING), null);
  for (const glob of ["/**", "{/opt,/etc}/**"]) {
    const paths = [pathRule("allow", [glob])];
    assertEquals(effects(paths, outside, "/etc/toolgate/policy.yaml"), "allow deny", glob);
  }
});

Deno.test("a folder of manifests that the workspace lies in is guarded too", () => {
  const files = {
    ...NOTHING,
    manifests: [{ glob: "/w/**/*.tool.yaml", below: canonical("/w") }],
  };
  const paths = [pathRule("allow", ["**"])];
  assertEquals(effects(paths, files, `${WORKSPACE}/a.tool.yaml`), "allow deny");
});

Deno.test("a path of odd characters is guarded as it is, and nothing else for it", () => {
  for (const name of ["a*b", "a?b", "a[b]c", "a{b,c}", "!a", "a\\b", "a,b"]) {
    const file = canonical(`${WORKSPACE}/${name}`);
    const files = { ...NOTHING, unwritable: [file] };
    const paths = [pathRule("allow", ["**"])];
    assertEquals(effects(paths, files, file), "allow deny", name);
    assertEquals(effects(paths, files, `${WORKSPACE}/axb`), "allow allow", name);
  }
  assertEquals(plainGlob("/a/b.c"), "/a/b.c");
});
