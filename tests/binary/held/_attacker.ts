/**
 * A program that tries to reach out of its rules: Deno with all permissions, calling the C library, as the worst
 * program would. Its argument says where things are; it answers with JSON: what it got.
 */

import { createSocket } from "node:dgram";

interface Targets {
  readonly sentinel: string;
  readonly outside: string;
  readonly tcp: number;
  readonly udp: number;
  /** Of a listening socket. */
  readonly unix: string;
  readonly abstract: string;
  /** Whether to send signals to the process that started this one. */
  readonly signals: boolean;
}

const targets = JSON.parse(Deno.args[0] ?? "{}") as Targets;
const parent = Deno.ppid;
const { symbols } = Deno.dlopen("libc.so.6", {
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64"], result: "i64" },
});
/** System calls of x86_64 and aarch64. */
const NUMBERS = Deno.build.arch === "x86_64"
  ? { ptrace: 101, kill: 62, tgkill: 234, pidfd_open: 434, pidfd_send_signal: 424, prlimit64: 302 }
  : {
    ptrace: 117,
    kill: 129,
    tgkill: 131,
    pidfd_open: 434,
    pidfd_send_signal: 424,
    prlimit64: 261,
  };
const PTRACE_SEIZE = 0x4206;
const SIGKILL = 9;
const RLIMIT_FSIZE = 1;

function system(name: keyof typeof NUMBERS, ...words: readonly (number | bigint)[]): bigint {
  const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n] = words.map(BigInt);
  return symbols.syscall(BigInt(NUMBERS[name]), a, b, c, d, e);
}

const got: string[] = [];

async function attempt(name: string, action: () => unknown): Promise<void> {
  try {
    if (await action() !== false) got.push(name);
  } catch {
    // Refused, as it must be.
  }
}

// The threads of a process have numbers a little above its own; the listing of them is closed.
for (let task = parent; task < parent + 40; task++) {
  const folder = `/proc/${parent}/task/${task}`;
  for (const file of ["environ", "maps", "status"]) {
    await attempt(`task ${file}`, () => Deno.readTextFileSync(`${folder}/${file}`));
  }
  await attempt("task mem", () => Deno.openSync(`${folder}/mem`, { read: true, write: true }));
  await attempt("task root", () => Deno.readTextFileSync(`${folder}/root${targets.sentinel}`));
  await attempt("ptrace", () => system("ptrace", PTRACE_SEIZE, task) >= 0n);
}
await attempt("environ", () => Deno.readTextFileSync(`/proc/${parent}/environ`));
await attempt("cmdline", () => Deno.readTextFileSync(`/proc/${parent}/cmdline`));
await attempt("mem", () => Deno.openSync(`/proc/${parent}/mem`, { write: true }));
await attempt("descriptors", () => [...Deno.readDirSync(`/proc/${parent}/fd`)]);
await attempt("cwd", () => [...Deno.readDirSync(`/proc/${parent}/cwd/`)]);
await attempt("root", () => Deno.readTextFileSync(`/proc/${parent}/root${targets.sentinel}`));
await attempt("processes", () => [...Deno.readDirSync("/proc")]);

await attempt("sentinel", () => Deno.readTextFileSync(targets.sentinel));
await attempt("write", () => Deno.writeTextFileSync(`${targets.outside}/new.txt`, "x"));
await attempt("link", () => Deno.linkSync(targets.sentinel, "stolen"));
await attempt("link out", () => Deno.linkSync("attacker.ts", `${targets.outside}/put`));
await attempt("move in", () => Deno.renameSync(targets.sentinel, "stolen"));
await attempt("move out", () => Deno.renameSync("movable.txt", `${targets.outside}/put`));
await attempt("mode", () => Deno.writeTextFileSync(targets.sentinel, "x", { append: true }));

await attempt("tcp", () => Deno.connect({ hostname: "127.0.0.1", port: targets.tcp }));
await attempt("unix", () => Deno.connect({ transport: "unix", path: targets.unix }));
await attempt("abstract", () => Deno.connect({ transport: "unix", path: targets.abstract }));
await attempt("listen", () => Deno.listen({ hostname: "127.0.0.1", port: 0 }));
await attempt("udp", () =>
  new Promise<boolean>((resolve, reject) => {
    const socket = createSocket("udp4");
    socket.on("error", reject);
    socket.send("x", targets.udp, "127.0.0.1", (error) => resolve(error === null));
  }));

if (targets.signals) {
  const limit = new BigUint64Array([0n, 0n]);
  const address = Deno.UnsafePointer.value(Deno.UnsafePointer.of(limit));
  await attempt("prlimit", () => system("prlimit64", parent, RLIMIT_FSIZE, address, 0) === 0n);
  const descriptor = system("pidfd_open", parent, 0);
  await attempt(
    "pidfd signal",
    () => descriptor >= 0n && system("pidfd_send_signal", descriptor, SIGKILL, 0, 0) === 0n,
  );
  await attempt("tgkill", () => system("tgkill", parent, parent, SIGKILL) === 0n);
  await attempt("kill", () => system("kill", parent, SIGKILL) === 0n);
}

console.log(JSON.stringify({ got: [...new Set(got)] }));
Deno.exit(0);
