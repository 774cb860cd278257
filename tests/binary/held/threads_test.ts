/** Which work runs where: the main thread's on the free one, the tools' on held ones, whatever comes in at once. */

import { assert, assertEquals } from "@std/assert";
import { Random } from "../../random.ts";
import { buildUnsealedProbe } from "../probe.ts";
import { type Answer, Pipe, SENTINEL, Workspace } from "../toolgate.ts";

const PROBE = await buildUnsealedProbe();

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [cat] }]
limits: { concurrency: 64 }
timeouts: { default: 1h }
`;
const IN_FLIGHT = 64;
const ROUNDS = 12;

interface Kind {
  readonly request: Record<string, unknown>;
  /** What is wrong with the answer; null where nothing is. */
  readonly problem: (answer: Answer) => string | null;
}

const code = (expected: string) => ({ error }: Answer) =>
  error?.code === expected ? null : `${error?.code ?? "success"} instead of ${expected}`;
const succeeds = ({ error }: Answer) => error === null ? null : `${error.code}: ${error.message}`;
const gives = (expected: Record<string, unknown>) => (answer: Answer) => {
  const wrong = Object.entries(expected).filter(([key, value]) => answer.output?.[key] !== value);
  return wrong.length === 0 ? succeeds(answer) : JSON.stringify(answer);
};

function kinds(workspace: Workspace): readonly Kind[] {
  const sentinel = `${workspace.outside}/sentinel.txt`;
  const probe = (action: string, path: string, claim: string) => ({
    tool: "probe",
    args: { action, path, claim },
  });
  return [
    // The main thread looks outside to judge these.
    {
      request: { tool: "read_file", args: { path: "link/sentinel.txt" } },
      problem: code("PATH_OUTSIDE_WORKSPACE"),
    },
    {
      request: { tool: "write_file", args: { path: "link/new.txt", content: "x" } },
      problem: code("PATH_OUTSIDE_WORKSPACE"),
    },
    {
      request: { tool: "run_command", args: { argv: ["cat", "link/sentinel.txt"] } },
      problem: code("PATH_OUTSIDE_WORKSPACE"),
    },
    {
      request: { op: "explain", tool: "read_file", args: { path: "link/sentinel.txt" } },
      problem: gives({ effect: "deny", code: "PATH_OUTSIDE_WORKSPACE" }),
    },
    { request: { op: "tools" }, problem: succeeds },
    { request: { op: "stats" }, problem: succeeds },
    // Threads that work.
    {
      request: { tool: "read_file", args: { path: "inside.txt" } },
      problem: gives({ content: "inside\n" }),
    },
    {
      request: { tool: "write_file", args: { path: "written.txt", content: "x" } },
      problem: gives({ bytes_written: 1 }),
    },
    {
      request: { tool: "list_directory", args: {} },
      problem: succeeds,
    },
    {
      request: { tool: "run_command", args: { argv: ["cat", "inside.txt"] } },
      problem: gives({ stdout: "inside\n" }),
    },
    // Threads that attack, held by the kernel alone.
    ...["read", "write"].flatMap((claim): Kind[] => [
      { request: probe("read", sentinel, claim), problem: code("NATIVE_DENIED") },
      { request: probe("read_async", sentinel, claim), problem: code("NATIVE_DENIED") },
      { request: probe("burst", sentinel, claim), problem: gives({ through: 0, inside: 400 }) },
    ]),
    { request: probe("write", sentinel, "write"), problem: code("NATIVE_DENIED") },
    { request: probe("spawn", sentinel, "spawn"), problem: gives({ code: 1, text: "" }) },
  ];
}

Deno.test("64 requests in flight: nothing of the main thread's is refused, nothing of the others gets out", async () => {
  await using workspace = new Workspace({ "inside.txt": "inside\n" });
  Deno.symlinkSync(workspace.outside, workspace.path("link"));
  const sentinel = `${workspace.outside}/sentinel.txt`;
  const pipe = new Pipe(
    [workspace.policy(POLICY), workspace.root, "open-runtime", `main-reads=${sentinel}`],
    { binary: PROBE, words: [] },
  );
  const random = new Random(64);
  const all = kinds(workspace);
  for (let round = 0; round < ROUNDS; round++) {
    const chosen = Array.from({ length: IN_FLIGHT }, (_, i) => all[i] ?? random.pick(all));
    await pipe.send(...chosen.map(({ request }, id) => ({ ...request, id })));
    const answers = await pipe.answers(IN_FLIGHT);
    chosen.forEach(({ request, problem }, id) => {
      const answer = answers.get(id);
      assert(answer !== undefined, `no answer to ${JSON.stringify(request)}`);
      assert(!JSON.stringify(answer).includes(SENTINEL.trim()), JSON.stringify(request));
      assertEquals(problem(answer), null, `round ${round}: ${JSON.stringify(request)}`);
    });
  }
  // Another status says that the main thread's own reads outside were refused.
  assertEquals((await pipe.close()).status, 0);
  workspace.assertOutsideUntouched();
});

Deno.test("the main thread's reads are seen to be refused where they are", async () => {
  await using workspace = new Workspace();
  const pipe = new Pipe(
    [workspace.policy(POLICY), workspace.root, `main-reads=${workspace.base}/none`],
    { binary: PROBE, words: [] },
  );
  assertEquals((await pipe.ask({ id: 1, op: "ping" })).output, { pong: true });
  assertEquals((await pipe.close()).status, 9);
});

Deno.test("a call that times out in line leaves the call before it alone, and does not run late", async () => {
  await using workspace = new Workspace({ "inside.txt": "x" });
  const pipe = new Pipe([], { binary: PROBE, words: [workspace.policy(POLICY), workspace.root] });
  const busyUntil = (path: string) => ({
    tool: "probe",
    args: { action: "busy", path: workspace.path(path), claim: "write" },
  });
  const late = { tool: "write_file", args: { path: "late.txt", content: "x" }, timeout_ms: 50 };
  const next = { tool: "write_file", args: { path: "next.txt", content: "y" } };
  await pipe.send({ id: 0, tool: "write_file", args: { path: "first.txt", content: "x" } });
  await pipe.send({ id: 9, ...busyUntil("inside.txt") });
  await pipe.answers(2);
  await pipe.send({ id: 1, ...busyUntil("go") }, { id: 2, ...late }, { id: 3, ...next });
  assertEquals((await pipe.answers(1)).get(2)?.error?.code, "TIMEOUT");
  workspace.write("go", "");
  const answers = await pipe.answers(2);
  assertEquals(answers.get(1)?.error ?? null, null);
  assertEquals(answers.get(3)?.error ?? null, null);
  assertEquals((await pipe.close()).status, 0);
  const names = [...Deno.readDirSync(workspace.root)].map(({ name }) => name).sort();
  assertEquals(names, ["first.txt", "go", "inside.txt", "next.txt"]);
});
