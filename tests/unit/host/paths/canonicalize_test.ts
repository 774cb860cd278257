import { assert, assertEquals, assertThrows } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import {
  canonicalDirectory,
  canonicalize,
  resolvePath,
} from "../../../../src/host/paths/canonicalize.ts";
import { createKernelProbe, RUNTIME_PROBE } from "../../../../src/host/paths/path_probe.ts";
import { AT_FDCWD } from "../../../../src/sandbox/kernel/open_without_links.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { Random } from "../../../random.ts";
import { withDirectory } from "../files/_temporary.ts";

/** The code of what is thrown, or the result relative to `root`. */
function outcome(base: CanonicalPath, requested: string, root: string): string {
  try {
    const path = canonicalize(base, requested);
    return path.startsWith(root) ? path.slice(root.length) || "/" : path;
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
}

Deno.test("canonicalize follows links and .. as the kernel does", async () => {
  await withDirectory((root) => {
    const w = `${root}/w` as CanonicalPath;
    Deno.mkdirSync(`${w}/dir/sub`, { recursive: true });
    Deno.mkdirSync(`${root}/out/deep`, { recursive: true });
    Deno.writeTextFileSync(`${w}/file`, "");
    Deno.writeTextFileSync(`${w}/line\nbreak`, "");
    Deno.writeTextFileSync(`${w}/ünï😀`, "");
    const links: Readonly<Record<string, string>> = {
      tofile: "file",
      todir: "dir/sub",
      out: "../out/deep",
      absolute: `${w}/dir`,
      dangling: "none/there",
      danglingout: "/nowhere/at-all",
      loop: "loop2",
      loop2: "loop",
      self: "self",
      up: "..",
      chain0: "file",
    };
    for (const [name, target] of Object.entries(links)) Deno.symlinkSync(target, `${w}/${name}`);
    for (let i = 1; i <= 45; i++) Deno.symlinkSync(`chain${i - 1}`, `${w}/chain${i}`);
    const cases: readonly (readonly [string, string])[] = [
      ["file", "/w/file"],
      [".", "/w"],
      ["./", "/w"],
      ["..", "/"],
      ["dir/", "/w/dir"],
      ["dir//sub/.", "/w/dir/sub"],
      ["dir/../file", "/w/file"],
      ["tofile", "/w/file"],
      ["todir", "/w/dir/sub"],
      // What a path library would call w/file.
      ["todir/../x", "/w/dir/x"],
      ["todir/../../file", "/w/file"],
      ["out", "/out/deep"],
      ["out/..", "/out"],
      ["out/../../w/file", "/w/file"],
      ["absolute/sub/new", "/w/dir/sub/new"],
      ["none", "/w/none"],
      ["none/of/this", "/w/none/of/this"],
      ["none/../file", "/w/file"],
      ["none/../todir/../y", "/w/dir/y"],
      ["dangling", "/w/none/there"],
      ["dangling/x", "/w/none/there/x"],
      ["danglingout", "/nowhere/at-all"],
      ["up/w/file", "/w/file"],
      ["chain39", "/w/file"],
      ["chain40", "INVALID_ARGUMENTS"],
      ["chain45", "INVALID_ARGUMENTS"],
      ["loop", "INVALID_ARGUMENTS"],
      ["self", "INVALID_ARGUMENTS"],
      ["loop/x", "INVALID_ARGUMENTS"],
      ["file/", "NOT_A_DIRECTORY"],
      ["file/.", "NOT_A_DIRECTORY"],
      ["file/..", "NOT_A_DIRECTORY"],
      ["file/x", "NOT_A_DIRECTORY"],
      ["tofile/x", "NOT_A_DIRECTORY"],
      ["line\nbreak", "/w/line\nbreak"],
      ["ünï😀", "/w/ünï😀"],
      [`${w}/todir`, "/w/dir/sub"],
      [`${w}/../w/file`, "/w/file"],
      [`${root}/out/deep/..`, "/out"],
      ["/../../etc/../etc/passwd", "/etc/passwd"],
      ["", "INVALID_ARGUMENTS"],
      ["a\0b", "INVALID_ARGUMENTS"],
      ["\ud83d", "INVALID_ARGUMENTS"],
      ["x".repeat(256), "INVALID_ARGUMENTS"],
      ["é".repeat(128), "INVALID_ARGUMENTS"],
      ["x".repeat(255), `/w/${"x".repeat(255)}`],
      ["x/".repeat(2048), "INVALID_ARGUMENTS"],
      ["~", "/w/~"],
      ["file ", "/w/file "],
      ["file:///etc/passwd", "/w/file:/etc/passwd"],
    ];
    for (const [requested, expected] of cases) {
      assertEquals(outcome(w, requested, root), expected, JSON.stringify(requested.slice(0, 60)));
    }
    assertEquals(outcome("/" as CanonicalPath, "etc/passwd", "/nothing"), "/etc/passwd");
  });
});

Deno.test("canonicalize never takes what it may not look at for absent, and names no path outside", async () => {
  await withDirectory((root) => {
    const denied = (error: Error) => () => {
      throw error;
    };
    const base = root as CanonicalPath;
    Deno.mkdirSync(`${root}/closed`);
    Deno.symlinkSync("/somewhere/secret", `${root}/link`);
    // As root every directory can be entered: the eyes are told to be refused instead.
    const eyes = (path: string, requested: string) =>
      path.startsWith("/somewhere") || path.startsWith(`${root}/closed/`)
        ? denied(new ToolError("NATIVE_DENIED", `"${requested}" is closed`))()
        : RUNTIME_PROBE.entryAt(path);
    const error = assertThrows(() => resolvePath(base, "closed/x", eyes), ToolError);
    assertEquals(error.code, "NATIVE_DENIED");
    // Outside it is outside, whatever is there: not told from what is missing.
    for (const requested of ["link", "link/../x", "/somewhere/x/y"]) {
      assertEquals(resolvePath(base, requested, eyes).startsWith("/somewhere"), true, requested);
    }
    const long = assertThrows(() => canonicalize(base, `link/${"x".repeat(300)}`), ToolError);
    assert(!long.message.includes("somewhere"));
  });
});

Deno.test("canonicalize really is refused by a directory without search permission", async () => {
  await withDirectory(async (root) => {
    Deno.mkdirSync(`${root}/closed/below`, { recursive: true });
    Deno.chmodSync(`${root}/closed`, 0o000);
    Deno.chmodSync(root, 0o755);
    const isRoot = Deno.uid() === 0;
    try {
      const module = import.meta.resolve("../../../../src/host/paths/canonicalize.ts");
      const script = `import { canonicalize } from ${JSON.stringify(module)};
        try { console.log(canonicalize(${JSON.stringify(root)}, "closed/below/x")); }
        catch (error) { console.log(error.code); }`;
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", "--quiet", "--no-lock", "--ext=ts", script],
      }).output();
      const said = new TextDecoder().decode(stdout).trim();
      // Root passes all modes, by the kernel's own rule (capabilities(7), CAP_DAC_READ_SEARCH).
      assertEquals(said, isRoot ? `${root}/closed/below/x` : "NATIVE_DENIED");
    } finally {
      Deno.chmodSync(`${root}/closed`, 0o755);
    }
  });
});

Deno.test("where the runtime may not look, a path outside comes back by its words", async () => {
  await withDirectory(async (root) => {
    Deno.mkdirSync(`${root}/w/dir`, { recursive: true });
    Deno.mkdirSync(`${root}/out`);
    Deno.symlinkSync("../out", `${root}/w/link`);
    const module = import.meta.resolve("../../../../src/host/paths/canonicalize.ts");
    const requests = [
      "dir/../x",
      "../out/../out/y",
      "link/z",
      `${root}/w/dir`,
      "/etc/../etc/passwd",
    ];
    const script = `import { canonicalize } from ${JSON.stringify(module)};
      console.log(JSON.stringify(${JSON.stringify(requests)}.map((requested) =>
        canonicalize(${JSON.stringify(`${root}/w`)}, requested))));`;
    const file = `${root}/script.ts`;
    Deno.writeTextFileSync(file, script);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", "--no-lock", `--allow-read=${root}/w`, file],
      cwd: `${root}/w`,
    }).output();
    const text = new TextDecoder();
    assertEquals(
      JSON.parse(text.decode(stdout) || `"${text.decode(stderr)}"`),
      [`${root}/w/x`, `${root}/out/y`, `${root}/out/z`, `${root}/w/dir`, "/etc/passwd"],
    );
  });
});

Deno.test("canonicalDirectory takes directories alone", async () => {
  await withDirectory((root) => {
    Deno.writeTextFileSync(`${root}/file`, "");
    Deno.mkdirSync(`${root}/dir`);
    Deno.symlinkSync("dir", `${root}/link`);
    assertEquals(canonicalDirectory(`${root}/link/`), `${root}/dir`);
    for (const [path, code] of [["file", "NOT_A_DIRECTORY"], ["none", "FILE_NOT_FOUND"]]) {
      const error = assertThrows(() => canonicalDirectory(`${root}/${path}`), ToolError);
      assertEquals(error.code, code);
    }
  });
});

/** A file system of the test's own: what a name in a directory is, by the directory's path. */
type Model = Map<string, "directory" | "file" | { readonly link: string }>;

/**
 * Walks the model one name at a time, as path_resolution(7) says; a file outside of the base is as good as nothing. Null:
 * too many links.
 */
function oracle(model: Model, base: string, requested: string): string | null {
  let links = 0;
  const isFile = (at: string) =>
    model.get(at) === "file" && (at === base || at.startsWith(`${base}/`));
  const resolve = (start: string, words: string): string | null | "error" => {
    let at = words.startsWith("/") ? "" : start;
    const names = words.split("/");
    for (const [index, name] of names.entries()) {
      if (isFile(at)) return "error";
      if (name === "" || name === ".") continue;
      if (name === "..") {
        at = at.slice(0, Math.max(at.lastIndexOf("/"), 0));
        continue;
      }
      const next = `${at}/${name}`;
      const found = model.get(next);
      if (typeof found === "object") {
        if (++links > 40) return null;
        const target = resolve(at, found.link);
        if (target === null || target === "error") return target;
        at = target;
        continue;
      }
      at = next;
      if (isFile(at) && index < names.length - 1) return "error";
    }
    return at;
  };
  const found = resolve(base, requested);
  if (found === "error") return "NOT_A_DIRECTORY";
  return found === null ? "INVALID_ARGUMENTS" : found || "/";
}

Deno.test("canonicalize agrees with a walk over random trees of files, directories and links", async () => {
  await withDirectory((root) => {
    const random = new Random(20_26);
    const names = ["a", "b", "c", "d", "é", ".x"];
    let [circles, compared] = [0, 0];
    for (let tree = 0; tree < 12; tree++) {
      const top = `${root}/t${tree}`;
      const model: Model = new Map();
      for (let at = root as string; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
        model.set(at, "directory");
      }
      model.set(top, "directory");
      Deno.mkdirSync(top);
      const directories = [top];
      const words = (): string => {
        const parts = Array.from(
          { length: 1 + random.below(4) },
          () => random.once(4) ? ".." : random.once(8) ? "." : random.pick(names),
        );
        return (random.once(6) ? `${top}/` : "") + parts.join("/") + (random.once(10) ? "/" : "");
      };
      for (let made = 0; made < 18; made++) {
        const path = `${random.pick(directories)}/${random.pick(names)}`;
        if (model.has(path)) continue;
        const kind = random.below(5);
        if (kind < 2) {
          Deno.mkdirSync(path);
          model.set(path, "directory");
          directories.push(path);
        } else if (kind === 2) {
          Deno.writeTextFileSync(path, "");
          model.set(path, "file");
        } else {
          const link = words();
          Deno.symlinkSync(link, path);
          model.set(path, { link });
        }
      }
      for (let request = 0; request < 250; request++) {
        const base = random.pick(directories) as CanonicalPath;
        const requested = words();
        const expected = oracle(model, base, requested);
        const actual = outcome(base, requested, "\0");
        // A circle outside of the base is left by its words.
        if (expected === "INVALID_ARGUMENTS" && actual.startsWith("/")) {
          circles++;
          continue;
        }
        assertEquals(actual, expected, `seed 2026, tree ${tree}: ${requested} from ${base}`);
        compared++;
      }
    }
    assert(compared > 2_500 && circles < 300, `${compared} ${circles}`);
  });
});

Deno.test("names that are no UTF-8 are found for programs, byte by byte, and for no request", async () => {
  await withDirectory((root) => {
    const { numbers } = LIBC;
    Deno.writeTextFileSync(`${root}/caf\ufffd`, "");
    const linked = LIBC.call(
      numbers.symlinkat,
      LIBC.path("caf\udce9", 0),
      AT_FDCWD,
      LIBC.path(`${root}/sign`, 1),
    );
    assertEquals(linked, 0);
    const base = root as CanonicalPath;
    for (const requested of ["sign", "caf\udce9"]) {
      assertEquals(outcome(base, requested, root), "INVALID_ARGUMENTS");
      assertEquals(createKernelProbe(LIBC).canonicalize(base, requested), `${root}/caf\udce9`);
    }
    assert(!createKernelProbe(LIBC).exists(base, "caf\udce9"));
    // The text of no name.
    assertThrows(
      () => createKernelProbe(LIBC).canonicalize(base, "\udcc3\udca9"),
      ToolError,
      "half a surrogate pair",
    );
  });
});
