/** What holding a first program takes of V8, done once ahead by a thread that has the time: of a stand-in, and nothing is started. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { Broker } from "../../host/broker/broker.ts";
import { SILENT_POLICY } from "../../policy/model.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { probeLandlock } from "../../sandbox/landlock.ts";
import { SYSTEM_PATHS } from "../../sandbox/system_paths.ts";
import type { Registry } from "../../tools/registry.ts";
import { compilePolicies } from "../compile_policies.ts";
import { WordHolds } from "./program_holds.ts";

/** A small folder of the kernel's own (proc_sys_kernel(5)), in which nothing can be made. */
const PLACE = "/proc/sys/kernel/random" as CanonicalPath;
const SHELL = { path: "/bin/sh" as CanonicalPath, start: "/bin/sh", names: ["sh"] };

/**
 * Draws what would hold a program that runs code where names are denied, and lets it go: most of what the first such hold takes
 * is its code's first run.
 */
export async function rehearseHold(
  libc: Libc,
  broker: Pick<Broker, "missing" | "socketsMissing"> | null,
  registry: Registry,
): Promise<void> {
  const policy = {
    ...SILENT_POLICY,
    paths: [
      { effect: "allow", access: ["read", "write"], match: ["**"] },
      { effect: "deny", access: ["read", "write"], match: ["**/.env"] },
    ],
  } as const;
  const rulebook = compilePolicies([{ source: "rehearsal", policy, workspace: PLACE }], registry);
  await rulebook.prepare([{ kind: "process.spawn" }]);
  const folders = { temporaryRoot: null, caches: null, gitConfig: null, hookStandIns: null };
  const kernel = { abi: probeLandlock(libc), seccomp: true, network: false };
  const system = SYSTEM_PATHS;
  const keepsFolders = false;
  const searchPath = "/usr/bin:/bin";
  const served = { broker, starts: broker };
  const parts = { libc, ...kernel, ...folders, ...served, system, searchPath, keepsFolders };
  const holds = new WordHolds(parts, rulebook);
  try {
    const [argv, environment] = [["sh", "a"], new Map<string, string>()];
    const starting = { argv, environment, own: false, child: true } as const;
    holds.of({ ...starting, program: SHELL, directory: PLACE }).done();
  } finally {
    holds.close();
  }
}
