/**
 * Stands in for `docker` in what the README says of it, and knows no more of it than that:
 *
 *     deno run -A _docker.ts IMAGES build -t NAME FOLDER
 *     deno run -A _docker.ts IMAGES run [FLAG …] NAME [WORD …]
 *
 * Images are laid out in the folder IMAGES on an empty root, and started in namespaces (`_empty_root.ts`).
 */

import { basename, join } from "@std/path";
import { parseDockerfile } from "../_dockerfile.ts";
import { commandIn, findWay, layOut, type Machine } from "../_empty_root.ts";

function fail(why: string): never {
  throw new Error(`docker's stand-in: ${why}`);
}

function build(images: string, words: readonly string[]): void {
  const [flag, name = "", folder = "", ...rest] = words;
  if (flag !== "-t" || rest.length > 0) fail(`build: not understood: ${words.join(" ")}`);
  const text = Deno.readTextFileSync(join(folder, "Dockerfile"));
  const image = parseDockerfile(text);
  const sources = Object.fromEntries(image.copies.map(({ from }) => [from, join(folder, from)]));
  layOut(join(images, name), image, sources, Deno.build.arch as Machine);
  Deno.writeTextFileSync(join(images, `${name}.Dockerfile`), text);
}

/** Flags of `run` that must be there, in any order. */
const NEEDED = [
  "--rm",
  "--read-only",
  "--cap-drop ALL",
  "--security-opt no-new-privileges",
  "--network none",
];

async function run(images: string, words: readonly string[]): Promise<number> {
  const rest = [...words];
  const seen: string[] = [];
  let input = false;
  let user: string | null = null;
  let workspace: string | null = null;
  while (rest[0]?.startsWith("-") === true) {
    const flag = rest.shift() ?? "";
    const value = () => rest.shift() ?? fail(`${flag} needs a value`);
    if (flag === "-i") input = true;
    else if (flag === "--user") user = value();
    else if (flag === "-v") workspace = value();
    else seen.push(NEEDED.includes(flag) ? flag : `${flag} ${value()}`);
  }
  for (const flag of seen) if (!NEEDED.includes(flag)) fail(`run: not understood: ${flag}`);
  for (const flag of NEEDED) if (!seen.includes(flag)) fail(`run: ${flag} is missing`);
  const name = rest.shift() ?? fail("run: no image");
  const root = join(images, name);
  const image = parseDockerfile(Deno.readTextFileSync(`${root}.Dockerfile`));
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(user ?? "") ?? fail("run: --user UID:GID is missing");
  const [, folder = "", at] = /^(\/[^:]*):(\/[^:]*)$/.exec(workspace ?? "") ??
    fail("run: -v FOLDER:FOLDER is missing");
  if (at !== image.workdir) fail(`run: the image works in ${image.workdir}, not in ${at}`);
  const way = findWay(image) ?? fail("there are no namespaces here");
  const as = { uid: Number(uid), gid: Number(gid) };
  const [program = "", ...args] = commandIn(
    root,
    { ...image, user: as },
    { workspace: folder, proc: true, devNull: true },
    [...image.entrypoint, ...(rest.length > 0 ? rest : image.command)],
    way,
  );
  const { code } = await new Deno.Command(program, {
    args,
    stdin: input ? "inherit" : "null",
    ...way.user,
  }).spawn().status;
  return code;
}

const [images = "", command, ...words] = Deno.args;
if (command === "build") build(images, words);
else if (command === "run") Deno.exit(await run(images, words));
else fail(`${basename(images)}: no such command: ${command}`);
