/** What rules deny of the loopback to programs: it binds what they serve each other within one call, too. */

import { assert, assertEquals } from "@std/assert";
import { Pipe, Workspace } from "../toolgate.ts";

/** Found by no name of a version manager's: what it starts is one program. */
const PYTHON = "/usr/bin/python3";
const RULES = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["**/.env"] }
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
limits: { processes: 256 }
sandbox: { temporary: true }
shell: { mode: direct }
`;

function linesOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.trim().split("\n").map((line) => {
      const cut = line.lastIndexOf(" ");
      return [line.slice(0, cut), line.slice(cut + 1)];
    }),
  );
}

/** Serves to itself and to a program that it starts, by both kinds of addresses and by a socket in a folder. */
const SERVES = `import errno, os, socket, subprocess, sys
def tried(name, act):
  try: print(name, act() or "ok", flush=True)
  except OSError as error: print(name, errno.errorcode[error.errno], flush=True)
def serve(address, family=socket.AF_INET):
  one = socket.socket(family)
  one.bind(address)
  one.listen()
  return one
def reach(address, family=socket.AF_INET):
  with socket.socket(family) as one: one.connect(address)
if sys.argv[1:]:
  tried("started", lambda: reach(("127.0.0.1", int(sys.argv[1]))))
  sys.exit()
kept = []
tried("serves", lambda: kept.append(serve(("127.0.0.1", 0))))
tried("serves all", lambda: kept.append(serve(("0.0.0.0", 0))))
tried("serves six", lambda: kept.append(serve(("::1", 0), socket.AF_INET6)))
unbound = socket.socket()
tried("serves anywhere", unbound.listen)
port = kept[0].getsockname()[1] if kept else 2000
all_port = kept[1].getsockname()[1] if kept else 2000
six_port = kept[2].getsockname()[1] if kept else 2000
tried("localhost", lambda: reach(("localhost", port)))
tried("another", lambda: reach(("127.0.0.2", all_port)))
tried("any", lambda: reach(("0.0.0.0", port)))
tried("six", lambda: reach(("::1", six_port), socket.AF_INET6))
tried("mapped", lambda: reach(("::ffff:127.0.0.1", port), socket.AF_INET6))
subprocess.run([sys.executable, "serves.py", str(port)])
kept.append(serve("in_folder", socket.AF_UNIX))
tried("folder", lambda: reach("in_folder", socket.AF_UNIX))
`;

Deno.test("what a rule denies of the loopback is closed to programs among their own call's, too, and the rule is told", async () => {
  const names = [
    ...["serves", "serves all", "serves six", "serves anywhere"],
    ...["localhost", "another", "any", "six", "mapped", "started", "folder"],
  ];
  const expected = (said: string) =>
    Object.fromEntries(names.map((name) => [name, name === "folder" ? "ok" : said]));
  const rows: readonly (readonly [network: string, "open" | "closed"])[] = [
    // The control.
    ["", "open"],
    ['network: [{ deny: ["r.example.org"] }]', "open"],
    ['network: [{ deny: [loopback], commands: ["npm"] }]', "open"],
    ['network: [{ deny: [localhost, "127.0.0.1"] }]', "closed"],
    ['network: [{ deny: ["::1"] }]', "closed"],
    ['network: [{ deny: ["*"] }]', "closed"],
    ["network: [{ deny: loopback, commands: [python3] }]", "closed"],
    ['network: [{ allow: loopback, commands: ["*"] }, { deny: ["127.3.3.3"] }]', "closed"],
  ];
  for (const [network, how] of rows) {
    await using workspace = new Workspace({ "serves.py": SERVES });
    const policy = `${RULES}${network}\n`;
    const pipe = new Pipe(["--policy", workspace.policy(policy)], { cwd: workspace.root });
    const calls = [
      { tool: "run_command", args: { argv: [PYTHON, "serves.py"] } },
      { tool: "run_shell_command", args: { command: `true && ${PYTHON} serves.py | cat` } },
      { tool: "run_command", args: { argv: ["env", PYTHON, "serves.py"] } },
      { tool: "run_command", args: { argv: ["sh", "-c", `${PYTHON} serves.py`] } },
      { tool: "run_python", args: { code: 'import runpy\nrunpy.run_path("serves.py")' } },
    ];
    for (const [id, call] of calls.entries()) {
      const answer = await pipe.ask({ id, ...call });
      const told = JSON.stringify([network, call, answer]);
      const { stdout, denied } = answer.output ?? {};
      assertEquals(linesOf(stdout ?? ""), expected(how === "open" ? "ok" : "EACCES"), told);
      Deno.removeSync(workspace.path("in_folder"));
      if (how === "open") {
        assertEquals(denied, undefined, told);
        continue;
      }
      for (const access of ["connect", "listen"]) {
        const one = denied.find((one: { readonly access: string }) => one.access === access);
        assertEquals(one?.code, "NETWORK_DENIED", told);
        assert(
          /^(connecting to|listening at) .* is denied by .* network\[[01]\]$/.test(one?.reason),
          told,
        );
      }
    }
    assertEquals((await pipe.close()).status, 0);
  }
});

/** Goes out by the proxy, and connects by itself where nobody listens. */
const GOES_OUT = `import socket, urllib.error, urllib.request
try: urllib.request.urlopen("http://closed.example.org/")
except urllib.error.HTTPError as error: print("proxy answers", error.code)
for place in (("127.0.0.1", 2), ("127.0.0.1", 3)):
  print(place[1], socket.socket().connect_ex(place))
`;

Deno.test("the way out of a program stays open where its loopback is denied, and a port alone closes no other", async () => {
  await using workspace = new Workspace({ "out.py": GOES_OUT });
  // EACCES (13), and ECONNREFUSED (111) of the control and of what nobody opens.
  const rows = [
    ["", "111", "111"],
    [", { deny: loopback }", "13", "13"],
    [', { deny: ["localhost:2"] }', "13", "111"],
  ] as const;
  for (const [deny, two, three] of rows) {
    const policy = workspace.policy(
      `${RULES}network: [{ allow: [r.example.org], commands: [python3] }${deny}]\n`,
    );
    const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
    const answer = await pipe.ask({ tool: "run_command", args: { argv: [PYTHON, "out.py"] } });
    const said = `proxy answers 403\n2 ${two}\n3 ${three}\n`;
    assertEquals(answer.output?.stdout, said, JSON.stringify([deny, answer]));
    assertEquals((await pipe.close()).status, 0);
  }
});
