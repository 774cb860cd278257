/** What an approval was given for is compared path by path: where words lead, what lies there, and what lies below. */

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { ResolvedCapability } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import { atOnce } from "../../../../src/engine/turns.ts";
import {
  type AgreedPath,
  agreedPathsOf,
  type AgreedProbe,
  requireAgreed,
} from "../../../../src/engine/approvals/agreed.ts";
import { grantOf } from "../../host/_rulebook.ts";
import { canonical, program, WORKSPACE } from "../../policy/_fixtures.ts";

const BASE = canonical(WORKSPACE);

/** A machine on which each path is what it is called, until it is told otherwise. */
function machine() {
  const changed = new Map<string, string>();
  const led = new Map<string, string | ToolError>();
  const probe: AgreedProbe = {
    identityOf: (path) => changed.get(path) ?? `identity of ${path}`,
    *treeIdentityOf(path) {
      yield;
      return changed.get(`${path}/**`) ?? `tree of ${path}`;
    },
    canonicalize(base, requested) {
      const to = led.get(requested) ??
        (requested.startsWith("/") ? requested : `${base}/${requested}`);
      if (to instanceof ToolError) throw to;
      return canonical(to);
    },
  };
  return { probe, changed, led };
}

function agreedTo(capabilities: readonly ResolvedCapability[], probe: AgreedProbe) {
  const verdict = { effect: "ask", code: null, reason: "", rule: null } as const;
  const verdicts = capabilities.map((capability) => ({ capability, verdict }));
  const findings = () => Promise.reject(new Error("nobody asked why"));
  const decision = { ...verdict, risk: "safe", verdicts, findings } as const;
  return atOnce(agreedPathsOf({ decision, grant: grantOf(BASE, {}) }, probe));
}

const FILE: ResolvedCapability = {
  kind: "fs.write",
  path: canonical(`${WORKSPACE}/a`),
  requested: "a",
  tree: false,
};
const TREE: ResolvedCapability = { ...FILE, kind: "fs.read", tree: true } as ResolvedCapability;
const ENTRY: ResolvedCapability = { ...FILE, entry: true } as ResolvedCapability;
const COMMAND: ResolvedCapability = {
  kind: "process.spawn",
  argv: ["cat", "a"],
  cwd: canonical(`${WORKSPACE}/sub`),
  program: program("cat"),
  operands: [{ requested: "a", path: canonical(`${WORKSPACE}/sub/a`), directory: false }],
};

Deno.test("all paths of a call are agreed to: files, trees, programs, where they start, what their words name", () => {
  const { probe } = machine();
  const short = (one: AgreedPath) => [one.requested, one.base, one.path, one.tree];
  assertEquals(agreedTo([FILE], probe).map(short), [["a", BASE, `${WORKSPACE}/a`, null]] as never);
  assertEquals(agreedTo([TREE], probe)[0]?.tree, `tree of ${WORKSPACE}/a`);
  // A link itself is not followed.
  assertEquals(agreedTo([ENTRY], probe)[0]?.requested, null);
  assertEquals(agreedTo([COMMAND], probe).map(short), [
    ["/usr/bin/cat", BASE, "/usr/bin/cat", null],
    [null, BASE, `${WORKSPACE}/sub`, null],
    ["a", `${WORKSPACE}/sub`, `${WORKSPACE}/sub/a`, null],
  ] as never);
  const gone = { ...COMMAND, program: null, operands: [] } as ResolvedCapability;
  assertEquals(agreedTo([gone], probe).length, 1);
  const others: readonly ResolvedCapability[] = [
    { kind: "env.read", name: "A" },
    { kind: "net.connect", host: "a", port: 1 },
  ];
  assertEquals(agreedTo(others, probe), []);
  // Programs may reach whole folders: what lies in them is theirs to say.
  for (const one of [{ by: "program" }, { contents: "any" }] as const) {
    assertEquals(agreedTo([{ ...TREE, ...one } as ResolvedCapability], probe)[0]?.tree, null);
  }
});

Deno.test("what is as it was agreed to passes; whatever is another expires, and is named", () => {
  const all = [FILE, TREE, ENTRY, COMMAND];
  const { probe } = machine();
  requireAgreed("look", agreedTo(all, probe), probe, { trees: true });
  type Change = (world: ReturnType<typeof machine>) => void;
  const changes: readonly (readonly [ResolvedCapability, Change, string])[] = [
    [FILE, ({ changed }) => changed.set(`${WORKSPACE}/a`, "another"), '"a"'],
    [FILE, ({ led }) => led.set("a", "/elsewhere/a"), '"a"'],
    [FILE, ({ led }) => led.set("a", new ToolError("PATH_DENIED", "a loop")), '"a"'],
    [TREE, ({ changed }) => changed.set(`${WORKSPACE}/a/**`, "another"), '"a"'],
    [ENTRY, ({ changed }) => changed.set(`${WORKSPACE}/a`, "another"), "something that it uses"],
    [COMMAND, ({ changed }) => changed.set("/usr/bin/cat", "another"), '"/usr/bin/cat"'],
    [
      COMMAND,
      ({ changed }) => changed.set(`${WORKSPACE}/sub`, "another"),
      "something that it uses",
    ],
    [COMMAND, ({ changed }) => changed.set(`${WORKSPACE}/sub/a`, "another"), '"a"'],
    [COMMAND, ({ led }) => led.set("a", "/elsewhere/a"), '"a"'],
  ];
  for (const [capability, change, words] of changes) {
    const world = machine();
    const agreed = agreedTo([capability], world.probe);
    change(world);
    const error = assertThrows(
      () => requireAgreed("look", agreed, world.probe, { trees: true }),
      ToolError,
    );
    assertEquals(error.code, "APPROVAL_EXPIRED");
    assertStringIncludes(error.message, words);
    assertStringIncludes(error.message, "nothing was run");
  }
});

Deno.test("trees are compared by whom they can be: a thread that is held does not list them", () => {
  const world = machine();
  const agreed = agreedTo([TREE], world.probe);
  world.changed.set(`${WORKSPACE}/a/**`, "another");
  requireAgreed("look", agreed, world.probe, { trees: false });
  // Words that lead nowhere to follow are not asked about.
  const entry = agreedTo([ENTRY], world.probe);
  world.led.set("a", "/elsewhere");
  requireAgreed("look", entry, world.probe, { trees: true });
});

Deno.test("what cannot be found out for a defect is thrown on, and odd names are shown safely", () => {
  const { probe } = machine();
  const broken: AgreedProbe = {
    ...probe,
    canonicalize: () => {
      throw new TypeError("a defect");
    },
  };
  const agreed = agreedTo([FILE], probe);
  assertThrows(() => requireAgreed("look", agreed, broken, { trees: true }), TypeError, "a defect");
  const world = machine();
  const odd = { ...FILE, requested: "a\u001b[2J" } as ResolvedCapability;
  const named = agreedTo([odd], world.probe);
  world.led.set("a\u001b[2J", "/elsewhere");
  const error = assertThrows(
    () => requireAgreed("look", named, world.probe, { trees: true }),
    ToolError,
  );
  assertEquals(error.message.includes("\u001b"), false);
});
