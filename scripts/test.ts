/**
 * Runs everything that is tested: the modules, then the binary, which it builds first. Its last line is
 * `N passed, N failed`, over all of it.
 */

import { fromFileUrl, join } from "@std/path";
import { installPrograms } from "./_debian.ts";
import { EMULATOR_PROGRAMS, EXAMPLE_PROGRAMS } from "./_example_programs.ts";
import { SHELL_PROGRAMS } from "./_shells.ts";
import { type Counts, summary } from "./_test_summary.ts";
import { installPackages, PYTHON_PROGRAMS } from "./_toolchain.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** Folders whose tests need no binary. */
const SOURCE_TESTS = ["tests/unit"];
/** Folders whose tests run `dist/toolgate`. */
const BINARY_TESTS = ["tests/attacks", "tests/binary"];

/** Runs Deno with its output passed on. What `deno test` counted is read from it. */
async function run(args: readonly string[]): Promise<{ success: boolean; counts: Counts | null }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  let text = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    await Deno.stdout.write(new TextEncoder().encode(chunk));
  }
  const { success } = await child.status;
  return { success, counts: summary(text) };
}

/** Runs the tests of those folders that are there; one more failed where Deno failed beyond its count. */
async function test(folders: readonly string[]): Promise<Counts> {
  const present = folders.filter(hasTests);
  if (present.length === 0) return { passed: 0, failed: 0 };
  const { success, counts } = await run(["test", "-A", "--no-prompt", "--quiet", ...present]);
  if (counts === null) return { passed: 0, failed: 1 };
  return success ? counts : { passed: counts.passed, failed: Math.max(1, counts.failed) };
}

function hasTests(folder: string): boolean {
  try {
    return [...Deno.readDirSync(join(ROOT, folder))].some(({ name, isDirectory }) =>
      isDirectory ? hasTests(`${folder}/${name}`) : name.endsWith("_test.ts")
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

const results = [await test(SOURCE_TESTS)];
for (
  const missing of [
    ...await installPackages(ROOT),
    ...await installPrograms({
      ...PYTHON_PROGRAMS,
      ...SHELL_PROGRAMS,
      ...EXAMPLE_PROGRAMS,
      ...(Deno.build.arch === "aarch64" ? {} : EMULATOR_PROGRAMS),
    }),
  ]
) console.error(missing);
if ((await run(["task", "--quiet", "build"])).success) {
  results.push(await test(BINARY_TESTS));
} else {
  console.error("The binary was not built: its tests were not run.");
  results.push({ passed: 0, failed: 1 });
}
const passed = results.reduce((sum, counts) => sum + counts.passed, 0);
const failed = results.reduce((sum, counts) => sum + counts.failed, 0);
if (failed > 0) Deno.exitCode = 1;
console.log(`${passed} passed, ${failed} failed`);
