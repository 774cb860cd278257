import { assertEquals } from "@std/assert";
import type {
  ResolvedFileCapability,
  ResolvedSpawnCapability,
} from "../../../../src/core/capability.ts";
import { atOnce } from "../../../../src/engine/turns.ts";
import { withoutRefusedOptions } from "../../../../src/engine/judge/_optional_capabilities.ts";
import { canonical, commandRule, pathRule, rulebook } from "../../policy/_fixtures.ts";

const read = (path: string, optional: boolean): ResolvedFileCapability => ({
  kind: "fs.read",
  path: canonical(path),
  tree: false,
  requested: path,
  ...(optional ? { optional: true } : {}),
});

Deno.test("optional capabilities are kept only where the agent could read by itself", () => {
  const book = rulebook([{
    risk: { allow: "moderate", ask: "dangerous" },
    paths: [
      pathRule("allow", ["**"], ["read", "write"]),
      pathRule("deny", ["secret"], ["read"]),
      pathRule("ask", ["private"], ["read"]),
    ],
    agents: {
      root: { permissions: ["all"] },
      writer: { permissions: ["file_write"] },
    },
  }]);
  const cases: readonly (readonly [string, string, boolean, boolean])[] = [
    ["root", "/w/project/a", true, true],
    ["root", "/w/project/secret", true, false],
    ["root", "/w/project/private", true, false],
    ["root", "/elsewhere", true, false],
    ["writer", "/w/project/a", true, false],
    ["nobody", "/w/project/a", true, false],
    // Needed ones stay: they are judged, and deny the call.
    ["root", "/w/project/secret", false, true],
  ];
  for (const [agent, path, optional, kept] of cases) {
    const capability = read(path, optional);
    assertEquals(
      atOnce(withoutRefusedOptions(book, agent, [capability])),
      kept ? [capability] : [],
      `${agent} ${path}`,
    );
  }
});

const hook = (name: string, there: boolean): ResolvedSpawnCapability => ({
  kind: "process.spawn",
  argv: [`.git/hooks/${name}`],
  cwd: canonical("/w/project"),
  program: there
    ? {
      path: canonical(`/w/project/.git/hooks/${name}`),
      start: canonical(`/w/project/.git/hooks/${name}`),
      names: [name],
    }
    : null,
  operands: [],
  optional: true,
});

Deno.test("optional programs are kept where the agent could run them by a command, also where it would be asked for", () => {
  const book = rulebook([{
    risk: { allow: "dangerous", ask: "dangerous" },
    commands: [
      commandRule("allow", [".git/hooks/pre-commit"]),
      commandRule("ask", [".git/hooks/commit-msg"]),
      commandRule("deny", [".git/hooks/pre-push"]),
    ],
    agents: {
      root: { permissions: ["all"] },
      reader: { permissions: ["file_read", "git_operations"] },
    },
  }]);
  const cases = [
    ["root", "pre-commit", true, true],
    ["root", "pre-commit", false, false],
    ["root", "commit-msg", true, true],
    ["root", "pre-push", true, false],
    ["root", "post-commit", true, false],
    ["reader", "pre-commit", true, false],
  ] as const;
  for (const [agent, name, there, kept] of cases) {
    const capability = hook(name, there);
    assertEquals(
      atOnce(withoutRefusedOptions(book, agent, [capability])),
      kept ? [capability] : [],
      `${agent} ${name}`,
    );
  }
});
