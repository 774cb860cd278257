/** Hooks of repositories: programs of the workspace like any other, beside a text in a file of their own. */

import { ToolError } from "../../core/errors.ts";
import { lineVariables } from "../../core/git/settings.ts";
import type { HookOutcome, HookRequest } from "../../core/tool.ts";
import { plainTextAt } from "../kernel/read_text.ts";
import { folderOf, grantedHook } from "./granted_programs.ts";
import { hold } from "./_hold.ts";
import type { ProcessesOptions } from "./program_options.ts";
import { inTemporary } from "./temporary.ts";

/** What git calls the file. */
const NAME = "COMMIT_EDITMSG";
/** Messages are lines, and some have a diff in them. */
const LONGEST = 1 << 20;

/** Null where the call was not granted it. Throws as `Processes.run` does. */
export async function runHook(
  options: ProcessesOptions,
  argv: readonly string[],
  { words, message, directory, ...request }: HookRequest,
): Promise<HookOutcome | null> {
  const { grant, starter } = options;
  const spawn = grantedHook(grant, argv, request.cwd);
  if (spawn === null) return null;
  if (starter === null) {
    throw new ToolError("NATIVE_DENIED", "hooks take system calls that this machine does not give");
  }
  // Editors are what people have: nobody is there to edit anything.
  const variables = { ...lineVariables(grant.git), GIT_EDITOR: ":" };
  return await inTemporary(options, { ...options.environment, ...variables }, async (own) => {
    if (message !== undefined && own.temporary === null) {
      throw new ToolError(
        "NATIVE_DENIED",
        `${argv[0]} gets the message in a file for it alone, and sandbox.temporary is false`,
      );
    }
    const file = message === undefined ? null : `${own.temporary}/${NAME}`;
    if (file !== null) Deno.writeTextFileSync(file, message ?? "", { mode: 0o600 });
    const outcome = await hold(options, starter, { ...request, env: {} }, (run, launcher) => {
      const child = launcher.launch({
        program: spawn.program,
        argv: [...argv, ...(file === null ? [] : [file]), ...words],
        held: argv,
        directory: folderOf(grant, directory),
        environment: new Map(Object.entries(own.environment)),
        descriptors: run.descriptors,
      });
      run.release();
      return child.ended;
    });
    // What it left there may be a link to what it cannot read itself, or a pipe.
    const left = file === null ? null : plainTextAt(starter.libc, file, LONGEST + 1);
    return { ...outcome, message: left };
  });
}
