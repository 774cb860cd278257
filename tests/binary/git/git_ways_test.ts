/** Hostile repositories by each way of calling, and under the policy that holds where nobody wrote one. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { HOSTILE_REPOSITORIES } from "../../attacks/hostile_repositories.ts";
import {
  callsIn,
  isOddOne,
  isSprung,
  layOut,
  makeTemplate,
  together,
  type Trapped,
} from "../../unit/tools/git/_hostile.ts";
import { Session } from "../_mcp_session.ts";
import { type Answer, call, Pipe, Workspace } from "../toolgate.ts";

const POLICY = `
version: 1
name: git
risk: { allow: dangerous, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**"] }
commands: [{ allow: [git] }]
environment: { pass: [PATH] }
git: { protocols: [file] }
agents: { "*": { permissions: [all] } }
limits: { processes: 64 }
`;

const DEFAULT = fromFileUrl(new URL("../../../policy/default.yaml", import.meta.url));

const LINES = [
  ...["git status", "git diff", "git log -p -2", "git add a", "git stash", "git checkout -f side"],
  ...["git merge main", "git add --all", "git commit -m x", "git grep -O one", "git blame a"],
];

interface Asked extends Answer {
  readonly approval?: string;
}

/** All traps in few repositories of a workspace, each with its marker in the workspace, where programs may write. */
async function laidOut(workspace: Workspace): Promise<readonly (readonly [string, Trapped])[]> {
  const template = `${workspace.base}/template`;
  await makeTemplate(template);
  const repositories = together(HOSTILE_REPOSITORIES, workspace.root, isOddOne);
  return await Promise.all(repositories.map(async (repository, index) => {
    await layOut(template, workspace.path(`r${index}`), repository, "");
    return [`r${index}`, repository] as const;
  }));
}

function assertNoneSprung(repositories: readonly (readonly [string, Trapped])[]): void {
  const sprung = repositories.flatMap(([, { traps }]) => traps)
    .filter(({ marker }) => isSprung(marker));
  assertEquals(sprung.map(({ name }) => name), []);
}

/** Of those that hold most of the traps all tools are asked for; the unit tests do so in all of them. */
const FULL = ["r0", "r1"];

/** Over MCP, of those with few traps some: `serve` is asked for all of them, here and in git_test, and the judge is one. */
const isSome = ([folder]: readonly [string, Trapped], at: number) =>
  FULL.includes(folder) || at % 4 === 0;

/** The tools' calls in one, and the lines there; `lines`: those by which plain git springs its traps. */
function callsOf(
  folder: string,
  { lines }: Pick<Trapped, "lines"> = { lines: [] },
): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  return [
    ...(FULL.includes(folder)
      ? callsIn(folder)
      : [["git_status", { repository: folder }] as const]),
    ...[...new Set([...LINES, ...lines.map((words) => ["git", ...words].join(" "))])].map((
      command,
    ) => ["run_command", { command, cwd: folder }] as const),
  ];
}

Deno.test("no hostile repository runs anything over MCP", async () => {
  await using workspace = new Workspace();
  const repositories = await laidOut(workspace);
  const session = new Session(workspace, POLICY);
  await session.initialize("2025-06-18");
  const done = new Set<string>();
  for (const [folder, repository] of repositories.filter(isSome)) {
    for (const [name, args] of callsOf(folder, repository)) {
      const answer = await session.ask("tools/call", { name, arguments: args });
      if (answer.result?.isError !== true) done.add(name);
    }
  }
  await session.close();
  assertNoneSprung(repositories);
  const all = [...new Set(callsOf("r0").map(([name]) => name))];
  assertEquals([...done].sort(), all.sort());
});

Deno.test("no hostile repository runs anything by calls from a command line", async () => {
  await using workspace = new Workspace();
  const repositories = await laidOut(workspace);
  // Those with most of the traps: each call is a process of its own.
  const [[folder = ""] = []] = repositories;
  const flags = ["--policy", workspace.policy(POLICY)];
  const done = new Set<string>();
  for (
    const [name, args] of callsOf(folder).filter((_, index) => index % 3 === 0)
  ) {
    const { answer } = await call([name, "--json", JSON.stringify(args), ...flags], {
      cwd: workspace.root,
    });
    if (answer.success) done.add(name);
  }
  assertNoneSprung(repositories);
  assert(done.has("run_command") && done.has("git_status"), [...done].join(" "));
});

Deno.test("no hostile repository runs anything under the default policy, whatever is approved", async () => {
  await using workspace = new Workspace();
  const repositories = await laidOut(workspace);
  const pipe = new Pipe(["--policy", DEFAULT], { cwd: workspace.root });
  const outcomes = new Map<string, number>();
  for (const [folder, repository] of repositories) {
    for (const [index, [tool, args]] of callsOf(folder, repository).entries()) {
      const id = `${folder} ${index}`;
      let answer = await pipe.ask({ id, tool, args });
      let approved = "unasked";
      while (answer.event !== undefined || answer.id !== id) {
        if (answer.event === "approval_required") {
          approved = "asked";
          await pipe.send({ id: "a", op: "approve", approval: (answer as Asked).approval });
        }
        const next = await pipe.next();
        assert(next !== null, "the pipe ended");
        answer = next;
      }
      const outcome = `${approved} ${answer.success ? "done" : "refused"}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  await pipe.close();
  assertNoneSprung(repositories);
  for (const outcome of ["unasked done", "asked done"]) {
    assert((outcomes.get(outcome) ?? 0) > 10, JSON.stringify([...outcomes]));
  }
});
