import { ALL, check } from "./_decide_cases.ts";
import { at, commandRule, pathRule, RUNNER, spawn } from "../_fixtures.ts";

const runs = (allow: readonly string[], ...more: readonly ReturnType<typeof commandRule>[]) => ({
  paths: [ALL],
  commands: [commandRule("allow", allow), ...more],
});
check([
  {
    name: "operands: allowed",
    policies: [runs(["cat"])],
    capabilities: [spawn(["cat", "a"], { operands: [{ requested: "a", path: at("a") }] })],
    expect: ["allow"],
  },
  {
    name: "operands: denied",
    policies: [{ ...runs(["cat"]), paths: [ALL, pathRule("deny", ["**/.env"], ["read"])] }],
    capabilities: [
      spawn(["cat", "x/.env"], { operands: [{ requested: "x/.env", path: at("x/.env") }] }),
    ],
    expect: ["deny", "PATH_DENIED", "paths[1]"],
  },
  {
    name: "operands: unnamed inside",
    policies: [{ ...runs(["cat"]), paths: [pathRule("allow", ["src/**"])] }],
    capabilities: [spawn(["cat", "a"], { operands: [{ requested: "a", path: at("a") }] })],
    expect: ["deny", "PATH_DENIED", "paths"],
  },
  {
    name: "operands: asked for",
    policies: [{ ...runs(["cat"]), paths: [ALL, pathRule("ask", ["a"])] }],
    capabilities: [spawn(["cat", "a"], { operands: [{ requested: "a", path: at("a") }] })],
    expect: ["ask", "APPROVAL_REQUIRED", "paths[1]"],
  },
  {
    name: "operands: outside",
    policies: [runs(["cat"])],
    capabilities: [
      spawn(["cat", "/home/x"], { operands: [{ requested: "/home/x", path: at("/home/x") }] }),
    ],
    expect: ["deny", "PATH_OUTSIDE_WORKSPACE"],
  },
  {
    name: "operands: outside by a link",
    policies: [runs(["cat"])],
    capabilities: [
      spawn(["cat", "link"], { operands: [{ requested: "link", path: at("/home/x") }] }),
    ],
    expect: ["deny", "PATH_OUTSIDE_WORKSPACE"],
    says: ["reading link"],
  },
  {
    name: "operands: on the system",
    policies: [runs(["cat"])],
    capabilities: [
      spawn(["cat", "/etc/hosts", "/usr/x"], {
        operands: [{ requested: "/etc/hosts", path: at("/etc/hosts") }, {
          requested: "/usr/x",
          path: at("/usr/x"),
        }],
      }),
    ],
    expect: ["allow"],
  },
  {
    name: "operands: beside the system",
    policies: [runs(["cat"])],
    capabilities: [
      spawn(["cat", "/etc/hosts2"], {
        operands: [{ requested: "/etc/hosts2", path: at("/etc/hosts2") }],
      }),
    ],
    expect: ["deny", "PATH_OUTSIDE_WORKSPACE"],
  },
  {
    name: "operands: on the system, denied outright",
    policies: [{ ...runs(["cat"]), paths: [ALL, pathRule("deny", ["/usr/secret"])] }],
    capabilities: [
      spawn(["cat", "/usr/secret/x"], {
        operands: [{ requested: "x", path: at("/usr/secret/x") }],
      }),
    ],
    expect: ["deny", "PATH_DENIED"],
  },
  {
    name: "operands: the policy's own list of the system",
    policies: [{ ...runs(["cat"]), sandbox: { system: ["/opt"] } }],
    capabilities: [
      spawn(["cat", "/usr/x"], { operands: [{ requested: "/usr/x", path: at("/usr/x") }] }),
    ],
    expect: ["deny", "PATH_OUTSIDE_WORKSPACE"],
  },
  {
    name: "operands: endings",
    policies: [{
      ...runs(["cat"]),
      extensions: { read: { allow: null, deny: [".key"] }, write: null },
    }],
    capabilities: [
      spawn(["cat", "a.key"], { operands: [{ requested: "a.key", path: at("a.key") }] }),
    ],
    expect: ["deny", "EXTENSION_DENIED"],
  },
  {
    name: "operands: endings are not asked of directories",
    policies: [{
      ...runs(["ls"]),
      extensions: { read: { allow: [".ts"], deny: [] }, write: null },
    }],
    capabilities: [
      spawn(["ls", "src"], { operands: [{ requested: "src", path: at("src"), directory: true }] }),
    ],
    expect: ["allow"],
  },
  {
    name: "cwd: inside the workspace, unnamed",
    policies: [{ ...runs(["ls"]), paths: [pathRule("allow", ["src/**"])] }],
    capabilities: [spawn(["ls"])],
    expect: ["allow"],
  },
  {
    name: "cwd: denied",
    policies: [{ ...runs(["ls"]), paths: [ALL, pathRule("deny", ["secret"])] }],
    capabilities: [spawn(["ls"], { cwd: at("secret/x") })],
    expect: ["deny", "PATH_DENIED"],
  },
  {
    name: "cwd: outside",
    policies: [runs(["ls"])],
    capabilities: [spawn(["ls"], { cwd: at("/usr") })],
    expect: ["deny", "PATH_OUTSIDE_WORKSPACE"],
  },
  {
    name: "cwd: outside, allowed",
    policies: [{ ...runs(["ls"]), paths: [pathRule("allow", ["/data/**"])] }],
    capabilities: [spawn(["ls"], { cwd: at("/data/x") })],
    expect: ["allow"],
  },

  {
    name: "risk of programs: safe",
    policies: [{ ...runs(["ls"]), risk: { allow: "safe", ask: "safe" } }],
    capabilities: [spawn(["ls"])],
    expect: ["allow"],
  },
  {
    name: "risk of programs: asked for",
    policies: [runs(["find"])],
    capabilities: [spawn(["find", ".", "-delete"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
    says: ["-delete", "dangerous"],
  },
  {
    name: "risk of programs: denied",
    policies: [{ ...runs(["find"]), risk: { allow: "safe", ask: "moderate" } }],
    capabilities: [spawn(["find", ".", "-delete"])],
    expect: ["deny", "RISK_DENIED", "risk"],
    says: ["at most moderate"],
  },
  {
    name: "risk of programs: the riskiest counts",
    policies: [runs(["*"])],
    capabilities: [spawn(["ls"]), spawn(["rm", "-r", "x"]), spawn(["cat"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
  },
  {
    name: "risk of programs: what is run inside counts",
    policies: [runs(["*"])],
    capabilities: [spawn(["nice", "python3", "-c", "x"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
  },
  {
    name: "risk of programs: set by the policy for the tool",
    policies: [{ ...runs(["ls"]), tools: { run_command: { risk: "dangerous" } } }],
    capabilities: [spawn(["ls"])],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
    says: ["tools.run_command"],
  },
], RUNNER);
