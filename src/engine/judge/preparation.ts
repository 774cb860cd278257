/** What judging takes beside the request, loaded with the first call that needs it: judges, programs, files. */

import type { Capability } from "../../core/capability.ts";
import type { Tool } from "../../core/tool.ts";
import type { FileBackend } from "../../host/files/file_backend.ts";
import type { Rulebook, Settings } from "../../policy/rulebook.ts";
import type { Bubblewrap } from "../../sandbox/bubblewrap.ts";
import { openLibc } from "../../sandbox/kernel/libc.ts";
import type { ProgramSharing } from "../programs/program_sharing.ts";
import type { ProgramSupport } from "../programs/program_support.ts";
import type { DecisionParts } from "./decided_call.ts";

/** Made once an engine; few calls need more of it than a look that nothing is missing. */
export interface Preparation extends Pick<DecisionParts, "prepare" | "files"> {
  /** All that starting programs takes. Throws where nothing was prepared that starts any. */
  programs(): ProgramSupport;
  /** Lets go of what programs took. */
  close(): void;
}

/** Loads nothing yet. `sharing`: where other engines of this process start programs, too. */
export function createPreparation(rulebook: Rulebook, sharing?: ProgramSharing): Preparation {
  let support: ProgramSupport | null = null;
  let files: Promise<FileBackend> | null = null;
  const load = async (judging: Promise<void> | null, spawns: boolean): Promise<void> => {
    await judging;
    if (!spawns || support !== null) return;
    const { createProgramSupport } = await import("../programs/program_support.ts");
    const bubblewrap = await tryBubblewrap(rulebook.settings);
    support ??= createProgramSupport(rulebook, bubblewrap, sharing, openLibc());
  };
  return {
    files: () => files ??= openFiles(),
    prepare(capabilities, tool) {
      const judging = rulebook.prepare(capabilities);
      const spawns = startsAny(capabilities, tool);
      return judging === null && (!spawns || support !== null) ? null : load(judging, spawns);
    },
    programs() {
      if (support === null) throw new Error("a program was resolved before prepare()");
      return support;
    },
    close: () => support?.close(),
  };
}

function startsAny(capabilities: readonly Capability[], tool: Tool | undefined): boolean {
  return tool?.riskOfPrograms === true ||
    capabilities.some(({ kind }) => kind === "process.spawn");
}

/** Few judgements look at files; the others load nothing for it. */
async function openFiles(): Promise<FileBackend> {
  const { createFileBackend } = await import("../../host/context.ts");
  return await createFileBackend(openLibc(), { write: false });
}

/** Null where the policy does not want it. Tried once, in earnest: 10 ms. */
async function tryBubblewrap({ sandbox }: Settings): Promise<Bubblewrap | null> {
  if (sandbox.bubblewrap === "off") return null;
  const { detectBubblewrap } = await import("../../sandbox/bubblewrap.ts");
  const { SYSTEM_PATHS } = await import("../../sandbox/system_paths.ts");
  return await detectBubblewrap(sandbox.system ?? SYSTEM_PATHS);
}
