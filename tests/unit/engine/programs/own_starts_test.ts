import { assert, assertEquals } from "@std/assert";
import { OwnStarts, withoutPrograms } from "../../../../src/engine/programs/_own_starts.ts";
import { identityOf } from "../../../../src/host/kernel/stat.ts";
import type { Starts } from "../../../../src/policy/rulebook.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { canonical, program } from "../../policy/_fixtures.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

/** Of a folder with these files, all of them executable: what is executed for `name` that starts those. */
async function executables(
  files: Readonly<Record<string, string>>,
  name: string,
  starts: Starts,
): Promise<readonly string[] | "any"> {
  await using workspace = new Workspace(
    Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, text]),
    ),
  );
  for (const path of Object.keys(files)) {
    // A script can name another by its place alone.
    workspace.write(path, workspace.read(path).replaceAll("ROOT", workspace.root));
    Deno.chmodSync(workspace.path(path), 0o755);
  }
  const has = (other: string) => Object.hasOwn(files, other);
  const place = (other: string) => has(other) ? workspace.path(other) : `/usr/bin/${other}`;
  const own = new OwnStarts(libc, {
    find: (other) => other.startsWith("none") ? null : program(place(other)),
  });
  const found = own.executables(program(place(name)), starts, canonical(workspace.root), null);
  return found === "any" ? found : found.map((path) => path.replace(workspace.root, "."));
}

Deno.test("a program is executed with its loader, and with what it is said to start", async () => {
  const alone = await executables({}, "cat", "none");
  assert(alone !== "any");
  assertEquals(alone[0], "/usr/bin/cat");
  assert(alone.length > 1 && alone[1]?.includes("ld-linux"), alone.join(" "));
  const both = await executables({}, "cat", ["ls", "none-such"]);
  assert(both !== "any");
  // The loader is theirs together.
  assertEquals(both.length, alone.length + 1);
  assertEquals(both.filter((path) => path === "/usr/bin/ls").length, 1);
  assertEquals(await executables({}, "cat", "any"), "any");
});

Deno.test("git's own programs are a folder, wherever it is kept", async () => {
  const found = await executables({}, "cat", ["git-*"]);
  assert(found !== "any" && found.includes("/usr/lib/git-core"), String(found));
});

Deno.test("a script is executed by what its first line names, and that by what its own names, so far as the kernel goes", async () => {
  const script = await executables({ run: "#!/bin/sh\n" }, "run", "none");
  assert(script !== "any");
  assertEquals(script.slice(0, 2), ["./run", "/bin/sh"]);
  assert(script.some((path) => path.includes("ld-linux")), script.join(" "));
  const nested = { a: "#!ROOT/b\n", b: "#!ROOT/c x\n", c: "#!/bin/sh\n" };
  assertEquals((await executables(nested, "a", "none")).slice(0, 4), [
    "./a",
    "./b",
    "./c",
    "/bin/sh",
  ]);
  // Two that name each other come to an end.
  const circle = await executables({ a: "#!ROOT/b\n", b: "#!ROOT/a\n" }, "a", "none");
  assertEquals(circle, ["./a", "./b"]);
});

Deno.test("env is what looks for the interpreter of a script: that is started, too", async () => {
  const found = await executables({ run: "#!/usr/bin/env -S A=1 ls -l\n" }, "run", "none");
  assert(found !== "any" && found.includes("/usr/bin/env") && found.includes("/usr/bin/ls"));
  await using workspace = new Workspace({
    env: "#!/usr/bin/env ls\n",
    sh: "#!/bin/sh\n",
    not: "x",
  });
  const own = new OwnStarts(libc, { find: () => null });
  const of = (name: string) => workspace.path(name);
  assertEquals([own.startsAgain(of("env")), own.startsAgain(of("sh"))], [true, false]);
  assertEquals([own.startsAgain("/usr/bin/cat"), own.startsAgain(of("gone"))], [false, false]);
  assertEquals([own.isBinary("/usr/bin/cat"), own.isBinary(of("sh")), own.isBinary(of("not"))], [
    true,
    false,
    false,
  ]);
});

Deno.test("what loads programs is told by where it lies, and what runs scripts is none of it", async () => {
  await using workspace = new Workspace({ "script": "#!/bin/sh\n" });
  const own = new OwnStarts(libc, { find: () => null });
  const [loader = "", ...more] = own.loaders(["/bin/sh", "/bin/echo", workspace.path("script")]);
  assertEquals([more, own.loaders([workspace.path("script")])], [[], []]);
  assert(/\/ld-[^/]*$/.test(loader) && Deno.realPathSync(loader) === loader, loader);
});

Deno.test("what is started by itself is none of what loads it, by whatever name, and git's programs by their folder", () => {
  const own = new OwnStarts(libc, { find: () => null });
  const [loader = ""] = own.loaders(["/bin/sh"]);
  const executed = ["/bin/sh", "/usr/bin/cat", loader, "/usr/lib/git-core", "/no/such/file"];
  const { files, folders, names, system } = own.listOf(executed, ["/usr"]);
  const identity = (path: string) => identityOf(libc, path) ?? "";
  for (const path of ["/bin/sh", Deno.realPathSync("/bin/sh"), "/usr/bin/cat"]) {
    assert(files.has(identity(path)), path);
  }
  assert(!files.has(identity(loader)));
  assertEquals([folders, [...names], system], [["/usr/lib/git-core"], executed, ["/usr"]]);
});

Deno.test("of the system the folders of programs are left out, at the places where they are", () => {
  assertEquals(withoutPrograms(libc, ["/usr/bin", "/bin", "/usr/local/sbin", "/usr/games"]), []);
  assertEquals(withoutPrograms(libc, ["/etc/hosts", "/usr/lib", "/opt"]), [
    "/etc/hosts",
    "/usr/lib",
    "/opt",
  ]);
  const usr = withoutPrograms(libc, ["/usr"]);
  assert(usr.includes("/usr/lib") && usr.includes("/usr/share"), usr.join(" "));
  assertEquals(usr.filter((path) => /\/(?:s?bin|games)$/.test(path) || path === "/usr/local"), []);
  assertEquals(withoutPrograms(libc, ["/no/such/folder"]), ["/no/such/folder"]);
});
