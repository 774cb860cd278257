/** Manifests for tests, from the keys that a test is about. */

import { assert } from "@std/assert";
import { type CommandManifest, isModule } from "../../../src/plugins/manifest.ts";
import { parseManifest } from "../../../src/plugins/parse_manifest.ts";
import { createCommandTool } from "../../../src/plugins/command_tool.ts";
import type { Tool } from "../../../src/core/tool.ts";
import runCommand from "../../../src/tools/exec/run_command.ts";

const BASE = {
  version: 1,
  name: "wrap",
  description: "Wraps a command.",
  risk: "safe",
  command: ["prog"],
};

/** JSON is YAML: a manifest with these keys over the least that one needs. */
export function manifestText(keys: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...BASE, ...keys });
}

export function manifest(keys: Readonly<Record<string, unknown>> = {}): CommandManifest {
  const parsed = parseManifest(manifestText(keys), "test.yaml");
  assert("manifest" in parsed, JSON.stringify(parsed));
  assert(!isModule(parsed.manifest));
  return parsed.manifest;
}

/** The tool, which starts programs by the real `run_command`. */
export function pluginTool(keys: Readonly<Record<string, unknown>> = {}): Tool {
  return createCommandTool(manifest(keys), runCommand as Tool) as Tool;
}

/** Parameters of these types, all of them required. */
export function required(
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { properties, required: Object.keys(properties) };
}
