import { assert, assertEquals } from "@std/assert";
import type { Policy } from "../../../../src/policy/model.ts";
import { ALL, check, read, write } from "./_decide_cases.ts";
import {
  at,
  canonical,
  commandRule,
  file,
  pathRule,
  READER,
  rulebook,
  RUNNER,
  spawn,
} from "../_fixtures.ts";

const GIT = pathRule("deny", [".git/**"], ["write"], {
  reason: "repository internals",
});

check([
  {
    name: "paths: nothing named is denied",
    policies: [{}],
    capabilities: read("a"),
    expect: ["deny", "PATH_DENIED", "paths"],
    says: ["reading a", "nothing may be read"],
  },
  {
    name: "paths: allowed",
    policies: [{ paths: [ALL] }],
    capabilities: read("a/.b"),
    expect: ["allow"],
  },
  {
    name: "paths: the workspace itself",
    policies: [{ paths: [ALL] }],
    capabilities: read("."),
    expect: ["allow"],
    says: ["reading . is"],
  },
  {
    name: "paths: outside",
    policies: [{ paths: [ALL] }],
    capabilities: read("/etc/passwd"),
    expect: ["deny", "PATH_OUTSIDE_WORKSPACE"],
    says: ["/etc/passwd", "outside the workspace", "**"],
  },
  {
    name: "paths: backups are judged by their own name, whatever its ending",
    policies: [{ paths: [ALL], extensions: { read: null, write: { allow: [".ts"], deny: [] } } }],
    capabilities: [{ ...file("fs.write", "a.ts"), backups: true }],
    expect: ["allow"],
  },
  {
    name: "paths: backups that a rule denies",
    policies: [{ paths: [ALL, pathRule("deny", ["**/*.bak"])] }],
    capabilities: [{ ...file("fs.write", "a.ts"), backups: true }],
    expect: ["deny", "PATH_DENIED", "paths[1]"],
    says: ["a.ts.bak"],
  },
  {
    name: "extensions: a tree that is a file",
    policies: [{
      paths: [ALL],
      extensions: { read: { allow: null, deny: [".key"] }, write: null },
    }],
    capabilities: [file("fs.read", "a.key", true)],
    expect: ["deny", "EXTENSION_DENIED"],
  },
  {
    name: "paths: outside, a neighbour that begins alike",
    policies: [{ paths: [ALL] }],
    capabilities: read("/w/project2/a"),
    expect: ["deny", "PATH_OUTSIDE_WORKSPACE"],
  },
  {
    name: "paths: outside, allowed by an absolute glob",
    policies: [{ paths: [pathRule("allow", ["/data/**"])] }],
    capabilities: read("/data/x"),
    expect: ["allow"],
  },
  {
    name: "paths: outside, denied outright",
    policies: [{ paths: [ALL, pathRule("deny", ["/etc/**"])] }],
    capabilities: read("/etc/passwd"),
    expect: ["deny", "PATH_DENIED", "paths[1]"],
  },
  {
    name: "paths: deny beats allow, whatever the order",
    policies: [{ paths: [GIT, ALL] }],
    capabilities: write(".git/config"),
    expect: ["deny", "PATH_DENIED", "paths[0]"],
    says: ["writing to .git/config is denied by p1.yaml paths[0] (repository internals)"],
  },
  {
    name: "paths: a rule for writing says nothing of reading",
    policies: [{ paths: [GIT, ALL] }],
    capabilities: read(".git/config"),
    expect: ["allow"],
  },
  {
    name: "paths: reading alone does not allow writing",
    policies: [{ paths: [pathRule("allow", ["**"], ["read"])] }],
    capabilities: write("a"),
    expect: ["deny", "PATH_DENIED"],
    says: ["nothing may be written"],
  },
  {
    name: "paths: ask beats allow",
    policies: [{ paths: [ALL, pathRule("ask", ["config/**"])] }],
    capabilities: write("config/a"),
    expect: ["ask", "APPROVAL_REQUIRED", "paths[1]"],
    says: ["needs approval"],
  },
  {
    name: "paths: ask alone grants",
    policies: [{ paths: [pathRule("ask", ["a"])] }],
    capabilities: read("a"),
    expect: ["ask", "APPROVAL_REQUIRED"],
  },
  {
    name: "paths: deny beats ask",
    policies: [{ paths: [pathRule("ask", ["**"]), pathRule("deny", ["a"])] }],
    capabilities: read("a"),
    expect: ["deny", "PATH_DENIED", "paths[1]"],
  },
  {
    name: "paths: a denied name denies all below it",
    policies: [{ paths: [ALL, pathRule("deny", ["secrets"])] }],
    capabilities: read("secrets/a/b"),
    expect: ["deny", "PATH_DENIED", "paths[1]"],
  },
  {
    name: "paths: a wildcard that denies a folder denies all below it",
    policies: [{ paths: [ALL, pathRule("deny", ["**/*.key"])] }],
    capabilities: read("x/a.key/b"),
    expect: ["deny", "PATH_DENIED"],
  },
  {
    name: "paths: an asked name asks for all below it",
    policies: [{ paths: [ALL, pathRule("ask", ["secrets"])] }],
    capabilities: read("secrets/a"),
    expect: ["ask", "APPROVAL_REQUIRED"],
  },
  {
    name: "paths: an allowed name allows only itself",
    policies: [{ paths: [pathRule("allow", ["src"])] }],
    capabilities: read("src/a"),
    expect: ["deny", "PATH_DENIED"],
  },
  {
    name: "paths: an asked name alone grants only itself",
    policies: [{ paths: [pathRule("ask", ["src"])] }],
    capabilities: read("src/a"),
    expect: ["deny", "PATH_DENIED"],
  },
  {
    name: "paths: case counts",
    policies: [{ paths: [ALL, pathRule("deny", [".env"])] }],
    capabilities: read(".ENV"),
    expect: ["allow"],
  },
  {
    name: "paths: names with line breaks are shown escaped",
    policies: [{ paths: [] }],
    capabilities: read("a\nb"),
    expect: ["deny", "PATH_DENIED"],
    says: ["a\\nb"],
  },
  {
    name: "paths: where links lead is not told",
    policies: [{ paths: [ALL] }],
    capabilities: [{
      kind: "fs.read",
      path: canonical("/home/someone/x"),
      tree: false,
      requested: "link",
    }],
    expect: ["deny", "PATH_OUTSIDE_WORKSPACE"],
    says: ["reading link"],
  },
  {
    name: "trees: what is asked for below is left out, not asked for",
    policies: [{ paths: [ALL, pathRule("ask", ["config/secret/**"])] }],
    capabilities: [file("fs.read", ".", true)],
    expect: ["allow"],
  },
  {
    name: "trees: a root that is asked for",
    policies: [{ paths: [ALL, pathRule("ask", ["config/secret/**"])] }],
    capabilities: [file("fs.read", "config/secret", true)],
    expect: ["ask", "APPROVAL_REQUIRED", "paths[1]"],
  },
  {
    name: "trees: what is denied below does not deny the root",
    policies: [{ paths: [ALL, pathRule("deny", ["**/.env"])] }],
    capabilities: [file("fs.read", ".", true)],
    expect: ["allow"],
  },
  {
    name: "no capabilities",
    policies: [{}],
    subject: { permission: null },
    capabilities: [],
    expect: ["allow"],
  },
  {
    name: "several capabilities: the strictest counts",
    policies: [{ paths: [ALL, pathRule("ask", ["a"]), pathRule("deny", ["b"])] }],
    capabilities: [...read("x"), ...read("a"), ...read("b")],
    expect: ["deny", "PATH_DENIED", "paths[2]"],
  },
  {
    name: "several capabilities: the first of two equal ones speaks",
    policies: [{ paths: [pathRule("deny", ["b"]), pathRule("deny", ["a"])] }],
    capabilities: [...read("a"), ...read("b")],
    expect: ["deny", "PATH_DENIED", "paths[1]"],
  },
], READER);

const endings = (allow: string[] | null, deny: string[] = []) => ({
  paths: [ALL],
  extensions: { read: null, write: { allow, deny } },
});

check([
  {
    name: "extensions: denied",
    policies: [endings(null, [".exe"])],
    capabilities: write("a.EXE"),
    expect: ["deny", "EXTENSION_DENIED", "extensions.write.deny"],
    says: [".exe"],
  },
  {
    name: "extensions: a name that is all ending",
    policies: [endings(null, [".exe"])],
    capabilities: write(".exe"),
    expect: ["deny", "EXTENSION_DENIED"],
  },
  {
    name: "extensions: others are free",
    policies: [endings(null, [".exe"])],
    capabilities: write("exe"),
    expect: ["allow"],
  },
  {
    name: "extensions: for reading nothing is said",
    policies: [endings(null, [".exe"])],
    capabilities: read("a.exe"),
    expect: ["allow"],
  },
  {
    name: "extensions: allowed",
    policies: [endings([".ts", ".d.mts"])],
    capabilities: write("a.d.mts"),
    expect: ["allow"],
  },
  {
    name: "extensions: not among the allowed",
    policies: [endings([".ts"])],
    capabilities: write("a.js"),
    expect: ["deny", "EXTENSION_DENIED", "extensions.write.allow"],
    says: [".ts"],
  },
  {
    name: "extensions: no ending",
    policies: [endings([".ts"])],
    capabilities: write("Makefile"),
    expect: ["deny", "EXTENSION_DENIED"],
  },
  {
    name: "extensions: a name that is all ending has none",
    policies: [endings([".ts"])],
    capabilities: write(".ts"),
    expect: ["deny", "EXTENSION_DENIED"],
  },
  {
    name: "extensions: an empty list allows none",
    policies: [endings([])],
    capabilities: write("a.ts"),
    expect: ["deny", "EXTENSION_DENIED"],
  },
  {
    name: "extensions: deny beats allow",
    policies: [endings([".ts"], [".d.ts"])],
    capabilities: write("a.d.ts"),
    expect: ["deny", "EXTENSION_DENIED", "extensions.write.deny"],
  },
  {
    name: "extensions: the root of a tree is a directory",
    policies: [endings([".ts"])],
    capabilities: [{ ...file("fs.write", "src", true), directory: true }],
    expect: ["allow"],
  },
  {
    name: "extensions: a path that is denied is that first",
    policies: [{ ...endings([".ts"]), paths: [] }],
    capabilities: write("a.js"),
    expect: ["deny", "PATH_DENIED"],
  },
], { ...READER, permission: "file_write" });

Deno.test("where file systems ignore case, rules that deny and ask do too, rules that allow do not", () => {
  const book = rulebook([{
    paths: [
      pathRule("allow", ["**", "/Shared/x"]),
      pathRule("deny", [".git/**", "**/*.Pem", "caf\u00e9", "[A-C]1"]),
      pathRule("ask", ["/Other/y"]),
    ],
    commands: [commandRule("allow", ["Tool", "*x"]), commandRule("deny", ["sudox", "Del*x"])],
  }], { caseInsensitive: true });
  const effect = (path: string) => book.judgePath("read", at(path)).effect;
  for (
    const path of [
      ".GIT/config",
      ".g\u200cit/x",
      "a.PEM",
      "CAFE\u0301/x",
      "b1",
      ".git./x",
      ".git /x",
    ]
  ) {
    assertEquals(effect(path), "deny", path);
  }
  assertEquals(effect(".gitignore"), "allow");
  assertEquals(effect("d1"), "allow");
  assertEquals(effect("/shared/x"), "deny");
  assertEquals(effect("/Shared/x"), "allow");
  // What only an asking rule grants is granted as written, not folded.
  assertEquals(effect("/Other/y"), "ask");
  assertEquals(effect("/other/y"), "deny");
  const command = (name: string) => book.decide(RUNNER, [spawn([name])]).effect;
  assertEquals(command("SUDOX"), "deny");
  assertEquals(command("delaX"), "deny");
  assertEquals(command("ax"), "allow");
  assertEquals(command("aX"), "deny");
  assertEquals(command("tool"), "deny");
  assertEquals(command("Tool"), "allow");
});

Deno.test("judgePath() asks for endings of files only", () => {
  const book = rulebook([{
    paths: [ALL],
    extensions: { read: { allow: [".ts"], deny: [] }, write: null },
  }]);
  assertEquals(book.judgePath("read", at("src")).code, "EXTENSION_DENIED");
  assertEquals(book.judgePath("read", at("src"), "directory").effect, "allow");
});

Deno.test("judgePath() does not name what lies outside the workspace", () => {
  const { reason } = rulebook([{ paths: [ALL] }]).judgePath("read", at("/home/someone/secret"));
  assert(!reason.includes("someone"), reason);
});

const BELOW: readonly [
  name: string,
  policies: Partial<Policy>[],
  dir: string,
  expected: boolean,
][] = [
  ["all allowed", [{ paths: [ALL] }], ".", false],
  ["all allowed, deep", [{ paths: [ALL] }], "a/b", false],
  ["a folder denied, from above", [{ paths: [ALL, GIT] }], ".", true],
  ["a folder denied, from beside", [{ paths: [ALL, GIT] }], "src", false],
  ["a folder denied, from within", [{ paths: [ALL, GIT] }], ".git/a", true],
  ["a name denied anywhere", [{ paths: [ALL, pathRule("deny", ["**/.env"])] }], "src/deep", true],
  ["asked for below", [{ paths: [ALL, pathRule("ask", ["src/x"])] }], "src", true],
  ["asked for elsewhere", [{ paths: [ALL, pathRule("ask", ["lib/x"])] }], "src", false],
  [
    "denied for the other access",
    [{ paths: [ALL, pathRule("deny", ["src/x"], ["read"])] }],
    "src",
    false,
  ],
  ["not covered", [{ paths: [pathRule("allow", ["src/**/*.ts"])] }], "src", true],
  ["covered from above", [{ paths: [pathRule("allow", ["src/**"])] }], "src/a", false],
  ["covered, but not there", [{ paths: [pathRule("allow", ["src/**"])] }], ".", true],
  ["a further policy", [{ paths: [ALL] }, { paths: [pathRule("allow", ["src/**"])] }], ".", true],
  ["a further silent policy", [{ paths: [ALL] }, {}], ".", false],
  [
    "endings",
    [{ paths: [ALL], extensions: { read: null, write: { allow: null, deny: [".so"] } } }],
    ".",
    true,
  ],
  [
    "no endings",
    [{ paths: [ALL], extensions: { read: null, write: { allow: null, deny: [] } } }],
    ".",
    false,
  ],
  ["outside", [{ paths: [ALL] }], "/w", true],
];

for (const [name, policies, dir, expected] of BELOW) {
  Deno.test(`mayDenyBelow(): ${name}`, () => {
    assertEquals(rulebook(policies).mayDenyBelow("write", at(dir)), expected);
  });
}
