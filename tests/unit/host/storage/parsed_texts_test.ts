import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { openParsedTexts } from "../../../../src/host/storage/parsed_texts.ts";
import { parsePolicy } from "../../../../src/policy/parse/parse.ts";

const ROOT = new URL("../../../../", import.meta.url);

function inFolder(body: (folder: string) => void): void {
  const folder = Deno.makeTempDirSync({ prefix: "toolgate-parsed-" });
  try {
    body(join(folder, "state", "policies"));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const entriesOf = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name);

Deno.test("what was put for a text is had for that text alone, and from the same maker alone", () => {
  inFolder((folder) => {
    const texts = openParsedTexts(folder, "one");
    assertEquals(texts.get("a"), null);
    texts.put("a", { of: "a" });
    texts.put("b", { of: ["b"] });
    assertEquals(texts.get("a"), { of: "a" });
    assertEquals(texts.get("b"), { of: ["b"] });
    assertEquals(texts.get("a "), null);
    assertEquals(openParsedTexts(folder, "other").get("a"), null);
    texts.put("a", { of: "a again" });
    assertEquals(texts.get("a"), { of: "a again" });
    assertEquals(entriesOf(folder).length, 2);
    assertEquals(Deno.statSync(folder).mode! & 0o777, 0o700);
  });
});

Deno.test("what others could have written, what is none, and what is another text's is not taken", () => {
  const cases: Readonly<Record<string, (folder: string, path: string) => void>> = {
    "a folder for the group to write": (folder) => Deno.chmodSync(folder, 0o770),
    "a file for all to write": (_, path) => Deno.chmodSync(path, 0o606),
    "a folder of somebody else": (folder) => Deno.chownSync(folder, 65534, 65534),
    "a file of somebody else": (_, path) => Deno.chownSync(path, 65534, 65534),
    "a link": (folder, path) => {
      Deno.renameSync(path, join(folder, "there"));
      Deno.symlinkSync(join(folder, "there"), path);
    },
    "a folder in its place": (_, path) => {
      Deno.removeSync(path);
      Deno.mkdirSync(path);
    },
    "half an entry": (_, path) => Deno.truncateSync(path, 20),
    "no entry": (_, path) => Deno.writeTextFileSync(path, "7"),
    "null": (_, path) => Deno.writeTextFileSync(path, "null"),
    "in another folder, as it would be among somebody's files": (folder) => {
      Deno.renameSync(folder, `${folder}.there`);
      Deno.mkdirSync(folder, { mode: 0o700 });
      for (const name of entriesOf(`${folder}.there`)) {
        Deno.copyFileSync(join(`${folder}.there`, name), join(folder, name));
        Deno.chmodSync(join(folder, name), 0o600);
      }
    },
    "another text's": (_, path) =>
      Deno.writeTextFileSync(
        path,
        Deno.readTextFileSync(path).replace('"text":"a"', '"text":"b"'),
      ),
  };
  for (const [name, harm] of Object.entries(cases)) {
    if (name.includes("somebody") && Deno.uid() !== 0) continue;
    inFolder((folder) => {
      const texts = openParsedTexts(folder, "one");
      texts.put("a", 1);
      assertEquals(texts.get("a"), 1, name);
      harm(folder, join(folder, entriesOf(folder)[0] ?? ""));
      assertEquals(texts.get("a"), null, name);
    });
  }
});

Deno.test("a place that cannot be had is no failure", () => {
  inFolder((folder) => {
    Deno.mkdirSync(join(folder, "..", ".."), { recursive: true });
    Deno.writeTextFileSync(join(folder, ".."), "a file where the folder should lie");
    const texts = openParsedTexts(folder, "one");
    texts.put("a", 1);
    assertEquals(texts.get("a"), null);
  });
});

Deno.test("the newest stay, and what a killed process left goes with the oldest", () => {
  inFolder((folder) => {
    const texts = openParsedTexts(folder, "one");
    texts.put("first", 0);
    Deno.writeTextFileSync(join(folder, "left.json.half"), "{");
    for (const name of entriesOf(folder)) Deno.utimeSync(join(folder, name), 1, 1);
    for (let number = 0; number < 60; number++) texts.put(`text ${number}`, number);
    assertEquals(entriesOf(folder).length, 32);
    assert(!entriesOf(folder).includes("left.json.half"));
    assertEquals([texts.get("first"), texts.get("text 59")], [null, 59]);
  });
});

/** The shipped policies, and those that the README shows. */
function* policies(): Iterable<string> {
  for (const { name } of Deno.readDirSync(new URL("policy/", ROOT))) {
    if (name.endsWith(".yaml")) yield Deno.readTextFileSync(new URL(`policy/${name}`, ROOT));
  }
  const readme = Deno.readTextFileSync(new URL("README.md", ROOT));
  for (const [, text = ""] of readme.matchAll(/^```yaml\n([\s\S]*?)^```/gm)) yield text;
}

Deno.test("a policy comes back from JSON as it was parsed", () => {
  let seen = 0;
  for (const text of policies()) {
    const parsed = parsePolicy(text, "policy");
    if (!("policy" in parsed)) continue;
    seen++;
    assertEquals(JSON.parse(JSON.stringify(parsed.policy)), parsed.policy, text);
  }
  assert(seen >= 5, `${seen}`);
});
