import { assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { hooksThere } from "../../../../src/engine/programs/_git_hooks.ts";
import type { PathEntry } from "../../../../src/host/paths/canonicalize.ts";

const FOLDERS = [
  "/w",
  "/w/.git",
  "/w/.git/hooks",
  "/w/sub",
  "/w/named",
  "/w/named/.git",
  "/w/away",
];
const HOOKS = [
  "/w/.git/hooks/pre-commit",
  "/w/named/own/commit-msg",
  "/w/named/.git/hooks/pre-commit",
];
const SETTINGS: Readonly<Record<string, string>> = {
  "/w/.git/config": "[core]\n\tbare = false\n",
  "/w/named/.git/config": "[core]\n\thooksPath = own\n",
  "/w/away/.git/config": "[core]\n\thooksPath = /elsewhere\n",
};
const probe = {
  entryAt(path: string): PathEntry {
    if (path === "/w/.git/hooks/post-commit") return { link: "../../x" };
    if (FOLDERS.includes(path) || path === "/w/away/.git" || path === "/w/named/own") {
      return "directory";
    }
    return HOOKS.includes(path) ? "other" : "missing";
  },
  isProgram: (path: string) => HOOKS.includes(path),
  text: (path: string) => SETTINGS[path] ?? null,
};
const GIT = "/usr/bin/git" as CanonicalPath;
const git = { path: GIT, start: GIT, names: [GIT] };

Deno.test("git: in the worktree that an agent has of its own hooks are left out by name, and run nowhere", () => {
  const agents = { agent: "alice", common: "/w/.git", own: "/w/.git/worktrees/alice" };
  const links: Readonly<Record<string, string>> = {
    "/tree/.git": `gitdir: ${agents.own}\n`,
    "/tree/other/.git": "gitdir: /w/.git/worktrees/bob\n",
  };
  const apart = {
    ...probe,
    entryAt: (path: string): PathEntry => path in links ? "other" : probe.entryAt(path),
    text: (path: string) => links[path] ?? probe.text(path),
  };
  const there = (from: string, home: typeof agents | null) =>
    hooksThere(
      { program: git, argv: ["git", "commit"], directory: from as CanonicalPath },
      "/tree" as CanonicalPath,
      apart,
      home,
    );
  for (const from of ["/tree", "/tree/sub"]) {
    assertEquals(there(from, agents), { names: ["pre-commit", "post-commit"], home: null }, from);
  }
  assertEquals(there("/tree/other", agents), { names: [], home: null });
  assertEquals(there("/tree", null), { names: [], home: null });
});

Deno.test("git: which hooks of its repository a line's git leaves out", () => {
  const all = "pre-commit commit-msg prepare-commit-msg post-commit";
  const rows: readonly (readonly [line: string, from: string, hooks: string, path?: string])[] = [
    ["git commit -m x", "/w", "pre-commit post-commit"],
    ["git commit -m x", "/w/sub", "pre-commit post-commit"],
    ["git commit -m x", "/w/named", "commit-msg"],
    ["git -C named commit -m x", "/w", "commit-msg"],
    // Nobody looks there, and any may be there.
    ["git commit -m x", "/w/away", all],
    ["git commit -m x", "/elsewhere", ""],
    ["git status", "/w", ""],
    ["git push", "/w", ""],
    ["git commit -m x", "/w", "", "/usr/bin/jj"],
  ];
  for (const [line, from, hooks, at = "/usr/bin/git"] of rows) {
    const path = at as CanonicalPath;
    const { names, home } = hooksThere(
      {
        program: { path, start: path, names: [path] },
        argv: line.split(" "),
        directory: from as CanonicalPath,
      },
      "/w" as CanonicalPath,
      probe,
    );
    assertEquals(names.join(" "), hooks, `${line} in ${from}`);
    // Where settings say where hooks lie none is run there; on the way any may be that is there.
    const isUsual = /^\/w(?:\/sub)?$/.test(from) && /^git (?:commit|push)/.test(line) &&
      path.endsWith("git");
    assertEquals(home, isUsual ? "/w" as CanonicalPath : null, `${line} in ${from}`);
  }
});
