/** The reference of custom tools, from their manifests alone. */

import { createCommandTool } from "../../plugins/command_tool.ts";
import { aliasOf, isModule, type PluginManifest } from "../../plugins/manifest.ts";
import { createModuleTool } from "../../plugins/module_tool.ts";
import { needsText, templateText } from "../../plugins/template_text.ts";
import { describeTool } from "../../tools/catalogue.ts";
import type { Registry } from "../../tools/registry.ts";
import { toolSection } from "../reference/markdown.ts";

/** Markdown: a section for each tool, with what is behind it. */
export async function documentPlugins(
  manifests: readonly PluginManifest[],
  registry: Registry,
): Promise<string> {
  const runCommand = await registry.get("run_command");
  const sections = manifests.flatMap((manifest) => {
    const tool = isModule(manifest)
      ? createModuleTool(manifest)
      : createCommandTool(manifest, runCommand);
    const { env, timeoutMs } = manifest;
    return [
      ...toolSection(describeTool(tool, [aliasOf(manifest.name)])),
      "",
      ...behind(manifest),
      "",
      [
        ...(isModule(manifest) ? [] : [`Exit status ${manifest.success.join(", ")} is success.`]),
        ...(timeoutMs === null ? [] : [`It is ended after ${timeoutMs} ms at the latest.`]),
        ...(env.length === 0 ? [] : [`It needs the variables ${env.join(", ")}.`]),
      ].join(" "),
    ];
  });
  return ["# Custom tools", ...sections].join("\n");
}

function behind(manifest: PluginManifest): readonly string[] {
  return isModule(manifest) ? needsText(manifest) : ["```", templateText(manifest.command), "```"];
}
