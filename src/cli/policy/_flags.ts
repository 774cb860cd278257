/** `policy flags`: what the layers below the policy are told of it: Deno's flags, Landlock's rules, bubblewrap's arguments. */

import { EXIT } from "../../core/errors.ts";
import { DENIED_CALLS } from "../../sandbox/denied_calls.ts";
import { permissionFlags, permissionLists } from "../../sandbox/permission_flags.ts";
import type { Invocation } from "../invocation.ts";
import { openEngine, openSession } from "../session.ts";
import { print } from "../stdio.ts";

/** `policy flags`: what each layer is drawn as; gives the exit status. */
export async function showFlags(invocation: Invocation): Promise<number> {
  const session = await openSession(invocation);
  const engine = openEngine(session, invocation);
  const { scope, settings } = engine.rulebook;
  const flags = permissionFlags(permissionLists(scope, settings));
  const { renderScope } = await import("../../engine/judge/render_scope.ts");
  const { landlock, bubblewrap } = renderScope(engine);
  await engine.runner.close();
  if (session.format === "json") {
    print(JSON.stringify({
      flags,
      landlock,
      seccomp: {
        refused_calls: Object.keys(DENIED_CALLS),
        network: settings.sandbox.network === "allow",
      },
      bubblewrap,
    }));
    return EXIT.success;
  }
  const lines = (access: string, rules: typeof landlock.files) =>
    rules.map(({ path, rights }) => `${access}${path}  ${rights.join(" ")}`);
  print([
    flags.join(" \\\n"),
    "",
    `# Landlock, ABI ${landlock.abi}${
      landlock.probed ? "" : " (this kernel has none)"
    }: file tools`,
    ...lines("#   ", landlock.files),
    "# Landlock: programs",
    ...lines("#   ", landlock.programs),
    `# seccomp: refused to programs: ${Object.keys(DENIED_CALLS).length} system calls`,
    "# bubblewrap: programs",
    `#   ${["bwrap", ...bubblewrap].join(" ")}`,
  ].join("\n"));
  return EXIT.success;
}
