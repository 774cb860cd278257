import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import { ABI } from "./_libc.ts";
import type { HeldAnswer, Step } from "./_held.ts";
import { boundaryOf, held, makePlaces, type Places, SENTINEL, spawnOf } from "./_run_held.ts";

async function withPrograms(
  steps: (places: Places) => readonly Step[],
  check: (answer: HeldAnswer, places: Places) => void,
  parts: Parameters<typeof spawnOf>[1] = {},
): Promise<void> {
  const places = makePlaces();
  try {
    const answer = await held({
      boundary: boundaryOf({ spawn: spawnOf(places.inside, parts) }),
      kernel: "required",
      outside: `${places.outside}/secret.txt`,
      steps: steps(places),
    });
    assertEquals(answer.failure, null);
    assertEquals(answer.entered?.layers, ["policy", "runtime", "landlock", "seccomp"]);
    assert(answer.mainIsFree);
    check(answer, places);
    assertEquals(Deno.readTextFileSync(`${places.outside}/secret.txt`), SENTINEL);
  } finally {
    places.remove();
  }
}

const sh = (line: string): Step => ({ do: "run", argv: ["/bin/sh", "-c", line] });

Deno.test("programs work inside their boundary: files, pipes, links, devices, 200 at once", async () => {
  await withPrograms(
    ({ inside }) => [
      sh(`cd ${inside} && echo new > sub/new.txt && cat sub/new.txt && rm sub/new.txt`),
      sh(`cd ${inside} && mkdir d && mv a.txt d/b.txt && mv d/b.txt a.txt && rmdir d && ls`),
      sh(`cd ${inside} && ln -s a.txt l && cat l && ln a.txt h && cat h && mkfifo p && rm l h p`),
      sh("echo lost > /dev/null && head -c 4 /dev/zero | wc -c && head -c 4 /dev/urandom | wc -c"),
      sh(`cp /bin/true ${inside}/own && ${inside}/own && echo ran`),
      sh("kill -0 $$ && (sleep 5 & kill $!) && echo signalled"),
      { do: "runMany", argv: ["/bin/sh", "-c", "echo x | cat; sleep 0.1"], count: 200 },
    ],
    ({ results }) =>
      assertEquals(results.map(({ value }) => value), [
        "0|new\n|",
        "0|a.txt\nlink.txt\nsub\n|",
        "0|insideinside|",
        "0|4\n4\n|",
        "0|ran\n|",
        "0|signalled\n|",
        "200",
      ]),
  );
});

Deno.test("programs reach nothing outside, by path, link, hard link, rename or /proc", async () => {
  await withPrograms(
    ({ inside, outside }) => [
      sh(`cat ${outside}/secret.txt`),
      sh(`cat ${inside}/link.txt`),
      sh(`ln -s ${outside} ${inside}/way && cat ${inside}/way/secret.txt`),
      sh(`ln ${outside}/secret.txt ${inside}/hard && cat ${inside}/hard`),
      sh(`mv ${outside}/secret.txt ${inside}/moved`),
      sh(`echo changed > ${outside}/secret.txt`),
      sh(`echo changed > ${inside}/link.txt`),
      sh(`rm -f ${outside}/secret.txt && ls ${outside}`),
      sh(`ls ${outside}`),
      sh("cat /proc/self/environ"),
      sh("cat /proc/$PPID/environ /proc/$PPID/task/*/environ"),
      sh("cat /proc/1/status"),
      sh("ls /tmp"),
      sh("ls /root /home"),
    ],
    (answer) => {
      answer.results.forEach(({ ok, value }, index) => {
        assert(ok && !value.startsWith("0|"), `step ${index}: ${value}`);
      });
      assert(!JSON.stringify(answer).includes(SENTINEL));
    },
  );
});

Deno.test("only what is listed is read, written or listed: parted workspaces", async () => {
  const places = makePlaces();
  try {
    const { inside } = places;
    Deno.writeTextFileSync(`${inside}/.env`, SENTINEL);
    const at = (name: string): CanonicalPath => `${inside}/${name}` as CanonicalPath;
    const spawn = spawnOf(inside, {
      read: [at("a.txt"), at("sub")],
      write: [at("sub"), at("a.txt")],
      list: [inside],
    });
    const answer = await held({
      boundary: boundaryOf({ read: [inside], write: [inside], spawn }),
      kernel: "required",
      steps: [
        sh(`ls -A ${inside}`),
        sh(`cat ${inside}/a.txt && echo more >> ${inside}/a.txt && echo x > ${inside}/sub/x`),
        sh(`cat ${inside}/.env`),
        sh(`grep -r sentinel ${inside}`),
        sh(`mv ${inside}/.env ${inside}/sub/env`),
        sh(`ln ${inside}/.env ${inside}/sub/env && cat ${inside}/sub/env`),
        sh(`mv ${inside} ${inside}2`),
        sh(`rm -f ${inside}/.env; echo new > ${inside}/new`),
        // The thread itself is held by what its programs may do.
        { do: "read", path: `${inside}/.env` },
      ],
    });
    const values = answer.results.map(({ value }) => value);
    assertEquals(values[0], "0|.env\na.txt\nlink.txt\nsub\n|");
    assertEquals(values[1], "0|inside|");
    for (const value of values.slice(2, 8)) assert(!value.startsWith("0|"), value);
    assertEquals(answer.results[8], { ok: false, value: "PermissionDenied" });
    assert(!JSON.stringify(answer).includes(SENTINEL));
    assertEquals(Deno.readTextFileSync(`${inside}/.env`), SENTINEL);
  } finally {
    places.remove();
  }
});

Deno.test("a program cannot reach into the process that started it", async () => {
  const attacker = fromFileUrl(import.meta.resolve("./_attacker.ts"));
  const places = makePlaces();
  try {
    Deno.copyFileSync(attacker, `${places.inside}/attacker.ts`);
    const step: Step = {
      do: "run",
      argv: [Deno.execPath(), "run", "-A", "--no-config", `${places.inside}/attacker.ts`],
    };
    const answer = await held({
      boundary: boundaryOf({ spawn: spawnOf(places.inside) }),
      kernel: "required",
      steps: [step],
      outside: `${places.outside}/secret.txt`,
    });
    const value = answer.results[0]?.value ?? "";
    assertStringIncludes(value, '"ran":true');
    const { through } = JSON.parse(value.slice(value.indexOf("{"), value.indexOf("}") + 1));
    // Signals are held from ABI 6 on; below, programs of the same user can stop each other.
    assertEquals(through, ABI >= 6 ? [] : ["signal to the parent"]);
    assert(answer.mainIsFree);
  } finally {
    places.remove();
  }
});

Deno.test("common programs run under the built-in system list, those that are here", async () => {
  const lines: readonly (readonly [string, string])[] = [
    ["/usr/bin/python3", `-c 'import json, subprocess, ssl; print("works")'`],
    ["/usr/bin/node", `-e 'console.log("works", require("os").cpus().length > 0)'`],
    ["/usr/bin/perl", `-e 'print "works"'`],
    ["/usr/bin/git", "init -q repo && cd repo && git status --short && echo works"],
    ["/usr/bin/gcc", "-pipe -o hello hello.c && ./hello"],
    ["/bin/ls", "-la . && echo works"],
    ["/bin/date", "+works-%Y"],
    ["/usr/bin/env", "true && echo works"],
  ];
  const here = lines.filter(([program]) => {
    try {
      return Deno.statSync(program).isFile;
    } catch {
      return false;
    }
  });
  assert(here.length >= 3, "ls, date and env are on every Linux");
  await withPrograms(
    ({ inside }) => {
      Deno.writeTextFileSync(
        `${inside}/hello.c`,
        '#include <stdio.h>\nint main(void) { puts("works"); return 0; }\n',
      );
      return here.map(([program, rest]) =>
        sh(`cd ${inside} && export TMPDIR=. && ${program} ${rest}`)
      );
    },
    ({ results }) => {
      results.forEach(({ value }, index) => {
        assert(value.startsWith("0|") && value.includes("works"), `${here[index]}: ${value}`);
      });
    },
  );
});

Deno.test("network: programs get it with the boundary's word alone", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  const accept = (async () => {
    for await (const connection of listener) connection.close();
  })();
  const script = `const c = await Deno.connect({ hostname: "127.0.0.1", port: ${port} }); c.close();
    console.log("connected");`;
  for (const network of [false, true]) {
    await withPrograms(
      ({ inside }) => {
        Deno.writeTextFileSync(`${inside}/connect.ts`, script);
        return [{
          do: "run",
          argv: [Deno.execPath(), "run", "-A", "--no-config", `${inside}/connect.ts`],
        }];
      },
      ({ results }) => {
        const value = results[0]?.value ?? "";
        assertEquals(value.startsWith("0|connected"), network, value);
      },
      { network },
    );
  }
  listener.close();
  await accept;
});
