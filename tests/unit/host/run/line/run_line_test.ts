import { assert, assertEquals, assertMatch } from "@std/assert";
import type { CanonicalPath } from "../../../../../src/core/capability.ts";
import { ToolError } from "../../../../../src/core/errors.ts";
import type { ProcessOutcome } from "../../../../../src/core/tool.ts";
import type { LineCommand } from "../../../../../src/host/run/line/line_host.ts";
import { inTime } from "../../../../in_time.ts";
import { comesToBe } from "../../../../until.ts";
import { withDirectory } from "../../files/_temporary.ts";
import { rulebookOf } from "../../_rulebook.ts";
import { ENVIRONMENT, fill, type LineWish, runLine, text } from "./_line.ts";

/** Runs a line in a new directory with files in it, those of `files` beside the usual. */
async function run(
  line: string,
  wish: LineWish = {},
  look: (directory: string) => void = () => {},
  files: Readonly<Record<string, string>> = {},
): Promise<ProcessOutcome> {
  const outcomes: ProcessOutcome[] = [];
  await withDirectory(async (directory) => {
    fill(directory);
    for (const [name, content] of Object.entries(files)) {
      Deno.writeTextFileSync(`${directory}/${name}`, content);
    }
    outcomes.push(await runLine(line, directory, wish));
    look(directory);
  });
  return outcomes[0] as ProcessOutcome;
}

const stdoutOf = async (line: string, wish: LineWish = {}): Promise<string> =>
  text((await run(line, wish)).stdout);

/** Milliseconds that a line which must end by itself may take: far less than what it waits for. */
const SOON = 600_000;

Deno.test("a reader that ends, ends who writes to it", async () => {
  const cases: readonly (readonly [string, string])[] = [
    ["yes | head -n 1", "y\n"],
    ["yes | (head -n 2)", "y\ny\n"],
    ["{ yes; echo never; } | head -n 1", "y\n"],
    ["yes | { head -n 1; echo done; }", "y\ndone\n"],
    ["yes | cat | cat | head -n 1", "y\n"],
    ["echo $(yes | head -n 2)", "y y\n"],
  ];
  for (const [line, expected] of cases) {
    const outcome = await run(line, { timeoutMs: SOON });
    assertEquals([text(outcome.stdout), outcome.timedOut], [expected, false], line);
  }
});

Deno.test("standard output and errors that share a descriptor keep their order", async () => {
  const expected = Array.from({ length: 20 }, (_, index) => `out ${index}\nerr ${index}\n`).join(
    "",
  );
  const commands = Array.from(
    { length: 20 },
    (_, index) => `echo out ${index}; echo err ${index} >&2`,
  ).join("; ");
  assertEquals(await stdoutOf(`{ ${commands}; } 2>&1`), expected);
  assertEquals(await stdoutOf(`{ ${commands}; } > log 2>&1; cat log`), expected);
});

Deno.test("status, signal and end of a line are a shell's", async () => {
  const cases: readonly (readonly [string, number | null, string | null])[] = [
    ["exit 7", 7, null],
    ["exit 300", 44, null],
    ["false; exit", 1, null],
    ["sh kill.sh", null, "SIGKILL"],
    ["sh kill.sh; exit $?", 137, null],
    ["! false", 0, null],
    ["false | true", 0, null],
    ["set -o pipefail; false | true", 1, null],
    ["set -e; false || true; true && false; echo no", 1, null],
    ["set -e; (false); echo no", 1, null],
    ["set -u; echo $NOT_SET; echo no", 127, null],
    ["cat < nofile", 1, null],
    ["> sub", 1, null],
  ];
  for (const [line, code, signal] of cases) {
    const outcome = await run(line, {}, undefined, { "kill.sh": "kill -9 $$\n" });
    assertEquals([outcome.exitCode, outcome.signal], [code, signal], line);
    assert(!text(outcome.stdout).includes("no"), line);
  }
});

Deno.test("input goes to whoever reads it, and what nobody reads holds nothing up", async () => {
  const stdin = "one\ntwo\nthree\n";
  assertEquals(await stdoutOf("cat", { stdin }), stdin);
  assertEquals(await stdoutOf("true; cat | wc -l", { stdin }), "3\n");
  assertEquals(await stdoutOf("cat", {}), "");
  const much = "x".repeat(3_000_000);
  assertEquals(await stdoutOf("echo done", { stdin: much, timeoutMs: SOON }), "done\n");
  assertEquals(await stdoutOf("wc -c", { stdin: much }), "3000000\n");
  const document = `cat <<E | wc -c\n${"y".repeat(100_000)}\nE`;
  assertEquals(await stdoutOf(document), "100001\n");
  assertEquals(await stdoutOf(`true <<E\n${"y".repeat(100_000)}\nE\necho done`), "done\n");
});

Deno.test("a line that overruns ends whole, and begins nothing more", async () => {
  const outcome = await inTime(300, async (timeoutMs) => {
    const line = "echo said; sleep 100 | sleep 101; touch late";
    const ended = await run(line, { timeoutMs }, (at) => {
      assertEquals([...Deno.readDirSync(at)].some(({ name }) => name === "late"), false);
    });
    return ended.stdout.length > 0 ? ended : null;
  });
  assertEquals([outcome.timedOut, text(outcome.stdout)], [true, "said\n"]);
  const deep = await run("x=$(sleep 3000); touch late", { timeoutMs: 200 }, (at) => {
    assertEquals([...Deno.readDirSync(at)].some(({ name }) => name === "late"), false);
  });
  assertEquals(deep.timedOut, true);
  const abort = new AbortController();
  const running = run("sleep 3000; touch late", { signal: abort.signal });
  setTimeout(() => abort.abort("CANCELLED"), 100);
  assertEquals((await running).cancelled, true);
});

/** Refuses what the test does, by what it is. */
function judgeBy(refuses: (command: LineCommand) => boolean): LineWish {
  return {
    judge: (command) =>
      Promise.resolve(refuses(command) ? new ToolError("COMMAND_DENIED", "refused here") : null),
  };
}

Deno.test("a command that is refused when it runs ends the line, and nothing of it happens", async () => {
  const wish = judgeBy(({ argv }) => argv?.includes("c.md") === true);
  const outcome = await run("echo before; cat *.md > out; touch late", wish, (at) => {
    const names = [...Deno.readDirSync(at)].map(({ name }) => name);
    assert(!names.includes("late") && !names.includes("out"), names.join());
  });
  assertEquals(outcome.refusal?.code, "COMMAND_DENIED");
  assertEquals([text(outcome.stdout), outcome.exitCode], ["before\n", null]);
  // The other stages of its pipeline are not waited for.
  const stage = await run("sleep 3000 | cat *.md | sleep 3000", { ...wish, timeoutMs: SOON });
  assertEquals([stage.refusal?.code, stage.timedOut], ["COMMAND_DENIED", false]);
});

Deno.test("what is judged is what came out of the words", async () => {
  const seen: LineCommand[] = [];
  const wish: LineWish = {
    judge: (command) => {
      seen.push(command);
      return Promise.resolve(null);
    },
  };
  await run("F=new; cd sub; A=1 echo $WORDS '*' *.txt > $F 2>> ../log < d.txt", wish);
  const [command] = seen;
  assertEquals(command?.argv, ["echo", "one", "two", "three", "*", "d.txt"]);
  assertEquals(command?.variables, ["A"]);
  assertEquals(command?.redirections, [
    { kind: "write", target: "new" },
    { kind: "append", target: "../log" },
    { kind: "read", target: "d.txt" },
  ]);
  assert(command?.directory.endsWith("/sub"));
  seen.length = 0;
  await run('{ cd sub; } > "$WORDS"; (true) < a.txt', wish);
  assertEquals(
    seen.map(({ argv, redirections }) => [argv, redirections.map((one) => one.target)]),
    [
      [null, ["one two  three"]],
      [null, ["a.txt"]],
    ],
  );
});

Deno.test("denied names are not among those that a pattern stands for", async () => {
  await withDirectory(async (directory) => {
    fill(directory);
    Deno.mkdirSync(`${directory}/shut`);
    Deno.writeTextFileSync(`${directory}/shut/s.txt`, "s");
    Deno.symlinkSync(`${directory}/shut`, `${directory}/link`);
    const rulebook = rulebookOf(directory, {
      paths: [
        { effect: "allow", access: ["read", "write"], match: ["**"] },
        { effect: "deny", access: ["read"], match: ["shut/**", "Z.*"] },
      ],
    });
    const outcome = await runLine("echo *.txt; echo */*.txt; echo shut/*; cd shut", directory, {
      rulebook,
    });
    assertEquals(
      text(outcome.stdout),
      "a.txt b.txt sp ace.txt\nother/[x].txt sub/d.txt\nshut/*\n",
    );
    assertEquals(outcome.exitCode, 1);
  });
});

Deno.test("redirections open the file that was judged, and nothing that would hold them up", async () => {
  await withDirectory(async (directory) => {
    const outside = Deno.makeTempDirSync({ prefix: "toolgate-test-" });
    try {
      Deno.writeTextFileSync(`${outside}/sentinel`, "sentinel");
      Deno.symlinkSync(`${outside}/sentinel`, `${directory}/out`);
      await new Deno.Command("mkfifo", { args: [`${directory}/fifo`] }).output();
      Deno.mkdirSync(`${directory}/sub`);
      const judged: string[] = [];
      const wish: LineWish = {
        timeoutMs: SOON,
        judge: ({ redirections }) => {
          judged.push(...redirections.map(({ target }) => target));
          // The link that was judged becomes another while it is judged.
          return Promise.resolve(null);
        },
      };
      // Neither waits for whoever is at its other end, nor is a folder's listing taken for a file.
      for (
        const line of [
          "cat < fifo",
          "echo x > fifo",
          "cat < sub",
          "while read -r x; do :; done < sub",
        ]
      ) {
        const refusal = await runLine(line, directory, wish).then(
          (one) => one.refusal,
          (error) => error,
        );
        assert(refusal instanceof ToolError, line);
        assertEquals(refusal.code, "COMMAND_UNPARSABLE", line);
      }
      const swapped = await runLine("echo x > new", directory, {
        ...wish,
        judge: () => {
          Deno.symlinkSync(`${outside}/sentinel`, `${directory}/new`);
          return Promise.resolve(null);
        },
      });
      // It leads elsewhere by now, and is followed there only if that was judged.
      assertEquals(swapped.exitCode === 0, Deno.readTextFileSync(`${outside}/sentinel`) === "x\n");
    } finally {
      Deno.removeSync(outside, { recursive: true });
    }
  });
});

Deno.test("files are made with the mode of a shell, and appended to their end", async () => {
  await withDirectory(async (directory) => {
    await runLine("echo a > new; echo b >> new; echo c 1<> new", directory);
    assertEquals(Deno.readTextFileSync(`${directory}/new`), "c\nb\n");
    const mode = (Deno.statSync(`${directory}/new`).mode ?? 0) & 0o777;
    assertEquals(mode, 0o666 & ~Deno.umask());
  });
});

Deno.test("output can be spilled whole to a file", async () => {
  await withDirectory(async (directory) => {
    const outcome = await runLine("seq 100000; echo err >&2", directory, {
      spill: "log",
      outputLimit: 1_000,
    });
    const all = Deno.readTextFileSync(`${directory}/log`);
    assertEquals(all.split("\n").length, 100_002);
    assert(all.includes("err\n") && all.includes("\n50000\n"));
    assertEquals(outcome.spilled, { bytes: all.length, complete: true });
    assert(outcome.dropped.stdout > 500_000 && outcome.stdout.length <= 1_000);
    const full = await runLine("seq 100000", directory, {
      spill: "full",
      openElsewhere: () => Promise.resolve(-13),
    });
    assertEquals(full.spilled?.complete, true);
  });
});

Deno.test("a substitution gives what was written, whatever its bytes, or ends the line", async () => {
  assertEquals(await stdoutOf("echo \"$(printf 'a\\n\\n\\n')\"x"), "ax\n");
  assertEquals(await stdoutOf("echo $(cat sub/deep/e.txt; pwd | wc -l)"), "epsilon 1\n");
  const bytes = await run("echo before; echo $(printf '\\377'); echo after");
  assertEquals([...bytes.stdout.subarray(7)], [0xff, 0x0a, ...new TextEncoder().encode("after\n")]);
  const much = await run("x=$(yes | head -c 2000000); echo after", { outputLimit: 100_000 });
  assertEquals([much.refusal?.code, text(much.stdout)], ["RESOURCE_LIMIT", ""]);
});

Deno.test("a program gets what was exported, and where it is", async () => {
  const line = "A=1; export B=2; C=3 env | grep '^[A-C]=' | sort; unset B; env | grep -c '^B='";
  assertEquals(await stdoutOf(line), "B=2\nC=3\n0\n");
  const moved = await stdoutOf("cd sub; env | grep PWD | sort; cd ..", {
    environment: { ...ENVIRONMENT, PWD: "/before" },
  });
  assertMatch(moved, /^OLDPWD=(.+)\nPWD=\1\/sub\n$/);
});

Deno.test("a directory outside of what may be read is not entered", async () => {
  const targets = {
    "..": "Permission denied",
    "/": "Permission denied",
    "/etc": "Permission denied",
    "/nowhere": "Permission denied",
    nowhere: "No such file or directory",
    "a.txt": "Not a directory",
  };
  for (const [target, why] of Object.entries(targets)) {
    const outcome = await run(`cd ${target}; echo $?; pwd`, { timeoutMs: SOON }, () => {});
    const [status, where = ""] = text(outcome.stdout).split("\n");
    assertEquals(status, "1", target);
    assertMatch(where, /toolgate-test-/, target);
    assertEquals(text(outcome.stderr), `bash: line 1: cd: ${target}: ${why}\n`);
  }
});

Deno.test("hundreds of commands of one line leave no descriptor and no zombie", async () => {
  await run("true");
  const before = [...Deno.readDirSync("/proc/self/fd")].length;
  // Those that other tests of this process have left are not of this line.
  const left = zombies();
  const line = Array.from({ length: 20 }, (_, index) => `echo ${index} | cat > out`).join("; ");
  for (let round = 0; round < 10; round++) {
    const outcome = await run(`${line}; cat out; x=$(echo a | cat < b.txt)`);
    assertEquals(text(outcome.stdout), "19\n");
  }
  await run("yes | head -n 1; sleep 3000", { timeoutMs: 200 });
  assertEquals([...Deno.readDirSync("/proc/self/fd")].length, before);
  // Some are waited for only when their turn comes.
  const more = () => zombies().filter((id) => !left.includes(id));
  await comesToBe(() => more().length === 0);
  assertEquals(more(), []);
});

/** Children of this process that have ended and were not waited for. */
function zombies(): readonly string[] {
  return [...Deno.readDirSync("/proc")].filter(({ name }) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" && Number(parent) === Deno.pid;
    } catch {
      return false;
    }
  }).map(({ name }) => name);
}

Deno.test("a shell is handed what every shell reads alike and is known whole, and nothing else", async () => {
  await withDirectory(async (directory) => {
    fill(directory);
    const start = "/bin/sh";
    const shell = { path: start as CanonicalPath, start, names: ["sh"] };
    const base = rulebookOf(directory, {
      paths: [{ effect: "allow", access: ["read", "write"], match: ["**"] }],
      shell: { mode: "sh" },
    });
    const judged: string[] = [];
    const wish: LineWish = {
      rulebook: base,
      shell,
      judge: ({ argv }) => {
        judged.push(argv?.[0] ?? "");
        return Promise.resolve(null);
      },
    };
    const plain = await runLine("echo a; cd sub && cat d.txt | tr a-z A-Z", directory, wish);
    assertEquals([text(plain.stdout), judged], ["a\nDELTA\n", []]);
    const open = await runLine("echo *.md", directory, wish);
    assertEquals([text(open.stdout), judged], ["c.md\n", ["echo"]]);
  });
});
