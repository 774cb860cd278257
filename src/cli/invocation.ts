/** What a command is called with. */

import type { Embedded } from "./embedded.ts";
import type { CommandLine } from "./flags.ts";

export interface Invocation extends CommandLine {
  readonly embedded: Embedded;
}
