/** `doctor` of an unsealed build: threads held by one layer at a time, in a folder that is removed afterwards. */

import { join } from "@std/path";
import type { CanonicalPath, Program } from "../../core/capability.ts";
import type { CommandEngine } from "../../engine/create_engine.ts";
import {
  type Attempted,
  openTrial,
  type Trial,
  type TrialOptions,
} from "../../engine/pool/trial.ts";
import { createProgramFinder } from "../../host/run/program_search.ts";
import { SYSTEM_PATHS } from "../../sandbox/system_paths.ts";
import { type FindProgram, proberOf, tryProbes } from "./_probes.ts";
import { type Finding, finding, type Kind } from "./_findings.ts";
import type { Session } from "../session.ts";

/** `inside` may be read and written, `outside` not; both hold a file named `file`. */
interface TrialFolders {
  readonly inside: CanonicalPath;
  readonly outside: CanonicalPath;
}

/** What the files hold: nothing that a path or a message says by chance. */
const CONTENT = "content-4f2d9c";
/** A variable that no policy passes on. */
const SENTINEL = "TOOLGATE_DOCTOR_SENTINEL";
const SENTINEL_VALUE = "seen-7c1f";

/** Landlock ABI that first holds a kind (Documentation/userspace-api/landlock.rst). */
const FIRST_ABI: Partial<Record<Kind, number>> = { signals: 6, "network connect": 4 };

/**
 * Tries what holds threads and their programs, each in earnest.
 * @param abi Landlock's version; 0 for none.
 */
export async function tryThreads(
  engine: CommandEngine,
  { policies, workspace }: Session,
  abi: number,
): Promise<readonly Finding[]> {
  const base = makeFolder(workspace);
  if (base === null) return untried();
  const place: TrialFolders = {
    inside: join(base, "inside") as CanonicalPath,
    outside: join(base, "outside") as CanonicalPath,
  };
  Deno.env.set(SENTINEL, SENTINEL_VALUE);
  try {
    for (const folder of [place.inside, place.outside]) {
      Deno.mkdirSync(folder);
      Deno.writeTextFileSync(join(folder, "file"), CONTENT);
    }
    const finder = createProgramFinder(place.inside, SYSTEM_PATHS);
    const find = (name: string) => finder.find(name, place.inside);
    const trial = (layer: TrialOptions["layer"], programs: readonly Program[]) =>
      openTrial(engine, { policies, layer, inside: place.inside, programs });
    const networkTrial = (layer: TrialOptions["layer"], port: number) =>
      openTrial(engine, { policies, layer, inside: place.inside, programs: [], port });
    const findings = [
      ...await files("runtime", trial("runtime", []), place),
      await otherProgram(trial, find),
      await connections("runtime", (port) => networkTrial("runtime", port)),
      ...await files("landlock", trial("kernel", []), place),
      await connections("landlock", (port) => networkTrial("kernel", port)),
      ...await programs(engine, trial, find, place),
    ];
    return findings.map((one) => absentIf(one, abi));
  } finally {
    Deno.env.delete(SENTINEL);
    Deno.removeSync(base, { recursive: true });
  }
}

/** Where temporary files go; on a read-only root, as containers have it, in the workspace. Null where neither may be written to. */
function makeFolder(workspace: CanonicalPath): string | null {
  const prefix = ".toolgate-doctor-";
  for (const place of [{}, { dir: workspace }]) {
    try {
      return Deno.realPathSync(Deno.makeTempDirSync({ prefix, ...place }));
    } catch {
      // Not here.
    }
  }
  return null;
}

/** What needs a folder. */
function untried(): readonly Finding[] {
  const why = "neither the folder for temporary files nor the workspace may be written to: " +
    "set TMPDIR to one that may";
  const of = (layer: Finding["layer"], kind: Kind, attempt: string) =>
    finding(layer, kind, attempt, null, why);
  return [
    of("runtime", "file read", "read a file outside"),
    of("runtime", "file write", "write a file outside"),
    of("runtime", "program start", "start a program that is not on the list"),
    of("runtime", "network connect", "connect to a port that is not on the list"),
    of("landlock", "file read", "read a file outside"),
    of("landlock", "file write", "write a file outside"),
    of("landlock", "program start", "a program (env) starts one outside"),
  ];
}

/** What a kernel without the layer cannot hold is missing, not broken. */
function absentIf(one: Finding, abi: number): Finding {
  const needed = one.layer === "landlock" ? FIRST_ABI[one.kind] ?? 1 : 0;
  if (one.holds !== false || abi >= needed) return one;
  const detail = abi === 0
    ? `${one.detail}; this kernel has no Landlock, or it is not switched on (lsm=landlock)`
    : `${one.detail}; this kernel's Landlock (ABI ${abi}) has no word for it`;
  return { ...one, detail, absent: true };
}

/** Refused where it must be, and not refused where it must not be. */
function both(refused: boolean, allowed: Attempted): readonly [boolean, string] {
  if (!refused) return [false, "it was done"];
  if (allowed.error === null) return [true, "refused; what is allowed is done"];
  return [false, `what is allowed is refused too: ${allowed.error.code}: ${allowed.error.message}`];
}

async function files(
  layer: "runtime" | "landlock",
  trial: Trial,
  { inside, outside }: TrialFolders,
): Promise<readonly Finding[]> {
  const at = (folder: CanonicalPath, name: string) => join(folder, name) as CanonicalPath;
  try {
    const read = await trial.read(at(outside, "file"));
    const readInside = await trial.read(at(inside, "file"));
    await trial.write(at(outside, "written"));
    const written = exists(at(outside, "written"));
    const wroteInside = await trial.write(at(inside, "written"));
    return [
      finding(layer, "file read", "read a file outside", ...both(read.error !== null, readInside)),
      finding(layer, "file write", "write a file outside", ...both(!written, wroteInside)),
    ];
  } finally {
    await trial.close();
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The runtime starts what its list names, by path, and nothing else. */
async function otherProgram(open: OpenTrial, find: FindProgram): Promise<Finding> {
  const attempt = "start a program that is not on the list";
  const [listed, other] = [find("true"), find("cat")];
  if (listed === null || other === null) {
    return finding("runtime", "program start", attempt, null, "there is no true and cat to try");
  }
  const trial = open("runtime", [listed]);
  try {
    const started = await trial.start(other, ["cat", "file"]);
    const allowed = await trial.start(listed, ["true"]);
    const refused = started.error !== null && !started.output.includes(CONTENT);
    return finding("runtime", "program start", attempt, ...both(refused, allowed));
  } finally {
    await trial.close();
  }
}

/** A thread may connect to one port of the loopback and not to another; who listens there counts. */
async function connections(
  layer: "runtime" | "landlock",
  openFor: (port: number) => Trial,
): Promise<Finding> {
  const attempt = "connect to a port that is not on the list";
  const [listed, other] = [new CountingListener(), new CountingListener()];
  const trial = openFor(listed.port);
  try {
    const refused = await trial.connect(other.port);
    const allowed = await trial.connect(listed.port);
    const done = { ...allowed, error: listed.count > 0 ? null : allowed.error };
    const isRefused = other.count === 0 && refused.error?.code === "NATIVE_DENIED";
    return finding(layer, "network connect", attempt, ...both(isRefused, done));
  } finally {
    await trial.close();
    await Promise.all([listed.close(), other.close()]);
  }
}

/** Takes connections and ends them. */
class CountingListener {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #accepting = this.#accept();
  count = 0;

  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  async close(): Promise<void> {
    this.#listener.close();
    await this.#accepting;
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      this.count++;
      connection.close();
    }
  }
}

/** A thread that the layer holds and that may start these programs. */
type OpenTrial = (layer: TrialOptions["layer"], programs: readonly Program[]) => Trial;

/**
 * Programs under the kernel's rules, each attempt with its like that is allowed: all on one thread, which may start all of
 * them.
 */
async function programs(
  engine: CommandEngine,
  open: OpenTrial,
  find: FindProgram,
  place: TrialFolders,
): Promise<readonly Finding[]> {
  const { inside, outside } = place;
  const prober = proberOf(find);
  const here = ["cat", "touch", "env"].map(find).filter((one) => one !== null);
  const trial = open("kernel", prober === null ? here : [...here, prober.program]);
  const found: Finding[] = [];
  const within = async (
    names: readonly string[],
    of: Pick<Finding, "layer" | "kind" | "attempt">,
    attempt: (all: readonly Program[]) => Promise<readonly [boolean, string]>,
  ): Promise<void> => {
    const all = names.map(find);
    const { layer, kind, attempt: words } = of;
    const missing = names.filter((_, at) => all[at] === null);
    if (missing.length > 0) {
      found.push(finding(layer, kind, words, null, `there is no ${missing.join(", ")} to try it`));
      return;
    }
    found.push(finding(layer, kind, words, ...await attempt(all as readonly Program[])));
  };
  try {
    await within(
      ["cat"],
      { layer: "landlock", kind: "file read", attempt: "a program (cat) reads a file outside" },
      async ([cat]) => {
        const read = await trial.start(cat!, ["cat", join(outside, "file")]);
        return both(
          !read.output.includes(CONTENT),
          await trial.start(cat!, ["cat", join(inside, "file")]),
        );
      },
    );
    await within(
      ["touch"],
      { layer: "landlock", kind: "file write", attempt: "a program (touch) writes a file outside" },
      async ([touch]) => {
        await trial.start(touch!, ["touch", join(outside, "touched")]);
        const allowed = await trial.start(touch!, ["touch", join(inside, "touched")]);
        return both(!exists(join(outside, "touched")), allowed);
      },
    );
    await within(
      ["env", "cat"],
      { layer: "landlock", kind: "program start", attempt: "a program (env) starts one outside" },
      async ([env, cat]) => {
        const copy = join(outside, "program");
        Deno.copyFileSync(cat!.path, copy);
        Deno.chmodSync(copy, 0o755);
        const started = await trial.start(env!, ["env", copy, join(inside, "file")]);
        const allowed = await trial.start(env!, ["env", cat!.start, join(inside, "file")]);
        return both(!started.output.includes(CONTENT), allowed);
      },
    );
    await within(
      ["env"],
      { layer: "policy", kind: "environment", attempt: "a program (env) prints its environment" },
      async ([env]) => {
        const { error, output } = await trial.start(env!, ["env"]);
        if (error !== null) return [false, `${error.code}: ${error.message}`];
        return output.includes(SENTINEL_VALUE)
          ? [false, `${SENTINEL}, which no policy names, was there`]
          : [true, "a variable that the policy does not pass is not there"];
      },
    );
    found.push(...await tryProbes(engine, trial, prober));
  } finally {
    await trial.close();
  }
  return found;
}
