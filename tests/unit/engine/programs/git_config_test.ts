import { assertEquals } from "@std/assert";
import { identityOf, writeGitConfig } from "../../../../src/engine/programs/_git_config.ts";

Deno.test("of git's settings who commits is taken, and nothing else", () => {
  const cases: readonly (readonly [texts: readonly string[], expected: Record<string, string>])[] =
    [
      [[""], {}],
      [["[user]\n\tname = A B\n\temail = a@b.c\n"], { name: "A B", email: "a@b.c" }],
      [['[User] NAME=A ; said\n# no\nEmail = "a@b.c" # x'], { name: "A", email: "a@b.c" }],
      [['[user]\nname = "A # \\"B\\" "\n'], { name: 'A # "B"' }],
      [['[user "x"]\nname = no\n[core]\nname = no\npager = evil'], {}],
      [["[alias]\nuser = !evil\n[include]\npath = /x"], {}],
      [["[user]\nname = first", "[user]\nname = later\n"], { name: "later" }],
      [["[user]\nname = \nemail"], {}],
    ];
  for (const [texts, expected] of cases) {
    assertEquals(Object.fromEntries(identityOf(texts)), expected, texts.join("|"));
  }
});

Deno.test("what is written is what git reads, and nobody is no file", () => {
  const home = Deno.realPathSync(Deno.makeTempDirSync());
  const before = new Map(
    ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"].map((name) =>
      [name, Deno.env.get(name)] as const
    ),
  );
  try {
    for (const name of before.keys()) Deno.env.delete(name);
    Deno.env.set("HOME", home);
    assertEquals(writeGitConfig(home, null), null);
    Deno.writeTextFileSync(`${home}/.gitconfig`, '[user]\nname = "A \\"B\\" #"\nemail = a@b\n');
    const path = writeGitConfig(home, null) ?? "";
    const texts = [Deno.readTextFileSync(path)];
    assertEquals(identityOf(texts), [["name", 'A "B" #'], ["email", "a@b"]]);
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o400);
    const other = `${home}/other`;
    Deno.mkdirSync(other);
    const named = writeGitConfig(other, { name: "Agent", email: "agent@example.org" }) ?? "";
    assertEquals(identityOf([Deno.readTextFileSync(named)]), [
      ["name", "Agent"],
      ["email", "agent@example.org"],
    ]);
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
    Deno.removeSync(home, { recursive: true });
  }
});
