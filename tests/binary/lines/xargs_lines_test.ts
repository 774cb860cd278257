/** `… | xargs COMMAND` in lines: each command is judged with the words that have come, whoever printed them. */

import { assert, assertEquals } from "@std/assert";
import { own, type User } from "../../attacks/_users.ts";
import { Pipe, Workspace } from "../toolgate.ts";

const USER: User = Deno.uid() === 0 ? { user: { uid: 65532, gid: 65532 } } : {};
const FILES = {
  "a.txt": "one\n",
  "b.txt": "two\n",
  "sub/c.txt": "one\n",
  ".env": "KEY=everyday-secret\n",
  "list": "a.txt\n.env\nb.txt\n",
  "tree/.env": "KEY=2\n",
  "tree/z": "1\n",
  "options": "-i\ns/one/1/;1e sudo id\na.txt\n",
};

interface Came {
  readonly status: number | null;
  readonly code: string | null;
  readonly stdout: string;
  readonly message: string;
}

async function withPipe(action: (run: (command: string) => Promise<Came>) => Promise<void>) {
  await using workspace = new Workspace(FILES);
  own(workspace.base, USER.user);
  const pipe = new Pipe([], { cwd: workspace.root, ...USER });
  let id = 0;
  await action(async (command) => {
    await pipe.send({ id: ++id, tool: "run_command", args: { command } });
    for (;;) {
      const answer = await pipe.next() as Record<string, never> | null;
      assert(answer !== null, "the pipe ended");
      if (answer["event"] === "approval_required") {
        await pipe.send({ id: `a${id}`, op: "approve", approval: answer["approval"] });
      } else if (answer["event"] === undefined && answer["id"] === id) {
        const { output, error } = answer as unknown as {
          output?: { exit_code: number; stdout: string };
          error?: {
            code: string;
            message: string;
            details?: { exit_code?: number; stdout?: string };
          };
        };
        return {
          status: output?.exit_code ?? error?.details?.exit_code ?? null,
          code: error?.code ?? null,
          stdout: output?.stdout ?? error?.details?.stdout ?? "",
          message: error?.message ?? "",
        };
      }
    }
  });
  await pipe.close();
}

Deno.test("what an agent sends with xargs is done, under the default policy", () =>
  withPipe(async (run) => {
    for (
      const [command, stdout] of [
        ["grep -rl one *.txt sub | sort | xargs sed -i s/one/1/; cat a.txt sub/c.txt", "1\n1\n"],
        ["ls *.txt | xargs -I{} sh -c 'echo \"<{}>\"'", "<a.txt>\n<b.txt>\n"],
        ["ls *.txt | xargs -n1 sh -c 'basename $0 .txt'", "a\nb\n"],
        [
          "printf 'a.txt\\0b.txt\\0' | xargs -0 -I{} cp {} {}.bak; ls *.bak",
          "a.txt.bak\nb.txt.bak\n",
        ],
        ["seq 3 | xargs -I{} python3 -c 'print({} * 2)'", "2\n4\n6\n"],
        ["echo sub | xargs rm -r; ls sub 2>/dev/null; echo $?", "2\n"],
        ["echo *.bak | xargs rm && ls *.bak 2>/dev/null; echo $?", "2\n"],
      ] as const
    ) {
      const came = await run(command);
      assertEquals([came.stdout, came.code], [stdout, null], `${command}: ${came.message}`);
    }
  }));

Deno.test("what xargs would hand to a program is refused by name where the policy denies it, and nothing of it is done", () =>
  withPipe(async (run) => {
    const before = await run("ls -R . && cat a.txt b.txt list options");
    for (
      const [command, code, said] of [
        // The words come whole to one rm: none of them is gone.
        ["cat list | xargs rm -f", "PATH_DENIED", ".env"],
        ["cat list | tail -2 | xargs -n1 rm", "PATH_DENIED", ".env"],
        ["echo tree | xargs rm -rf", "PATH_DENIED", "tree/.env"],
        ["echo .env | xargs -I{} cp {} copy", "PATH_DENIED", ".env"],
        ["echo .env | xargs -I{} sh -c 'cat {}'", "PATH_DENIED", ".env"],
        ["echo .env | xargs sh -c 'cat $0'", "PATH_DENIED", ".env"],
        ["echo /etc/passwd | xargs -I{} cp a.txt {}", "PATH_OUTSIDE_WORKSPACE", "/etc/passwd"],
        ["echo x | xargs curl https://example.invalid", "NETWORK_DENIED", "example.invalid"],
        ["echo id | xargs -I{} sudo {}", "COMMAND_DENIED", "sudo"],
        ["echo sudo id | xargs env", "COMMAND_DENIED", "running"],
        ["echo sudo id | xargs -I{} sh -c '{}'", "COMMAND_DENIED", "sudo"],
        // Options are judged as they come, too.
        ["cat options | xargs -d '\\n' sed", "COMMAND_DENIED", "sudo"],
        ["echo / | xargs rm -rf", "COMMAND_DENIED", "removes the machine"],
      ] as const
    ) {
      const came = await run(command);
      assert(
        came.code === code && came.message.includes(said),
        `${command}: ${came.code} ${came.message} ${came.stdout}`,
      );
      assert(!came.stdout.includes("everyday-secret"), command);
    }
    assertEquals(await run("ls -R . && cat a.txt b.txt list options"), before);
  }));
