/** The network of child agents: what `children.network` opens to their program, and nobody else, counted at the servers. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { serveWire } from "../../unit/host/network/_wire.ts";
import { CHILD_POLICY, repository, results, spawn, tool } from "./_child_agent.ts";
import { Pipe } from "../toolgate.ts";

/** Tries each server by the proxy, past it, and under other names, and prints what came of each. */
const TRIES = `
import os, socket, sys, urllib.request

def said(name, what):
    try: print(name, what(), file=sys.stderr, flush=True)
    except Exception as error: print(name, getattr(error, "code", None) or type(error).__name__, file=sys.stderr, flush=True)

def get(url): return urllib.request.urlopen(url, timeout=20).status

def direct(port):
    socket.create_connection(("127.0.0.1", port), timeout=20).close()
    return "connected"

def unset(port):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return opener.open("http://127.0.0.1:%d/direct" % port, timeout=20).status

def tunnel(port):
    proxy = os.environ["HTTP_PROXY"].split("/")[2].split(":")
    conn = socket.create_connection((proxy[0], int(proxy[1])), timeout=20)
    conn.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" % port)
    return conn.recv(100).split()[1].decode()

for name, port in PORTS.items():
    said(name, lambda: get("http://127.0.0.1:%d/x" % port))
    said(name + " direct", lambda: direct(port))
    said(name + " unset", lambda: unset(port))
    said(name + " tunnel", lambda: tunnel(port))
    said(name + " hexadecimal", lambda: get("http://0x7f000001:%d/x" % port))
`;

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
const OPEN = ["200", "connected", "200", "200", "200"];
const SHUT = ["403", "ConnectionRefusedError", "URLError", "403", "403"];
const WAYS = ["", " direct", " unset", " tunnel", " hexadecimal"];

Deno.test("the program of a child reaches what children.network opens, and what it asks for is a program's", async () => {
  // For it; for programs of its name; for tools; for nobody.
  const names = ["own", "named", "tools", "closed"] as const;
  const servers = names.map(() => serveWire(async ({ send }) => await send(OK)));
  const ports = Object.fromEntries(names.map((name, at) => [name, servers[at]!.port]));
  const script = TRIES.replace("PORTS", JSON.stringify(ports));
  await using workspace = await repository({ "tries.py": script });
  const at = (name: typeof names[number]) =>
    `allow: ["127.0.0.1:${ports[name]}"], allow_private: true`;
  const network = `network:
  - { ${at("named")}, commands: [python3] }
  - { ${at("tools")} }
`;
  const policy = CHILD_POLICY.replace(
    "timeout: 1h }",
    `timeout: 1h, network: [{ ${at("own")} }] }`,
  );
  const pipe = new Pipe(["--policy", workspace.policy(network + policy), "--quiet"], {
    cwd: workspace.root,
  });
  const { agent_id } = await spawn(pipe, [
    "here tries.py",
    "log and what it starts",
    "start tries.py",
    'call run_command {"argv": ["python3", "tries.py"]}',
  ]);
  await results(pipe, [agent_id]);
  const { output } = await tool(pipe, "get_agent_status", { agent_id });
  const rows = (own: readonly string[]) =>
    names.flatMap((name) =>
      WAYS.map((way, at) => `${name}${way} ${(name === "own" ? own : SHUT)[at]}`)
    );
  assertEquals(output.log_tail.trim().split("\n"), [
    ...rows(OPEN),
    "and what it starts",
    ...rows(OPEN),
    "run_command ok",
  ]);
  const heads = servers.map(({ heads }) => heads.filter((head) => head !== "").length);
  // By the proxy under two names and past it; the program of the call it made has what is opened to its name, and not this.
  assertEquals(heads, [6, 3, 0, 0]);
  assertEquals(servers.map(({ connections }) => connections), [10, 5, 0, 0]);
  await pipe.close();
  // The control: where it is not said, it has what is opened to its name.
  const plain = new Pipe(["--policy", workspace.policy(network + CHILD_POLICY), "--quiet"], {
    cwd: workspace.root,
  });
  const second = await spawn(plain, ["here tries.py"]);
  await results(plain, [second.agent_id]);
  const { output: { log_tail } } = await tool(plain, "get_agent_status", {
    agent_id: second.agent_id,
  });
  assertStringIncludes(log_tail, "own 403\n");
  assertStringIncludes(log_tail, "named 200\n");
  assertEquals(servers.map(({ connections }) => connections), [10, 10, 0, 0]);
  await plain.close();
  await Promise.all(servers.map((server) => server.close()));
});
