/** Names that are no UTF-8 in lines, beside bash: none is left out, and none is another; and rules bind them as all names. */

import { assert, assertEquals } from "@std/assert";
import { Pipe, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["**/.env", "**/*.key", "**/??.two"] }
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
`;

/** In an empty folder; what is denied lies beside. */
const MAKING = `
n() { printf "$1"; }
mkdir here "here/$(n 'd\\377')" beside
echo latin > "here/$(n 'caf\\351').txt"
echo cut > "here/$(n '\\342\\202').txt"
echo plain > here/plain.txt
echo in > "here/$(n 'd\\377')/in"
ln -s "$(n 'caf\\351').txt" here/sign
echo secret > "beside/$(n '\\377').key"
ln -s "../beside/$(n '\\377').key" here/lead
`;

const LINES: readonly string[] = [
  'echo *; for f in *.txt; do echo "$f ${#f}"; cat < "$f"; done',
  'for f in caf*; do echo more >> "$f"; done; cat caf?.txt ??.txt',
  "cd d* && ls && pwd && touch new && cat in && cd .. && ls d*",
  "mv caf* \"${PWD##*/}$(printf '\\351')\" && rm -r d* && cp ??.txt copy && cat copy sign; ls -a",
  "a=$(printf '\\303'); b=$(printf '\\251'); touch \"$a$b\" && echo * && [ -f \"$b\" ] || echo none",
  "find . -name '*.txt' -print0 | xargs -0 cat; ls | xargs echo; ls | while read -r f; do echo \"<$f>\"; done",
  'x=$(ls | grep -a caf); test -f "$x" && export V="$x" && sh -c \'cat "$V"\' && printf \'%s\\n\' "${x%.txt}"',
  '[[ $(ls d*) == in ]] && case $(ls | grep -a caf) in caf?.txt) echo one ;; esac; cat <<< "$(ls)"',
];

/** What they would do is done to the control. */
const ATTACKS: readonly string[] = [
  "cat ../beside/*",
  "cat < \"../beside/$(printf '\\377').key\"",
  "cat \"../beside/$(printf '\\377').key\"",
  "cat lead; cat < lead",
  "cp ../beside/* taken",
  "x=$(printf '\\377'); x=../beside/$x; cat \"$x.key\"",
  "printf '%s\\0' \"../beside/$(printf '\\377').key\" | xargs -0 cat",
];
const MAKES: readonly string[] = [
  "echo x > \"$(printf '\\376').key\"",
  "touch \"$(printf '\\342\\202').two\"",
  "a=$(printf '\\342'); b=$(printf '\\202'); echo x > \"$a$b.two\"",
  "mkdir \"$(printf '\\351')\"; touch \"$(printf '\\351')/.env\"",
  "mv plain.txt \"$(printf '\\375').key\"",
];

async function sh(script: string, cwd: string): Promise<{ status: number; stdout: string }> {
  const { code, stdout } = await new Deno.Command("bash", {
    args: ["-c", script],
    cwd,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
    stderr: "null",
  }).output();
  return { status: code, stdout: new TextDecoder().decode(stdout) };
}

/** All names, byte by byte, with what lies in the files. */
const tree = async (folder: string): Promise<string> =>
  (await sh("find . -printf '%p %y %l\\0' | LC_ALL=C sort -z | od -c; cat * d*/*", folder)).stdout;

Deno.test("what a line does with names that are no UTF-8 is what bash does, and what is denied of them is", async () => {
  await using workspace = new Workspace();
  await using alone = new Workspace();
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  let id = 0;
  const ask = async (command: string) => {
    const { output, error } = await pipe.ask({
      id: ++id,
      tool: "run_command",
      args: { command, cwd: "here" },
    });
    return { output, said: JSON.stringify({ output, error }) };
  };
  const afresh = async () => {
    for (const { root } of [workspace, alone]) {
      await sh("rm -rf here beside", root);
      assertEquals((await sh(MAKING, root)).status, 0);
    }
  };
  for (const line of LINES) {
    await afresh();
    const { output, said } = await ask(line);
    assert(output !== null, `${line}: ${said}`);
    const bash = await sh(line, `${alone.root}/here`);
    assertEquals(
      [output.stdout.replaceAll(workspace.root, alone.root), output.exit_code],
      [bash.stdout, bash.status],
      line,
    );
    assertEquals(await tree(`${workspace.root}/here`), await tree(`${alone.root}/here`), line);
  }
  for (const line of ATTACKS) {
    await afresh();
    const { said } = await ask(line);
    assert(!said.includes("secret"), `${line}: ${said}`);
    // What is no UTF-8 is told as it is shown.
    assert(said.isWellFormed() && !/\\ud[89a-f]/.test(said), said);
    assertEquals((await sh("cat here/taken", workspace.root)).stdout, "", line);
    const control = (await sh(`${line}; cat taken`, `${alone.root}/here`)).stdout;
    assert(control.includes("secret"), line);
  }
  const denied = "find . -name '*.key' -o -name '*.two' -o -name .env";
  for (const line of MAKES) {
    await afresh();
    const { said } = await ask(line);
    assert(!/\\ud[89a-f]/.test(said), said);
    assertEquals((await sh(`LC_ALL=C ${denied}`, `${workspace.root}/here`)).stdout, "", line);
    await sh(line, `${alone.root}/here`);
    const control = (await sh(`LC_ALL=C ${denied}`, `${alone.root}/here`)).stdout;
    assert(control !== "", line);
  }
  // A request cannot name what it says in halves of letters.
  for (const command of ["cat caf\udce9.txt", "echo x > \udcff.key"]) {
    assert((await ask(command)).said.includes("COMMAND_UNPARSABLE"));
  }
  assertEquals((await pipe.close()).status, 0);
});
