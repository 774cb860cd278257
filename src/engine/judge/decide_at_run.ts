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
import { isAgreed } from "./_agreed_commands.ts";
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

/** The error that refuses the command; null where the policy plainly allows it. */
export async function decideAtRun(
  { rulebook, subject, grant, libc, find }: RunDecider,
  { argv, directory, redirections, variables, made }: LineCommand,
): Promise<ToolError | null> {
  try {
    const capabilities = argv === null
      ? lowerWithoutProgram({ cwd: directory, redirections, variables })
      : await lowerCommand({ argv, cwd: directory, redirections, variables });
    await rulebook.prepare(capabilities);
    const probe = createKernelProbe(libc);
    const resolve = createSpawnResolver(
      rulebook,
      (name, cwd) => {
        if (name !== argv?.[0]) return find(name, cwd);
        return made ?? programOf(grant, [name], cwd);
      },
    );
    const resolver = createResolver(grant.workspace, () => ({ resolve }), probe);
    const decision = rulebook.decide(
      // Files alone are no more than what the file tools do.
      argv === null ? { ...subject, riskOfPrograms: false, risk: "moderate" } : subject,
      resolver.resolve(capabilities),
    );
    if (decision.effect === "allow") return null;
    // How risky the line is was asked when it was read; by what rules say of what it has become nobody was.
    const isRiskAlone = decision.effect === "ask" &&
      decision.verdicts.every(({ verdict }) => verdict.effect === "allow");
    if (
      isRiskAlone && argv !== null &&
      (grant.agreedCommands ?? []).some((one) => isAgreed(one, argv))
    ) {
      return null;
    }
    const { code, reason, rule } = decision;
    const what = argv !== null
      ? "a command of the line"
      : redirections.length > 0
      ? "a redirection of the line"
      : "a variable of the line";
    return new ToolError(
      decision.effect === "ask" ? "COMMAND_DENIED" : code ?? "COMMAND_DENIED",
      `${subject.tool}: ${what}, known only when it ran, was refused: ${reason}`,
      rule === null ? {} : { rule },
    );
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
}
