import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath, Program } from "../../../../src/core/capability.ts";
import { KeptFilters } from "../../../../src/engine/programs/kept_filters.ts";
import { WordHolds } from "../../../../src/engine/programs/program_holds.ts";
import { openPipe } from "../../../../src/host/kernel/pipes.ts";
import type { Starting } from "../../../../src/host/run/program_holds.ts";
import { createProgramFinder } from "../../../../src/host/run/program_search.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import type { Starts } from "../../../../src/policy/rulebook.ts";
import { AT_FDCWD, OPEN } from "../../../../src/sandbox/kernel/open_without_links.ts";
import { createMemoryStore } from "../../../../src/sandbox/launcher/image_file.ts";
import { ProgramLauncher } from "../../../../src/sandbox/launcher/launcher.ts";
import { openOwnCalls } from "../../../../src/sandbox/launcher/own_calls.ts";
import type { Architecture } from "../../../../src/sandbox/seccomp.ts";
import { SYSTEM_PATHS } from "../../../../src/sandbox/system_paths.ts";
import { rulebookOf } from "../../host/_rulebook.ts";
import { commandRule } from "../../policy/_fixtures.ts";
import { withDirectory } from "../../host/files/_temporary.ts";
import { SPAWNER } from "../../host/run/_starter.ts";
import { ABI, LIBC as libc } from "../../sandbox/_libc.ts";

const ARCHITECTURE = Deno.build.arch as Architecture;
const LIMITS = { cpu: 100, file: 1 << 30, data: null, processes: null, core: 1, mark: null };
const SEARCH_PATH = "/usr/bin:/bin";
const PATHS: Policy["paths"] = [
  { effect: "allow", access: ["read", "write"], match: ["**"] },
  { effect: "deny", access: ["read", "write"], match: ["**/.env"] },
];

const LAUNCHER = new ProgramLauncher({
  own: openOwnCalls(libc),
  libc,
  spawner: SPAWNER,
  architecture: ARCHITECTURE,
  stores: [createMemoryStore(libc, ARCHITECTURE)],
  capabilities: null,
});

const PARTS = {
  libc,
  abi: ABI,
  seccomp: true,
  network: false,
  system: SYSTEM_PATHS,
  temporaryRoot: null,
  keepsFolders: true,
  caches: null,
  gitConfig: null,
  hookStandIns: null,
  searchPath: SEARCH_PATH,
};

/** A workspace in which programs are held by words of one command, whatever they do then. */
class Place {
  readonly #holds: WordHolds;
  readonly #find: (name: string) => Program | null;

  constructor(
    readonly root: CanonicalPath,
    paths: Policy["paths"] = PATHS,
    commands: Policy["commands"] = null,
  ) {
    const rulebook = rulebookOf(root, { paths, commands });
    this.#holds = new WordHolds({ ...PARTS, broker: null, starts: null }, rulebook);
    const finder = createProgramFinder(root, SYSTEM_PATHS, { searchPath: SEARCH_PATH });
    this.#find = (name) => finder.find(name, root);
  }

  /** What a program prints that is held as `words` are, and started with `argv`; what both say is one. */
  run(
    words: readonly string[],
    argv: readonly string[] = words,
    more: Pick<Starting, "child"> = {},
  ): string {
    const program = this.#find(words[0] ?? "");
    assert(program !== null, words[0]);
    const environment = new Map([["PATH", SEARCH_PATH], ["LC_ALL", "C"]]);
    const starting = {
      program,
      argv: words,
      directory: this.root,
      environment,
      own: false,
      ...more,
    };
    const { done, ...hold } = this.#holds.of(starting);
    const pipe = openPipe(libc);
    const flags = OPEN.PATH | OPEN.CLOEXEC;
    const directory = libc.call(libc.numbers.openat, AT_FDCWD, libc.path(this.root), flags);
    const id = LAUNCHER.start({
      path: program.start,
      argv,
      environment: [...environment].map(([name, value]) => `${name}=${value}`),
      known: [],
      directory,
      descriptors: [-1, pipe.write, pipe.write],
      limits: LIMITS,
      ...hold,
    });
    done();
    for (const one of [pipe.write, directory]) libc.call(libc.numbers.close, one);
    const text = textOf(pipe.read);
    if (typeof id !== "number") return `not started: ${id.step}`;
    libc.call(libc.numbers.waitid, 1, id, 0, 4, 0);
    return text;
  }

  close(): void {
    this.#holds.close();
  }
}

function textOf(descriptor: number): string {
  const buffer = new Uint8Array(1 << 16);
  let text = "";
  for (;;) {
    const count = libc.transfer(libc.numbers.read, descriptor, buffer, buffer.length);
    if (count <= 0) break;
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
  libc.call(libc.numbers.close, descriptor);
  return text;
}

async function withPlace(work: (place: Place) => void): Promise<void> {
  await withDirectory((root) => {
    Deno.mkdirSync(`${root}/sub`);
    Deno.writeTextFileSync(`${root}/a.txt`, "text of a\n");
    Deno.writeTextFileSync(`${root}/b.txt`, "text of b\n");
    Deno.writeTextFileSync(`${root}/sub/c.txt`, "text of c\n");
    Deno.writeTextFileSync(`${root}/.env`, "text of env\n");
    Deno.symlinkSync("b.txt", `${root}/link`);
    const place = new Place(root);
    try {
      work(place);
    } finally {
      place.close();
    }
  });
}

Deno.test("a program gets the files that its words name, where they lead, and no others", async () => {
  await withPlace((place) => {
    const rows: readonly (readonly [readonly string[], readonly string[], RegExp])[] = [
      [["cat", "a.txt"], ["cat", "a.txt"], /^text of a\n$/],
      [["cat", "a.txt"], ["cat", "b.txt"], /^cat: .*Permission denied\n$/],
      [["cat", "a.txt"], ["cat", "sub/c.txt"], /^cat: .*Permission denied\n$/],
      [["cat", "link"], ["cat", "link", "b.txt"], /^text of b\ntext of b\n$/],
      [["cat", "link"], ["cat", "a.txt"], /Permission denied/],
      [["cat", ".env"], ["cat", ".env"], /Permission denied/],
      [["cat", "/etc/passwd"], ["cat", "/etc/passwd"], /root/],
      [["cat", "a.txt"], ["cat", "/etc/hosts"], /Permission denied/],
      [["grep", "-r", "text", "sub"], ["grep", "-r", "text", "sub"], /^sub\/c.txt:text of c\n$/],
      [["grep", "-r", "text", "sub"], ["grep", "text", "a.txt"], /Permission denied/],
      [["ls"], ["ls"], /^a.txt\nb.txt\nlink\nsub\n$/],
      [["ls", "-l"], ["ls", "-l", "/tmp"], /Permission denied/],
    ];
    for (const [words, argv, expected] of rows) {
      const text = place.run(words, argv);
      assert(expected.test(text), `${words.join(" ")} | ${argv.join(" ")}: ${text}`);
    }
    // What holds the denied file is given by its parts.
    const all = place.run(["grep", "-r", "text", "."]);
    for (const letter of ["a", "b", "c"]) assert(all.includes(`text of ${letter}`), all);
    assert(!all.includes("text of env"), all);
  });
});

Deno.test("a program without such work changes nothing, and one that has it changes what it is given", async () => {
  await withPlace((place) => {
    const attempts: readonly (readonly string[])[] = [
      ["sort", "-o", "a.txt", "b.txt"],
      ["sort", "-o", "sub/new.txt", "b.txt"],
    ];
    for (const argv of attempts) place.run(["sort", "b.txt"], argv);
    assertEquals(Deno.readTextFileSync(`${place.root}/a.txt`), "text of a\n");
    assertEquals([...Deno.readDirSync(`${place.root}/sub`)].length, 1);
    place.run(["sort", "-o", "sub/new.txt", "b.txt"]);
    assertEquals(Deno.readTextFileSync(`${place.root}/sub/new.txt`), "text of b\n");
    place.run(["cp", "a.txt", "sub/d.txt"], ["cp", "a.txt", "b.txt"]);
    assertEquals(Deno.readTextFileSync(`${place.root}/b.txt`), "text of b\n");
    place.run(["mv", "sub/new.txt", "sub/old.txt"]);
    assertEquals(Deno.readTextFileSync(`${place.root}/sub/old.txt`), "text of b\n");
    place.run(["rm", "sub/old.txt"], ["rm", "-f", "sub/old.txt", "b.txt"]);
    assertEquals(Deno.statSync(`${place.root}/b.txt`).isFile, true);
    // By descriptor too, which no rule of the kernel is asked about.
    Deno.chmodSync(`${place.root}/a.txt`, 0o600);
    place.run(["ls", "a.txt"], ["ls", "a.txt"]);
    assertEquals((Deno.statSync(`${place.root}/a.txt`).mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("where nobody says what a program may watch, it watches nothing", async () => {
  // inotify_init1(2), inotify_add_watch(2)
  const [make, add] = ARCHITECTURE === "x86_64" ? [294, 254] : [26, 27];
  const code = `my $made = syscall(${make}, 0); my $said = $made < 0 ? $! : "";
    my $path = $ARGV[0]; print syscall(${add}, $made, $path, 0xfff) >= 0 ? "watched" : "$said";`;
  const argv = ["perl", "-e", code, "."];
  await withPlace((place) => {
    const alone = new Deno.Command("/usr/bin/perl", { args: argv.slice(1), cwd: place.root });
    assertEquals(new TextDecoder().decode(alone.outputSync().stdout), "watched");
    assertEquals(place.run(argv), "Operation not permitted");
  });
});

Deno.test("a program that needs no other starts none: by itself, by a shell, by its loader", async () => {
  const loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
    .find((path) => {
      try {
        return Deno.statSync(path).isFile;
      } catch {
        return false;
      }
    });
  assert(loader !== undefined, "glibc has a loader");
  await withPlace((place) => {
    const held = ["find", ".", "-name", "a.txt"];
    for (const started of [["/bin/echo", "ran"], [loader, "/bin/echo", "ran"], ["echo", "ran"]]) {
      const argv = ["find", ".", "-name", "a.txt", "-exec", ...started, ";"];
      assert(!/^ran$/m.test(place.run(held, argv)), started.join(" "));
    }
    assert(/^ran$/m.test(place.run(["find", ".", "-name", "a.txt", "-exec", "echo", "ran", ";"])));
    for (const words of [["awk", "{print}", "a.txt"], ["sed", "p", "a.txt"]]) {
      const code = words[0] === "awk" ? 'BEGIN { system("echo ran") }' : "1e echo ran";
      assert(!/^ran$/m.test(place.run(words, [words[0]!, code, "a.txt"])), words[0]);
    }
    const sorting = ["sort", "--compress-program=/bin/echo", "-S", "1", "a.txt", "b.txt"];
    assert(!place.run(["sort", "a.txt", "b.txt"], sorting).includes("ran"));
  });
});

Deno.test("a program that starts some others starts those, and by the loader no other", async () => {
  await withPlace((place) => {
    const held = ["find", ".", "-name", "a.txt", "-exec", "cat", "{}", ";"];
    const run = (...started: readonly string[]) =>
      place.run(held, ["find", ".", "-name", "a.txt", "-exec", ...started, ";"]);
    assertEquals(run("cat", "{}"), "text of a\n");
    assertEquals(run("/usr/bin/cat", "{}"), "text of a\n");
    assert(!/^ran$/m.test(run("/usr/bin/echo", "ran")));
    assert(!/^ran$/m.test(run("/bin/sh", "-c", "echo ran")));
    for (const loader of ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]) {
      assert(!/^ran$/m.test(run(loader, "/usr/bin/echo", "ran")));
    }
  });
});

Deno.test("what a loader makes of a file of the workspace has what its program has, and no more", async () => {
  await withPlace((place) => {
    Deno.copyFileSync("/usr/bin/cat", `${place.root}/sub/tool`);
    Deno.writeTextFileSync(`${place.root}/sub/own.txt`, "text of own\n");
    const held = ["find", "sub", "-name", "own.txt", "-exec", "cat", "{}", ";"];
    const run = (...words: readonly string[]) =>
      place.run(held, ["find", "sub", "-name", "own.txt", "-exec", ...words, ";"]);
    const loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
      .find((path) => run(path, "sub/tool", "sub/own.txt") === "text of own\n");
    assert(loader !== undefined, "no loader runs it: nothing was tried");
    assert(!run(loader, "sub/tool", "b.txt").includes("text of b"));
    assert(!run(loader, "sub/tool", "/etc/hostname", "/proc/self/environ").includes("="));
    // Nor does it execute what it is by its name.
    assert(!run("sub/tool", "sub/own.txt").includes("text of own"));
    assertEquals(place.run(held), "text of own\n");
  });
});

Deno.test("a program that runs code has the ground that the policy allows, and what is denied in it stays closed", async () => {
  await withPlace((place) => {
    const script = "cat a.txt .env; echo new > sub/made.txt; /bin/echo started";
    const text = place.run(["sh", "-c", script]);
    assert(text.includes("text of a"), text);
    assert(text.includes("started"), text);
    assert(!text.includes("text of env"), text);
    assertEquals(Deno.readTextFileSync(`${place.root}/sub/made.txt`), "new\n");
    // It is drawn anew when the workspace changes.
    Deno.writeTextFileSync(`${place.root}/later.txt`, "text of later\n");
    assert(place.run(["sh", "-c", "cat later.txt"]).includes("text of later"));
    Deno.writeTextFileSync(`${place.root}/sub/.env`, "text of env\n");
    assert(!place.run(["sh", "-c", "cat sub/.env"]).includes("text of env"));
  });
});

Deno.test("a name of the workspace is no program of the system's", async () => {
  await withPlace((place) => {
    Deno.writeTextFileSync(
      `${place.root}/cat`,
      "#!/bin/sh\nwhile read -r l; do echo $l; done <b.txt\n",
    );
    Deno.chmodSync(`${place.root}/cat`, 0o755);
    assertEquals(place.run(["./cat", "a.txt"]), "text of b\n");
  });
});

Deno.test("what a rule says a program may start holds for interpreters, for scripts, and for all that they start", async () => {
  await withDirectory((root) => {
    Deno.writeTextFileSync(`${root}/echo.sh`, "#!/bin/sh\n/bin/echo ran; /usr/bin/id; echo end\n");
    Deno.chmodSync(`${root}/echo.sh`, 0o755);
    const said = (runs: Starts | undefined, argv: readonly string[]): string => {
      const rule = {
        effect: "allow",
        patterns: ["*"],
        exact: false,
        examples: { match: [], notMatch: [] },
        ...(runs === undefined ? {} : { runs }),
      } as const;
      const place = new Place(root, PATHS, [rule]);
      try {
        return place.run(argv);
      } finally {
        place.close();
      }
    };
    const sh = ["sh", "-c", "/bin/echo ran; /usr/bin/id; sh -c '/bin/echo again'; echo end"];
    const seen = (text: string) =>
      ["ran", "uid=", "again", "end"].filter((word) => new RegExp(`^${word}`, "m").test(text));
    assertEquals(seen(said(undefined, sh)), ["ran", "uid=", "again", "end"]);
    assertEquals(seen(said("any", sh)), ["ran", "uid=", "again", "end"]);
    assertEquals(seen(said("none", sh)), ["end"]);
    // Itself it may start where it may start anything: that is no other program.
    assertEquals(seen(said(["echo"], sh)), ["ran", "again", "end"]);
    assertEquals(seen(said(["id"], sh)), ["uid=", "end"]);
    for (const [runs, expected] of [["none", ["end"]], [["echo"], ["ran", "end"]]] as const) {
      assertEquals(seen(said(runs, ["./echo.sh"])), [...expected]);
    }
    // Not through what it writes itself either.
    const written = [
      "sh",
      "-c",
      "cat /bin/echo > mine 2>/dev/null; chmod +x mine; ./mine ran; echo end",
    ];
    Deno.copyFileSync("/bin/echo", `${root}/copied`);
    assertEquals(seen(said(["cat", "chmod"], written)), ["end"]);
    assertEquals(seen(said(["cat"], ["sh", "-c", "./copied ran; echo end"])), ["end"]);
  });
});

Deno.test("rules of the kernel's are there for the program of a child agent to make, and for no other", () =>
  withPlace((place) => {
    // landlock_create_ruleset(2), asked for its version; ENOSYS.
    const words = ["perl", "-e", "print syscall(444, 0, 0, 1) > 0 ? 'there' : $! + 0"];
    assertEquals(place.run(words), "38");
    assertEquals(place.run(words, words, { child: true }), ABI > 0 ? "there" : "38");
  }));

Deno.test({
  name: "the filter that is made ahead is that of a child agent's program that runs code",
  ignore: ABI === 0,
  fn: () =>
    withDirectory((root) => {
      const program = createProgramFinder(root, SYSTEM_PATHS, { searchPath: SEARCH_PATH })
        .find("python3", root);
      assert(program !== null);
      for (const sockets of [true, false]) {
        const made: string[] = [];
        class Noted extends KeptFilters {
          override of(...options: Parameters<KeptFilters["of"]>): ReturnType<KeptFilters["of"]> {
            made.push(JSON.stringify(options, ["0", "1", ...NOTED]));
            return super.of(...options);
          }
        }
        const filters = new Noted(ARCHITECTURE, false);
        filters.prepare({ sockets });
        const broker = { missing: null, socketsMissing: sockets ? null : "none" };
        const holds = new WordHolds(
          {
            ...PARTS,
            broker,
            starts: broker,
            filters,
          },
          rulebookOf(root, {
            paths: PATHS,
            commands: [{ ...commandRule("allow", ["python3"]), runs: "any" }],
          }),
        );
        try {
          const environment = new Map([["PATH", SEARCH_PATH]]);
          const argv = ["python3", "agent.py"];
          holds.of({ program, argv, directory: root, environment, own: false, child: true });
          assertEquals(made[1], made[0]);
        } finally {
          holds.close();
        }
      }
    }),
});

const NOTED = ["attributes", "watches", "looks", "rules", "handed", "sockets"];
