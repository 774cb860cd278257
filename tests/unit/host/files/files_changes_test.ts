import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Files } from "../../../../src/core/files.ts";
import { sha256 } from "../../../../src/core/sha256.ts";
import { canonicalEntry } from "../../../../src/host/paths/canonicalize.ts";
import { createFiles } from "../../../../src/host/files/files.ts";
import type { PathGrant } from "../../../../src/policy/grant.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { backends, bytes, paint, picture, text } from "./_backends.ts";
import { grantOf, rulebookOf } from "../_rulebook.ts";
import { withDirectory } from "./_temporary.ts";

interface Wish {
  /** Requested paths; those that end with `/**` are trees, those with `+` have backups. */
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly paths?: Policy["paths"];
  readonly extensions?: Policy["extensions"];
  readonly keep?: number;
  readonly before?: readonly string[];
}

const BEFORE = [
  "a.txt = a",
  "d/",
  "d/key.pem = k",
  "d/s/",
  "d/s/.env = secret",
  "d/s/x.txt = x",
  "e/",
];

/** The handles of one grant over each backend, in a workspace beside which there is something else. */
async function withFiles(wish: Wish, use: (files: Files, root: string) => void): Promise<void> {
  for (const [, create] of backends) {
    await withDirectory((outer) => {
      const root = `${outer}/w` as CanonicalPath;
      Deno.mkdirSync(root);
      Deno.writeTextFileSync(`${outer}/sentinel`, "sentinel");
      paint(root, wish.before ?? BEFORE);
      const grants = (paths: readonly string[] = []): readonly PathGrant[] =>
        paths.map((words) => {
          const requested = words.replace(/(?:\/\*\*|\+)$/, "");
          return {
            requested,
            path: canonicalEntry(root, requested),
            tree: words.endsWith("/**"),
            ...(words.endsWith("+") ? { backups: true } : {}),
          };
        });
      const grant = grantOf(root, {
        read: grants(wish.read),
        write: grants(wish.write),
        backups: { keep: wish.keep ?? null, ageMs: null },
      });
      const rulebook = rulebookOf(root, {
        paths: wish.paths ?? [pathRule("allow", ["**"]), pathRule("deny", ["**/.env"])],
        ...(wish.extensions === undefined ? {} : { extensions: wish.extensions }),
      });
      use(createFiles(grant, rulebook, create(), () => {}), root);
      assertEquals(Deno.readTextFileSync(`${outer}/sentinel`), "sentinel");
    });
  }
}

function failure(action: () => unknown): ToolError {
  return assertThrows(action, ToolError);
}

const code = (action: () => unknown): string => failure(action).code;
const KEEP = { overwrite: false };
const ALONE = { createParents: false, expect: "anything" } as const;

Deno.test("a folder that holds what may not be read or written is neither removed nor moved", async () => {
  await withFiles({ read: ["d/**"], write: ["d/**", "n/**"] }, (files, root) => {
    for (
      const action of [
        () => files.remove("d", { recursive: true }),
        () => files.move("d", "n", KEEP),
      ]
    ) {
      const error = failure(action);
      assertEquals([error.code, error.details], ["PATH_DENIED", { refused: 1 }]);
      assertEquals(picture(root), BEFORE);
    }
    assertEquals(files.countTree("d", "write").refused, 1);
  });
});

Deno.test("what may not be read is not removed along with its folder either", async () => {
  const paths = [pathRule("allow", ["**"]), pathRule("deny", ["**/.env"], ["read"])];
  await withFiles({ write: ["d/**", "d/s/.env"], paths }, (files, root) => {
    assertEquals(code(() => files.remove("d", { recursive: true })), "PATH_DENIED");
    assertEquals(picture(root), BEFORE);
    // By its name, which the policy lets it write to, it is.
    assertEquals(files.remove("d/s/.env", { recursive: false }), { entries: 1 });
    assertEquals(files.remove("d", { recursive: true }), { entries: 4 });
  });
});

Deno.test("a folder is not moved to names under which it would hold what is denied or allowed anew", async () => {
  const paths = [
    pathRule("allow", ["**"]),
    pathRule("deny", ["**/.env"]),
    pathRule("deny", ["vault/**/*.txt"], ["write"]),
  ];
  await withFiles(
    { read: ["d/**", "p/**"], write: ["d/**", "vault/**", "p/**"], paths },
    (files, root) => {
      Deno.removeSync(`${root}/d/s/.env`);
      assertEquals(code(() => files.move("d", "vault", KEEP)), "PATH_DENIED");
      files.move("d", "p", KEEP);
      assertEquals(files.copy("p", "vault", KEEP), { files: 1, bytes: 1, leftOut: 1 });
    },
  );
});

Deno.test("a copy of a folder leaves out what may not be read", async () => {
  await withFiles({ read: ["d/**"], write: ["n/**"] }, (files, root) => {
    assertEquals(files.copy("d", "n", KEEP), { files: 2, bytes: 2, leftOut: 1 });
    assertEquals(picture(root).filter((entry) => entry.startsWith("n")), [
      "n/",
      "n/key.pem = k",
      "n/s/",
      "n/s/x.txt = x",
    ]);
    assertEquals(files.countTree("d", "read"), {
      type: "directory",
      files: 2,
      directories: 2,
      others: 0,
      bytes: 2,
      refused: 1,
    });
  });
});

Deno.test("what was granted as a tree is judged as a file where it is one, when named and below", async () => {
  const rule = { allow: null, deny: [".pem"] };
  const extensions = { read: rule, write: rule };
  const wish = {
    read: ["d/key.pem/**", "d/**", "a.txt/**"],
    write: ["d/key.pem/**", "d/**", "n.pem/**"],
    extensions,
  };
  await withFiles(wish, (files, root) => {
    const denied: readonly (() => unknown)[] = [
      () => files.read("d/key.pem", 10),
      () => files.readStart("d/key.pem", 10),
      () => files.find("d/key.pem"),
      () => files.info("d/key.pem"),
      () => files.countTree("d/key.pem", "read"),
      () => files.write("d/key.pem", bytes("x"), ALONE),
      () => files.append("d/key.pem", bytes("x"), ALONE),
      () => files.remove("d/key.pem", { recursive: true }),
      () => files.copy("d/key.pem", "d/copy.txt", KEEP),
      () => files.copy("a.txt", "n.pem", KEEP),
      () => files.move("d/key.pem", "d/copy.txt", KEEP),
      () => files.apply([{ kind: "remove", path: "d/key.pem", expect: "anything" }]),
    ];
    for (const action of denied) assertEquals(code(action), "EXTENSION_DENIED", String(action));
    // As a directory it may have any name.
    assertEquals(files.createDirectory("n.pem", { parents: true }), { created: true });
    assertEquals(files.copy("d/s", "d/t.pem", KEEP), { files: 1, bytes: 1, leftOut: 1 });
    assertEquals(text(files.read("a.txt", 10).bytes), "a");
    assertEquals(Deno.readTextFileSync(`${root}/d/key.pem`), "k");
  });
});

Deno.test("a path that is granted alone is taken alone", async () => {
  await withFiles({ read: ["d"], write: ["d", "e", "n"] }, (files, root) => {
    assertEquals(code(() => files.remove("d", { recursive: true })), "PATH_DENIED");
    assertEquals(code(() => files.move("d", "n", KEEP)), "PATH_DENIED");
    assertEquals(files.remove("e", { recursive: true }), { entries: 1 });
    assertEquals(files.copy("d", "n", KEEP), { files: 0, bytes: 0, leftOut: 2 });
    assertEquals(picture(root), [...BEFORE.filter((entry) => entry !== "e/"), "n/"]);
  });
});

Deno.test("paths that were not granted are not changed", async () => {
  await withFiles({ read: ["a.txt"], write: ["b.txt"] }, (files, root) => {
    const denied: readonly (() => unknown)[] = [
      () => files.append("a.txt", bytes("x"), ALONE),
      () => files.apply([{ kind: "remove", path: "a.txt", expect: "anything" }]),
      () => files.backUp("b.txt"),
      () => files.backups("a.txt"),
      () => files.restore("b.txt", "b.txt.bak"),
      () => files.remove("a.txt", { recursive: false }),
      () => files.copy("a.txt", "c.txt", KEEP),
      () => files.copy("d", "b.txt", KEEP),
      () => files.move("a.txt", "b.txt", KEEP),
      () => files.createDirectory("f", { parents: true }),
      () => files.countTree("d", "read"),
      () => files.countTree("a.txt", "write"),
    ];
    for (const action of denied) assertEquals(code(action), "PATH_DENIED", String(action));
    assertEquals(picture(root), BEFORE);
  });
});

Deno.test("the workspace, and what holds it, is neither removed nor moved", async () => {
  const paths = [pathRule("allow", ["**", "/**"])];
  await withFiles(
    { read: ["./**", "../**"], write: ["./**", "../**", "/n/**"], paths },
    (files, root) => {
      for (const path of [".", ".."]) {
        assertEquals(code(() => files.remove(path, { recursive: true })), "PATH_DENIED");
        assertEquals(code(() => files.move(path, "/n", KEEP)), "PATH_DENIED");
      }
      assertEquals(picture(root), BEFORE);
    },
  );
});

Deno.test("nothing is copied or moved onto or into itself", async () => {
  await withFiles(
    { read: ["d/**", "a.txt"], write: ["d/**", "./d/**", "a.txt", "d/s/n/**"] },
    (files, root) => {
      for (const [from, to] of [["a.txt", "a.txt"], ["d", "./d"], ["d", "d/s/n"]] as const) {
        for (const options of [KEEP, { overwrite: true }]) {
          assertEquals(code(() => files.copy(from, to, options)), "INVALID_ARGUMENTS");
          assertEquals(code(() => files.move(from, to, options)), "INVALID_ARGUMENTS");
        }
      }
      assertEquals(picture(root), BEFORE);
    },
  );
});

Deno.test("one path twice in one list of changes is a defect of the tool", async () => {
  await withFiles({ write: ["a.txt", "./a.txt"] }, (files, root) => {
    const write = (path: string) => ({
      kind: "write" as const,
      path,
      bytes: bytes("x"),
      createParents: false,
      expect: { sha256: sha256(bytes("a")) },
    });
    assertEquals(code(() => files.apply([write("a.txt"), write("./a.txt")])), "INTERNAL_ERROR");
    assertEquals(picture(root), BEFORE);
    files.apply([write("a.txt")]);
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "x");
  });
});

Deno.test("backups are made, listed and put back by the names that results show", async () => {
  await withFiles({ read: ["d/s/x.txt+"], write: ["d/s/x.txt+"], keep: 2 }, (files, root) => {
    assertEquals([1, 2, 3].map(() => files.backUp("d/s/x.txt")), [
      "d/s/x.txt.bak",
      "d/s/x.txt.bak.1",
      "d/s/x.txt.bak.2",
    ]);
    assertEquals(files.backups("d/s/x.txt").map(({ path, size }) => [path, size]), [
      ["d/s/x.txt.bak.1", 1],
      ["d/s/x.txt.bak.2", 1],
    ]);
    for (const backup of ["d/s/x.txt.bak.1", "x.txt.bak.2"]) {
      files.write("d/s/x.txt", bytes("other"), ALONE);
      files.restore("d/s/x.txt", backup);
      assertEquals(Deno.readTextFileSync(`${root}/d/s/x.txt`), "x");
    }
    const gone = failure(() => files.restore("d/s/x.txt", "x.txt.bak"));
    assertEquals([gone.code, gone.details], ["FILE_NOT_FOUND", {
      backups: ["d/s/x.txt.bak.1", "d/s/x.txt.bak.2"],
    }]);
    assertStringIncludes(gone.message, "d/s/x.txt.bak.2");
    for (const backup of ["d/s/.env", "../sentinel", "x.txt", "", "/etc/passwd"]) {
      assertEquals(code(() => files.restore("d/s/x.txt", backup)), "INVALID_ARGUMENTS", backup);
    }
  });
});

Deno.test("extensions are not asked about backups, rules for paths are", async () => {
  const extensions = { read: null, write: { allow: [".txt"], deny: [] } };
  const write = ["a.txt+"];
  await withFiles(
    { write, extensions },
    (files) => assertEquals(files.backUp("a.txt"), "a.txt.bak"),
  );
  const allow = pathRule("allow", ["**"]);
  const rules = [
    [allow, pathRule("deny", ["*.bak"], ["write"])],
    [allow, pathRule("ask", ["*.bak"], ["write"])],
    [pathRule("allow", ["*.txt"])],
  ];
  for (const paths of rules) {
    await withFiles({ write, paths }, (files, root) => {
      assertEquals(code(() => files.backUp("a.txt")), "PATH_DENIED");
      assertEquals(picture(root), BEFORE);
    });
  }
  // Approved for the file is approved for its backup.
  const asked = [allow, pathRule("ask", ["a.txt*"], ["write"])];
  await withFiles(
    { write, paths: asked },
    (files) => assertEquals(files.backUp("a.txt"), "a.txt.bak"),
  );
});

Deno.test("backups that may not be read are not listed, and not put back", async () => {
  const paths = [pathRule("allow", ["**"]), pathRule("deny", ["*.bak.1"], ["read"])];
  const before = ["a.txt = a", "a.txt.bak = 0", "a.txt.bak.1 = 1", "a.txt.bak.2 = 2"];
  await withFiles({ read: ["a.txt+"], write: ["a.txt+"], paths, before }, (files, root) => {
    assertEquals(files.backups("a.txt").map(({ path }) => path), ["a.txt.bak", "a.txt.bak.2"]);
    assertEquals(code(() => files.restore("a.txt", "a.txt.bak.1")), "FILE_NOT_FOUND");
    assertEquals(picture(root), before);
  });
});
