import { assert, assertEquals } from "@std/assert";
import { splitCommand } from "../../../src/policy/match/argv.ts";
import { compileCommandRules, findCommand } from "../../../src/policy/match/command_rules.ts";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import { parsePolicy } from "../../../src/policy/parse/parse.ts";

/** What git does with the forms of `branch`, `tag` and `remote` that the default policy lets through unasked. */

const WORDS = splitCommand(
  "-a -r -v -vv -l -n -d -D -m -M -c -C -f -u -t --all --list --remotes --delete --move --force --merged --contains " +
    "--no-merged --points-at --sort=-refname --format=%(refname) --edit-description --unset-upstream --create-reflog " +
    "--show-current --set-upstream-to=other show get-url origin other new v1 v2",
);

Deno.test("git: no form that the default policy lets through unasked changes anything", async () => {
  const rules = defaultRules();
  const lines = ["branch", "tag", "remote"].flatMap((subcommand) => [
    [subcommand],
    ...WORDS.map((one) => [subcommand, one]),
    ...WORDS.flatMap((one) => WORDS.map((other) => [subcommand, one, other])),
    // Of three words those that could let through what stands first.
    ...WORDS.flatMap((one) => [[subcommand, "--list", one, "new"], [subcommand, "-l", "-f", one]]),
  ]);
  const unasked = lines.filter((line) =>
    findCommand(rules, { argv: ["git", ...line], program: null, cwd: "/w" }).effect === "allow"
  );
  assert(unasked.length > 300, `${unasked.length}`);
  assertEquals(await changedBy(unasked), []);
  // The control: one of those that are asked for.
  assertEquals(await changedBy([["branch", "-v", "new"], ["tag"]]), ["branch -v new"]);
});

function defaultRules() {
  const file = new URL("../../../policy/default.yaml", import.meta.url);
  const parsed = parsePolicy(Deno.readTextFileSync(file), "default.yaml");
  assert("policy" in parsed);
  const options = { source: "", workspace: "/w" as CanonicalPath, caseInsensitive: false };
  return compileCommandRules(parsed.policy.commands ?? [], options);
}

/** Those of the lines after which a repository's references or its configuration are others. */
async function changedBy(lines: readonly (readonly string[])[]): Promise<readonly string[]> {
  const root = Deno.makeTempDirSync();
  try {
    const script = `
      export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_EDITOR=true GIT_TERMINAL_PROMPT=0
      export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
      git init -q -b main . && git commit -q --allow-empty -m one && git tag v1 && git branch other &&
        git commit -q --allow-empty -m two && git remote add origin ./none || exit 3
      shopt -s globstar
      look() {
        now=
        for file in .git/config .git/HEAD .git/packed-refs .git/refs/** .git/logs/**; do
          [ ! -f "$file" ] || { IFS= read -rd '' text < "$file"; now+="$file $text"; }
        done
      }
      look
      before=$now
      while IFS= read -r line; do
        eval "git $line" < /dev/null > /dev/null 2>&1
        look
        if [ "$now" != "$before" ]; then echo "$line"; before=$now; fi
      done`;
    const child = new Deno.Command("bash", {
      args: ["-c", script],
      cwd: root,
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    const quoted = lines.map((line) =>
      line.map((word) => /^[\w=-]*$/.test(word) ? word : `'${word}'`)
    );
    await writer.write(
      new TextEncoder().encode(quoted.map((line) => `${line.join(" ")}\n`).join("")),
    );
    await writer.close();
    const { code, stdout } = await child.output();
    assertEquals(code, 0);
    return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}
