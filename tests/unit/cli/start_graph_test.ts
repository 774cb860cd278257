import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, relative } from "@std/path";

/** What is used of `deno info --json`. */
interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly isDynamic?: boolean;
    readonly code?: { readonly specifier?: string };
  }[];
}

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

/** The files that are loaded with `entry`: all that it reaches by imports of values that stand at the top. */
async function loadedWith(entry: string): Promise<Set<string>> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-lock", entry],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    readonly modules: readonly Module[];
  };
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const loaded = new Set<string>();
  const visit = (specifier: string): void => {
    const path = specifier.startsWith("file:") ? relative(ROOT, fromFileUrl(specifier)) : specifier;
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { isDynamic, code } of known.get(specifier)?.dependencies ?? []) {
      if (isDynamic !== true && code?.specifier !== undefined) visit(code.specifier);
    }
  };
  visit(new URL(`../../../${entry}`, import.meta.url).href);
  return loaded;
}

/** Modules that a plain read has no use for: each is loaded by who needs it. */
const LOG = [
  "src/audit/log.ts",
  "src/audit/redact.ts",
  "src/engine/recorder.ts",
  "src/host/storage/linux/audit_storage.ts",
];
const ASKING = [
  "src/cli/call/approvers.ts",
  "src/cli/kept_approvals.ts",
  "src/host/storage/approval_store.ts",
];
const CHANGING = [
  "src/host/files/linux/files.ts",
  "src/host/files/portable/files.ts",
  "src/host/files/linux/primitives.ts",
  "src/host/files/portable/primitives.ts",
  "src/host/files/change/changing.ts",
  "src/host/files/change/_apply.ts",
  "src/host/files/change/_backup.ts",
  "src/host/files/change/_copy.ts",
  "src/host/files/change/_move.ts",
  "src/host/files/change/_write.ts",
];
const READING = [
  "src/host/context.ts",
  "src/host/files/files.ts",
  "src/host/files/read/reading.ts",
  "src/host/files/linux/reading.ts",
];
const PARTS = [
  "src/policy/parse/parse.ts",
  "src/programs/table.ts",
  "src/shell/parse_line.ts",
  "src/syntax/validators.ts",
];
const APART = [
  "src/cli/agent_places.ts",
  "src/engine/worktrees/agent_worktree.ts",
  "src/engine/worktrees/making.ts",
];
const HEARING = ["src/serve/line_loop.ts", "src/serve/server.ts"];

/** An entry, what it must not load, and one thing that it does load, so that the look is one. */
const ENTRIES: readonly (readonly [string, readonly string[], string])[] = [
  ["src/cli/run.ts", [...LOG, ...ASKING, ...CHANGING, ...READING, ...PARTS], "src/cli/commands.ts"],
  [
    "src/cli/call/call.ts",
    [...LOG, ...ASKING, ...CHANGING, ...READING, ...PARTS],
    "src/engine/execute.ts",
  ],
  [
    "src/cli/serve.ts",
    [...LOG, ...ASKING, ...CHANGING, ...READING, ...PARTS, ...HEARING],
    "src/engine/create_engine.ts",
  ],
  ["src/cli/serve_engine.ts", [...LOG, ...ASKING, ...APART, ...PARTS], "src/serve/server.ts"],
  ["src/cli/pipe_places.ts", [...LOG, ...ASKING, ...APART, ...PARTS], "src/serve/apart_engines.ts"],
  [
    "src/engine/pool/worker_pool.ts",
    [...LOG, ...ASKING, ...CHANGING, ...READING, "src/engine/pool/thread_parts.ts", ...PARTS],
    "src/engine/pool/pool_thread.ts",
  ],
  [
    "src/engine/pool/inline_runner.ts",
    [...LOG, ...ASKING, ...CHANGING, ...PARTS],
    "src/host/files/files.ts",
  ],
  [
    "src/engine/pool/worker.ts",
    [...LOG, ...ASKING, ...CHANGING, ...PARTS],
    "src/host/files/files.ts",
  ],
];

for (const [entry, without, sign] of ENTRIES) {
  Deno.test(`${entry} loads nothing that a plain read does not take`, async () => {
    const loaded = await loadedWith(entry);
    assert(loaded.has(sign), [...loaded].join(" "));
    assertEquals(without.filter((path) => loaded.has(path)), []);
  });
}

Deno.test("what is not to be loaded at a start is there to be loaded later", () => {
  for (const path of [...LOG, ...ASKING, ...CHANGING, ...READING, ...APART, ...PARTS]) {
    assert(Deno.statSync(new URL(`../../../${path}`, import.meta.url)).isFile, path);
  }
});

Deno.test("what is sent to a gate loads no policy, no engine and no tool", async () => {
  for (
    const part of [
      "gate/call_alone",
      "gate/call_at_gate",
      "gate/call_through",
      "gate/mcp_through",
      "gate/gate",
      "tools/through_gate",
    ]
  ) {
    const loaded = await loadedWith(`src/cli/${part}.ts`);
    const heavy = [...loaded].filter((path) =>
      /^src\/(?:policy|engine|tools|serve|shell|programs|plugins|audit)\//.test(path)
    );
    assertEquals(heavy, [], part);
  }
});
