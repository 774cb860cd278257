/**
 * The process of a module, from within: Toolgate, started by itself, hands all power back that the call was not granted,
 * runs the module on a thread of its own, and says what came of it.
 */

import type { ModuleAnswer } from "../../core/tool.ts";
import { encodeAnswer, type ModuleOrder } from "../../host/run/module_protocol.ts";
import { probeLandlock, restrictThread } from "../../sandbox/landlock.ts";
import { moduleRules } from "../../sandbox/landlock_rules.ts";
import { type Libc, openLibc } from "../../sandbox/kernel/libc.ts";
import { permissionSetOf } from "../../sandbox/permission_set.ts";
import type { FromModule, ModuleSetup } from "./_module_thread.ts";

/** Bundled builds have all their modules in one folder, this entry among them. */
const THREAD = import.meta.resolve(
  Deno.build.standalone ? "./module_worker.js" : "./module_worker.ts",
);
/** F_DUPFD_CLOEXEC (include/uapi/linux/fcntl.h) */
const DUPLICATE = 1030;
const STDOUT = 1;
const STDERR = 2;
/** What is left of `limits.output` for the line before the value. */
const HEAD_BYTES = 512;
/** How long before its end a module is told of it: so much of its time, and at most so many milliseconds. */
const LEAD_SHARE = 0.1;
const LEAD_MS = 500;

/** Reads the order on standard input, and answers on standard output. Gives the exit status. */
export async function runModuleProcess(): Promise<number> {
  const order = readOrder();
  const libc = openLibc();
  const answer = openAnswer(libc);
  const refusal = confine(order, libc);
  const told = refusal === null
    ? await run(order)
    : { kind: "not held", message: refusal } as const;
  answer(encodeAnswer(order.nonce, told));
  return 0;
}

function readOrder(): ModuleOrder {
  const chunks: Uint8Array[] = [];
  const buffer = new Uint8Array(64 * 1024);
  const decoder = new TextDecoder();
  // Without the runtime's pool of threads: all that it starts from now on is to be held.
  for (
    let count = Deno.stdin.readSync(buffer);
    count !== null;
    count = Deno.stdin.readSync(buffer)
  ) {
    chunks.push(buffer.slice(0, count));
  }
  const text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("");
  return JSON.parse(text + decoder.decode()) as ModuleOrder;
}

/** Where there are system calls, what the module prints goes to standard error: the answer has a place of its own. */
function openAnswer(libc: Libc | null): (text: string) => void {
  const encoder = new TextEncoder();
  const kept = libc === null ? -1 : libc.call(libc.numbers.fcntl, STDOUT, DUPLICATE, STDERR + 1);
  if (libc === null || kept < 0) {
    return (text) => {
      const bytes = encoder.encode(text);
      for (let done = 0; done < bytes.length;) done += Deno.stdout.writeSync(bytes.subarray(done));
    };
  }
  libc.call(libc.numbers.dup3, STDERR, STDOUT, 0);
  return (text) => {
    const bytes = encoder.encode(text);
    for (let done = 0; done < bytes.length;) {
      const rest = bytes.subarray(done);
      const count = libc.transfer(libc.numbers.write, kept, rest, rest.length);
      if (count <= 0) return;
      done += count;
    }
  };
}

/**
 * Binds this thread, and so all that it starts from now on, to the files of the order. Answers with what keeps it from
 * being held as it must be; null where it is.
 */
function confine(
  { workspace, paths, kernel, held }: ModuleOrder,
  libc: Libc | null,
): string | null {
  if (libc === null || libc.call(libc.numbers.chdir, libc.path(workspace)) < 0) {
    Deno.chdir(workspace);
  }
  let missing: string | null = "the C library cannot be called";
  if (libc !== null && kernel !== "off") {
    const abi = probeLandlock(libc);
    missing = abi === 0
      ? "this kernel has no Landlock"
      : restrictThread(libc, moduleRules(paths, abi));
  }
  for (const name of ["ffi", "env", "sys", "run", "net"] as const) {
    Deno.permissions.revokeSync({ name });
  }
  if (missing === null || (kernel !== "required" && !held)) return null;
  return `the module's process cannot be held: ${missing}`;
}

/**
 * Never throws. Resolves when the module has answered. Where it ends its thread instead nothing keeps the process
 * alive, and the runtime ends it with a word on standard error (`UNANSWERED`).
 */
function run(order: ModuleOrder): Promise<ModuleAnswer> {
  const { promise, resolve } = Promise.withResolvers<ModuleAnswer>();
  let worker: Worker;
  try {
    worker = new Worker(THREAD, {
      type: "module",
      name: order.tool,
      deno: { permissions: permissionsOf(order) },
    });
  } catch {
    return Promise.resolve({
      kind: "not held",
      message: "the runtime does not give the module's thread what the call was granted",
    });
  }
  // A channel of its own: what the module posts to whom it takes for its parent is heard by nobody.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<FromModule>) => {
    resolve(data.kind === "value" ? measured(data, order.limit - HEAD_BYTES) : data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    const message = `${event.message} (nobody caught it)`;
    resolve({ kind: "thrown", message });
  };
  const { code, file, entry, args, tool, env, workspace, timeoutMs, began } = order;
  const lead = Math.min(LEAD_MS, timeoutMs * LEAD_SHARE);
  const setup: ModuleSetup = {
    code,
    file,
    entry,
    args,
    tool,
    env,
    workspace,
    endsAt: began + timeoutMs - lead,
    port: port2,
  };
  worker.postMessage(setup, [port2]);
  return promise;
}

function measured(answer: FromModule & { readonly kind: "value" }, limit: number): ModuleAnswer {
  const size = new TextEncoder().encode(answer.json).length;
  return size <= limit ? answer : {
    kind: "too long",
    message: `the module answered ${size} bytes of JSON, and limits.output lets ${limit} pass`,
  };
}

/**
 * The files of the call; where the kernel sees to where they really lead also by the names that the call uses, and the
 * folders that may be listed though not all in them may be read.
 */
function permissionsOf({ paths, names, held }: ModuleOrder): Deno.PermissionOptionsObject {
  const write = [...paths.writableTrees, ...paths.writableFiles];
  const read = [...paths.trees, ...paths.files, ...(held ? paths.list : [])];
  const set = permissionSetOf({ read, write, connect: [], spawn: null });
  const named = (name: "read" | "write", list: typeof set.read = false) =>
    held && Array.isArray(list)
      ? [...list, ...names[name].filter((path) => isGranted({ name, path }))]
      : list;
  return { ...set, read: named("read", set.read), write: named("write", set.write), ffi: false };
}

function isGranted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}
