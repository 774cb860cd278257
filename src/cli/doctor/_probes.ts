/** `doctor`: what no plain program does (connect, signal, trace), tried by a line of an interpreter. */

import type { Program } from "../../core/capability.ts";
import type { CommandEngine } from "../../engine/create_engine.ts";
import type { Trial } from "../../engine/pool/trial.ts";
import { DENIED_CALLS, JUDGED_CALLS, MISSING_CALLS } from "../../sandbox/denied_calls.ts";
import { type Finding, finding, type Kind } from "./_findings.ts";

/** Null where there is none of that name. */
export type FindProgram = (name: string) => Program | null;

/** Programs in which something that no plain program does can be written in a line, the first that is here. */
const PROBERS = ["perl", "python3"] as const;

interface Probe {
  readonly layer: "landlock" | "seccomp" | "launcher";
  readonly kind: Kind;
  readonly attempt: string;
  /** Prints `done`, or an error's number. */
  readonly code: Readonly<Record<(typeof PROBERS)[number], string>>;
}

/** `done` also for a connection that nobody takes: it left the program. */
function probesOf(pid: number): readonly Probe[] {
  const ptrace = DENIED_CALLS["ptrace"]?.[Deno.build.arch] ?? 0;
  const memfd = MISSING_CALLS["memfd_create"]?.[Deno.build.arch] ?? 0;
  const setrlimit = JUDGED_CALLS.setrlimit[Deno.build.arch];
  const python = (body: string) => `import os, ctypes\nc=ctypes.CDLL(None,use_errno=True)\n${body}`;
  return [
    {
      layer: "seccomp",
      kind: "network connect",
      attempt: "a program connects to 127.0.0.1",
      code: {
        perl: "use Socket; socket(S,PF_INET,SOCK_STREAM,0) && " +
          'connect(S,sockaddr_in(9,inet_aton("127.0.0.1"))); print $!+0==111||!$! ? "done" : $!+0',
        python3: "import socket\ntry:\n s=socket.socket(); r=s.connect_ex(('127.0.0.1',9))\n" +
          "except OSError as e: r=e.errno\nprint('done' if r in (0,111) else r)",
      },
    },
    {
      layer: "landlock",
      kind: "signals",
      attempt: "a program signals Toolgate",
      code: {
        perl: `print kill(0,${pid}) ? "done" : $!+0`,
        python3:
          `import os\ntry:\n os.kill(${pid},0); print('done')\nexcept OSError as e: print(e.errno)`,
      },
    },
    {
      layer: "seccomp",
      kind: "ptrace",
      attempt: "a program asks to be traced",
      // PTRACE_TRACEME is 0 (sys/ptrace.h).
      code: {
        perl: `print syscall(${ptrace},0,0,0,0)==0 ? "done" : $!+0`,
        python3: "import ctypes\nc=ctypes.CDLL(None,use_errno=True)\n" +
          `print('done' if c.syscall(${ptrace},0,0,0,0)==0 else ctypes.get_errno())`,
      },
    },
    {
      layer: "seccomp",
      kind: "scheduling",
      // Its priority is set to what it is.
      attempt: "a program changes the priority of Toolgate",
      code: {
        perl: `print setpriority(0,${pid},getpriority(0,${pid})) ? "done" : $!+0`,
        python3: `import os\ntry:\n os.setpriority(0,${pid},os.getpriority(0,${pid})); ` +
          "print('done')\nexcept OSError as e: print(e.errno)",
      },
    },
    {
      layer: "seccomp",
      kind: "memory",
      attempt: "a program makes memory that nobody counts, or that it could execute",
      code: {
        perl: `my $n="doctor"; print syscall(${memfd},$n,0)>=0 ? "done" : $!+0`,
        python3: python(
          `print('done' if c.syscall(${memfd},b'doctor',0)>=0 else ctypes.get_errno())`,
        ),
      },
    },
    {
      layer: "seccomp",
      kind: "shared memory",
      // IPC_CREAT, and IPC_RMID at once (include/uapi/linux/ipc.h).
      attempt: "a program makes memory that outlives it",
      code: {
        perl: 'my $i=shmget(0,4096,01600); print defined $i ? do { shmctl($i,0,0); "done" } : $!+0',
        python3: python(
          "i=c.shmget(0,4096,0o1600); e=ctypes.get_errno(); i<0 or c.shmctl(i,0,None)\n" +
            "print('done' if i>=0 else e)",
        ),
      },
    },
    {
      layer: "launcher",
      kind: "limits",
      // RLIMIT_CORE (include/uapi/asm-generic/resource.h), which is 1 then: see `NO_CORE`.
      attempt: "a program raises a limit that it began with",
      code: {
        perl: `my $l=pack("QQ",2,2); print syscall(${setrlimit},4,$l)==0 ? "done" : $!+0`,
        python3: python(
          `print('done' if c.syscall(${setrlimit},4,(ctypes.c_ulong*2)(2,2))==0 else ctypes.get_errno())`,
        ),
      },
    },
  ];
}

/** A program that does what it is told in a line. */
export interface Prober {
  readonly name: (typeof PROBERS)[number];
  readonly program: Program;
}

/** The first that is here; null where there is none. */
export function proberOf(find: FindProgram): Prober | null {
  for (const name of PROBERS) {
    const program = find(name);
    if (program !== null) return { name, program };
  }
  return null;
}

/**
 * Each probe under the kernel's rules, where it can be done without them.
 * @param trial Of the kernel's rules; it may start the prober.
 */
export async function tryProbes(
  engine: CommandEngine,
  trial: Trial,
  prober: Prober | null,
): Promise<readonly Finding[]> {
  const all = probesOf(Deno.pid);
  if (prober === null) {
    return all.map(({ layer, kind, attempt }) =>
      finding(layer, kind, attempt, null, `there is neither ${PROBERS.join(" nor ")} to try it`)
    );
  }
  const { name, program } = prober;
  const words = (code: string) => [name, name === "perl" ? "-e" : "-c", code];
  const found: Finding[] = [];
  for (const { layer, kind, attempt, code } of all) {
    const argv = words(code[name]);
    const free = await freely(program, argv);
    if (free !== "done") {
      const detail = `it cannot be done here even without any layer (${free})`;
      found.push(finding(layer, kind, attempt, null, detail));
      continue;
    }
    const { output, error } = await trial.start(program, argv);
    const answer = output.trim();
    const held = /^[0-9]+$/.test(answer);
    found.push(
      answer === "done" ? finding(layer, kind, attempt, false, "it was done") : held
        ? finding(
          layer,
          kind,
          attempt,
          true,
          `refused (errno ${answer}); without layers it is done`,
        )
        : finding(layer, kind, attempt, null, `${name} did not run: ${error?.message ?? "?"}`),
    );
  }
  const { network } = engine.rulebook.settings.sandbox;
  return network === "deny"
    ? found
    : found.map((one) =>
      one.kind === "network connect"
        ? { ...one, detail: `${one.detail}; the policy lets commands use the network` }
        : one
    );
}

/** The same without any layer: what fails here too proves nothing there. */
async function freely(program: Program, [, ...args]: readonly string[]): Promise<string> {
  try {
    const { stdout } = await new Deno.Command(program.start, {
      args: [...args],
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).output();
    return new TextDecoder().decode(stdout).trim().slice(0, 20);
  } catch {
    return "it cannot be started";
  }
}
