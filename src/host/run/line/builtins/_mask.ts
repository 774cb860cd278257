/** `umask`: the modes that what the line makes from there on begins with. */

import { ToolError } from "../../../../core/errors.ts";
import { maskText, readMaskWish } from "../../../../shell/commands/read_mask.ts";
import { ownMask } from "../../../kernel/process_status.ts";
import type { Builtin } from "./builtin.ts";

/** As bash(1) has it. */
export const umask: Builtin = (words, state, { host }) => {
  const wish = readMaskWish(words);
  const now = state.mask ?? ownMask(host.libc);
  // dash has no `-p`.
  const known = wish !== null && !(wish.kind === "tell" && wish.asCommand && state.shell === "sh");
  if (!known || now === null) {
    throw new ToolError(
      "COMMAND_UNPARSABLE",
      `umask ${words.join(" ")} is not run in this form`,
    );
  }
  if (wish.kind === "set") {
    state.mask = wish.from(now);
    return { status: 0 };
  }
  const told = wish.symbolic ? maskText(now) : now.toString(8).padStart(4, "0");
  const command = wish.asCommand ? `umask ${wish.symbolic ? "-S " : ""}` : "";
  return { status: 0, output: `${command}${told}\n` };
};
