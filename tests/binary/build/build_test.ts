/** What is baked into the binary beside its modules. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { scriptFiles } from "../../../scripts/_compiled_scripts.ts";
import { SCRIPTS } from "../../../scripts/_code_caches.ts";
import { hostTarget } from "../../../scripts/build.ts";
import { compile, localBase } from "../../../scripts/compile.ts";
import { bakedSettings } from "./baked_settings.ts";
import { BINARY } from "../toolgate.ts";

Deno.test("the binary never asks on a terminal, loads nothing from hosts and keeps no code cache", () => {
  const { permissions, code_cache_key, v8_flags, unstable_config } = bakedSettings(BINARY);
  assertEquals(permissions["prompt"], false);
  assertEquals(permissions["deny_import"], []);
  assertEquals(code_cache_key, null);
  assertEquals(unstable_config.features.toSorted(), ["raw-imports", "worker-options"]);
  assertStringIncludes(
    v8_flags.join(" "),
    "--enable-experimental-regexp-engine-on-excessive-backtracks",
  );
});

Deno.test("the ceiling of the unsealed binary has no system information", () => {
  const { permissions } = bakedSettings(BINARY);
  const granted = Object.entries(permissions)
    .filter(([name, value]) =>
      name.startsWith("allow_") && name !== "allow_import" && value !== null
    )
    .map(([name]) => name);
  assertEquals(granted.sort(), [
    "allow_env",
    "allow_ffi",
    // Of the threads those of the network alone get any of it, and that as far as the policy goes.
    "allow_net",
    "allow_read",
    "allow_run",
    "allow_write",
  ]);
});

Deno.test("what starts and first programs run is carried compiled, and V8 takes it", async () => {
  const bundle = fromFileUrl(new URL("../../../dist/bundle/toolgate", import.meta.url));
  const folder = await Deno.makeTempDir({ prefix: "toolgate-cache-" });
  try {
    const files = SCRIPTS.map(({ name }) => scriptFiles(name));
    for (const name of files.flatMap(({ text, cache }) => [text, cache])) {
      await Deno.copyFile(join(bundle, name), join(folder, name));
    }
    const asks = files.map(({ text, cache }, at) => `
      import text${at} from "./${text}" with { type: "text" };
      import cache${at} from "./${cache}" with { type: "bytes" };
      const script${at} = new Script(text${at}, { filename: "${text}", cachedData: cache${at} });
      console.log(cache${at}.length > 15_000, script${at}.cachedDataRejected);`);
    await Deno.writeTextFile(
      join(folder, "main.js"),
      `import { Script } from "node:vm";${asks.join("")}`,
    );
    const target = hostTarget();
    const output = join(folder, "asks");
    const base = await localBase(target, false);
    await compile({
      main: join(folder, "main.js"),
      include: [],
      flags: [],
      target,
      output,
      base,
      telemetry: false,
    });
    const { stdout } = await new Deno.Command(output).output();
    assertEquals(new TextDecoder().decode(stdout), SCRIPTS.map(() => "true false\n").join(""));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
