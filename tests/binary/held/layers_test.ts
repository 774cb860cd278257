/** Each lower layer alone, with those above it opened: what it stops, and that without it the same gets through. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { buildUnsealedProbe } from "../probe.ts";
import { type Answer, BINARY, Pipe, SENTINEL, Workspace } from "../toolgate.ts";

const PROBE = await buildUnsealedProbe();

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [cat] }]
`;

type Claim = "read" | "write" | "spawn";

/** One attempt of the probe tool. */
interface Attack {
  readonly name: string;
  readonly action: string;
  readonly claim: Claim;
  readonly path: (workspace: Workspace) => string;
  /** Which layers are to hold against it alone. */
  readonly heldBy: readonly ("runtime" | "kernel")[];
}

const sentinelOf = (workspace: Workspace) => `${workspace.outside}/sentinel.txt`;
const RUNTIME = ["runtime"] as const;
const BOTH = ["runtime", "kernel"] as const;
const KERNEL = ["kernel"] as const;

const ATTACKS: readonly Attack[] = [
  ...(["read", "write"] as const).flatMap((claim): Attack[] => [
    { name: "an absolute path", action: "read", claim, path: sentinelOf, heldBy: BOTH },
    { name: "the same, awaited", action: "read_async", claim, path: sentinelOf, heldBy: BOTH },
    {
      name: "..",
      action: "read",
      claim,
      path: () => "../outside/sentinel.txt",
      heldBy: BOTH,
    },
    { name: "400 reads at once", action: "burst", claim, path: sentinelOf, heldBy: BOTH },
    { name: "a further thread", action: "worker", claim, path: sentinelOf, heldBy: BOTH },
    // The runtime looks at names alone: links, computed imports and programs are the kernel's to hold.
    { name: "a link", action: "read", claim, path: () => "link/sentinel.txt", heldBy: KERNEL },
    {
      name: "a link, awaited",
      action: "read_async",
      claim,
      path: () => "link/sentinel.txt",
      heldBy: KERNEL,
    },
    {
      name: "a computed import",
      action: "import",
      claim,
      path: ({ base }) => `${base}/module.mjs`,
      heldBy: KERNEL,
    },
  ]),
  {
    name: "writing a new file",
    action: "write",
    claim: "write",
    path: ({ outside }) => `${outside}/new.txt`,
    heldBy: BOTH,
  },
  { name: "writing a file", action: "write", claim: "write", path: sentinelOf, heldBy: BOTH },
  {
    name: "writing a file, awaited",
    action: "write_async",
    claim: "write",
    path: sentinelOf,
    heldBy: BOTH,
  },
  {
    name: "writing through a link",
    action: "write",
    claim: "write",
    path: () => "link/sentinel.txt",
    heldBy: KERNEL,
  },
  {
    // The kernel lets copies have the links of what they are copies of: they lead it nowhere new.
    name: "making a link",
    action: "link",
    claim: "write",
    path: ({ outside }) => outside,
    heldBy: RUNTIME,
  },
  { name: "a program", action: "spawn", claim: "spawn", path: sentinelOf, heldBy: KERNEL },
  {
    name: "a program, through a link",
    action: "spawn",
    claim: "spawn",
    path: () => "link/sentinel.txt",
    heldBy: KERNEL,
  },
  {
    name: "another program",
    action: "start",
    claim: "spawn",
    path: () => "/usr/bin/id",
    heldBy: ["runtime"],
  },
];

/** Whether an attempt got anything. */
function gotThrough({ success, output }: Answer): boolean {
  if (!success) return false;
  const { text, through, wrote, linked, imported, code } = output;
  return text?.includes(SENTINEL) || through > 0 || wrote === true || linked === true ||
    imported !== undefined || (code === 0 && text !== "");
}

function openWorkspace(): Workspace {
  const workspace = new Workspace({ "inside.txt": "inside\n", "swapped/sentinel.txt": "inside\n" });
  Deno.symlinkSync(workspace.outside, workspace.path("link"));
  Deno.writeTextFileSync(`${workspace.base}/module.mjs`, "export const through = true;\n");
  return workspace;
}

function openProbe(workspace: Workspace, kernel: string, words: readonly string[]): Pipe {
  const policy = workspace.policy(`${POLICY}sandbox: { kernel: ${kernel} }\n`);
  return new Pipe([policy, workspace.root, ...words], { binary: PROBE, words: [] });
}

const probe = (action: string, path: string, claim: Claim) => ({
  id: 1,
  tool: "probe",
  args: { action, path, claim },
});

/** Inside, the same threads do their work. */
async function assertWorksInside(workspace: Workspace, pipe: Pipe): Promise<void> {
  for (const claim of ["read", "write"] as const) {
    for (const action of ["read", "read_async"]) {
      const { output } = await pipe.ask(probe(action, "inside.txt", claim));
      assertEquals(output?.text, "inside\n", `${action} on a thread that may ${claim}`);
    }
    const { output } = await pipe.ask(probe("burst", workspace.path("inside.txt"), claim));
    assertEquals(output, { through: 400, inside: 400 });
  }
  const written = await pipe.ask(probe("write", workspace.path("written.txt"), "write"));
  assert(written.success, written.error?.message);
  const ran = await pipe.ask(probe("spawn", workspace.path("inside.txt"), "spawn"));
  assertEquals(ran.output, { code: 0, text: "inside\n" });
}

Deno.test("what opens layers is in the probe, and not in what is shipped", () => {
  const holds = (path: string): boolean =>
    new TextDecoder("latin1").decode(Deno.readFileSync(path)).includes("open-runtime");
  assertEquals([holds(PROBE), holds(BINARY)], [true, false]);
});

Deno.test("with every layer open but those not there, each attack gets through: it is one", async () => {
  await using workspace = openWorkspace();
  const pipe = openProbe(workspace, "off", ["open-policy", "open-runtime"]);
  for (const { name, action, claim, path } of ATTACKS) {
    const answer = await pipe.ask(probe(action, path(workspace), claim));
    assert(gotThrough(answer), `${name} (${claim}): ${JSON.stringify(answer)}`);
    Deno.writeTextFileSync(sentinelOf(workspace), SENTINEL);
    await Deno.remove(workspace.path("link-of-the-probe")).catch(() => {});
  }
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("the runtime's permission set holds alone", async () => {
  await using workspace = openWorkspace();
  const pipe = openProbe(workspace, "off", ["open-policy"]);
  await assertWorksInside(workspace, pipe);
  for (const { name, action, claim, path, heldBy } of ATTACKS) {
    if (!heldBy.includes("runtime")) continue;
    const answer = await pipe.ask(probe(action, path(workspace), claim));
    assert(!gotThrough(answer), `${name} (${claim}): ${JSON.stringify(answer)}`);
    if (answer.success) continue;
    assertEquals(answer.error?.code, "NATIVE_DENIED", name);
    assertStringIncludes(answer.error?.message ?? "", "permission set");
    assertEquals(answer.usage["layers"], ["policy", "runtime"]);
  }
  assertEquals((await pipe.close()).status, 0);
  workspace.assertOutsideUntouched();
});

Deno.test("the runtime's permission set holds the file tools, which do not open files through it", async () => {
  await using workspace = openWorkspace();
  const pipe = openProbe(workspace, "off", ["open-policy"]);
  const path = sentinelOf(workspace);
  for (
    const [tool, args] of [
      ["read_file", { path }],
      ["read_file", { path: "../outside/sentinel.txt" }],
      // Judged by where they lead.
      ["read_file", { path: "link/sentinel.txt" }],
      ["get_file_info", { path }],
      ["list_directory", { path: workspace.outside }],
      ["search_files", { path: workspace.outside, pattern: "sentinel" }],
      ["write_file", { path, content: "x" }],
      ["write_file", { path: `${workspace.outside}/new/new.txt`, content: "x" }],
      ["write_file", { path: "link/new.txt", content: "x" }],
    ] as const
  ) {
    const { error } = await pipe.ask({ id: 1, tool, args });
    assertEquals(error?.code, "NATIVE_DENIED", `${tool} ${JSON.stringify(args)}`);
    assertStringIncludes(error?.message ?? "", "permission set");
  }
  assertEquals((await pipe.close()).status, 0);
  workspace.assertOutsideUntouched();
});

Deno.test("the kernel's rules hold alone", async () => {
  await using workspace = openWorkspace();
  const pipe = openProbe(workspace, "auto", ["open-policy", "open-runtime"]);
  await assertWorksInside(workspace, pipe);
  for (const { name, action, claim, path, heldBy } of ATTACKS) {
    if (!heldBy.includes("kernel")) continue;
    const answer = await pipe.ask(probe(action, path(workspace), claim));
    assert(!gotThrough(answer), `${name} (${claim}): ${JSON.stringify(answer)}`);
    const layers = ["policy", "runtime", "landlock", ...(claim === "spawn" ? ["seccomp"] : [])];
    assertEquals(answer.usage["layers"], layers);
    if (answer.success || action === "import") continue;
    assertEquals(answer.error?.code, "NATIVE_DENIED", name);
    assertStringIncludes(answer.error?.message ?? "", "operating system");
  }
  assertEquals((await pipe.close()).status, 0);
  workspace.assertOutsideUntouched();
});

Deno.test("the kernel's rules hold the file tools", async () => {
  await using workspace = openWorkspace();
  const pipe = openProbe(workspace, "auto", ["open-policy", "open-runtime"]);
  const path = sentinelOf(workspace);
  // get_file_info is not among them: Landlock has no word for looking at names, sizes and times.
  for (
    const [tool, args] of [
      ["read_file", { path }],
      ["read_file", { path: "link/sentinel.txt" }],
      ["list_directory", { path: workspace.outside }],
      ["search_files", { path: workspace.outside, pattern: "sentinel" }],
      ["write_file", { path, content: "x" }],
      ["write_file", { path: `${workspace.outside}/new/new.txt`, content: "x" }],
      ["write_file", { path: "link/new.txt", content: "x" }],
    ] as const
  ) {
    const { error } = await pipe.ask({ id: 1, tool, args });
    assertEquals(error?.code, "NATIVE_DENIED", `${tool} ${JSON.stringify(args)}`);
    assertStringIncludes(error?.message ?? "", "operating system");
  }
  const { output } = await pipe.ask({
    id: 1,
    tool: "run_command",
    args: { argv: ["cat", "link/sentinel.txt", path] },
  });
  assertEquals([output.stdout, output.exit_code], ["", 1]);
  assertEquals((await pipe.close()).status, 0);
  workspace.assertOutsideUntouched();
});

/** Puts a link in the place of `swapped` when the probe has checked it, and takes it away when it was used. */
async function swapBetween(workspace: Workspace, pipe: Pipe): Promise<Answer> {
  const swapped = workspace.path("swapped");
  const kept = `${workspace.base}/kept`;
  const answer = pipe.ask(probe("check_then_read", "sentinel.txt", "write"));
  const over = answer.then(() => true);
  const told = async (name: string, round: number): Promise<boolean> => {
    for (;;) {
      const text = await Deno.readTextFile(workspace.path(name)).catch(() => "");
      if (text === `${round}`) return true;
      const pause = new Promise<false>((resolve) => setTimeout(resolve, 0, false));
      if (await Promise.race([over, pause])) return false;
    }
  };
  for (let round = 1; await told("checked", round); round++) {
    Deno.renameSync(swapped, kept);
    Deno.symlinkSync(workspace.outside, swapped);
    await told("used", round);
    Deno.removeSync(swapped);
    Deno.renameSync(kept, swapped);
  }
  return await answer;
}

Deno.test("a folder that is swapped for a link between check and use: the kernel holds alone", async () => {
  for (
    const [kernel, expected] of [["auto", { through: 0, refused: 50 }], ["off", {
      through: 50,
      refused: 0,
    }]] as const
  ) {
    await using workspace = openWorkspace();
    const pipe = openProbe(workspace, kernel, ["open-policy", "open-runtime"]);
    assertEquals((await swapBetween(workspace, pipe)).output, expected, `kernel: ${kernel}`);
    assertEquals((await pipe.close()).status, 0);
    workspace.assertOutsideUntouched();
  }
});

Deno.test("the workspace itself is swapped for a link while it is served", async () => {
  for (const words of [[], ["open-policy", "open-runtime"]]) {
    await using workspace = openWorkspace();
    workspace.write("sentinel.txt", "inside\n");
    const pipe = openProbe(workspace, "auto", words);
    const read = { id: 1, tool: "read_file", args: { path: "sentinel.txt" } };
    assertEquals((await pipe.ask(read)).output?.content, "inside\n");
    await pipe.ask(probe("write", workspace.path("written.txt"), "write"));
    const kept = `${workspace.base}/kept`;
    Deno.renameSync(workspace.root, kept);
    Deno.symlinkSync(workspace.outside, workspace.root);
    const expected = words.length === 0 ? "PATH_OUTSIDE_WORKSPACE" : "NATIVE_DENIED";
    assertEquals((await pipe.ask(read)).error?.code, expected);
    assertEquals(
      (await pipe.ask({ ...read, tool: "write_file", args: { path: "sentinel.txt", content: "" } }))
        .error?.code,
      expected,
    );
    if (words.length > 0) {
      for (const claim of ["read", "write"] as const) {
        const through = await pipe.ask(probe("read", workspace.path("sentinel.txt"), claim));
        assertEquals(through.error?.code, "NATIVE_DENIED");
      }
    }
    assertEquals((await pipe.close()).status, 0);
    workspace.assertOutsideUntouched();
    Deno.removeSync(workspace.root);
    Deno.renameSync(kept, workspace.root);
  }
});

Deno.test("a thread has given up the ways by which it restricted itself", async () => {
  await using workspace = openWorkspace();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const pipe = openProbe(workspace, "auto", ["open-policy", "open-runtime"]);
  for (const claim of ["read", "write", "spawn"] as const) {
    for (
      const [action, path] of [
        ["ffi", "libc.so.6"],
        ["env", "PATH"],
        ["connect", `${listener.addr.port}`],
        ...(claim === "spawn" ? [] : [["start", "/usr/bin/id"]] as const),
      ] as const
    ) {
      const { error } = await pipe.ask(probe(action, path, claim));
      assertEquals(error?.code, "NATIVE_DENIED", `${action} on a thread that may ${claim}`);
    }
  }
  listener.close();
  assertEquals((await pipe.close()).status, 0);
});
