/** The README's image, laid out on an empty root, and programs run in it. */

import { assert } from "@std/assert";
import { join } from "@std/path";
import { type Image, parseDockerfile } from "../_dockerfile.ts";
import { commandIn, findWay, layOut, type Machine, type Surroundings } from "../_empty_root.ts";
import { onlyBlock } from "../_readme.ts";
import { type Answer, type Started, Workspace } from "../toolgate.ts";

const SEALED = parseDockerfile(onlyBlock("dockerfile").text);
/** The README's, with room for a binary that is not sealed: its policy lies where it looks for one. */
export const IMAGE: Image = {
  ...SEALED,
  copies: [...SEALED.copies, { from: "policy.yaml", to: "/etc/toolgate/policy.yaml", mode: 0o644 }],
};
const WAY = findWay(IMAGE);
/** What the name of a test says that needs this. Empty: nothing is missing. */
export const NO_NAMESPACES = WAY === null
  ? " (left out: bubblewrap is not here, or can make no namespaces)"
  : "";

export type Run = Omit<Surroundings, "workspace"> & { readonly stdin?: string };

/** The image with one binary and one policy, and a workspace that belongs to its user. */
export class Container extends Workspace {
  readonly image: string;

  constructor(
    options: {
      readonly binary: string;
      readonly policy: string;
      readonly files: Readonly<Record<string, string>>;
      readonly machine?: Machine;
    },
  ) {
    super(options.files);
    this.image = join(this.base, "image");
    const sources = {
      "toolgate-sealed": options.binary,
      "policy.yaml": this.policy(options.policy),
    };
    layOut(this.image, IMAGE, sources, options.machine ?? (Deno.build.arch as Machine));
    Deno.chmodSync(this.base, 0o755);
    const user = WAY?.user ?? null;
    if (user !== null) {
      for (const path of walk(this.root)) Deno.chownSync(path, user.uid, user.gid);
    }
  }

  /** What the image starts, with other arguments than its own. */
  async run(args: readonly string[], { stdin, ...programEnvironment }: Run = {}): Promise<Started> {
    assert(WAY !== null);
    const words = [...IMAGE.entrypoint, ...args];
    const around = { proc: true, devNull: true, workspace: this.root, ...programEnvironment };
    const [program = "", ...rest] = commandIn(this.image, IMAGE, around, words, WAY);
    const child = new Deno.Command(program, {
      args: rest,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      ...WAY.user,
    }).spawn();
    const writer = child.stdin.getWriter();
    // Those that read nothing end first.
    await writer.write(new TextEncoder().encode(stdin ?? "")).catch(() => {});
    await writer.close().catch(() => {});
    const { code, stdout, stderr } = await child.output();
    const [out = "", err = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    return { status: code, stdout: out, stderr: err };
  }

  /** `call`. */
  async call(
    args: readonly string[],
    run: Run = {},
  ): Promise<Answer & { readonly status: number }> {
    const { status, stdout, stderr } = await this.run(["call", ...args], run);
    assert(stdout !== "", `${args.join(" ")}: no answer, but: ${stderr}`);
    return { ...JSON.parse(stdout), status };
  }

  /** `serve`, or what `IMAGE.command` says: the answers by id. */
  async serve(
    requests: readonly Record<string, unknown>[],
    run: Run = {},
  ): Promise<ReadonlyMap<unknown, Answer>> {
    const stdin = requests.map((request) => `${JSON.stringify(request)}\n`).join("");
    const { stdout, stderr } = await this.run(IMAGE.command, { ...run, stdin });
    assert(stdout !== "", `no answers, but: ${stderr}`);
    const answers = stdout.trim().split("\n").map((line) => JSON.parse(line));
    return new Map(answers.map((answer) => [answer.id, answer]));
  }

  /** All that is in the image, with times and sizes: to be the same afterwards. */
  listing(): readonly string[] {
    return walk(this.image).map((path) => {
      const { size, mtime, mode } = Deno.lstatSync(path);
      return `${path.slice(this.image.length)} ${mode?.toString(8)} ${size} ${mtime?.getTime()}`;
    });
  }
}

function walk(path: string): string[] {
  if (!Deno.lstatSync(path).isDirectory) return [path];
  const names = [...Deno.readDirSync(path)].map(({ name }) => name).sort();
  return [path, ...names.flatMap((name) => walk(join(path, name)))];
}
