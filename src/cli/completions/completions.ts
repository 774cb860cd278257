/** `completions`: a script that teaches a shell to complete Toolgate's command line. */

import { EXIT } from "../../core/errors.ts";
import { didYouMean, nearestOf } from "../../core/nearest.ts";
import { quoted } from "../../core/printable.ts";
import type { ToolDescription } from "../../core/tool.ts";
import { createRegistry, TOOLS } from "../../tools/registry.ts";
import { SHELLS } from "./_shells.ts";
import { vocabularyOf } from "./_vocabulary.ts";
import type { Invocation } from "../invocation.ts";
import { openEngine, openSession } from "../session.ts";
import { complain, print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** `completions SHELL`; gives the exit status. */
export async function completions(invocation: Invocation): Promise<number> {
  const [name, ...rest] = invocation.words;
  const names = SHELLS.map((shell) => shell.name);
  const shell = SHELLS.find((known) => known.name === name);
  if (shell === undefined || rest.length > 0) {
    const hint = name === undefined || shell !== undefined
      ? ""
      : `; not ${quoted(name)}.${didYouMean(nearestOf(name, names, 1))}`;
    throw new UsageError(`completions takes one of ${names.join(", ")}${hint}`);
  }
  const write = await shell.load();
  print(write(vocabularyOf(await toolsOf(invocation), invocation.commands)));
  return EXIT.success;
}

/** Those that the policy adds, too; a policy that cannot be used must not cost a shell its start. */
async function toolsOf(invocation: Invocation): Promise<readonly ToolDescription[]> {
  try {
    const session = await openSession(invocation);
    return await openEngine(session, invocation).registry.catalogue.all();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    complain(`toolgate: ${error.message}`);
    return await createRegistry(TOOLS, invocation.embedded.listing).catalogue.all();
  }
}
