/** What the README's picture says of lines is what the built-in policy says of them. */

import { assert, assertEquals } from "@std/assert";
import { start, Workspace } from "../toolgate.ts";

const EFFECTS = { runs: "allow", asks: "ask", "is refused": "deny" } as const;

Deno.test("each line of the picture is judged as it is drawn", async () => {
  const picture = await Deno.readTextFile(
    new URL("../../../.github/pictures/lines.svg", import.meta.url),
  );
  const described = /<desc[^>]*>(.*)<\/desc>/s.exec(picture)?.[1] ?? "";
  const groups = described.split("; ").map((group) => group.split(": ", 2));
  assertEquals(groups.map(([name]) => name), Object.keys(EFFECTS));
  await using workspace = new Workspace({
    "a.txt": "a",
    ".env": "KEY=1",
    "main.py": "",
    "src/a.ts": "",
  });
  for (const [name = "", lines = ""] of groups) {
    for (const command of lines.split(", ")) {
      assert(picture.includes(`>${command.replaceAll(">", "&gt;")}</text>`), command);
      const { stdout } = await start(
        ["policy", "explain", "run_command", `command=${command}`, "--format", "json"],
        { cwd: workspace.root },
      );
      assertEquals(JSON.parse(stdout).effect, EFFECTS[name as keyof typeof EFFECTS], command);
    }
  }
});
