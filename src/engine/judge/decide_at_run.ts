/** The second decision on a command whose words are known only when it runs: on the thread that would start it. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { programOf } from "../../host/run/granted_programs.ts";
import type { LineCommand } from "../../host/run/line/line_host.ts";
import { createKernelProbe } from "../../host/paths/path_probe.ts";
import type { Grant } from "../../policy/grant.ts";
import type { Rulebook, Subject } from "../../policy/rulebook.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { lowerCommand, lowerWithoutProgram } from "../../shell/lower_command.ts";
import { isAgreedTo } from "./_agreed_commands.ts";
import { withoutPrograms } from "./_missing_commands.ts";
import { createResolver } from "./resolve.ts";
import { createSpawnResolver } from "./resolve_spawn.ts";

/** What deciding takes on the thread that would start the command. */
export interface RunDecider {
  readonly rulebook: Rulebook;
  readonly subject: Subject;
  readonly grant: Grant;
  readonly libc: Libc;
  /** What lies at a path now. */
  readonly find: (path: string, directory: CanonicalPath) => Program | null;
}

/**
 * The error that refuses the command; null where the policy plainly allows it, or somebody has agreed to it with the line;
 * "ask" where somebody would have to.
 */
export async function decideAtRun(
  { rulebook, subject, grant, libc, find }: RunDecider,
  command: LineCommand,
): Promise<ToolError | "ask" | null> {
  const { argv, redirections, made } = command;
  try {
    const capabilities = await capabilitiesOf(command);
    await rulebook.prepare(capabilities);
    const probe = createKernelProbe(libc);
    const resolve = createSpawnResolver(
      rulebook,
      (name, cwd) => {
        if (name !== argv?.[0]) return find(name, cwd);
        return made ?? programOf(grant, [name], cwd);
      },
    );
    const resolver = createResolver(grant.workspace, () => ({ resolve }), { probe });
    const decision = rulebook.decide(
      // Files alone are no more than what the file tools do.
      argv === null ? { ...subject, ...FILES_ALONE } : subject,
      withoutPrograms(resolver.resolve(capabilities)),
    );
    if (decision.effect === "allow") return null;
    const { agreedCommands = [] } = grant;
    if (decision.effect === "ask") {
      return argv !== null && isAgreedTo(agreedCommands, argv, decision, rulebook) ? null : "ask";
    }
    const { code, reason, rule } = decision;
    const what = argv !== null
      ? "a command of the line"
      : redirections.length > 0
      ? "a redirection of the line"
      : "a variable of the line";
    return new ToolError(
      code ?? "COMMAND_DENIED",
      `${subject.tool}: ${what}, known only when it ran, was refused: ${reason}`,
      rule === null ? {} : { rule },
    );
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
}

/** What files and variables without a program are judged as: they are no more than what the file tools do. */
export const FILES_ALONE = { riskOfPrograms: false, risk: "moderate" } as const;

/** What the command needs. Throws a ToolError for what cannot be judged. */
export async function capabilitiesOf(
  { argv, directory: cwd, redirections, variables }: LineCommand,
): Promise<ReturnType<typeof lowerWithoutProgram>> {
  return argv === null
    ? lowerWithoutProgram({ cwd, redirections, variables })
    : await lowerCommand({ argv, cwd, redirections, variables });
}
