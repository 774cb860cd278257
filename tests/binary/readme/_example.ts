/** A project in which the README's examples run, as somebody has it who has just built Toolgate. */

import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { onlyBlock } from "../_readme.ts";
import { BINARY, Workspace } from "../toolgate.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));
const STAND_IN = fromFileUrl(new URL("_docker.ts", import.meta.url));

/** Answers as the API does: first with a call of a tool, then with what the tool answered. */
const OPENAI = `
import json
from types import SimpleNamespace as Namespace

class Completions:
    def create(self, model, messages, tools):
        assert {tool["type"] for tool in tools} == {"function"}
        names = [tool["function"]["name"] for tool in tools]
        assert "read_file" in names and all("parameters" in tool["function"] for tool in tools)
        last = messages[-1]
        if isinstance(last, dict) and last["role"] == "user":
            wanted = Namespace(name="read_file", arguments='{"path": "README.md", "end_line": 1}')
            message = Namespace(content=None, tool_calls=[Namespace(id="call_1", function=wanted)])
        else:
            assert (last["role"], last["tool_call_id"]) == ("tool", "call_1"), last
            output = json.loads(last["content"])["output"]
            message = Namespace(content="It says " + output["content"], tool_calls=None)
        return Namespace(choices=[Namespace(message=message)])

class OpenAI:
    def __init__(self):
        self.chat = Namespace(completions=Completions())
`;

/** Root in a container is nobody in particular: the README's own user stands in for whoever that is. */
const ID = "#!/bin/sh\necho 65532\n";

/** A project as the examples have it, with the README's policy; its programs come first on the search path. */
export class Example extends Workspace {
  readonly programs: string;

  constructor() {
    super({
      "README.md": "# A project\n\nNothing deprecated here.\n",
      "src/main.ts": "let x = 1;\nexport { x };\n// deprecated(x)\n",
      ".env": "SECRET=1\n",
      "policy.yaml": onlyBlock("yaml").text,
      "Dockerfile": onlyBlock("dockerfile").text,
    });
    this.programs = join(this.base, "programs");
    for (const name of ["programs", "images", "home", "modules"]) {
      Deno.mkdirSync(join(this.base, name));
    }
    Deno.symlinkSync(BINARY, join(this.programs, "toolgate"));
    Deno.writeTextFileSync(join(this.base, "modules", "openai.py"), OPENAI);
    this.#program("id", ID);
    this.#program(
      "docker",
      `#!/bin/sh\nHOME='${Deno.env.get("HOME") ?? ""}' exec '${Deno.execPath()}' run --quiet -A ` +
        `--config '${ROOT}deno.json' '${STAND_IN}' '${this.base}/images' "$@"\n`,
    );
  }

  #program(name: string, text: string): void {
    Deno.writeTextFileSync(join(this.programs, name), text, { mode: 0o755 });
  }

  /** Runs a program to its end, which must be good. What it printed. */
  async run(program: string, args: readonly string[], line: number): Promise<string> {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args: [...args],
      cwd: this.root,
      clearEnv: true,
      env: {
        PATH: `${this.programs}:/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin`,
        HOME: join(this.base, "home"),
        PYTHONPATH: join(this.base, "modules"),
        PYTHONDONTWRITEBYTECODE: "1",
        // Kept, for what of the standard library is compiled once.
        GOCACHE: join(ROOT, "dist", "go-cache"),
        GOTOOLCHAIN: "local",
      },
      stdin: "null",
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertEquals(code, 0, `README.md, the block of line ${line}: ${out}\n${err}`);
    return out ?? "";
  }
}
