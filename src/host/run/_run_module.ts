/** The process of a module, seen from who starts it: what it is handed, and what it answers. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type {
  ModuleOutcome,
  ModuleRequest,
  ProcessOutcome,
  ProcessRequest,
} from "../../core/tool.ts";
import type { PathGrant } from "../../policy/grant.ts";
import type { ModulePaths } from "../../sandbox/landlock_rules.ts";
import { createLandlockPaths } from "../scan/landlock_paths.ts";
import { hold } from "./_hold.ts";
import {
  decodeAnswer,
  MODULE_ENVIRONMENT,
  type ModuleOrder,
  type OwnProgram,
  UNANSWERED,
} from "./module_protocol.ts";
import type { OutputListener } from "./output_listener.ts";
import type { ProcessesOptions } from "./program_options.ts";

/** `began`: when its time did (`Date.now()`). Throws RESOURCE_LIMIT, NATIVE_DENIED, CANCELLED where it was not started. */
export async function runModule(
  options: ProcessesOptions,
  request: ModuleRequest,
  began: number,
): Promise<ModuleOutcome> {
  const { own } = options;
  if (own === null) {
    throw new ToolError(
      "EXECUTION_ERROR",
      "modules run in a compiled toolgate alone (deno task build): its process is that program again",
    );
  }
  const nonce = crypto.randomUUID();
  const order = { ...orderOf(options, request, nonce), began };
  const process: ProcessRequest = {
    cwd: own.directory,
    env: MODULE_ENVIRONMENT,
    stdin: new TextEncoder().encode(JSON.stringify(order)),
    timeoutMs: request.timeoutMs,
  };
  const outcome = await start({ ...options, listener: onlyErrors(options.listener) }, own, process);
  const { stdout, dropped } = outcome;
  const found = dropped.stdout > 0 ? null : decodeAnswer(nonce, new TextDecoder().decode(stdout));
  const answer = wholeAnswer(found);
  return answer === null
    ? { ...outcome, answer, stderr: ownWords(outcome) }
    : { ...outcome, answer };
}

/** What the module printed, without what the runtime says of a process that ended unanswered. */
function ownWords({ stderr, exitCode }: ProcessOutcome): Uint8Array {
  if (exitCode !== 1) return stderr;
  const text = new TextDecoder().decode(stderr);
  return UNANSWERED.test(text) ? new TextEncoder().encode(text.replace(UNANSWERED, "")) : stderr;
}

/** A value that was cut is none. */
function wholeAnswer(answer: ModuleOutcome["answer"]): ModuleOutcome["answer"] {
  if (answer?.kind !== "value") return answer;
  try {
    JSON.parse(answer.json);
    return answer;
  } catch {
    return null;
  }
}

async function start(
  options: ProcessesOptions,
  own: OwnProgram,
  request: ProcessRequest,
): Promise<ProcessOutcome> {
  const { starter } = options;
  const argv = own.words;
  const program: Program = { path: own.path as CanonicalPath, start: own.path, names: [] };
  if (starter === null) {
    const { runPortably } = await import("./portable/processes.ts");
    const spawn = { argv, program, cwd: own.directory };
    return await runPortably({ ...options, spawn }, request);
  }
  return await hold(options, starter, request, (run, launcher) => {
    const child = launcher.launch({
      program,
      argv,
      directory: own.directory,
      environment: new Map(Object.entries(request.env)),
      descriptors: run.descriptors,
      own: true,
    });
    run.release();
    return child.ended;
  });
}

/** Its standard output is the answer, which is nobody's to follow. */
function onlyErrors(listener: OutputListener | null): OutputListener | null {
  if (listener === null) return null;
  return {
    tell: (stream, text) => stream === "stdout" || listener.tell(stream, text),
    whenRoom: (onRoom) => listener.whenRoom(onRoom),
  };
}

function orderOf(
  options: ProcessesOptions,
  { code, file, entry, args, tool, env, timeoutMs }: ModuleRequest,
  nonce: string,
): Omit<ModuleOrder, "began"> {
  const { grant, layers, environment, rulebook } = options;
  const { workspace, limits } = grant;
  const named = (list: readonly PathGrant[]) =>
    list.map(({ requested }) =>
      requested.startsWith("/") ? requested : `${workspace === "/" ? "" : workspace}/${requested}`
    );
  return {
    nonce,
    workspace,
    code,
    file,
    entry,
    args,
    tool,
    paths: pathsOf(options),
    names: { read: named(grant.read), write: named(grant.write) },
    env: Object.fromEntries(env.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    })),
    timeoutMs,
    kernel: rulebook.settings.sandbox.kernel,
    held: layers.includes("landlock"),
    limit: limits.output,
  };
}

/** Trees less what the policy denies in them: rules of the kernel can only allow. */
function pathsOf(
  { grant, rulebook, starter }: ProcessesOptions,
): ModulePaths {
  const pathsOf = (list: readonly PathGrant[]) => {
    const roots = list.filter(({ tree }) => tree).map(({ path }) => path);
    if (roots.length === 0) return { read: [], write: [], list: [] };
    return createLandlockPaths(rulebook, undefined, { roots, libc: starter?.libc ?? null }).list();
  };
  const files = (list: readonly PathGrant[]) =>
    list.filter(({ tree }) => !tree).map(({ path }) => path);
  const readable = pathsOf(grant.read);
  const writable = pathsOf(grant.write);
  return {
    trees: readable.read,
    files: files(grant.read),
    list: readable.list,
    writableTrees: writable.write,
    writableFiles: files(grant.write),
  };
}
