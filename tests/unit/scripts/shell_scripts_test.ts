/** `scripts/start` and `scripts/test` under a search path that holds what each test puts there. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

/** Says what it was called with, and what of the environment matters. */
const ECHO = `echo "$(basename "$0") $*"
echo "in $PWD"
echo "$DENO_TLS_CA_STORE $DENO_NO_UPDATE_CHECK $DENO_NO_PROMPT"
`;

const deno = (version: string) =>
  `if [ "$1" = --version ]; then printf 'deno ${version} (stable)\\nv8 14\\n'; exit; fi\n${ECHO}`;

async function run(
  script: string,
  programs: Readonly<Record<string, string>>,
  args: string[] = [],
) {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(programs)) {
      await Deno.writeTextFile(join(folder, name), `#!/bin/sh\n${text}`, { mode: 0o755 });
    }
    // What a script needs of the system beside what a test gives it.
    for (const name of ["dirname", "basename"]) {
      const found = ["/usr/bin", "/bin"].map((at) => join(at, name)).find((path) => {
        try {
          return Deno.statSync(path).isFile;
        } catch {
          return false;
        }
      });
      assert(found !== undefined, `${name} is on this machine`);
      await Deno.symlink(found, join(folder, name));
    }
    const { code, stdout, stderr } = await new Deno.Command("/bin/sh", {
      args: [join(ROOT, "scripts", script), ...args],
      cwd: folder,
      env: { PATH: folder },
      clearEnv: true,
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout).trim().split("\n"), stderr: text(stderr) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const ENVIRONMENT = "mozilla,system 1 1";
const HERE = `in ${ROOT.replace(/\/$/, "")}`;

for (const script of ["start", "test"]) {
  Deno.test(`scripts/${script} uses a Deno of the right version`, async () => {
    const programs = { deno: deno("2.7.11"), npx: ECHO };
    assertEquals((await run(script, programs)).stdout, [`deno task ${script}`, HERE, ENVIRONMENT]);
  });

  for (const version of ["2.7.10", "2.7.110", "2.8.0", "1.46.3"]) {
    Deno.test(`scripts/${script} passes over Deno ${version} for npx`, async () => {
      const { stdout } = await run(script, { deno: deno(version), npx: ECHO });
      assertEquals(stdout, [`npx -y deno@2.7.11 task ${script}`, HERE, ENVIRONMENT]);
    });
  }

  Deno.test(`scripts/${script} uses npx where there is no Deno`, async () => {
    const { stdout } = await run(script, { npx: ECHO });
    assertEquals(stdout, [`npx -y deno@2.7.11 task ${script}`, HERE, ENVIRONMENT]);
  });

  Deno.test(`scripts/${script} says what to install where there is neither`, async () => {
    const { code, stderr } = await run(script, {});
    assertEquals(code, 127);
    assertStringIncludes(stderr, "Neither Deno 2.7.11 nor npx");
  });

  Deno.test(`scripts/${script} ends as the task does`, async () => {
    assertEquals((await run(script, { npx: "exit 9" })).code, 9);
  });

  Deno.test(`scripts/${script} passes its arguments on`, async () => {
    const { stdout } = await run(script, { npx: ECHO }, ["a b"]);
    assertEquals(stdout[0], `npx -y deno@2.7.11 task ${script} a b`);
  });
}

Deno.test("scripts are executable, and named as .ci/run and README know them", () => {
  for (const path of ["scripts/start", "scripts/test", ".ci/run"]) {
    const { mode } = Deno.statSync(join(ROOT, path));
    assertEquals((mode ?? 0) & 0o111, 0o111, path);
  }
  assertStringIncludes(Deno.readTextFileSync(join(ROOT, ".ci/run")), "exec scripts/test");
});

Deno.test("scripts name the Deno that runs them", () => {
  const text = Deno.readTextFileSync(join(ROOT, "scripts/_deno.sh"));
  assertStringIncludes(text, `deno_version=${Deno.version.deno}\n`);
});
