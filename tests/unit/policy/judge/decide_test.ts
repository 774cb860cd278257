import type { ResolvedCapability } from "../../../../src/core/capability.ts";
import type { Effect } from "../../../../src/policy/model.ts";
import { ALL, check, read, write } from "./_decide_cases.ts";
import { pathRule, READER } from "../_fixtures.ts";

check([
  {
    name: "risk: above ask",
    policies: [{ paths: [ALL], risk: { allow: "safe", ask: "moderate" } }],
    subject: { risk: "dangerous" },
    capabilities: read("a"),
    expect: ["deny", "RISK_DENIED", "risk"],
  },
  {
    name: "risk: up to ask",
    policies: [{ paths: [ALL] }],
    subject: { risk: "dangerous" },
    capabilities: read("a"),
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
  },
  {
    name: "risk: ask below allow means nothing",
    policies: [{ paths: [ALL], risk: { allow: "moderate", ask: "safe" } }],
    subject: { risk: "moderate" },
    capabilities: read("a"),
    expect: ["allow"],
  },
  {
    name: "risk: set for the tool, lower",
    policies: [{ paths: [ALL], tools: { read_file: { risk: "safe" } } }],
    subject: { risk: "dangerous" },
    capabilities: read("a"),
    expect: ["allow"],
  },
  {
    name: "risk: a further policy cannot lower it",
    policies: [{ paths: [ALL] }, { tools: { read_file: { risk: "safe" } } }],
    subject: { risk: "dangerous" },
    capabilities: read("a"),
    expect: ["ask", "APPROVAL_REQUIRED"],
  },
  {
    name: "risk: a further policy can raise it",
    policies: [{ paths: [ALL] }, { tools: { read_file: { risk: "dangerous" } } }],
    capabilities: read("a"),
    expect: ["ask", "APPROVAL_REQUIRED"],
    says: ["p2.yaml tools.read_file"],
  },
  {
    name: "risk: the thresholds of a further policy",
    policies: [{ paths: [ALL] }, { risk: { allow: "safe", ask: "safe" } }],
    subject: { risk: "moderate" },
    capabilities: read("a"),
    expect: ["deny", "RISK_DENIED", "risk"],
    says: ["p2.yaml"],
  },
  {
    name: "tools: switched off",
    policies: [{ paths: [ALL], tools: { read_file: { enabled: false } } }],
    capabilities: read("a"),
    expect: ["deny", "TOOL_DENIED", "tools.read_file"],
  },
  {
    name: "tools: switched off by a further policy",
    policies: [{ paths: [ALL] }, { tools: { read_file: { enabled: false } } }],
    capabilities: read("a"),
    expect: ["deny", "TOOL_DENIED"],
  },
  {
    name: "tools: a further policy cannot switch one on",
    policies: [{ paths: [ALL], tools: { read_file: { enabled: false } } }, {
      tools: { read_file: { enabled: true } },
    }],
    capabilities: read("a"),
    expect: ["deny", "TOOL_DENIED"],
  },
  {
    name: "agents: by default only root",
    policies: [{ paths: [ALL] }],
    subject: { agent: "other" },
    capabilities: read("a"),
    expect: ["deny", "PERMISSION_DENIED", "agents"],
    says: ["root"],
  },
  {
    name: "agents: the group is missing",
    policies: [{
      paths: [ALL],
      agents: { "*": { permissions: ["file_write"] }, root: { permissions: ["all"] } },
    }],
    subject: { agent: "x" },
    capabilities: read("a"),
    expect: ["deny", "PERMISSION_DENIED", "agents.*"],
    says: ["file_read", "agents that have it: root"],
  },
  {
    name: "agents: who may only read does not write by a tool that reads",
    policies: [{ paths: [ALL], agents: { x: { permissions: ["file_read"] } } }],
    subject: { agent: "x" },
    capabilities: [...read("a"), ...write("b")],
    expect: ["deny", "PERMISSION_DENIED", "agents.x"],
    says: ["lacks the permission file_write"],
  },
  {
    name: "agents: who may write too does",
    policies: [{ paths: [ALL], agents: { x: { permissions: ["file_read", "file_write"] } } }],
    subject: { agent: "x" },
    capabilities: [...read("a"), ...write("b")],
    expect: ["allow"],
  },
  {
    name: "agents: of two policies both must let it write",
    policies: [{ paths: [ALL], agents: { x: { permissions: ["all"] } } }, {
      agents: { "*": { permissions: ["file_read"] } },
    }],
    subject: { agent: "x" },
    capabilities: write("b"),
    expect: ["deny", "PERMISSION_DENIED", "agents.*"],
    says: ["p2.yaml"],
  },
  {
    name: "risk: a safe tool that writes is moderate",
    policies: [{ paths: [ALL], risk: { allow: "safe", ask: "moderate" } }],
    capabilities: [...read("a"), ...write("b")],
    expect: ["ask", "APPROVAL_REQUIRED", "risk"],
    says: ["it writes a file"],
  },
  {
    name: "agents: the more specific rule takes away",
    policies: [{
      paths: [ALL],
      agents: { "*": { permissions: ["all"] }, "child-*": { permissions: [] } },
    }],
    subject: { agent: "child-1" },
    capabilities: read("a"),
    expect: ["deny", "PERMISSION_DENIED", "agents.child-*"],
  },
  {
    name: "agents: a tool without group needs an agent that is known",
    policies: [{ agents: {} }],
    subject: { permission: null },
    capabilities: [],
    expect: ["deny", "PERMISSION_DENIED"],
  },
  {
    name: "agents: a further policy takes away",
    policies: [{ paths: [ALL] }, { agents: { root: { permissions: ["file_write"] } } }],
    capabilities: read("a"),
    expect: ["deny", "PERMISSION_DENIED"],
    says: ["p2.yaml"],
  },
  {
    name: "policies: a further one without paths adds nothing",
    policies: [{ paths: [ALL] }, {}],
    capabilities: read("a"),
    expect: ["allow"],
  },
  {
    name: "policies: a further one with empty paths denies all",
    policies: [{ paths: [ALL] }, { paths: [] }],
    capabilities: read("a"),
    expect: ["deny", "PATH_DENIED"],
    says: ["p2.yaml"],
  },
  {
    name: "policies: a further one cannot allow",
    policies: [{ paths: [pathRule("allow", ["src/**"])] }, { paths: [ALL] }],
    capabilities: read("a"),
    expect: ["deny", "PATH_DENIED"],
    says: ["p1.yaml"],
  },
  {
    name: "policies: a further one asks",
    policies: [{ paths: [ALL] }, { paths: [pathRule("ask", ["**"])] }],
    capabilities: read("a"),
    expect: ["ask", "APPROVAL_REQUIRED"],
  },
  {
    name: "policies: deny beats ask across them",
    policies: [{ paths: [pathRule("ask", ["**"])] }, { paths: [pathRule("deny", ["a"])] }],
    capabilities: read("a"),
    expect: ["deny", "PATH_DENIED"],
  },
  {
    name: "environment: passed",
    policies: [{}],
    capabilities: [{ kind: "env.read", name: "PATH" }],
    expect: ["allow"],
  },
  {
    name: "environment: set",
    policies: [{ environment: { pass: [], set: { A: "1" } } }],
    capabilities: [{ kind: "env.read", name: "A" }],
    expect: ["allow"],
  },
  {
    name: "environment: neither",
    policies: [{}],
    capabilities: [{ kind: "env.read", name: "AWS_SECRET_ACCESS_KEY" }],
    expect: ["deny", "PERMISSION_DENIED"],
    says: ["AWS_SECRET_ACCESS_KEY"],
  },
  {
    name: "environment: names of Object's own",
    policies: [{}],
    capabilities: [{ kind: "env.read", name: "constructor" }],
    expect: ["deny", "PERMISSION_DENIED"],
  },
], READER);

const hosts = (
  effect: Effect,
  list: readonly string[],
  more: { methods?: readonly string[]; allowPrivate?: boolean } = {},
) => ({
  effect,
  hosts: list,
  methods: more.methods ?? null,
  allowPrivate: more.allowPrivate ?? false,
});
const connect = (host: string, port = 443, method?: string): ResolvedCapability[] => [
  { kind: "net.connect", host, port, ...(method === undefined ? {} : { method }) },
];

check([
  {
    name: "network: nothing named is denied",
    policies: [{}],
    capabilities: connect("a.com"),
    expect: ["deny", "NETWORK_DENIED", "network"],
    says: ["a.com:443", "no host is allowed"],
  },
  {
    name: "network: allowed",
    policies: [{ network: [hosts("allow", ["*.a.com"])] }],
    capabilities: connect("x.A.com."),
    expect: ["allow"],
  },
  {
    name: "network: not named",
    policies: [{ network: [hosts("allow", ["*.a.com"])] }],
    capabilities: connect("a.com"),
    expect: ["deny", "NETWORK_DENIED"],
    says: ["*.a.com"],
  },
  {
    name: "network: another port",
    policies: [{ network: [hosts("allow", ["a.com:443"])] }],
    capabilities: connect("a.com", 80),
    expect: ["deny", "NETWORK_DENIED"],
  },
  {
    name: "network: methods",
    policies: [{ network: [hosts("allow", ["a.com"], { methods: ["GET"] })] }],
    capabilities: connect("a.com", 443, "get"),
    expect: ["allow"],
  },
  {
    name: "network: another method",
    policies: [{ network: [hosts("allow", ["a.com"], { methods: ["GET"] })] }],
    capabilities: connect("a.com", 443, "POST"),
    expect: ["deny", "NETWORK_DENIED"],
    says: ["method"],
  },
  {
    name: "network: no method where one is needed",
    policies: [{ network: [hosts("allow", ["a.com"], { methods: ["GET"] })] }],
    capabilities: connect("a.com"),
    expect: ["deny", "NETWORK_DENIED"],
  },
  {
    name: "network: a denied method denies what has none",
    policies: [{
      network: [hosts("allow", ["a.com"]), hosts("deny", ["a.com"], { methods: ["POST"] })],
    }],
    capabilities: connect("a.com"),
    expect: ["deny", "NETWORK_DENIED", "network[1]"],
  },
  {
    name: "network: asked for",
    policies: [{ network: [hosts("allow", ["*"]), hosts("ask", ["a.com"])] }],
    capabilities: connect("a.com"),
    expect: ["ask", "APPROVAL_REQUIRED", "network[1]"],
  },
  {
    name: "network: private addresses",
    policies: [{ network: [hosts("allow", ["*"])] }],
    capabilities: connect("169.254.169.254", 80),
    expect: ["deny", "NETWORK_DENIED"],
    says: ["allow_private"],
  },
  {
    name: "network: private addresses in disguise",
    policies: [{ network: [hosts("allow", ["*"])] }],
    capabilities: connect("0x7f.1", 80),
    expect: ["deny", "NETWORK_DENIED"],
  },
  {
    name: "network: private names",
    policies: [{ network: [hosts("allow", ["localhost"])] }],
    capabilities: connect("localhost", 80),
    expect: ["deny", "NETWORK_DENIED"],
  },
  {
    name: "network: private addresses allowed",
    policies: [{ network: [hosts("allow", ["127.0.0.1"], { allowPrivate: true })] }],
    capabilities: connect("127.0.0.1", 80),
    expect: ["allow"],
  },
  {
    name: "network: no host",
    policies: [{ network: [hosts("allow", ["*"])] }],
    capabilities: connect("a b"),
    expect: ["deny", "NETWORK_DENIED"],
  },
  {
    name: "network: a further policy",
    policies: [{ network: [hosts("allow", ["*"])] }, { network: [hosts("allow", ["b.com"])] }],
    capabilities: connect("a.com"),
    expect: ["deny", "NETWORK_DENIED"],
    says: ["p2.yaml"],
  },
], { ...READER, permission: "network_access" });
