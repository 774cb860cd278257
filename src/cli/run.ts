/** From argv to a command and its exit status. */

import { EXIT } from "../core/errors.ts";
import { isModuleProcess } from "../host/run/module_protocol.ts";
import { COMMANDS } from "./commands.ts";
import type { Start } from "./embedded.ts";
import { parseCommandLine, refuseOthersFlags } from "./flags.ts";
import { gateOf } from "./gate/gate_of.ts";
import { settled } from "./settled.ts";
import { complain, print } from "./stdio.ts";
import { UsageError } from "./usage_error.ts";

export type { Embedded } from "./embedded.ts";

function commandOf(name: string) {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

/** Of a command, of a tool (`call TOOL`, or by its name alone), or of all. */
async function helpOn([name, operand]: readonly string[]): Promise<string> {
  const { openScreen } = await import("./render/screen.ts");
  const screen = openScreen("stdout");
  const known = name !== undefined && commandOf(name) !== undefined;
  const tool = name === "call" ? operand : known ? undefined : name;
  if (tool !== undefined) {
    const { toolHelp } = await import("./tools/tool_help.ts");
    const page = await toolHelp(tool, screen);
    if (page !== null) return page;
    const { unknownCommand, unknownTool } = await import("./_unknown_name.ts");
    throw known ? unknownTool(tool) : unknownCommand(tool);
  }
  const { helpText } = await import("./_help.ts");
  return helpText(name, screen);
}

/** Runs a command line. Gives the exit status and never throws. */
export async function run(argv: readonly string[], embedded: Start): Promise<number> {
  return await settled(async () => {
    if (isModuleProcess(argv, (name) => Deno.env.get(name))) {
      const { runModuleProcess } = await import("../engine/modules/module_process.ts");
      return await runModuleProcess();
    }
    const line = parseCommandLine(argv);
    const [name, ...words] = line.words;
    if (line.switches.has("version") || name === "version") {
      print(`toolgate ${embedded.version}`);
      return EXIT.success;
    }
    if (line.switches.has("help") || name === "help") {
      print(await helpOn(name === "help" ? words : line.words));
      return EXIT.success;
    }
    if (name === undefined) {
      const { helpText } = await import("./_help.ts");
      complain(helpText(undefined));
      return EXIT.usage;
    }
    const command = commandOf(name);
    if (command === undefined) {
      const { unknownCommand } = await import("./_unknown_name.ts");
      throw unknownCommand(name);
    }
    refuseOthersFlags(name, line);
    const gate = gateOf(name, line);
    if (gate !== null) {
      const { through } = await import("./gate/through.ts");
      return await through(name, { ...line, words, embedded, commands: COMMANDS }, gate);
    }
    if (Object.hasOwn(line.values, "token")) {
      throw new UsageError(
        "--token is shown to a gate: name it with --gate PATH, or TOOLGATE_GATE",
      );
    }
    const begun = command.begin?.({ ...line, embedded }) ?? null;
    return await (await command.load())({ ...line, words, embedded, commands: COMMANDS, begun });
  });
}
