/** `limits` and `timeout` of rules of `commands`, on real programs: each by its own, however it is started. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Answer, call, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
risk: { allow: dangerous, ask: dangerous }
commands:
  - { allow: [perl], limits: { memory: 64MiB } }
  - { allow: [./wide], limits: { memory: 1GiB, file: 1MiB } }
  - { allow: [./late], timeout: 1s }
  - { allow: [env, timeout, nice, xargs, find, sh, cat, echo, sleep] }
limits: { memory: 256MiB }
tools: { run_command: { timeout: 300s } }
`;

/** Holds so many MiB, then leaves a file behind. */
const HOG =
  `my $held = "x" x ($ARGV[0] << 20); sleep ($ARGV[1] // 0); open F, ">", "held"; close F;`;
/** Becomes an orphan in a session of its own at once, and only then takes what it is not to have. */
const LEAVER = `use POSIX;
if (!fork) { POSIX::setsid(); if (!fork) { my $held = "x" x (128 << 20); sleep 60; } exit }
wait;`;

function openWorkspace(): Workspace {
  const workspace = new Workspace({
    "hog.pl": HOG,
    "leaver.pl": LEAVER,
    "wide": `#!/usr/bin/perl\n${HOG}`,
    "late": "#!/bin/sh\nsleep 250\n",
  });
  for (const name of ["wide", "late"]) Deno.chmodSync(workspace.path(name), 0o755);
  return workspace;
}

async function run(
  workspace: Workspace,
  command: string,
  ...more: readonly string[]
): Promise<Answer> {
  const policy = workspace.policy(POLICY);
  const args = ["run_command", `command=${command}`, "--policy", policy, ...more];
  const { answer } = await call(args, { cwd: workspace.root });
  return answer;
}

function isHeld(workspace: Workspace): boolean {
  try {
    return Deno.statSync(workspace.path("held")).isFile;
  } catch {
    return false;
  }
}

/** Each would hold 128 MiB, for a minute. */
const OVER: readonly (readonly [string, string])[] = [
  ["alone", "perl hog.pl 128 60"],
  ["behind env", "env A=1 perl hog.pl 128 60"],
  ["behind env, by its path", "env /usr/bin/perl hog.pl 128 60"],
  ["behind timeout", "timeout 90 perl hog.pl 128 60"],
  ["in a shell of the line", "sh -c 'perl hog.pl 128 60'"],
  ["in a shell behind another program", "nice sh -c 'perl hog.pl 128 60'"],
  ["in a shell that find starts", "find hog.pl -exec sh -c 'perl hog.pl 128 60' ';'"],
  ["by xargs", "echo 128 60 | xargs perl hog.pl"],
  ["beside a wide one", "sleep 70 | ./wide 128 70 & perl hog.pl 128 60; wait"],
  ["as an orphan beside a wide one", "./wide 1 70 & perl leaver.pl; wait"],
  ["two together", "perl hog.pl 40 60 & perl hog.pl 40 60; wait"],
];

for (const [how, line] of OVER) {
  Deno.test(`a program over the memory of its rule is ended: ${how}`, async () => {
    await using workspace = openWorkspace();
    const { error } = await run(workspace, line);
    assertEquals([error?.code, error?.details, isHeld(workspace)], [
      "RESOURCE_LIMIT",
      { limit: "memory" },
      false,
    ]);
    const { file, index } = error?.rule ?? {};
    assertEquals([file?.endsWith("policy.yaml"), index], [true, "commands[0]"]);
    assertStringIncludes(error?.message ?? "", "than limits.memory of commands[0] of ");
    assertStringIncludes(error?.message ?? "", "gives (64MiB); it was killed");
  });
}

/** What the policy's own limits would not let through, and what no rule holds back. */
const WITHIN: readonly (readonly [string, string])[] = [
  ["a rule gives more than the policy", "./wide 400"],
  ["behind timeout", "timeout 90 ./wide 400"],
  ["beside a narrow one", "./wide 400 1 | cat & perl -e 'sleep 1'; wait"],
  ["less than the rule gives", "perl hog.pl 20"],
];

for (const [how, line] of WITHIN) {
  Deno.test(`a program has what its rule gives: ${how}`, async () => {
    await using workspace = openWorkspace();
    const { success, error } = await run(workspace, line);
    assertEquals([success, error, isHeld(workspace)], [true, null, true]);
  });
}

Deno.test("a further policy keeps a rule to what it says itself", async () => {
  await using workspace = openWorkspace();
  const further = workspace.policy("version: 1\nlimits: { memory: 200MiB }\n", "further.yaml");
  const { error } = await run(workspace, "./wide 400 60", "--policy", further);
  assertEquals([error?.code, error?.rule, isHeld(workspace)], ["RESOURCE_LIMIT", null, false]);
  const { answer } = await call(
    ["run_command", "command=./wide 400 60", "--policy", workspace.policy(POLICY)],
    { cwd: workspace.root, env: { TOOLGATE_LIMITS: "memory=200MiB" } },
  );
  assertEquals([answer.error?.code, isHeld(workspace)], ["RESOURCE_LIMIT", false]);
});

Deno.test("a file that a program writes is as long as its rule lets it be", async () => {
  await using workspace = openWorkspace();
  workspace.write(
    "wide",
    `#!/usr/bin/perl\nopen F, ">", "long"; print F "x" x (3 << 20); close F;`,
  );
  const { error } = await run(workspace, "./wide");
  assertEquals(error?.code, "COMMAND_FAILED");
  assertEquals(Deno.statSync(workspace.path("long")).size, 1 << 20);
});

for (const line of ["./late", "env ./late", "sleep 200 | ./late"]) {
  Deno.test(`a program that runs longer than its rule lets it ends the call: ${line}`, async () => {
    await using workspace = openWorkspace();
    const { error } = await run(workspace, line);
    assertEquals([error?.code, error?.rule?.index, error?.details], [
      "TIMEOUT",
      "commands[2]",
      { timeout_ms: 1_000 },
    ]);
    assertStringIncludes(
      error?.message ?? "",
      "no exit in 1 s, which is the timeout of commands[2]",
    );
  });
}
