/** Git tools and git in lines in repositories that lead out, hold what no git makes, or never end. */

import { assert, assertEquals } from "@std/assert";
import { ODD_REPOSITORIES, type OddRepository } from "../../attacks/odd_repositories.ts";
import { plainShell, USER, withGitGround } from "./_git_ground.ts";
import { Pipe, type Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**"], reason: internals }
  - { deny: [read, write], match: ["**/.env"], reason: secrets }
commands: [{ allow: [git] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
git: { protocols: [file], identity: { name: Ada, email: ada@example.org } }
timeouts: { default: 10m }
`;

/** Made once; each lies in a copy. */
const GROUND = `set -e
mkdir template && cd template && git init -q -b main
git config user.name Ada && git config user.email ada@example.org
seq 9 > a && echo one > b && git add . && git commit -qm one
git checkout -qb side && sed -i s/5/side/ a && git commit -qam side
git checkout -q main && sed -i s/5/main/ a && git commit -qam main
git clone -q --bare . .git/there.git && git remote add there .git/there.git
sed -i s/1/changed/ a
`;
const OUTSIDE = `set -e
mkdir -p "$KEPT/dir" && cd "$KEPT" && echo HUSH > secret && echo HUSH > dir/hushed
git init -q -b main repo && git init -q --bare -b main bare.git && cd repo
git config user.name Ada && git config user.email ada@example.org
echo HUSH > hushed && git add . && git commit -qm hushed
`;

const LINES = [
  "git status --short",
  "git log -p -2",
  "git diff",
  "git show side",
  "git add -A",
  "git commit -qm x",
  "git stash -q",
  "git checkout -q side",
  "git merge -q main",
  "git worktree add -q wt",
  "git fetch -q far",
  "git push -q far main",
  "git format-patch --stdout -1",
];
/** Of these where git minds by itself: what Toolgate reads of a repository before any git it reads for each. */
const SOME_LINES = ["git status --short", "git add -A", "git checkout -q side", "git fetch -q far"];
/** Of pipes: what git waits for ends with the call. */
const FEW_LINES = LINES.slice(0, 2);
const TOOLS: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ["git_status", {}],
  ["git_log", { limit: 3 }],
  ["git_diff", {}],
  ["git_show", { ref: "side" }],
  ["git_add", { all: true }],
  ["git_commit", { message: "x" }],
  ["git_stash", { action: "push" }],
  ["git_checkout", { branch_or_commit: "side" }],
  ["git_merge", { branch: "main" }],
  ["git_worktree", { action: "add", branch: "apart" }],
  ["git_push", { remote: "there", branch: "side" }],
  ["git_push", { remote: "far", branch: "main" }],
];

const PLAIN = { name: "none", script: "true", harms: null };

function linesFor({ name, script, harms }: OddRepository): readonly string[] {
  if (name === PLAIN.name) return LINES;
  return script.includes("mkfifo") ? FEW_LINES : harms === null ? SOME_LINES : LINES;
}

/** Longer than any of them takes on any machine; and for lines that may wait for what never comes. */
const PATIENCE_MS = 600_000;
const SHORT_MS = 2_500;

/** Names and contents of all that lies outside. */
async function outsideOf(workspace: Workspace, out: string): Promise<string> {
  const find = `cd ${out} && find . | sort && find . -type f -exec sha1sum {} + | sort`;
  return (await plainShell(workspace, find)).stdout;
}

Deno.test("git in an odd repository reads, writes and waits for nothing outside, by tools and in lines", async () => {
  await withGitGround({ history: GROUND, policy: POLICY }, async (workspace) => {
    const out = `${workspace.outside}/out`;
    const flags = ["--policy", workspace.policy(POLICY)];
    const kept = `${workspace.outside}/kept`;
    const made = await plainShell(workspace, `KEPT=${kept}\n${OUTSIDE}`);
    assert(made.success, made.stderr);
    const lay = async (names: readonly string[], script: string) => {
      const each = names.map((name) =>
        `rm -rf ${name}; cp -r template ${name} && (cd ${name} && git reset -q
${script.replaceAll("OUT", out)})`
      ).join(" &&\n");
      const laid = await plainShell(workspace, `rm -rf ${out}; cp -r ${kept} ${out} &&\n${each}`);
      assert(laid.success, `${script}: ${laid.stderr}`);
    };
    const pipe = new Pipe(flags, { cwd: workspace.root, ...USER });
    const harmless: string[] = [];
    for (const [at, { name, script, harms }] of [PLAIN, ...ODD_REPOSITORIES].entries()) {
      const flaw = (what: string) => `${name}: ${what}`;
      const [tools, lines, control] = [`t${at}`, `l${at}`, `c${at}`];
      await lay([tools, lines], script);
      const before = await outsideOf(workspace, out);
      const failed: string[] = [];
      const calls = [
        ...TOOLS.map(([tool, args]) => ({ tool, args: { ...args, repository: tools } })),
        ...linesFor({ name, script, harms }).map((command) => ({
          tool: "run_command",
          args: { command, cwd: lines, timeout_ms: at === 0 ? PATIENCE_MS : SHORT_MS },
        })),
      ];
      for (const [id, { tool, args }] of calls.entries()) {
        const answer = await pipe.ask({ id, tool, args });
        const text = JSON.stringify(answer);
        assert(!text.includes("HUSH"), flaw(`${JSON.stringify(args)}: ${text}`));
        if (answer.error !== null) failed.push(text);
        const waits = tool !== "run_command" && answer.error?.code === "TIMEOUT";
        assert(!waits, flaw(`${JSON.stringify(args)} waits`));
      }
      assertEquals(await outsideOf(workspace, out), before, name);
      // Where nothing is odd all of it goes through but for what is nowhere and what two sides changed.
      if (at === 0) {
        assert(
          failed.every((text) => /far|CONFLICT|nothing to put aside/.test(text)),
          flaw(failed.join("\n")),
        );
      }
      if (harms === null) continue;
      await lay([control], script);
      const there = await outsideOf(workspace, out);
      const plain = await plainShell(
        workspace,
        `cd ${control}; timeout 2 sh -c '${
          harms.replaceAll("OUT", out)
        }' 2>&1; echo "ended with $?"`,
      );
      const after = await outsideOf(workspace, out);
      const harmed = /HUSH|ended with 124/.test(plain.stdout) || after !== there;
      if (!harmed) harmless.push(flaw(`${harms}: ${plain.stdout}`));
    }
    assertEquals((await pipe.close()).status, 0);
    assertEquals(harmless, []);
  });
});
