/** Releases: what is in their folder, that others get the same bytes, and the arm64 binary as far as it can be tried here. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { hasProgram } from "../../../scripts/_debian.ts";
import { executableTarget } from "../../../scripts/_executable_target.ts";
import { version } from "../../../scripts/build.ts";
import { localBase } from "../../../scripts/compile.ts";
import { releaseName } from "../../../scripts/release.ts";
import { carriedFiles } from "../../../src/engine/pool/carried_files.ts";
import { readCarried } from "../../../src/host/carried/_read_carried.ts";
import { AT_FDCWD, OPEN } from "../../../src/sandbox/kernel/open_without_links.ts";
import { LIBC } from "../../unit/sandbox/_libc.ts";
import { readElf } from "./_elf.ts";
import { findLibrary, LIBRARIES, MACHINES } from "../_empty_root.ts";
import { Container, NO_NAMESPACES } from "./_image.ts";
import { BINARY, start } from "../toolgate.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));
const LINUX = { x86_64: 62, aarch64: 183 } as const;
const VERSION = await version();
const nameOf = (machine: keyof typeof LINUX) =>
  releaseName(VERSION, `${machine}-unknown-linux-gnu`);

/** A machine that cannot have the base of one of them can release nothing. */
async function missingBase(): Promise<string> {
  for (const machine of Object.keys(LINUX) as (keyof typeof LINUX)[]) {
    try {
      await localBase(`${machine}-unknown-linux-gnu`, false);
    } catch {
      return ` (left out: there is no compile base for ${machine} here)`;
    }
  }
  return "";
}

async function release(root: string, ...args: readonly string[]) {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "release", ...args],
    cwd: root,
    stdin: "null",
  }).output();
  const [out = "", err = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { success, said: out + err };
}

async function* partsOf(path: string): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(ROOT, path))) {
    if (isDirectory) yield* partsOf(`${path}/${name}`);
    else yield `${path}/${name}`;
  }
}

/** The sources at another place, as somebody else has them. Bases are not fetched again. */
async function copySources(to: string): Promise<void> {
  const files = ["deno.json", "deno.lock", "main.ts"];
  for (const folder of ["src", "scripts", "policy"]) {
    for await (const path of partsOf(folder)) files.push(path);
  }
  for (const path of files) {
    await Deno.mkdir(join(to, path, ".."), { recursive: true });
    await Deno.copyFile(join(ROOT, path), join(to, path));
  }
  await Deno.mkdir(join(to, "dist"));
  await Deno.symlink(join(ROOT, "dist", "base"), join(to, "dist", "base")).catch(() => {});
}

/** Made at another place than the binary that all tests run. */
const MISSING_BASE = await missingBase();
const RELEASED = MISSING_BASE === "" ? await Deno.makeTempDir({ prefix: "toolgate-release-" }) : "";
if (RELEASED !== "") {
  await Deno.mkdir(join(ROOT, "dist", "base"), { recursive: true });
  const targets = Object.keys(LINUX).flatMap((
    machine,
  ) => ["--target", `${machine}-unknown-linux-gnu`]);
  const other = await Deno.makeTempDir({ prefix: "toolgate-other-" });
  try {
    await copySources(other);
    const to = ["--packaged-bases", "--output", RELEASED];
    const { success, said } = await release(other, ...to, ...targets);
    assert(success, said);
  } finally {
    await Deno.remove(other, { recursive: true });
  }
  addEventListener("unload", () => Deno.removeSync(RELEASED, { recursive: true }));
}

function released(name: string, run: () => Promise<void> | void, left = ""): void {
  const reason = MISSING_BASE === "" ? left : MISSING_BASE;
  Deno.test({ name: name + reason, ignore: reason !== "", fn: run });
}

released("a release has both Linux binaries, and sums that sha256sum takes", async () => {
  const names = [...Deno.readDirSync(RELEASED)].map(({ name }) => name).sort();
  assertEquals(names, ["SHA256SUMS", nameOf("aarch64"), nameOf("x86_64")]);
  const check = () =>
    new Deno.Command("sha256sum", { args: ["--strict", "-c", "SHA256SUMS"], cwd: RELEASED })
      .output();
  const { success, stdout } = await check();
  assertEquals([success, new TextDecoder().decode(stdout)], [
    true,
    `${nameOf("aarch64")}: OK\n${nameOf("x86_64")}: OK\n`,
  ]);
});

released(
  "what runs here is what dist/toolgate is, byte by byte, wherever it was built",
  async () => {
    const own = join(RELEASED, nameOf(Deno.build.arch as keyof typeof LINUX));
    assert(isSame(own, BINARY));
    assertEquals((await start(["--version"], { binary: own })).stdout, `toolgate ${VERSION}\n`);
  },
);

/** Whether both files have the same bytes. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((path) => Deno.readFileSync(path));
  return Buffer.compare(left!, right!) === 0;
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

released("what runs elsewhere has the same bytes where it is built here, too", async () => {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-here-" });
  try {
    for (const machine of Object.keys(LINUX) as (keyof typeof LINUX)[]) {
      if (machine === Deno.build.arch) continue;
      const output = join(folder, machine);
      const target = ["--target", `${machine}-unknown-linux-gnu`];
      const { success, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["task", "--quiet", "build", ...target, "--output", output],
        cwd: ROOT,
        stdin: "null",
      }).output();
      assert(success, new TextDecoder().decode(stderr));
      assert(isSame(output, join(RELEASED, nameOf(machine))));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

released("nothing old is taken for new: another folder must be empty", async () => {
  const { success, said } = await release(ROOT, "--packaged-bases", "--output", RELEASED);
  assertEquals(success, false);
  assertStringIncludes(said, "is not empty");
});

for (const machine of Object.keys(LINUX) as (keyof typeof LINUX)[]) {
  released(
    `${machine}: made for that machine, with its loader, and libraries that the image has`,
    () => {
      const bytes = Deno.readFileSync(join(RELEASED, nameOf(machine)));
      const elf = readElf(bytes);
      assertEquals([elf.machine, elf.interpreter], [LINUX[machine], MACHINES[machine].loader]);
      const loader = MACHINES[machine].loader.replace(/^.*\//, "");
      for (const name of elf.needed) {
        assert(name === loader || LIBRARIES.some((library) => library === name), name);
      }
      assertEquals(executableTarget(bytes), `${machine}-unknown-linux-gnu`);
    },
  );

  released(
    `${machine}: carries the parsers where the running program looks for them`,
    async () => {
      if (LIBC === null) throw new Error("no C library");
      const path = join(RELEASED, nameOf(machine));
      const descriptor = LIBC.call(LIBC.numbers.openat, AT_FDCWD, LIBC.path(path), OPEN.RDONLY);
      for (const [name, file] of await carriedFiles()) {
        const carried = readCarried(name, LIBC, descriptor);
        const parser = import.meta.resolve(file);
        assertEquals(hash(carried), hash(Deno.readFileSync(new URL(parser))));
      }
      LIBC.call(LIBC.numbers.close, descriptor);
    },
  );
}

/** Emulation is slow, and slower on a busy machine. */
const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["closed/**"], reason: closed }
commands: [{ allow: [cat] }]
timeouts: { default: 10m }
`;
const EMULATOR = "/usr/bin/qemu-aarch64-static";
const noEmulator = Deno.build.arch === "aarch64" ||
    (hasProgram("qemu-aarch64-static") && findLibrary("aarch64", "libgcc_s.so.1") !== null)
  ? NO_NAMESPACES
  : " (left out: qemu-aarch64-static, or the C library of arm64, is not here)";

released("arm64, in the empty root: calls, writes, searches and programs", async () => {
  await using box = new Container({
    binary: join(RELEASED, nameOf("aarch64")),
    policy: POLICY,
    files: { "a.txt": "hello\n", "closed/b.txt": "hello\n", "g.txt": "read\n" },
    machine: "aarch64",
  });
  const emulated = Deno.build.arch === "aarch64" ? {} : { emulator: EMULATOR };
  putProgram(box.image, "cat");
  const answers = await box.serve([
    { id: 1, tool: "read_file", args: { path: "a.txt" } },
    { id: 2, tool: "read_file", args: { path: "closed/b.txt" } },
    { id: 3, tool: "search_files", args: { pattern: "hel+o" } },
    { id: 4, tool: "edit_file", args: { path: "a.txt", edits: [{ old: "hello", new: "bye" }] } },
    { id: 5, tool: "write_file", args: { path: "c.ts", content: "const x = (\n" } },
    { id: 6, tool: "copy_file", args: { src: "closed/b.txt", dst: "d.txt" } },
    { id: 7, tool: "run_command", args: { argv: ["cat", "g.txt", "e.txt"], stdin: "" } },
    { id: 8, tool: "write_file", args: { path: "../e.txt", content: "x" } },
    { id: 9, tool: "create_directory", args: { path: "f/g" } },
  ], emulated);
  const of = (id: number) => answers.get(id);
  assertEquals(of(1)?.output?.content, "hello\n", JSON.stringify(of(1)));
  assertEquals(of(2)?.error?.code, "PATH_DENIED");
  assertEquals(of(3)?.output?.total_matches, 1);
  assertEquals([of(4)?.success, box.read("a.txt")], [true, "bye\n"]);
  assertEquals(of(5)?.error?.code, "SYNTAX_INVALID");
  assertEquals(of(6)?.error?.code, "PATH_DENIED");
  const { stdout, stderr, exit_code } = of(7)?.output ?? {};
  if (emulated.emulator === undefined) {
    assertEquals([of(7)?.error?.code, stdout, exit_code], ["COMMAND_FAILED", "read\n", 1]);
    assertStringIncludes(stderr, "e.txt");
  } else {
    // The kernel starts programs, and runs no arm64 here: what cannot be held by the launcher does not run.
    assertEquals([of(7)?.success, stdout ?? ""], [false, ""]);
  }
  assertEquals(of(8)?.error?.code, "PATH_OUTSIDE_WORKSPACE");
  assert(Deno.statSync(box.path("f/g")).isDirectory);
}, noEmulator);

/** A program of this machine with what it needs: the emulator's own system calls start it. */
function putProgram(root: string, name: string): void {
  const machine = Deno.build.arch as keyof typeof MACHINES;
  const { loader, folder } = MACHINES[machine];
  const from = Deno.realPathSync(`/bin/${name}`);
  for (
    const [source, to] of [
      [from, `usr/bin/${name}`],
      [findLibrary(machine, loader.replace(/^.*\//, "")), loader],
      [findLibrary(machine, "libc.so.6"), `${folder}/libc.so.6`],
    ] as const
  ) {
    if (source === null) throw new Error(`this machine has no ${to}`);
    const full = join(root, to);
    Deno.mkdirSync(join(full, ".."), { recursive: true });
    Deno.copyFileSync(source, full);
    Deno.chmodSync(full, 0o755);
  }
}
