/** From argv to a command and its exit status. */

import { EXIT } from "../core/errors.ts";
import { COMMANDS } from "./commands.ts";
import type { Embedded } from "./embedded.ts";
import { parseCommandLine } from "./flags.ts";
import { UsageError } from "./usage_error.ts";
import { complain, print } from "./stdio.ts";

export type { Embedded } from "./embedded.ts";

/** Runs a command line. Gives the exit status and never throws. */
export async function run(argv: readonly string[], embedded: Embedded): Promise<number> {
  try {
    const line = parseCommandLine(argv);
    const [name, ...words] = line.words;
    if (line.switches.has("version")) {
      print(`toolgate ${embedded.version}`);
      return EXIT.success;
    }
    if (line.switches.has("help") || name === undefined || name === "help") {
      const { helpText } = await import("./help.ts");
      const text = helpText(name === "help" ? words[0] : name);
      (line.switches.has("help") || name === "help" ? print : complain)(text);
      return name === undefined && !line.switches.has("help") ? EXIT.usage : EXIT.success;
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) {
      const { nearest } = await import("../core/nearest.ts");
      const near = nearest(name, Object.keys(COMMANDS));
      throw new UsageError(
        `there is no command ${JSON.stringify(name)}` +
          (near !== null ? `; did you mean ${near}?` : ""),
      );
    }
    return await (await command.load())({ ...line, words, embedded });
  } catch (error) {
    if (error instanceof UsageError) {
      complain(`toolgate: ${error.message}`);
      return EXIT.usage;
    }
    // Any other is a defect of ours: say so, without the paths that its message may carry.
    complain(`toolgate: INTERNAL_ERROR: ${error instanceof Error ? error.name : "unknown"}`);
    return EXIT.internal;
  }
}
