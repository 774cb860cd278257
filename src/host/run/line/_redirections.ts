/** The redirections of a command or a group: what they name, and the descriptors that they lead to. */

import { joinedNameBytes } from "../../../core/name_text.ts";
import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Redirection, Word } from "../../../core/plan.ts";
import { CLOSED } from "../../../sandbox/spawner.ts";
import { wordText } from "../../../shell/certain.ts";
import { openInput } from "../_input.ts";
import { close } from "../../kernel/pipes.ts";
import { statOf } from "../../kernel/stat.ts";
import { type Expander, expandText, expandWord } from "./expand/expand.ts";
import type { LineHost, LineRedirection } from "./line_host.ts";
import { messageOf } from "./redirect.ts";
import type { LineState } from "./_state.ts";

/**
 * The files that they name, by the words as they are now; up to the first whose word came out as none or several, which
 * bash finds ambiguous.
 */
export async function targetsOf(
  redirections: readonly Redirection[],
  state: LineState,
  expander: Expander,
): Promise<readonly LineRedirection[]> {
  const targets: LineRedirection[] = [];
  for (const redirection of redirections) {
    if (!("target" in redirection)) continue;
    const [target, second] = await fieldsOf(redirection.target, state, expander);
    if (target === undefined || second !== undefined) break;
    targets.push({ kind: redirection.kind, target });
  }
  return targets;
}

/** bash expands the word as any other; other shells neither split it nor look for names (POSIX, 2.7). */
async function fieldsOf(
  word: Word,
  state: LineState,
  expander: Expander,
): Promise<readonly string[]> {
  return state.shell === "bash"
    ? await expandWord(word, state, expander)
    : [await expandText(word, state, expander)];
}

type Warning = NonNullable<Extract<Redirection, { readonly kind: "text" }>["warning"]>;

/** What a command is to have in place of the descriptors around it. */
export interface Redirected {
  readonly descriptors: readonly number[];
  /** What is said of them all the same. */
  readonly warnings: readonly Warning[];
  /** Why one of them could not be done; null where all are. Those to its left are in `descriptors`. */
  readonly failure: string | null;
  /** Lets go of what was opened for it: programs that were started have their own. */
  close(): void;
}

/**
 * Applies them, left to right, up to the first that cannot be. `targets` from {@linkcode targetsOf}, judged since.
 */
export async function redirect(
  host: LineHost,
  redirections: readonly Redirection[],
  targets: readonly LineRedirection[],
  { state, expander, around, pipes }: {
    readonly state: LineState;
    readonly expander: Expander;
    readonly around: readonly number[];
    /** What `<(…)` in the targets has made, by name. */
    readonly pipes: ReadonlyMap<string, number>;
  },
): Promise<Redirected> {
  const { libc, poller } = host;
  const descriptors = Array.from(around, (one) => one ?? CLOSED);
  const warnings: Warning[] = [];
  const opened: number[] = [];
  const closeAll = (): void => opened.splice(0).forEach((one) => close(libc, one));
  let next = 0;
  for (const redirection of redirections) {
    const { descriptor } = redirection;
    switch (redirection.kind) {
      case "duplicate": {
        const from = descriptors[redirection.from] ?? CLOSED;
        if (from === CLOSED) {
          const failure = redirection.named === true
            ? `/dev/fd/${redirection.from}: No such file or directory`
            : `${redirection.from}: Bad file descriptor`;
          return { descriptors, warnings, failure, close: closeAll };
        }
        if (redirection.named === true && isFile(libc, from)) {
          throw new ToolError(
            "COMMAND_UNPARSABLE",
            `/dev/fd/${redirection.from} would open a file anew: write >&${redirection.from}`,
          );
        }
        descriptors[descriptor] = from;
        break;
      }
      case "close":
        descriptors[descriptor] = CLOSED;
        break;
      case "text": {
        if (redirection.warning !== undefined) warnings.push(redirection.warning);
        const text = await expandText(redirection.text, state, expander);
        const input = openInput(libc, poller, joinedNameBytes(text));
        opened.push(input.read);
        host.onEnd(input.stop);
        descriptors[descriptor] = input.read;
        break;
      }
      default: {
        const target = targets[next++];
        const file = target === undefined
          ? `${redirection.written ?? wordText(redirection.target)}: ambiguous redirect`
          : await openTarget(host, target, state, pipes);
        if (typeof file === "string") {
          return { descriptors, warnings, failure: file, close: closeAll };
        }
        opened.push(file);
        descriptors[descriptor] = file;
      }
    }
  }
  return { descriptors, warnings, failure: null, close: closeAll };
}

/** F_DUPFD_CLOEXEC (include/uapi/linux/fcntl.h) */
const F_DUPFD_CLOEXEC = 1030;

function isFile(libc: LineHost["libc"], descriptor: number): boolean {
  const stat = statOf(libc, descriptor);
  return typeof stat !== "number" && stat.type === "file";
}

async function openTarget(
  host: LineHost,
  { kind, target }: LineRedirection,
  state: LineState,
  pipes: ReadonlyMap<string, number>,
): Promise<number | string> {
  const pipe = pipes.get(target);
  if (pipe !== undefined) return host.libc.call(host.libc.numbers.fcntl, pipe, F_DUPFD_CLOEXEC, 10);
  const path = target === "" ? null : host.resolve(state.directory, target);
  if (path === null) return failureOf(state, kind, target, ERRNO.ENOENT);
  const opened = await host.open(kind, path, state.mask);
  if (opened === -ERRNO.ENXIO) {
    throw new ToolError(
      "COMMAND_UNPARSABLE",
      `${target} is a directory, a pipe or a device, which a program is not given in place of a file; ` +
        `the line is not run further: name a file ([ -f ${target} ] says whether it is one)`,
    );
  }
  return opened < 0 ? failureOf(state, kind, target, -opened) : opened;
}

function failureOf(
  { shell }: LineState,
  kind: LineRedirection["kind"],
  target: string,
  errno: number,
): string {
  if (shell === "bash") return `${target}: ${messageOf(errno)}`;
  const why = errno === ERRNO.ENOENT && kind !== "read"
    ? "Directory nonexistent"
    : errno === ERRNO.ENOENT
    ? "No such file"
    : messageOf(errno);
  return `cannot ${kind === "read" ? "open" : "create"} ${target}: ${why}`;
}
