/**
 * The life of a worker thread. The first thing it does is to restrict itself; only then does it look at work.
 * It sees its setup and the jobs of one lane, nothing else of the process.
 */

import type { Registry } from "../../tools/registry.ts";
import { compilePolicies } from "../compile_policies.ts";
import { withPlugins } from "../plugin_registry.ts";
import { describeFailure } from "../run_tool.ts";
import type { ToBegun } from "./begun_threads.ts";
import { RingWriter } from "./channel.ts";
import { JobLoop } from "./_job_loop.ts";
import { encodeMessage, type FromWorker, type WorkerSetup } from "./_protocol.ts";
import {
  beginParts,
  type BegunParts,
  endParts,
  enterThread,
  loadForPrograms,
  rehearse,
  withSpares,
} from "./thread_parts.ts";

/** Waits for the setup, restricts this thread to it, and answers jobs until the thread is ended. */
export function serveThread(registry: Registry): void {
  const scope = globalThis as unknown as {
    onmessage: ((event: MessageEvent<WorkerSetup | ToBegun>) => void) | null;
    /** The lane; and `begun` where it is begun ahead: see `BegunThreads`. */
    readonly name: string;
  };
  const [lane = "", begun] = scope.name.split(" ");
  // What cannot be loaded, or opened, fails where it is needed.
  let parts = lane === "spawn" && begun !== undefined ? beginParts().catch(() => null) : null;
  let isTold = false;
  if (parts !== null) {
    setTimeout(async () => {
      const there = await parts;
      if (there !== null && !isTold) await rehearse(there, registry);
    }, IDLE_MS);
  }
  scope.onmessage = async ({ data }) => {
    isTold = true;
    if (!("spareIn" in data)) await start(data, registry, await parts);
    else parts = toldAhead(parts, data);
  };
  if (lane === "spawn") void loadForPrograms().catch(() => {});
  const soon = begun === undefined ? [] : SOON.get(lane) ?? [];
  for (const tool of soon) void Promise.resolve(registry.get(tool)).catch(() => {});
}

/** A thread that nobody has told anything by then was begun for somebody who comes later, if he does. */
const IDLE_MS = 100;

/** What there is of a thread that was told something before its setup, or in place of it. */
async function toldAhead(
  parts: Promise<BegunParts | null> | null,
  { spareIn }: ToBegun,
): Promise<BegunParts | null> {
  const begun = await parts;
  if (spareIn !== null) return begun === null ? null : await withSpares(begun, spareIn);
  if (begun !== null) endParts(begun);
  self.close();
  return null;
}

/** By lane, the tools that a thread which is begun ahead has the time to load: what starts a child agent, and what its first calls are. */
const SOON: ReadonlyMap<string, readonly string[]> = new Map([
  ["spawn", ["launch_app"]],
  ["read", ["read_file", "write_file"]],
]);

async function start(
  setup: WorkerSetup,
  builtIn: Registry,
  begun: BegunParts | null,
): Promise<void> {
  const registry = withPlugins(builtIn, setup.plugins);
  // From source, modules are files outside the boundary: they are loaded before it closes.
  if (!Deno.build.standalone) await registry.loadAll();
  let loop: JobLoop;
  try {
    const { boundary, sandbox, programEnvironment } = setup;
    const rulebook = compilePolicies(setup.policies, registry);
    const { web: settings, durability } = rulebook.settings;
    const options = { ...setup, settings, durability, begun };
    const { held, parts } = await enterThread(boundary, sandbox, programEnvironment, options);
    loop = new JobLoop(setup, registry, parts, rulebook);
    const reasons = [...held.reasons, ...programEnvironment.reasons];
    loop.say({ kind: "ready", layers: held.layers, reasons });
    // What cannot be made is told to whose program needs it.
    if (setup.ahead) await loop.prepare().catch(() => {});
  } catch (error) {
    const message: FromWorker = { kind: "refused", error: describeFailure("sandbox", error) };
    new RingWriter(setup.toMain).sendBlocking(encodeMessage(message));
    if (begun !== null) endParts(begun);
    return;
  }
  await loop.run();
  if (!loop.hasHolds) begun?.spares?.files.release();
  self.close();
}
