/** What `call TOOL --help` and `help TOOL` say. */

import { createRegistry } from "../../tools/registry.ts";
import type { Screen } from "../render/screen.ts";
import { toolPage } from "./_tool_page.ts";

/** The page of a tool of Toolgate's own, by name or alias, whatever the policy; null where none has the name. */
export async function toolHelp(name: string, screen: Screen): Promise<string | null> {
  const tool = await createRegistry().catalogue.describe(name);
  return tool === null ? null : toolPage(tool, screen);
}
