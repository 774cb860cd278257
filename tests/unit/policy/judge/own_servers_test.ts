import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Policy } from "../../../../src/policy/model.ts";
import { READER, rulebook } from "../_fixtures.ts";

const RULE = { methods: null, allowPrivate: false } as const;

async function effectOf(
  policies: readonly Partial<Policy>[],
  host: string,
  { port = 3000, by = "program" }: { readonly port?: number; readonly by?: "program" | null } = {},
): Promise<{ readonly effect: string; readonly reason: string }> {
  const rules = rulebook(policies);
  const capability = {
    kind: "net.connect",
    host,
    port,
    ...(by === null ? {} : { by }),
  } as const;
  await rules.prepare([capability]);
  const { verdicts } = rules.decide(READER, [capability]);
  return verdicts[0]!.verdict;
}

Deno.test("a program reaches its own call's servers without a rule, by each name of the loopback", async () => {
  const loopback = [
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "127.0.0.1",
    "127.1",
    "0x7f.3",
    "[::1]",
  ];
  for (const host of [...loopback, "::1", "0:0:0:0:0:0:0:1"]) {
    const { effect, reason } = await effectOf([{}], host);
    assertEquals([host, effect], [host, "allow"]);
    assertStringIncludes(reason, "its own call");
  }
  const others = ["localhost.example", "example.org", "10.0.0.1", "0.0.0.0", "[::]", "128.0.0.1"];
  for (const host of [...others, "[::ffff:127.0.0.1]", "[1::1]", "[::1:1]", "local", "a b"]) {
    assertEquals([host, (await effectOf([{}], host)).effect], [host, "deny"]);
  }
  assertEquals((await effectOf([{}], "localhost", { port: 0 })).effect, "deny");
});

Deno.test("tools reach no servers of this machine without a rule, and rules that deny or ask bind programs", async () => {
  for (const host of ["localhost", "127.0.0.1"]) {
    assertEquals((await effectOf([{}], host, { by: null })).effect, "deny");
  }
  const restricting = (effect: "deny" | "ask", hosts: readonly string[]) => [{
    network: [{ ...RULE, effect, hosts }],
  }];
  const rows = [
    ["deny", ["*"]],
    ["deny", ["127.0.0.1"]],
    ["deny", ["127.0.0.1:3000"]],
    ["ask", ["127.0.0.1"]],
  ] as const;
  for (const [effect, hosts] of rows) {
    assertEquals((await effectOf(restricting(effect, hosts), "127.0.0.1")).effect, effect);
    assertEquals((await effectOf([{}, ...restricting(effect, hosts)], "127.0.0.1")).effect, effect);
  }
  assertEquals(
    (await effectOf(restricting("deny", ["127.0.0.1:80"]), "127.0.0.1")).effect,
    "allow",
  );
});

Deno.test("where programs have the machine's own loopback, a rule must allow it", async () => {
  const sandbox = rulebook([{}]).settings.sandbox;
  for (
    const other of [{ network: "allow" }, { kernel: "off" }, { bubblewrap: "required" }] as const
  ) {
    const policy = { sandbox: { ...sandbox, ...other } };
    assertEquals((await effectOf([policy], "127.0.0.1")).effect, "deny", JSON.stringify(other));
  }
});

Deno.test("loopback is denied by one word, to programs and to tools", async () => {
  const policies = [{ network: [{ ...RULE, effect: "deny" as const, hosts: ["loopback"] }] }];
  for (const host of ["localhost", "127.0.0.1", "::1", "0.0.0.0"]) {
    for (const by of ["program", null] as const) {
      assertEquals((await effectOf(policies, host, { by })).effect, "deny");
    }
  }
});
