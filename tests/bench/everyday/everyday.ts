/**
 * Everyday command lines of a coding agent over real projects, each beside bash: exit status, output, tree and git state,
 * as an ordinary user, under the default policy with approvals given and under the one that `policy init` writes.
 * As a program: `everyday.ts TOOLGATE [--project NAME] [--policy default|developer] [--filter TEXT] [--from N] [--to N]` says each
 * that fails; `--lines FILE` takes the lines of a file of one's own for the project's.
 */

import { parseArgs } from "@std/cli";
import { join } from "@std/path";
import { type Answer, Pipe, start } from "../../binary/toolgate.ts";
import { CLICK } from "./_click.ts";
import { difference } from "./_compare.ts";
import { EXPRESS } from "./_express.ts";
import { type Came, Ground, PATIENCE_S, USER } from "./_ground.ts";
import { HISTORY } from "./_history.ts";
import { PFLAG } from "./_pflag.ts";
import { PREACT } from "./_preact.ts";
import { ENVIRONMENT, prepare } from "./_prepare.ts";
import { type EverydayProject, SECRET } from "./_project.ts";
import { SEMVER } from "./_semver.ts";
import { TREE_SITTER } from "./_treesitter.ts";
import { ZOD } from "./_zod.ts";

const PROJECTS: readonly EverydayProject[] = [
  ZOD,
  EXPRESS,
  PREACT,
  CLICK,
  PFLAG,
  SEMVER,
  TREE_SITTER,
  HISTORY,
];
/** What can be asked for alone. */
export const PROJECT_NAMES: readonly string[] = PROJECTS.map(({ name }) => name);
const POLICIES = ["default", "developer"] as const;
type PolicyName = (typeof POLICIES)[number];

/** What became of a line. `wrong`: it said that it did what it did not. */
type Outcome = "works" | "refused" | "wrong" | "hung" | "passed";

interface Line {
  /** `works` must do what bash does; `net` needs a network that is not there and `denied` is: both must be refused. */
  readonly kind: "works" | "net" | "denied";
  readonly text: string;
}

/** One line under one policy. */
interface Verdict extends Line {
  readonly project: string;
  readonly policy: PolicyName;
  readonly outcome: Outcome;
  readonly cause: string;
  readonly said: string;
}

function linesOf(file: string | URL): readonly Line[] {
  const rows = Deno.readTextFileSync(file).split("\n")
    .filter((row) => row !== "" && !row.startsWith("#"));
  return rows.map((row) => {
    const [, kind, text = row] = /^(works|net)\t(.*)$/.exec(row) ?? [];
    return { kind: (kind ?? "denied") as Line["kind"], text: text.replaceAll("⏎", "\n") };
  });
}

/** A pipe whose every approval is given. */
class Agent {
  readonly #pipe: Pipe;
  #next = 0;

  constructor(toolgate: string, ground: Ground, policy: readonly string[]) {
    this.#pipe = new Pipe(policy, {
      binary: toolgate,
      cwd: ground.root,
      env: { ...ENVIRONMENT, HOME: ground.home },
      ...(USER.uid === undefined ? {} : { user: USER }),
    });
  }

  async run(command: string): Promise<Answer | null> {
    const id = ++this.#next;
    const args = { command, timeout_ms: PATIENCE_S * 1000 };
    await this.#pipe.send({ id, tool: "run_command", args });
    for (;;) {
      const answer = await this.#pipe.next() as Answer & { readonly approval?: string } | null;
      if (answer === null) return null;
      if (answer.event === "approval_required") {
        await this.#pipe.send({ id: `a${id}`, op: "approve", approval: answer.approval });
      } else if (answer.event === undefined && answer.id === id) return answer;
    }
  }

  async close(): Promise<void> {
    await this.#pipe.close();
  }
}

function judge(
  { kind, text }: Line,
  ground: Ground,
  expected: Came | null,
  answer: Answer | null,
): Pick<Verdict, "outcome" | "cause" | "said"> {
  const output = answer?.output ?? answer?.error?.details ?? {};
  const came: Came = {
    status: answer?.output?.exit_code ?? null,
    stdout: String(output.stdout ?? ""),
    ...ground.seen(),
    hung: answer?.error?.code === "TIMEOUT" || output.timed_out === true,
  };
  const denied = (output.denied ?? [])[0];
  const said = answer === null
    ? "the pipe ended"
    : `${answer.error?.message ?? ""} ${denied === undefined ? "" : JSON.stringify(denied)} ${
      String(output.stderr ?? "").slice(-300)
    }`.trim();
  const code = answer?.error?.code ?? null;
  const cause = code !== null && code !== "COMMAND_FAILED"
    ? code
    : denied === undefined
    ? code
    : `${denied.code} ${denied.access}`;
  if (kind === "denied") {
    const passed = passedIn(ground, answer);
    return { outcome: passed === null ? "refused" : "passed", cause: passed ?? "", said };
  }
  if (came.hung) return { outcome: "hung", cause: cause ?? "", said };
  if (kind === "net") {
    const outcome = answer?.success === true && came.status === 0 ? "wrong" : "refused";
    // A program that was started knew nothing of it.
    return { outcome, cause: cause ?? "started", said };
  }
  if (expected === null) throw new Error(`bash did not run ${text}`);
  const differs = difference(expected, came, () => ground.byBash(text));
  if (differs === null) return { outcome: "works", cause: "", said: "" };
  const outcome = differs === "status" ? "refused" : "wrong";
  return {
    outcome,
    cause: `${cause ?? "other"}${outcome === "wrong" ? `: ${differs}` : ""}`,
    said: `${said}${differs === "output" ? `\n   ${shown(expected, came)}` : ""}`,
  };
}

function shown(expected: Came, came: Came): string {
  return `bash: ${JSON.stringify(expected.stdout.slice(-200))}\n   here: ${
    JSON.stringify(came.stdout.slice(-200))
  }`;
}

/** What passed that must not; null for nothing. By its effect, whatever was answered. */
function passedIn(ground: Ground, answer: Answer | null): string | null {
  if (JSON.stringify(answer).includes(SECRET)) return "shown";
  const secret = readOr(join(ground.root, ".env"));
  if (secret !== `KEY=${SECRET}\n`) return "changed";
  const outside = join(ground.base, "outside.txt");
  const { mode, mtime } = Deno.statSync(outside);
  if (readOr(outside) !== `${SECRET}\n` || ((mode ?? 0) & 0o022) !== 0) return "changed outside";
  if ((mtime?.getFullYear() ?? 0) < 2024) return "times changed outside";
  const held = new Deno.Command("grep", {
    args: ["-rlsF", "--exclude=.env", "--exclude-dir=node_modules", SECRET, ground.root],
  }).outputSync();
  if (held.stdout.length > 0) return "copied";
  const hooks = new Deno.Command("find", {
    args: [join(ground.root, ".git/hooks"), "-type", "f", "!", "-name", "*.sample"],
  }).outputSync();
  if (!hooks.success || hooks.stdout.length > 0) return "hook made";
  const config = readOr(join(ground.root, ".git/config")) ?? "";
  return /pager|hooksPath|\[x\]/.test(config) ? "settings changed" : null;
}

function kept(name: string): URL {
  return new URL(`lines/${name}.txt`, import.meta.url);
}

function readOr(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return null;
  }
}

interface Wanted {
  readonly project?: string | undefined;
  readonly policy?: string | undefined;
  readonly filter?: string | undefined;
  readonly kind?: string | undefined;
  /** One of so many lines alone. */
  readonly every?: number | undefined;
  /** The first and the last of its lines, from 1. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** A file of lines in place of the project's own. */
  readonly lines?: string | undefined;
}

/** Whether a line came to what it must. */
function isWell({ kind, outcome, cause }: Verdict): boolean {
  return outcome === (kind === "works" ? "works" : "refused") && cause !== "started";
}

/** Says on standard error how far it has come, project by project, and each line that did not come to what it must. */
export function telling(): (verdict: Verdict) => void {
  const began = performance.now();
  const done = new Map<string, number>();
  return (verdict) => {
    const { project, policy, outcome, cause, text, said } = verdict;
    const count = (done.get(project) ?? 0) + 1;
    done.set(project, count);
    if (!isWell(verdict)) {
      console.error(`${outcome} [${project} ${policy}] ${cause}\n  $ ${text}\n   ${said}`);
    }
    const seconds = Math.round((performance.now() - began) / 1000);
    if (count % 20 === 0) console.error(`everyday, ${project}: ${count} lines, ${seconds} s`);
  };
}

/** Runs the lines; `report` is told of each as it is done. */
export async function everyday(
  toolgate: string,
  wanted: Wanted = {},
  report: (verdict: Verdict) => void = () => {},
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const project of PROJECTS) {
    if (wanted.project !== undefined && wanted.project !== project.name) continue;
    const prepared = await prepare(project);
    if (prepared === null) continue;
    const denied = project === HISTORY ? linesOf(kept("denied")) : [];
    const own = wanted.lines === undefined ? null : linesOf(wanted.lines);
    const lines = (own ?? [...linesOf(kept(project.name)), ...denied]).filter((
      { text, kind },
      index,
    ) =>
      text.includes(wanted.filter ?? "") && (wanted.kind ?? kind) === kind &&
      index % (wanted.every ?? 1) === 0 &&
      index + 1 >= (wanted.from ?? 1) && index < (wanted.to ?? Infinity)
    );
    if (lines.length === 0) continue;
    const ground = new Ground(prepared);
    try {
      ground.restore();
      const agents: [PolicyName, Agent][] = [];
      for (const name of POLICIES) {
        if (wanted.policy !== undefined && wanted.policy !== name) continue;
        agents.push([name, new Agent(toolgate, ground, await policyFor(name, toolgate, ground))]);
      }
      for (const line of lines) {
        const expected = line.kind === "works" ? ground.byBash(line.text) : null;
        for (const [policy, agent] of agents) {
          ground.restore();
          const answer = await agent.run(line.text);
          const judged = judge(line, ground, expected, answer);
          const verdict = { ...line, project: project.name, policy, ...judged };
          verdicts.push(verdict);
          report(verdict);
        }
      }
      for (const [, agent] of agents) await agent.close();
    } finally {
      ground.close();
    }
  }
  return verdicts;
}

async function policyFor(
  name: PolicyName,
  toolgate: string,
  ground: Ground,
): Promise<readonly string[]> {
  if (name === "default") return [];
  const file = join(ground.home, "policy.yaml");
  const { status, stderr } = await start(["policy", "init", file, "--force"], {
    binary: toolgate,
    cwd: ground.root,
    env: { ...ENVIRONMENT, HOME: ground.home },
    ...(USER.uid === undefined ? {} : { user: USER }),
  });
  if (status !== 0) throw new Error(stderr);
  return ["--policy", file];
}

/** The report's rows, for people. */
export function renderEveryday(verdicts: readonly Verdict[]): string {
  return POLICIES.flatMap((policy) => {
    const of = verdicts.filter((verdict) => verdict.policy === policy);
    if (of.length === 0) return [];
    const lines = of.filter(({ kind }) => kind === "works");
    const count = (outcome: Outcome) => lines.filter((line) => line.outcome === outcome).length;
    const share = (100 * count("works") / Math.max(1, lines.length)).toFixed(1);
    const causes = new Map<string, number>();
    for (const { outcome, cause } of lines) {
      if (outcome === "works") continue;
      causes.set(`${outcome}, ${cause}`, (causes.get(`${outcome}, ${cause}`) ?? 0) + 1);
    }
    const denied = of.filter(({ kind }) => kind === "denied");
    const held = denied.filter(({ outcome }) => outcome === "refused").length;
    const net = of.filter(({ kind }) => kind === "net");
    const atOnce = net.filter(({ outcome, cause }) => outcome === "refused" && cause !== "started");
    return [
      `everyday lines, ${policy} policy: ${share} % of ${lines.length} work ` +
      `(${count("works")}; refused ${count("refused")}, wrong ${count("wrong")}, hung ${
        count("hung")
      }); of what must be denied ${held} of ${denied.length}; without a network refused at once ${atOnce.length} of ${net.length}`,
      ...[...causes].sort(([, one], [, other]) => other - one).map(([cause, count]) =>
        `  ${count} ${cause}`
      ),
    ];
  }).join("\n");
}

if (import.meta.main) {
  const given = parseArgs(Deno.args, { string: ["project", "policy", "filter", "kind", "lines"] });
  const verdicts = await everyday(String(given._[0]), given, telling());
  console.log(renderEveryday(verdicts));
}
