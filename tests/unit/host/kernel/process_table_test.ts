import { assert, assertEquals } from "@std/assert";
import { ProcessTable } from "../../../../src/host/kernel/process_table.ts";
import { comesToBe } from "../../../until.ts";
import { LIBC } from "../../sandbox/_libc.ts";

const table = new ProcessTable(LIBC);

Deno.test("what is told of a process is what it is, whatever its name", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "toolgate-test-" });
  const name = `${folder}/) R 1 (`;
  Deno.symlinkSync("/bin/sleep", name);
  const before = table.now();
  const child = new Deno.Command(name, {
    args: ["3000"],
    clearEnv: true,
    env: { MARK: "a=b", LAST: "x" },
  }).spawn();
  try {
    // The kernel names the new program before it has laid its variables there (execve(2)): what comes last is waited for.
    const begun = () =>
      table.executable(child.pid)?.endsWith("sleep") === true &&
      table.environment(child.pid).includes("LAST=x");
    assert(await comesToBe(begun));
    const facts = table.facts(child.pid);
    assertEquals(facts?.parent, Deno.pid);
    assertEquals(facts?.threads, 1);
    assert(["S", "R", "D"].includes(facts?.state ?? ""), facts?.state);
    assert(table.list().includes(child.pid));
    const variables = table.environment(child.pid).split("\0");
    assert(variables.includes("MARK=a=b") && variables.includes("LAST=x"));
    const began = facts?.began ?? -1;
    assert(before <= began && began <= table.now(), `${before} ${began} ${table.now()}`);
    assert(table.held(child.pid).memory > 0 && table.held(child.pid).memory < 10_000_000);
    assert((table.proportional(child.pid) ?? 1) > 0);
  } finally {
    child.kill("SIGKILL");
    await child.status;
    Deno.removeSync(folder, { recursive: true });
  }
  assertEquals(table.facts(child.pid), null);
  assertEquals([table.held(child.pid).memory, table.environment(child.pid)], [0, ""]);
});

Deno.test("numbers of processes are given upwards", async () => {
  const before = table.last() ?? 0;
  const { success } = await new Deno.Command("/bin/true").output();
  assert(success);
  const passed = ((table.last() ?? 0) - before + table.mostNumber()) % table.mostNumber();
  assert(passed > 0 && passed < 10_000, `${passed}`);
  assert(table.tasks() > 1);
  assert(table.facts(Deno.pid) !== null && table.held(Deno.pid).memory > 1_000_000);
});

Deno.test("the children of a thread are told, also those that it never had", () => {
  const table = new ProcessTable(LIBC);
  const children = table.children(Deno.pid);
  assert(children !== null);
  for (const id of children) assert(Number.isInteger(id) && id > 0);
  assertEquals(table.children(2 ** 30), null);
});

Deno.test("a table of descriptors counts as its process's memory, as long as it is", async () => {
  const script = `use POSIX; $| = 1; my $last = POSIX::sysconf(&POSIX::_SC_OPEN_MAX) - 1;
    $last = 100_000 if $last > 100_000; print "$last\\n"; <STDIN>; POSIX::dup2(0, $last); print "x\\n"; <STDIN>`;
  const child = new Deno.Command("perl", {
    args: ["-e", script],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const input = child.stdin.getWriter();
  try {
    const last = Number((await output.read()).value);
    const before = table.held(child.pid);
    const apart = table.proportional(child.pid) ?? 0;
    await input.write(new TextEncoder().encode("go\n"));
    assertEquals((await output.read()).value, "x\n");
    const after = table.held(child.pid);
    assert(last >= 255 && after.slots > last && before.slots <= after.slots);
    const grown = (after.slots - before.slots) * 8;
    assert(after.memory - before.memory >= grown, `${after.memory - before.memory}, ${grown}`);
    assert((table.proportional(child.pid) ?? 0) - apart >= grown);
  } finally {
    await input.close();
    await output.cancel();
    await child.status;
  }
});
