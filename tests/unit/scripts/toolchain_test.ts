import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { hasProgram } from "../../../scripts/_debian.ts";
import { hasPackage, NODE_PACKAGES, packagesFolder } from "../../../scripts/_toolchain.ts";

Deno.test("a package counts as here in its exact version only", () => {
  const root = Deno.makeTempDirSync({ prefix: "toolgate-test-" });
  try {
    assertEquals(hasPackage(root, "eslint"), false);
    const folder = join(packagesFolder(root), "node_modules", "eslint");
    Deno.mkdirSync(folder, { recursive: true });
    const cases: readonly (readonly [string, boolean])[] = [
      ["", false],
      ['{"version":"0.0.1"}', false],
      [JSON.stringify({ version: NODE_PACKAGES.eslint }), true],
    ];
    for (const [text, expected] of cases) {
      Deno.writeTextFileSync(join(folder, "package.json"), text);
      assertEquals(hasPackage(root, "eslint"), expected, text);
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("programs are looked for where all users have them", () => {
  assertEquals([hasProgram("sh"), hasProgram("no-such-program")], [true, false]);
});
