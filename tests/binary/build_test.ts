/** What is baked into the binary beside its modules. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";

const BINARY = fromFileUrl(new URL("../../dist/toolgate", import.meta.url));

/** What `deno compile` wrote of its settings: one JSON object near the end of the binary. */
function settings(path: string): {
  readonly permissions: Readonly<Record<string, unknown>>;
  readonly code_cache_key: unknown;
  readonly v8_flags: readonly string[];
  readonly unstable_config: { readonly features: readonly string[] };
} {
  const text = new TextDecoder("latin1").decode(Deno.readFileSync(path));
  const start = text.lastIndexOf('{"argv":');
  for (let end = text.indexOf("}", start); end > 0; end = text.indexOf("}", end + 1)) {
    try {
      return JSON.parse(text.slice(start, end + 1));
    } catch {
      // Not its own brace yet.
    }
  }
  throw new Error("no settings in the binary");
}

Deno.test("the binary never asks on a terminal, loads nothing from hosts and keeps no code cache", () => {
  const { permissions, code_cache_key, v8_flags, unstable_config } = settings(BINARY);
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
  const { permissions } = settings(BINARY);
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
