/** What is baked into the binary beside its modules. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { bakedSettings } from "./baked_settings.ts";
import { BINARY } from "./toolgate.ts";

Deno.test("the binary never asks on a terminal, loads nothing from hosts and keeps no code cache", () => {
  const { permissions, code_cache_key, v8_flags, unstable_config } = bakedSettings(BINARY);
  assertEquals(permissions["prompt"], false);
  assertEquals(permissions["deny_import"], []);
  assertEquals(code_cache_key, null);
  assertEquals(unstable_config.features, ["worker-options"]);
  assertStringIncludes(
    v8_flags.join(" "),
    "--enable-experimental-regexp-engine-on-excessive-backtracks",
  );
});

Deno.test("the ceiling of the unsealed binary has no network and no system information", () => {
  const { permissions } = bakedSettings(BINARY);
  const granted = Object.entries(permissions)
    .filter(([name, value]) =>
      name.startsWith("allow_") && name !== "allow_import" && value !== null
    )
    .map(([name]) => name);
  assertEquals(granted.sort(), [
    "allow_env",
    "allow_ffi",
    "allow_read",
    "allow_run",
    "allow_write",
  ]);
});
