/** Decisions on what a command line needs beside its programs. */

import type { ResolvedFileCapability } from "../../../../src/core/capability.ts";
import { commandRule, file, pathRule, RUNNER, spawn } from "../_fixtures.ts";
import { ALL, check } from "./_decide_cases.ts";

const RUNS = { commands: [commandRule("allow", ["*"])], paths: [ALL] };

function byProgram(capability: ResolvedFileCapability): ResolvedFileCapability {
  return { ...capability, by: "program" };
}

check([
  {
    name: "by program: reading what the system opens to programs",
    policies: [RUNS],
    capabilities: [spawn(["cat", "/usr/x"]), byProgram(file("fs.read", "/usr/x"))],
    expect: ["allow"],
  },
  {
    name: "by Toolgate: the system is not open",
    policies: [RUNS],
    capabilities: [spawn(["cat"]), file("fs.read", "/usr/x")],
    expect: ["deny", "PATH_OUTSIDE_WORKSPACE"],
  },
  {
    name: "by program: nothing opens the system for writing",
    policies: [RUNS],
    capabilities: [spawn(["cp"]), byProgram(file("fs.write", "/usr/x"))],
    expect: ["deny", "PATH_OUTSIDE_WORKSPACE"],
  },
  {
    name: "by program: a rule that denies holds",
    policies: [{ ...RUNS, paths: [ALL, pathRule("deny", [".git/**"], ["write"])] }],
    capabilities: [spawn(["cp"]), byProgram(file("fs.write", ".git/config"))],
    expect: ["deny", "PATH_DENIED", "paths[1]"],
  },
  {
    name: "risk: reading programs that write nothing are safe",
    policies: [{ ...RUNS, risk: { allow: "safe", ask: "safe" } }],
    capabilities: [spawn(["cat"]), spawn(["grep"])],
    expect: ["allow"],
  },
  {
    name: "risk: a redirection that writes is a change",
    policies: [{ ...RUNS, risk: { allow: "safe", ask: "safe" } }],
    capabilities: [spawn(["cat"]), file("fs.write", "a")],
    expect: ["deny", "RISK_DENIED"],
  },
  {
    name: "risk: a line of nothing but what Toolgate does itself",
    policies: [{ ...RUNS, risk: { allow: "safe", ask: "safe" } }],
    capabilities: [{ kind: "env.read", name: "A", change: true }],
    expect: ["allow"],
  },

  {
    name: "opened: a shell that is not started needs no rule",
    policies: [{ ...RUNS, commands: [commandRule("allow", ["ls"])] }],
    capabilities: [spawn(["bash", "-c", "ls"], { opened: true }), spawn(["ls"])],
    expect: ["allow"],
  },
  {
    name: "opened: a rule that denies it holds",
    policies: [{ ...RUNS, commands: [commandRule("allow", ["*"]), commandRule("deny", ["bash"])] }],
    capabilities: [spawn(["bash", "-c", "ls"], { opened: true }), spawn(["ls"])],
    expect: ["deny", "COMMAND_DENIED", "commands[1]"],
  },
  {
    name: "opened: a rule that asks for it holds",
    policies: [{ ...RUNS, commands: [commandRule("allow", ["*"]), commandRule("ask", ["bash"])] }],
    capabilities: [spawn(["bash", "-c", "ls"], { opened: true }), spawn(["ls"])],
    expect: ["ask", "APPROVAL_REQUIRED", "commands[1]"],
  },
  {
    name: "opened: its parts are judged",
    policies: [{ ...RUNS, commands: [commandRule("allow", ["ls", "bash"])] }],
    capabilities: [spawn(["bash", "-c", "wc"], { opened: true }), spawn(["wc"])],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "scripts: one that was taken apart",
    policies: [RUNS],
    capabilities: [spawn(["timeout", "5", "sh", "-c", "ls"], { scripts: ["ls"] }), spawn(["ls"])],
    expect: ["allow"],
  },
  {
    name: "scripts: another than the one that was taken apart",
    policies: [RUNS],
    capabilities: [spawn(["timeout", "5", "sh", "-c", "wc", "ls"], { scripts: ["ls"] })],
    expect: ["deny", "COMMAND_UNPARSABLE"],
  },
  {
    name: "scripts: options do not move it",
    policies: [RUNS],
    capabilities: [spawn(["nice", "sh", "-o", "-c", "-c", "ls"], { scripts: ["-c"] })],
    expect: ["deny", "COMMAND_UNPARSABLE"],
  },

  ...["FOO", "DEBUG", "NODE_ENV", "LC_ALL", "PYTHONUNBUFFERED"].map((name) => ({
    name: `change: ${name} steers no program`,
    policies: [RUNS],
    capabilities: [{ kind: "env.read", name, change: true } as const],
    expect: ["allow"] as const,
  })),
  ...[
    "LD_PRELOAD",
    "PATH",
    "IFS",
    "BASH_ENV",
    "GIT_SSH_COMMAND",
    "PAGER",
    "NODE_OPTIONS",
    "PERL5LIB",
  ]
    .map((name) => ({
      name: `change: ${name} steers programs`,
      policies: [RUNS],
      capabilities: [{ kind: "env.read", name, change: true } as const],
      expect: ["deny", "COMMAND_DENIED"] as const,
      says: [name, "leave it out"],
    })),
  ...["FILE", "SRC_DIR", "TMP", "CONFIG", "LD_PRELOAD", "env", "PYTHONPATH"].map((name) => ({
    name: `change: ${name} of the line alone comes to no program`,
    policies: [RUNS],
    capabilities: [{ kind: "env.read", name, change: true, local: true } as const],
    expect: ["allow"] as const,
  })),
  ...["PATH", "HOME", "IFS", "CDPATH", "BASH_ENV"].map((name) => ({
    name: `change: ${name} is the shell's own`,
    policies: [{ ...RUNS, environment: { pass: [], set: {} } }],
    capabilities: [{ kind: "env.read", name, change: true, local: true } as const],
    expect: ["deny", "COMMAND_DENIED"] as const,
  })),
  {
    name: "change: of the line alone, but what the policy sets",
    policies: [{ ...RUNS, environment: { pass: [], set: { FILE: "1" } } }],
    capabilities: [{ kind: "env.read", name: "FILE", change: true, local: true }],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "change: of the line alone, but what the policy never hands on from a call",
    policies: [{ ...RUNS, environment: { pass: ["LD_PRELOAD"], set: {} } }],
    capabilities: [{ kind: "env.read", name: "LD_PRELOAD", change: true, local: true }],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "change: a policy may pass one by name",
    policies: [{ ...RUNS, environment: { pass: ["GIT_PAGER", "PATH"], set: {} } }],
    capabilities: [{ kind: "env.read", name: "GIT_PAGER", change: true }],
    expect: ["allow"],
  },
  {
    name: "change: never where programs are found",
    policies: [{ ...RUNS, environment: { pass: ["PATH"], set: {} } }],
    capabilities: [{ kind: "env.read", name: "PATH", change: true }],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "change: never what the policy sets",
    policies: [{ ...RUNS, environment: { pass: [], set: { A: "1" } } }],
    capabilities: [{ kind: "env.read", name: "A", change: true }],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "programs: a policy calls a program dangerous",
    policies: [{ ...RUNS, programs: { cat: { risk: "dangerous", operands: null, options: {} } } }],
    capabilities: [spawn(["cat"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
  },
  {
    name: "programs: only the first policy may call one safe that is not known",
    policies: [
      { ...RUNS, risk: { allow: "safe", ask: "safe" } },
      { programs: { render: { risk: "safe", operands: null, options: {} } } },
    ],
    capabilities: [spawn(["render"])],
    expect: ["deny", "RISK_DENIED"],
  },
  {
    name: "programs: the first policy calls one safe",
    policies: [{
      ...RUNS,
      risk: { allow: "safe", ask: "safe" },
      programs: { render: { risk: "safe", operands: null, options: {} } },
    }],
    capabilities: [spawn(["render"])],
    expect: ["allow"],
  },
  {
    name: "programs: none makes a known one less than it is",
    policies: [{
      ...RUNS,
      programs: { docker: { risk: "safe", operands: null, options: {} } },
    }],
    capabilities: [spawn(["docker"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
  },
  {
    name: "programs: an option that runs",
    policies: [{
      ...RUNS,
      programs: { cat: { risk: null, operands: null, options: { "--hook": "run" } } },
    }],
    capabilities: [spawn(["cat", "--hook=x"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
    says: ["--hook runs a program"],
  },
], RUNNER);
