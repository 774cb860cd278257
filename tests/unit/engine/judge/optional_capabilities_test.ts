import { assertEquals } from "@std/assert";
import type { ResolvedFileCapability } from "../../../../src/core/capability.ts";
import { atOnce } from "../../../../src/engine/turns.ts";
import { withoutRefusedOptions } from "../../../../src/engine/judge/_optional_capabilities.ts";
import { canonical, pathRule, rulebook } from "../../policy/_fixtures.ts";

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
