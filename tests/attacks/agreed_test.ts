/**
 * Between a yes and the deed: whatever somebody agreed to is changed before it runs, while the question is open and while
 * the call waits for a thread. Judged by effect, in `call`, `serve` and `mcp`, as each user that can be had here.
 * Each row is tried as it stands, too; and what was changed is done once somebody agrees to that.
 */

import { assert, assertEquals } from "@std/assert";
import { Session } from "../binary/_mcp_session.ts";
import {
  type Answer,
  call,
  Pipe,
  start,
  type StartOptions,
  Workspace,
} from "../binary/toolgate.ts";
import { own, type User, USERS } from "./_users.ts";
import { argumentsIn, type Attack, FILES, Place, POLICIES, PROGRAMS } from "./_agreed_rows.ts";

/** A row that is tried: with the change, or as it stands. */
interface Trial {
  readonly attack: Attack;
  readonly at: Place;
  readonly changes: boolean;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** Makes the change, as whoever owns the rest. */
  readonly change: () => void;
}

/** A folder for each trial, all the user's own. */
function lay(
  workspace: Workspace,
  attacks: readonly Attack[],
  { user }: User,
  both = true,
): readonly Trial[] {
  const trials = attacks.flatMap((attack) =>
    both ? [[attack, false], [attack, true]] as const : [[attack, true]] as const
  )
    .map(([attack, changes], index) => {
      const at = new Place(workspace, `r${index}`);
      for (const [path, text] of Object.entries(attack.files)) at.write(path, text);
      attack.lay?.(at);
      const change = () => {
        attack.change(at);
        own(at.path(), user);
      };
      const { tool } = attack;
      return { attack, at, changes, tool, args: argumentsIn(attack, at.folder), change };
    });
  own(workspace.base, user);
  return trials;
}

const POLICY_NAMES = ["all", "guarded"] as const;
const attacksOf = (policy: keyof typeof POLICIES) =>
  [...PROGRAMS, ...FILES].filter((attack) => attack.policy === policy);

/** Changes a trial's files before the first yes. Before the second nothing may have been done. */
class Consent {
  readonly #trial: Trial;
  #questions = 0;

  constructor(trial: Trial) {
    this.#trial = trial;
  }

  answer(): void {
    const { attack, at, changes, change } = this.#trial;
    this.#questions++;
    assert(this.#questions <= (changes ? 2 : 1), `${attack.name}: asked once more`);
    if (this.#questions === 1 && changes) change();
    else if (changes) assert(!attack.harmed(at, ""), `${attack.name}: before anybody agreed to it`);
  }

  /** What was asked for twice was done, and so could have been seen where it was not agreed to. */
  end(success: boolean, said: unknown): void {
    const { attack, at, changes } = this.#trial;
    assert(success, `${attack.name}: ${JSON.stringify(said)}`);
    assertEquals(this.#questions, changes ? 2 : 1, attack.name);
    if (changes) assert(attack.harmed(at, JSON.stringify(said)), `${attack.name}: seen by nobody`);
  }
}

/** Rows of one round of calls. */
const AT_A_TIME = 6;

/** `limits.concurrency` of a policy that says nothing. */
const CONCURRENCY = 8;

type Said = Answer & { readonly approval?: string };

async function overPipe(trials: readonly Trial[], pipe: Pipe): Promise<void> {
  const consents = trials.map((trial) => new Consent(trial));
  await pipe.send(...trials.map(({ tool, args }, id) => ({ id, tool, args })));
  for (let left = trials.length; left > 0;) {
    const said = await pipe.next() as Said | null;
    assert(said !== null);
    if (said.op === "approve") assert(said.success, JSON.stringify(said));
    else if (said.event === "approval_required") {
      consents[Number(said.id)]?.answer();
      await pipe.send({ id: "yes", op: "approve", approval: said.approval });
    } else {
      consents[Number(said.id)]?.end(said.success, said);
      left--;
    }
  }
}

async function overMcp(trials: readonly Trial[], session: Session): Promise<void> {
  for (const trial of trials) {
    const { tool, args } = trial;
    const consent = new Consent(trial);
    session.onRequest = ({ method }) => {
      assertEquals(method, "elicitation/create");
      consent.answer();
      return { action: "accept", content: { decision: "once" } };
    };
    const { result } = await session.ask("tools/call", { name: tool, arguments: args });
    consent.end(result.isError !== true, result);
  }
}

/** Each asked for by one call, agreed to, changed, and called again. */
async function betweenCalls(
  trials: readonly Trial[],
  policy: string,
  at: StartOptions,
): Promise<void> {
  const callOf = ({ tool, args }: Trial) =>
    call([tool, "--json", JSON.stringify(args), "--policy", policy], at);
  /** Calls all, two at once; agrees to what is asked for. */
  const askAll = async (consents: readonly Consent[]) => {
    const ids: string[] = [];
    await inPairs(trials.map((trial, index) => async () => {
      const { answer, stdout } = await callOf(trial);
      assertEquals(answer.error?.code, "APPROVAL_REQUIRED", stdout);
      consents[index]?.answer();
      ids.push(String(answer.error?.details?.["approval"]));
    }));
    assertEquals((await start(["approvals", "approve", ...ids], at)).status, 0);
  };
  const consents = trials.map((trial) => new Consent(trial));
  await askAll(consents);
  await askAll(consents);
  await inPairs(trials.map((trial, index) => async () => {
    const { answer } = await callOf(trial);
    consents[index]?.end(answer.success, answer);
  }));
}

async function inPairs(jobs: readonly (() => Promise<void>)[]): Promise<void> {
  const left = [...jobs];
  const work = async () => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) await job();
  };
  await Promise.all([work(), work()]);
}

/**
 * With every place for programs busy, on the threads for them (lines) and where single ones are started: they are changed
 * when all wait for one, approved.
 */
async function whileTheyWait(trials: readonly Trial[], pipe: Pipe): Promise<void> {
  const asleep = [{ argv: ["sleep", "600"] }, { command: "sleep 600 || false" }].flatMap((args) =>
    Array.from({ length: CONCURRENCY }, () => ({ tool: "run_command", args }))
  );
  const busy = asleep.map((_, at) => `busy${at}`);
  await pipe.send(
    ...asleep.map((request, at) => ({ id: busy[at], ...request })),
    ...trials.map(({ tool, args }, id) => ({ id, tool, args })),
  );
  const answers = new Map<number, Answer>();
  let changed = false;
  let approved = 0;
  while (answers.size < trials.length) {
    const said = await pipe.next() as Said | null;
    assert(said !== null);
    if (said.event === "approval_required") {
      assert(!changed, "asked for again");
      await pipe.send({ id: "yes", op: "approve", approval: said.approval });
    } else if (said.op === "approve" && ++approved === trials.length) {
      await pipe.send({ id: "stats", op: "stats" });
    } else if (said.id === "stats" && said.output.queued < trials.length) {
      await pipe.send({ id: "stats", op: "stats" });
    } else if (said.id === "stats") {
      for (const { changes, change } of trials) {
        if (changes) change();
      }
      changed = true;
      await pipe.send(...busy.map((id) => ({ id: "end", op: "cancel", target: id })));
    } else if (typeof said.id === "number") {
      assert(changed, JSON.stringify(said));
      answers.set(said.id, said);
    }
  }
  for (const [id, { attack, at, changes }] of trials.entries()) {
    const answer = answers.get(id) as Answer;
    const { success, error } = answer;
    if (changes) assert(!attack.harmed(at, JSON.stringify(answer.output)), attack.name);
    if (changes && attack.stands === true && success) continue;
    assertEquals(success, !changes, `${attack.name}: ${error?.message}`);
    if (changes) assertEquals(error?.code, "APPROVAL_EXPIRED", attack.name);
  }
}

for (const [at, [who, user]] of USERS.entries()) {
  for (const policy of POLICY_NAMES) {
    Deno.test(`agreed, then changed, ${policy}, serve, ${who}`, async () => {
      await using workspace = new Workspace();
      const file = workspace.policy(POLICIES[policy]);
      const trials = lay(workspace, attacksOf(policy), user);
      const pipe = new Pipe(["--policy", file], { cwd: workspace.root, ...user });
      await overPipe(trials, pipe);
      await pipe.close();
    });
    Deno.test(`agreed, then changed, ${policy}, mcp, ${who}`, async () => {
      await using workspace = new Workspace();
      const trials = lay(workspace, attacksOf(policy), user);
      const session = new Session(workspace, POLICIES[policy], user);
      await session.initialize("2025-06-18", { elicitation: {} });
      await overMcp(trials, session);
      await session.close();
    });
  }
  // By paths, a call after the change is another call: nobody need be asked about that one.
  Deno.test(`agreed, then changed, between calls, ${who}`, async () => {
    await using workspace = new Workspace();
    const file = workspace.policy(POLICIES.all);
    Deno.mkdirSync(`${workspace.base}/state`);
    // Each as one of the users: three starts for each prove no more of the same rows as the other.
    const own = attacksOf("all").filter((_, row) => row % USERS.length === at);
    const trials = lay(workspace, own, user, false);
    const env = { XDG_STATE_HOME: `${workspace.base}/state` };
    for (let from = 0; from < trials.length; from += AT_A_TIME) {
      const some = trials.slice(from, from + AT_A_TIME);
      await betweenCalls(some, file, { cwd: workspace.root, env, ...user });
    }
  });
  Deno.test(`agreed, then changed while it waits, ${who}`, async () => {
    await using workspace = new Workspace();
    const file = workspace.policy(POLICIES.all);
    const trials = lay(workspace, PROGRAMS, user);
    const pipe = new Pipe(["--policy", file], { cwd: workspace.root, ...user });
    await whileTheyWait(trials, pipe);
    await pipe.close();
  });
}

Deno.test("the log has the decision that was acted on, too", async () => {
  await using workspace = new Workspace({ "d/x": "", "e/x": "" });
  const policy = workspace.policy(`${POLICIES.all}audit: { file: .toolgate/audit.ndjson }\n`);
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  const args = { path: "d/new", content: "text" };
  await pipe.send({ id: 1, tool: "write_file", args });
  let questions = 0;
  for (let answered = false; !answered;) {
    const said = await pipe.next() as (Answer & { readonly approval?: string }) | null;
    assert(said !== null);
    if (said.event === "approval_required") {
      if (questions++ === 0) {
        Deno.renameSync(workspace.path("d"), workspace.path("old"));
        Deno.symlinkSync("e", workspace.path("d"));
      }
      await pipe.send({ id: 2, op: "approve", approval: said.approval });
    } else if (said.id === 1) {
      answered = true;
      assertEquals(said.success, true, JSON.stringify(said));
    }
  }
  await pipe.close();
  assertEquals([questions, workspace.read("e/new")], [2, "text"]);
  const records = workspace.read(".toolgate/audit.ndjson").trimEnd().split("\n")
    .map((line) => JSON.parse(line));
  const paths = records.filter(({ kind }) => kind === "decision")
    .map(({ capabilities }) => capabilities.map(({ path }: { path: string }) => path));
  assertEquals(paths, [["d/new"], ["e/new"]]);
});

Deno.test("what runs other files is agreed to once, whatever is said", async () => {
  await using workspace = new Workspace({
    "run.sh": "echo fine\n",
    "a.txt": "fine\n",
    "Makefile": "deploy:\n\t@echo fine\n",
    "package.json": '{"scripts":{"deploy":"echo fine"}}',
    "main.py": "import other\n",
    "other.py": "",
  });
  const policy = workspace.policy(
    POLICIES.all.replace("[sh, cat", "[python3, npm, node, bash, sh, cat"),
  );
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  const asks = async (id: number, argv: readonly string[]) => {
    await pipe.send({ id, tool: "run_command", args: { argv } });
    return await pipe.next() as Answer & Record<string, unknown>;
  };
  const commands = [
    ["sh", "run.sh"],
    ["make", "deploy"],
    ["npm", "run", "deploy"],
    ["python3", "main.py"],
    ["python3", "-m", "other"],
    ["cat", "a.txt"],
  ];
  for (const [at, argv] of commands.entries()) {
    const asked = await asks(10 + at, argv);
    assertEquals(asked.event, "approval_required", JSON.stringify(asked));
    const once = argv[0] !== "cat";
    assertEquals(asked["remember"], once ? ["once"] : ["once", "session"]);
    assertEquals(typeof asked["once_because"], once ? "string" : "undefined");
    await pipe.send({
      id: 20 + at,
      op: "approve",
      approval: asked["approval"],
      remember: "session",
    });
    const answers = await pipe.answers(2);
    assertEquals(answers.get(20 + at)?.output.remember, once ? "once" : undefined);
    const again = await asks(30 + at, argv);
    assertEquals(again.event ?? null, once ? "approval_required" : null, JSON.stringify(again));
    if (once) {
      await pipe.send({ id: 40, op: "reject", approval: again["approval"] });
      await pipe.answers(2);
    }
  }
  await pipe.close();

  const session = new Session(workspace, POLICIES.all.replace("[sh, cat", "[python3, sh, cat"));
  await session.initialize("2025-06-18", { elicitation: {} });
  let questions = 0;
  session.onRequest = ({ params }) => {
    questions++;
    assert(JSON.stringify(params).includes("agreed to once only"), JSON.stringify(params));
    return { action: "accept", content: { decision: "session" } };
  };
  for (const argv of [["make", "deploy"], ["make", "deploy"], ["python3", "main.py"]]) {
    await session.ask("tools/call", { name: "run_command", arguments: { argv } });
  }
  assertEquals(questions, 3);
  await session.close();

  const at = { cwd: workspace.root, env: { XDG_STATE_HOME: `${workspace.base}/state` } };
  const args = ["run_command", "argv=sh,run.sh", "--policy", policy];
  const id = String((await call(args, at)).answer.error?.details?.approval);
  const kept = await start(["approvals", "approve", id, "--remember"], at);
  assertEquals(kept.status, 2, kept.stderr);
  assert(kept.stderr.includes("cannot be remembered"), kept.stderr);
  assertEquals((await start(["approvals", "approve", id], at)).status, 0);
  assertEquals([(await call(args, at)).status, (await call(args, at)).status], [0, 4]);
});
