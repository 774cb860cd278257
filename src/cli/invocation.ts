/** What a command is called with. */

import type { BegunListener } from "../serve/listener/begun_listener.ts";
import type { Start } from "./embedded.ts";
import type { CommandLine } from "./flags.ts";

/** What the table of commands says of one, beside how it is run. */
export interface CommandWords {
  /** As in `call TOOL [KEY=VALUE ...]`. */
  readonly usage: string;
  readonly help: string;
}

/** A command line that was read, with what the binary carries. */
export interface Invocation extends CommandLine {
  readonly embedded: Start;
  /** All commands that there are, by name: for those that write about them. */
  readonly commands: Readonly<Record<string, CommandWords>>;
  /** What its command has begun ahead. */
  readonly begun?: BegunListener | null;
}
