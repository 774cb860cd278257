/** `doctor` of a sealed build: what its baked permissions refuse it, tried from the main thread. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { CommandEngine } from "../../engine/create_engine.ts";
import { openTrial } from "../../engine/pool/trial.ts";
import { ALL_NETWORKS, type PolicyScope } from "../../policy/rulebook.ts";
import { createProgramFinder } from "../../host/run/program_search.ts";
import { SYSTEM_PATHS } from "../../sandbox/system_paths.ts";
import { isWithin } from "../../sandbox/within.ts";
import { type Finding, finding, type Kind } from "./_findings.ts";
import type { Session } from "../session.ts";

/** Tries the baked permissions of a sealed binary. */
export async function trySealed(
  engine: CommandEngine,
  session: Session,
): Promise<readonly Finding[]> {
  const { scope } = engine.rulebook;
  const name = `/toolgate-doctor-${crypto.randomUUID()}`;
  const whole = (paths: readonly string[]) => paths.includes("/");
  const closed = closedAddress(scope);
  return [
    await refused(
      "file read",
      "read the root folder",
      whole([...scope.read, ...scope.write]),
      () => {
        Deno.readDirSync("/")[Symbol.iterator]().next();
      },
    ),
    await refused("file write", "write a file in the root folder", whole(scope.write), () => {
      Deno.writeTextFileSync(name, "");
      Deno.removeSync(name);
    }),
    await refused(
      "program start",
      "start a program that is not on the list",
      scope.programs === "any",
      () => new Deno.Command(name).outputSync(),
    ),
    await refused(
      "network connect",
      "connect from Toolgate itself",
      closed === null,
      async () => (await Deno.connect({ hostname: closed ?? "", port: DISCARD })).close(),
    ),
    await refused("environment", "read a variable that is not on the list", false, () => {
      Deno.env.get("TOOLGATE_DOCTOR_SENTINEL");
    }),
    await landlock(engine, session),
  ];
}

/** Closed on most machines (RFC 863). */
const DISCARD = 9;
/** Of this machine: who is let through reaches nobody else. */
const LOOPBACKS = ["127.0.0.1", "127.0.0.2"];

/** One that no rule opens at that port, to tools or programs; null where rules open all. */
function closedAddress({ hosts, connect, programConnect }: PolicyScope): string | null {
  const isOpen = (address: string) =>
    [...connect, ...programConnect].some(({ to, port }) =>
      (to === address || to === ALL_NETWORKS) && (port === null || port === DISCARD)
    );
  return hosts === "any" ? null : LOOPBACKS.find((address) => !isOpen(address)) ?? null;
}

/** Only the runtime's own refusal counts: any other error says that it let it through. */
async function refused(
  kind: Kind,
  attempt: string,
  allowed: boolean,
  attemptIt: () => unknown,
): Promise<Finding> {
  const by = (holds: boolean | null, detail: string) =>
    finding("runtime", kind, attempt, holds, detail);
  if (allowed) return by(null, "the policy allows it");
  try {
    await attemptIt();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) {
      return by(true, "refused by the baked permissions");
    }
  }
  return by(false, "the baked permissions let it through");
}

/** Programs are held by the kernel alone: one that the policy allows tries to read what lies outside. */
async function landlock(engine: CommandEngine, { policies, workspace }: Session): Promise<Finding> {
  const by = (holds: boolean | null, detail: string) =>
    finding("landlock", "file read", "a program (cat) reads a file outside", holds, detail);
  const { programs } = engine.rulebook.scope;
  const target = Deno.execPath();
  if (programs !== "any" && !programs.includes("cat")) {
    return by(null, "the policy has no cat, and a sealed build starts nothing else");
  }
  if ([workspace, ...SYSTEM_PATHS].some((folder) => isWithin(folder, target))) {
    return by(
      null,
      "the binary lies where programs may read: there is nothing else to try it with",
    );
  }
  const cat = createProgramFinder(workspace, SYSTEM_PATHS).find("cat", workspace);
  if (cat === null) return by(null, "there is no cat to try it with");
  const inside = workspace as CanonicalPath;
  const trial = openTrial(engine, { policies, layer: "both", inside, programs: [cat] });
  try {
    const read = await trial.start(cat, ["cat", target]);
    const allowed = await trial.start(cat, ["cat", "/dev/null"]);
    if (read.error === null) return by(false, "it was read");
    if (allowed.error !== null) return by(null, `it cannot be tried: ${allowed.error.message}`);
    return by(true, "refused; what is allowed is read");
  } catch (error) {
    return by(null, `it cannot be tried (${error instanceof Error ? error.name : "?"})`);
  } finally {
    await trial.close();
  }
}
