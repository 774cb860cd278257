import { assertEquals, assertStringIncludes, assertThrows, fail } from "@std/assert";
import { join } from "@std/path";
import { loadPlugins, type PluginSource } from "../../../../src/cli/plugin/plugin_files.ts";
import { UsageError } from "../../../../src/cli/usage_error.ts";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { manifestText } from "../../plugins/_manifests.ts";

const read = (file: string) => Deno.readTextFileSync(file);

/** Files in a folder of their own, by path; a value that begins with `->` is a link. */
function withFiles(files: Readonly<Record<string, string>>, test: (folder: CanonicalPath) => void) {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
  try {
    for (const [path, text] of Object.entries(files)) {
      const full = join(folder, path);
      Deno.mkdirSync(join(full, ".."), { recursive: true });
      if (text.startsWith("->")) Deno.symlinkSync(text.slice(2), full);
      else Deno.writeTextFileSync(full, text);
    }
    test(folder as CanonicalPath);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const named = (name: string) => manifestText({ name });

const source = (folder: CanonicalPath, ...manifests: readonly string[]): PluginSource => ({
  source: "policy.yaml",
  rule: { manifests, registration: null },
  folder,
});

const FILES = {
  "plugins/a.yaml": named("a"),
  "plugins/b.yaml": named("b"),
  "plugins/b.cases.yaml": "version: 1\ncases: [{}]\n",
  "plugins/notes.txt": "x",
  "plugins/deep/er/c.yaml": named("c"),
  "other/d.yaml": named("d"),
  "plugins/link.yaml": "->../other/d.yaml",
  "linked": "->plugins",
};

Deno.test("loadPlugins() finds what the globs name, from the folder of the policy", () => {
  withFiles(FILES, (folder) => {
    const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
      [["plugins/{a,b,link}.yaml"], ["a", "b", "d"]],
      [["./plugins/a.yaml", "plugins/a.yaml"], ["a"]],
      [["plugins/deep/**/*.yaml"], ["c"]],
      // The cases beside a manifest are none.
      [["plugins/*.yaml"], ["a", "b", "d"]],
      [[`${folder}/other/*.yaml`], ["d"]],
      [["other/d.yaml", "plugins/link.yaml"], ["d"]],
      [["none/*.yaml"], []],
      [["plugins/deep/*.yaml"], []],
      [["*.yaml"], []],
      // A wildcard leads over no link to a folder; a name does.
      [["l*/a.yaml"], []],
      [["linked/a.yaml"], ["a"]],
      [[], []],
    ];
    for (const [globs, names] of cases) {
      const { manifests } = loadPlugins([source(folder, ...globs)], [], read);
      assertEquals(manifests.map(({ name }) => name).sort(), names, globs.join(" "));
    }
  });
});

Deno.test("loadPlugins() refuses all where one manifest is wrong, is missing or takes a name", () => {
  const files = {
    "a.yaml": named("a"),
    "again.yaml": named("a"),
    "bad.yaml": manifestText({ risk: "none" }),
    "worse.yaml": manifestText({ version: 9 }),
    "taken.yaml": named("read_file"),
    "alias.yaml": named("timestamp"),
    "folder.yaml/x": "x",
  };
  withFiles(files, (folder) => {
    const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
      [["a.yaml", "{bad,worse}.yaml"], [
        "bad.yaml: risk: ",
        "worse.yaml: version: ",
        "nothing runs",
      ]],
      [["none.yaml"], ["policy.yaml: plugins[0]: no such file"]],
      [["a.yaml", "none.yaml"], ["plugins[1]: no such file"]],
      [["a{,gain}.yaml"], ["is the name of the tool in"]],
      [["taken.yaml"], ["built-in tool read_file"]],
      [["alias.yaml"], ["built-in tool get_timestamp"]],
      [["../x.yaml"], ["plugins[0]:", ".. is not taken"]],
      [["["], ["plugins[0]:"]],
    ];
    for (const [globs, parts] of cases) {
      const error = assertThrows(
        () => loadPlugins([source(folder, ...globs)], [], read),
        UsageError,
      );
      for (const part of parts) assertStringIncludes(error.message, part);
    }
  });
});

Deno.test("a further policy takes custom tools away, and never adds any", () => {
  withFiles(FILES, (folder) => {
    const names = (...sources: readonly PluginSource[]) =>
      loadPlugins(sources, [], read).manifests.map(({ name }) => name);
    const base = source(folder, "plugins/{a,b}.yaml");
    const silent = { source: "x", rule: null, folder };
    assertEquals(names(base, silent), ["a", "b"]);
    assertEquals(names(base, source(folder, "plugins/{b,link}.yaml")), ["b"]);
    assertEquals(names(base, source(folder)), []);
    assertEquals(names(silent, base), []);
    assertEquals(
      names(base, source(folder, "plugins/a.yaml"), source(folder, "plugins/b.yaml")),
      [],
    );
  });
});

Deno.test("what is built in needs no file", () => {
  withFiles(FILES, (folder) => {
    const builtIn = loadPlugins([source(folder, "plugins/a.yaml")], [], read).manifests;
    const sealed = { ...source(folder, "plugins/*.yaml"), folder: null };
    const loaded = loadPlugins([sealed], builtIn, () => fail("a file was read"));
    assertEquals(loaded, { manifests: builtIn, governing: [] });
  });
});

Deno.test("what would be read as a manifest governs: files, globs, folders and what links lead to", () => {
  withFiles(FILES, (folder) => {
    const { governing } = loadPlugins([source(folder, "plugins/link.y*", "a.yaml*")], [], read);
    const globs = governing.map(({ glob }) => glob);
    assertEquals(globs, [
      `${folder}/plugins/link.y*`,
      `${folder}/plugins/**`,
      `${folder}/plugins/link.yaml`,
      `${folder}/other/d.yaml`,
      `${folder}/a.yaml*`,
    ]);
    Deno.symlinkSync("plugins", `${folder}/led`);
    const led = loadPlugins([source(folder, "led/a.y*")], [], read).governing;
    assertEquals(led.map(({ glob }) => glob), [
      ...[`${folder}/led/a.y*`, `${folder}/led/**`, `${folder}/plugins/**`],
      ...[`${folder}/led`, `${folder}/plugins/a.yaml`],
    ]);
  });
});
