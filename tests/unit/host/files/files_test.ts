import { assert, assertEquals, assertThrows } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Files } from "../../../../src/core/tool.ts";
import { canonicalize } from "../../../../src/host/paths/canonicalize.ts";
import { createFiles } from "../../../../src/host/files/files.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { grantOf, rulebookOf } from "../_rulebook.ts";
import { withDirectory } from "./_temporary.ts";

interface Wish {
  /** Requested paths; those that end with `/**` are trees. */
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly rules?: Parameters<typeof rulebookOf>[1]["paths"];
}

/** A workspace `w` with files in it, a folder `out` beside it, and the handles of one grant. */
async function withFiles(
  wish: Wish,
  use: (files: Files, root: CanonicalPath) => void,
): Promise<void> {
  await withDirectory((root) => {
    const w = `${root}/w` as CanonicalPath;
    for (const path of ["w/a", "w/d/x", "w/d/.env", "w/d/asked/y", "w/d/s/z", "out/o"]) {
      Deno.mkdirSync(`${root}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
      Deno.writeTextFileSync(`${root}/${path}`, path);
    }
    Deno.symlinkSync("../out", `${w}/way`);
    const rules = wish.rules ?? [
      pathRule("allow", ["**"]),
      pathRule("deny", ["**/.env"]),
      pathRule("ask", ["d/asked/**"]),
    ];
    const grants = (paths: readonly string[] = []) =>
      paths.map((words) => {
        const tree = words.endsWith("/**");
        const requested = tree ? words.slice(0, -3) : words;
        return { requested, path: canonicalize(w, requested), tree };
      });
    const grant = grantOf(w, { read: grants(wish.read), write: grants(wish.write) });
    const files = createFiles(
      grant,
      rulebookOf(w, { paths: [...rules] }),
      createLinuxFiles(LIBC),
      () => {},
    );
    use(files, root);
  });
}

function code(action: () => unknown): string {
  return assertThrows(action, ToolError).code;
}

const all = { maxDepth: 9, sizes: false };

Deno.test("absolute paths, as programs print them, are shown from the workspace; others as they are", async () => {
  await withFiles({ read: ["."] }, (files, root) => {
    const paths = [`${root}/w/d/x`, `${root}/w`, `${root}/out/o`, "/usr/lib/x", "d/x", "gone/y"];
    assertEquals(paths.map(files.display), [
      "d/x",
      ".",
      `${root}/out/o`,
      "/usr/lib/x",
      "d/x",
      "gone/y",
    ]);
  });
});

Deno.test("a tool reaches the paths that it named, by its own words, and no others", async () => {
  await withFiles({ read: ["./a", "d/../d/x"], write: ["d/new"] }, (files) => {
    const text = (path: string) => new TextDecoder().decode(files.read(path, 100).bytes);
    assertEquals([text("./a"), text("d/../d/x")], ["w/a", "w/d/x"]);
    assertEquals([files.display("./a"), files.display("d/../d/x")], ["a", "d/x"]);
    const denied = ["a", "d/x", "d", ".", "../out/o", "way/o", "d/new", "/etc/passwd", "", "d/"];
    for (const path of denied) {
      assertEquals(code(() => files.read(path, 100)), "PATH_DENIED", path);
      assertEquals(code(() => files.find(path)), "PATH_DENIED", path);
    }
    const options = { createParents: false, expect: "anything" } as const;
    assertEquals(files.write("d/new", new Uint8Array(2), options), { created: true });
    for (const path of ["./a", "d/newer", "d/new/../x"]) {
      assertEquals(code(() => files.write(path, new Uint8Array(), options)), "PATH_DENIED", path);
    }
    assertEquals(code(() => [...files.walk("./a", all)]), "PATH_DENIED");
  });
});

Deno.test("a tree opens what lies in it, less what the policy denies or would have asked about", async () => {
  await withFiles({ read: ["d/**"] }, (files) => {
    assertEquals([...files.walk("d", all)].map(({ path }) => path), ["d/s", "d/s/z", "d/x"]);
    assertEquals(new TextDecoder().decode(files.read("d/s/z", 100).bytes), "w/d/s/z");
    assertEquals(files.info("d/s").type, "directory");
    assertEquals([...files.walk("d/s", all)].map(({ path }) => path), ["d/s/z"]);
    for (const path of ["d/.env", "d/asked/y", "a", "d/../a", "d//x", "./d/x", "dx"]) {
      assertEquals(code(() => files.read(path, 100)), "PATH_DENIED", path);
    }
    assertEquals(code(() => files.info("d/none")), "FILE_NOT_FOUND");
    assertEquals(files.find("d/none"), null);
  });
});

Deno.test("a tree that was asked about and approved opens what would be asked about in it", async () => {
  const rules = [
    pathRule("allow", ["**"]),
    pathRule("ask", ["d/**"]),
    pathRule("deny", ["**/.env"]),
  ];
  await withFiles({ read: ["d/**"], rules }, (files) => {
    assertEquals([...files.walk("d", all)].map(({ path }) => path), [
      "d/asked",
      "d/asked/y",
      "d/s",
      "d/s/z",
      "d/x",
    ]);
  });
});

Deno.test("paths are shown relative to the workspace, and as they are beyond it", async () => {
  await withFiles(
    { read: [".", "way/**"], rules: [pathRule("allow", ["**", "/**"])] },
    (files, root) => {
      assertEquals(files.display("."), ".");
      assertEquals(files.display("way"), `${root}/out`);
      assertEquals([...files.walk("way", all)].map(({ path }) => path), [`${root}/out/o`]);
      assertEquals(new TextDecoder().decode(files.read(`${root}/out/o`, 100).bytes), "out/o");
    },
  );
});

Deno.test("a link that was swapped in below a tree is refused", async () => {
  await withFiles({ read: ["d/**"], write: ["d/**"] }, (files, root) => {
    Deno.removeSync(`${root}/w/d/s`, { recursive: true });
    Deno.symlinkSync(`${root}/out`, `${root}/w/d/s`);
    assertEquals(code(() => files.read("d/s/o", 100)), "NATIVE_DENIED");
    assertEquals(
      code(() =>
        files.write("d/s/o", new Uint8Array(), { createParents: true, expect: "anything" })
      ),
      "NATIVE_DENIED",
    );
    assertEquals(Deno.readTextFileSync(`${root}/out/o`), "out/o");
    assert([...files.walk("d", all)].every(({ path }) => !path.includes("s/")));
  });
});
