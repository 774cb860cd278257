/** What crosses between the main thread and a worker: one header line of JSON, and after it the output as raw JSON. */

import type { ResultError } from "../../core/errors.ts";
import { type Json, JSON_NULL, type Usage } from "../../core/result.ts";
import { JsonBytes } from "../../core/json_bytes.ts";
import type { Grant } from "../../policy/grant.ts";
import type { Resolved } from "../../host/network/resolve.ts";
import type { WebParts } from "../../host/network/web_parts.ts";
import type { WantedFile } from "../../host/run/line/redirect.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import type {
  DirectPlace,
  OpenedRoute,
  ProxyReport,
  Unreached,
} from "../../host/network/proxy_route.ts";
import type { Started, Subject } from "../../policy/rulebook.ts";
import type { Sandbox } from "../../policy/model.ts";
import type { PluginManifest } from "../../plugins/manifest.ts";
import type { Boundary, Layer } from "../../sandbox/boundary.ts";
import type { RingMemory } from "./channel.ts";
import type { AgreedPath } from "../approvals/agreed.ts";
import type { JobEvent, RunningAnswer, RunningCommand } from "../runner.ts";
import type { RunShare } from "../../host/kernel/run_marks.ts";
import type { StopReason } from "./stop.ts";
import type { ProgramEnvironment } from "./thread_parts.ts";

/** The first and only `postMessage` to a worker. */
export interface WorkerSetup {
  readonly toWorker: RingMemory;
  readonly toMain: RingMemory;
  readonly boundary: Boundary;
  readonly sandbox: Sandbox;
  /** Compiled again in the worker when a walk first asks for it. */
  readonly policies: readonly PlacedPolicy[];
  readonly plugins: readonly PluginManifest[];
  readonly programEnvironment: ProgramEnvironment;
  /** One job after the other, in the order they came; otherwise all at once. */
  readonly sequential: boolean;
  /** Its calls go through many files. */
  readonly scans: boolean;
  /** Of threads that connect; null for others. */
  readonly web: WebParts | null;
  /** Where scans are shared with another thread; null for threads that have none. */
  readonly scanMemory: SharedArrayBuffer | null;
  /** Nobody waits for it yet: it makes what its first program takes. */
  readonly ahead: boolean;
}

/** The part of a grant that differs between calls; the rest stands in the setup's policies. */
export type JobGrant = Pick<
  Grant,
  "read" | "write" | "spawn" | "agreed" | "agreedCommands" | "connect" | "timeoutMs"
>;

/** One side of a shared scan. `ticket`: the number of the call that both threads work for. */
export interface Share {
  readonly side: "front" | "back";
  readonly ticket: number;
}

/** What the main thread says. */
export type ToWorker =
  | {
    readonly kind: "job";
    readonly job: number;
    readonly tool: string;
    /** Of a custom tool: the one that the call was judged by, whatever has become of the name since. */
    readonly manifest: PluginManifest | null;
    readonly input: unknown;
    /** Long texts that are marked in the input, and follow the header. */
    readonly texts: number;
    readonly grant: JobGrant;
    readonly preview: boolean;
    readonly stream: boolean;
    /** Whom what is known only when it runs is judged for; null where nothing can be. */
    readonly subject: Subject | null;
    /** Null where nobody helps. At the back it helps the call instead of running it. */
    readonly share: Share | null;
    /** Compared by the thread as its last act before the call begins; empty where nobody was asked. */
    readonly agreed: readonly AgreedPath[];
  }
  /** So many units of the output that a job told of have been handed on. */
  | { readonly kind: "taken"; readonly job: number; readonly units: number }
  /** A file that another thread is to have: opened by the rules of this one. */
  | { readonly kind: "open"; readonly request: number; readonly file: WantedFile }
  /** The descriptor that was asked for, or an error number with its sign turned. */
  | { readonly kind: "opened"; readonly request: number; readonly descriptor: number }
  /** What became of asking for a command. */
  | { readonly kind: "asked"; readonly request: number; readonly answer: RunningAnswer }
  /** What a name stands for. */
  | { readonly kind: "resolved"; readonly request: number; readonly resolved: Resolved }
  /** A way out for a program; a sentence where there is none. */
  | { readonly kind: "way"; readonly request: number; readonly way: OpenedRoute | string }
  /** A connection that a program wanted of its own, by a token of its own; or why there is none. */
  | { readonly kind: "dialled"; readonly request: number; readonly way: OpenedRoute | Unreached }
  /** What went by the ways that were ended. */
  | { readonly kind: "gone"; readonly request: number; readonly report: ProxyReport }
  /** What lived on outside of the groups was ended. */
  | { readonly kind: "leftEnded"; readonly request: number }
  /** No job is under way and none will come: the thread lets go of what it holds. */
  | { readonly kind: "end" }
  | { readonly kind: "cancel"; readonly job: number; readonly reason: StopReason };

/** What a thread says. */
export type FromWorker =
  | {
    readonly kind: "ready";
    readonly layers: readonly Layer[];
    readonly reasons: readonly string[];
  }
  | { readonly kind: "refused"; readonly error: ResultError }
  | { readonly kind: "event"; readonly job: number; readonly event: JobEvent }
  /** A job that may be helped has turned out to be long. */
  | { readonly kind: "long"; readonly job: number }
  /** A process group that a job started, and what its programs may use. */
  | {
    readonly kind: "group";
    readonly job: number;
    readonly id: number;
    readonly share: RunShare;
  }
  | { readonly kind: "open"; readonly request: number; readonly file: WantedFile }
  | { readonly kind: "opened"; readonly request: number; readonly descriptor: number }
  /** A command that somebody has to agree to before the job goes on with it. */
  | {
    readonly kind: "ask";
    readonly job: number;
    readonly request: number;
    readonly question: RunningCommand;
  }
  /** A name that a call was granted, to be looked up. */
  | { readonly kind: "resolve"; readonly request: number; readonly host: string }
  /** A program that rules open hosts to connects for the first time. */
  | {
    readonly kind: "connects";
    readonly request: number;
    readonly job: number;
    readonly command: Started;
  }
  /** A program that has a way out connects past the proxy. `token`: of the way. */
  | {
    readonly kind: "dials";
    readonly request: number;
    readonly job: number;
    readonly token: string;
    readonly to: DirectPlace;
  }
  /** Programs have ended, and their ways out with them. */
  | {
    readonly kind: "disconnects";
    readonly request: number;
    readonly job: number;
    readonly tokens: readonly string[];
  }
  /** Programs that a job started live on outside of their groups, and hold its output. It starts none before they were ended. */
  | { readonly kind: "left"; readonly request: number; readonly job: number }
  | {
    readonly kind: "done";
    readonly job: number;
    readonly error: ResultError | null;
    readonly usage: Usage;
  };

/** Ends the header where an output follows, which is not escaped again. */
const OUTPUT_FOLLOWS = "\n";
const NEWLINE = 0x0a;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The header; where an output follows, as far as where that begins. */
export function encodeMessage(message: ToWorker | FromWorker, outputFollows = false): string {
  const header = JSON.stringify(message);
  return outputFollows ? header + OUTPUT_FOLLOWS : header;
}

/**
 * The header, and the output as it came (`null` where there was none). The other side is our own code: shapes are trusted.
 * `giveBack`: for the memory of the output.
 */
export function decodeMessage<M extends ToWorker | FromWorker>(
  bytes: Uint8Array,
  giveBack: ((bytes: Uint8Array) => void) | null = null,
): {
  readonly message: M;
  readonly output: Json;
} {
  const end = bytes.indexOf(NEWLINE);
  if (end === -1) return { message: messageIn<M>(bytes), output: JSON_NULL };
  const output = bytes.subarray(end + 1);
  return {
    message: messageIn<M>(bytes.subarray(0, end)),
    output: isNull(output) ? JSON_NULL : new JsonBytes(output, giveBack),
  };
}

function messageIn<M>(bytes: Uint8Array): M {
  return JSON.parse(decoder.decode(bytes)) as M;
}

/** That there is none is one value, whichever way it came. */
function isNull(json: Uint8Array): boolean {
  if (json.length !== JSON_NULL.length) return false;
  for (let at = 0; at < json.length; at++) {
    if (json[at] !== JSON_NULL.charCodeAt(at)) return false;
  }
  return true;
}
