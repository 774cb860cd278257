import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { JudgedConnections, Questions } from "../../../../src/engine/pool/_connections.ts";
import { READER, rulebook } from "../../policy/_fixtures.ts";

const CONNECT = { kind: "net.connect", host: "a.example", port: 443, method: "GET" } as const;

Deno.test("a connection takes a rule that allows it, or somebody's word where one asks", async () => {
  const rule = { methods: null, allowPrivate: false };
  const rules = rulebook([{
    network: [
      { ...rule, effect: "allow", hosts: ["a.example"] },
      { ...rule, effect: "ask", hosts: ["asked.example"] },
      { ...rule, effect: "deny", hosts: ["denied.example"] },
    ],
  }]);
  await rules.prepare([CONNECT]);
  let decided = 0;
  const judged = new JudgedConnections({
    ...rules,
    decide: (...question) => {
      decided++;
      return rules.decide(...question);
    },
  });
  const judge = (host: string, granted: readonly string[], addresses?: readonly string[]) =>
    judged.judge(READER, granted, {
      ...CONNECT,
      host,
      ...(addresses === undefined ? {} : { addresses }),
    });
  judge("a.example", []);
  judge("a.example", [], ["93.184.216.34"]);
  judge("asked.example", ["asked.example:443"]);
  assertEquals(decided, 3);
  // What was let through is let through again, and by that nothing else.
  judge("a.example", []);
  judge("asked.example", ["asked.example:443"]);
  assertEquals(decided, 3);
  const refused = [
    ["a.example", [], ["127.0.0.1"], "private network"],
    ["asked.example", [], undefined, "nobody was asked"],
    ["asked.example", ["asked.example:80"], undefined, "nobody was asked"],
    ["asked.example", ["asked.example:443"], ["10.0.0.1"], "private network"],
    ["denied.example", ["denied.example:443"], undefined, "denied"],
    ["b.example", ["b.example:443"], undefined, "no rule names this host"],
  ] as const;
  for (const [host, granted, addresses, why] of refused) {
    const error = assertThrows(() => judge(host, granted, addresses), ToolError);
    assertEquals(error.code, "NETWORK_DENIED");
    assertStringIncludes(error.message, why);
    assertThrows(() => judge(host, granted, addresses), ToolError, why);
  }
});

Deno.test("names are looked up by whoever may, and each answer finds who asked", async () => {
  const asked: [number, string][] = [];
  const lookUps = new Questions<string, unknown>((...question) => asked.push(question));
  const [a, b] = [lookUps.ask("a.example"), lookUps.ask("b.example")];
  assertEquals(asked.map(([, host]) => host), ["a.example", "b.example"]);
  lookUps.settle(asked[1]![0], { addresses: ["2.2.2.2"] });
  lookUps.settle(asked[0]![0], { failure: "no such name" });
  lookUps.settle(999, { failure: "nobody asked" });
  assertEquals(await a, { failure: "no such name" });
  assertEquals(await b, { addresses: ["2.2.2.2"] });
});
