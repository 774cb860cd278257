/** One child agent: its program, its connection, its working files, and how it ended. */

import type { ResultError } from "../../../core/errors.ts";
import { jsonText } from "../../../core/result.ts";
import type { Outcome } from "../../../engine/runner.ts";
import type { CommandEngine, StayingEngine } from "../../../engine/create_engine.ts";
import type { Token } from "../token.ts";
import type { Changes } from "./changes.ts";
import type { Minders } from "../minders.ts";
import type { Receipt } from "./receipt.ts";

/** How it is getting on. */
export type ChildStatus =
  | "starting"
  | "running"
  | "waiting_for_approval"
  | "done"
  | "failed"
  | "terminated"
  | "timed_out";

/** Working files of its own, and an engine that works there. */
export interface ChildPlace {
  readonly engine: StayingEngine;
  /** By which the gate looks at what has changed there: it sees the repository where the child does not. */
  readonly looks: () => Promise<CommandEngine>;
  /** Relative to the workspace. */
  readonly path: string;
  readonly branch: string;
  /** The commit that its branch begins at. */
  readonly base: string;
  /** Ends its engine, and removes the working files where they hold nothing that is nowhere else. */
  leave(commits: number): Promise<{ readonly kept: boolean; readonly why: string }>;
}

/** Where its working files begin: null for the HEAD of who makes it. `asked`: whether that is said. */
export interface Begins {
  readonly from: string | null;
  /** Who makes it; `branch`: that of a child, whose worktree may be a clone. */
  readonly maker: { readonly agent: string; readonly branch: string | null };
  readonly asked: boolean;
}

/** The gate's end of a child's input and output. */
export interface ChildLine {
  write(line: string): void;
  /** Bytes that it has not read. */
  readonly held: number;
  readonly full: boolean;
  /** Ends it when what it has sent is taken in, or soon. */
  finish(): Promise<void>;
}

/** What there is once it has begun. */
export interface Begun {
  readonly place: ChildPlace;
  readonly line: ChildLine;
  readonly cancel: () => void;
}

/** Characters of the log that are kept. */
const LOG_TAIL = 8192;

/** A child, from before its worktree is made until after it is gone. */
export class Child {
  readonly id: string;
  readonly task: string;
  readonly context: unknown;
  readonly token: Token;
  readonly parent: Child | null;
  readonly owner: { readonly uid: number; readonly agent: string; readonly token: string | null };
  readonly receipt: Receipt;
  /** Who is asked what it wants agreed to. */
  readonly minders: Minders;
  readonly started = Date.now();
  readonly #done = Promise.withResolvers<void>();
  readonly #waiting: string[] = [];
  readonly #looks = new Set<Promise<unknown>>();
  begun: Begun | null = null;
  /** Set by the first who ends it. */
  ending: { readonly status: ChildStatus; readonly why: string } | null = null;
  ended: number | null = null;
  exitCode: number | null = null;
  result: unknown = null;
  changes: Changes | null = null;
  worktree: { readonly path: string; readonly kept: boolean; readonly why: string };
  branch: string;
  base = "";
  log = "";
  /** What it is still to be told, where it is told in turns; and who tells it. */
  readonly messages: string[] = [];
  onMessage: () => void = () => {};

  constructor(
    options:
      & Pick<
        Child,
        "id" | "task" | "context" | "token" | "parent" | "owner" | "receipt" | "minders" | "branch"
      >
      & {
        readonly path: string;
      },
  ) {
    this.id = options.id;
    this.task = options.task;
    this.context = options.context;
    this.token = options.token;
    this.parent = options.parent;
    this.owner = options.owner;
    this.receipt = options.receipt;
    this.minders = options.minders;
    this.branch = options.branch;
    this.worktree = { path: options.path, kept: true, why: "the child works in it" };
  }

  get depth(): number {
    return 1 + (this.parent?.depth ?? 0);
  }

  /** Kept once it has ended and all of it is gone. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  get status(): ChildStatus {
    if (this.ended !== null) return this.ending?.status ?? "done";
    if (this.begun === null) return "starting";
    return this.#waiting.length > 0 ? "waiting_for_approval" : "running";
  }

  get waitingFor(): string | null {
    return this.#waiting[0] ?? null;
  }

  /** Looks at its work, by its engine, which is not to be closed meanwhile. */
  async looked<T>(look: Promise<T>): Promise<T> {
    this.#looks.add(look);
    try {
      return await look;
    } finally {
      this.#looks.delete(look);
    }
  }

  /** Resolves when none of those that have begun looks any more. */
  async unlooked(): Promise<void> {
    await Promise.allSettled(this.#looks);
  }

  /** Keeps in mind that somebody is asked, as long as he is. */
  async waits<T>(what: string, answer: Promise<T>): Promise<T> {
    this.#waiting.push(what);
    try {
      return await answer;
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(what), 1);
    }
  }

  say(text: string): void {
    this.log = (this.log + text).slice(-LOG_TAIL);
  }

  /** Asks it to end; the first reason counts. */
  end(status: ChildStatus, why: string): void {
    this.ending ??= { status, why };
    this.begun?.cancel();
  }

  /** Its program is gone. */
  programEnded({ output, error }: Outcome): void {
    const code = /"returncode":(\d+)/.exec(jsonText(output))?.[1];
    this.exitCode = code === undefined ? null : Number(code);
    // Nobody has called the tool that it is started by.
    const why = error?.message.replace(/^launch_app: /, "") ?? "";
    if (error !== null) this.ending ??= { status: statusOf(error), why };
  }

  settle(): void {
    this.ended = Date.now();
    this.#done.resolve();
  }
}

function statusOf({ code }: ResultError): ChildStatus {
  return code === "TIMEOUT" ? "timed_out" : "failed";
}
