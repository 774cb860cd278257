import { assertEquals } from "@std/assert";
import {
  GIT_KEYS,
  type GitSettings,
  lineVariables,
  scriptVariables,
} from "../../../../src/core/git/settings.ts";

const SETTINGS: GitSettings = {
  hooks: "deny",
  filters: [],
  protocols: [],
  worktrees: "w",
  identity: null,
  home: null,
};

Deno.test("a line's git stands above the repository's settings, save where it shows them", () => {
  const count = (argv: readonly string[]) =>
    lineVariables(SETTINGS, argv).GIT_CONFIG_PARAMETERS?.match(/'[^']+'/g)?.length ?? 0;
  for (const argv of [["git", "status"], ["git", "-C", "config", "status"], ["sh", "config"], []]) {
    assertEquals(count(argv) > 5 && count(argv) < Object.keys(GIT_KEYS).length, true, `${argv}`);
  }
  for (const argv of [["git", "config", "--list"], ["git", "-C", "sub", "config", "-l"]]) {
    assertEquals(count(argv), 0, `${argv}`);
  }
});

Deno.test("a filter that tools run is one that cannot be started where a line's git would record by it", () => {
  const keysOf = (filters: GitSettings["filters"], line: string) => {
    const { GIT_CONFIG_PARAMETERS = "" } = lineVariables({ ...SETTINGS, filters }, line.split(" "));
    return [...GIT_CONFIG_PARAMETERS.matchAll(/'(filter\.[^']+)'/g)].map(([, one]) => one);
  };
  const unstartable = [
    "filter.lfs.process=git_add-and-the-other-git-tools-run-git-lfs",
    "filter.lfs.required=true",
  ];
  for (const line of ["git add x.bin", "git -C sub commit -am x"]) {
    assertEquals(keysOf(["lfs"], line), unstartable, line);
    assertEquals(keysOf([], line), [], line);
  }
  // What only looks would fail of it, and what lays out stop in the middle.
  for (const line of ["git status", "git diff", "git config -l", "git checkout side"]) {
    assertEquals(keysOf(["lfs"], line), [], line);
  }
});

Deno.test("nobody is told that a list of commits was edited which could not be", () => {
  assertEquals(lineVariables(SETTINGS).GIT_SEQUENCE_EDITOR, "false");
});

Deno.test("git of a script runs nothing that a repository names, but hooks where the policy lets them run", () => {
  const parameters = (hooks: GitSettings["hooks"]) =>
    scriptVariables({ hooks, protocols: [] }).GIT_CONFIG_PARAMETERS ?? "";
  const hooksPath = "'core.hooksPath=/dev/null'";
  assertEquals(parameters("deny").includes(hooksPath), true);
  assertEquals(
    parameters("allow").split(" "),
    parameters("deny").split(" ").filter((one) => one !== hooksPath),
  );
});

Deno.test("a folder of hooks is handed on whatever it is called", async () => {
  const folder = '/tmp/it\'s $HOME; `here` = "there"!';
  const { stdout } = await new Deno.Command("git", {
    args: ["config", "--get", "core.hooksPath"],
    env: { ...lineVariables(SETTINGS, [], folder), HOME: "/nowhere" },
  }).output();
  assertEquals(new TextDecoder().decode(stdout), `${folder}\n`);
});
