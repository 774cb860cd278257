/**
 * Doing for programs what the kernel's rules cannot let them do by themselves: their calls that name something come here,
 * are judged by the same policy, and are done by this thread, so that nothing is checked and then used by somebody else.
 * What is not done here the kernel does or refuses by the rules that hold the program.
 */

import type { CanonicalPath } from "../../core/capability.ts";
import type { Access } from "../../policy/model.ts";
import type { Verdict } from "../../policy/rulebook.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import {
  type HandedOver,
  handingMissing,
  Notifications,
} from "../../sandbox/broker/notifications.ts";
import type { MemoryReader } from "../../sandbox/broker/memory_reader.ts";
import { type AttributeCall, attributeCallsOf } from "../../sandbox/attribute_calls.ts";
import { type HandedCall, handedCallsOf } from "../../sandbox/handed_calls.ts";
import type { Architecture } from "../../sandbox/seccomp.ts";
import { close } from "../kernel/pipes.ts";
import { type Poller, READABLE, type Watch } from "../kernel/poller.ts";
import { changeAttributes } from "./_attributes.ts";
import type { Deed, DeedParts, Refused } from "./_deed.ts";
import { doCall } from "./_do_call.ts";
import { FileMasks, readMask } from "./_file_masks.ts";
import { type GitFolder, isGit, isRecord } from "./git_folder.ts";
import type { Handed, HandedRules, NameJudge } from "./handed_rules.ts";
import { LEAVE } from "./_names.ts";

/** What a program was refused, and by which rule. */
export interface Refusal {
  readonly path: CanonicalPath;
  readonly access: Access;
  readonly verdict: Verdict;
}

/** The service of one program and of all that it starts. */
export interface Service {
  /** What the policy refused so far, the first of them. */
  readonly refusals: readonly Refusal[];
  /** From now on what they hand over is answered by nobody, and fails. */
  close(): void;
}

/** Refusals that are told of; a program that goes on asking says nothing new. */
const MOST_REFUSALS = 16;
/** How long one program's calls are answered at a stretch before others get their turn. */
const STRETCH_MS = 1;
/** How long the next call of a program that works is waited for where we stand. */
const NEXT_NS = 60_000n;
/** POLLIN, POLLHUP (include/uapi/asm-generic/poll.h) */
const POLLHUP = 0x10;
/** struct pollfd and struct timespec, side by side. */
const TIME_OFFSET = 8;

/** What it takes. */
export interface BrokerParts {
  readonly libc: Libc;
  readonly memory: MemoryReader;
  readonly poller: Poller;
}

/** Answers the programs of one thread. */
export class Broker {
  readonly #parts: BrokerParts;
  readonly #calls: ReadonlyMap<number, HandedCall>;
  readonly #attributes: ReadonlyMap<number, AttributeCall>;
  readonly #mask: number;
  readonly #services = new Set<ProgramService>();
  /** Why programs cannot hand calls over; null where they can, as far as is known. */
  #missing: string | null;

  constructor(parts: BrokerParts) {
    this.#parts = parts;
    const { libc } = parts;
    const architecture = Deno.build.arch as Architecture;
    this.#calls = handedCallsOf(architecture);
    this.#attributes = attributeCallsOf(architecture);
    const mask = readMask(libc, "/proc/self/status");
    this.#mask = mask ?? 0;
    this.#missing = mask === null ? "/proc cannot be read" : handingMissing(libc);
  }

  get missing(): string | null {
    return this.#missing;
  }

  /** Programs could not be started so: from now on none is. */
  giveUp(why: string): void {
    this.#missing = why;
  }

  /** Answers what comes by a listener, which belongs to the service from now on. */
  serve(listener: number, { rules, judge }: Handed, mark: number | null): Service {
    const service = new ProgramService({
      ...this.#parts,
      listener,
      rules,
      judge,
      mark,
      calls: this.#calls,
      attributes: this.#attributes,
      masks: new FileMasks(this.#parts.libc, this.#mask),
      replaced: (path) => this.#services.forEach((one) => one.uncover(path)),
      onEnd: () => this.#services.delete(service),
    });
    this.#services.add(service);
    return service;
  }
}

interface ServiceParts extends BrokerParts {
  readonly listener: number;
  readonly rules: HandedRules;
  readonly judge: NameJudge;
  /** The number that the run's processes are known by; null for none. */
  readonly mark: number | null;
  readonly calls: ReadonlyMap<number, HandedCall>;
  readonly attributes: ReadonlyMap<number, AttributeCall>;
  readonly masks: FileMasks;
  readonly replaced: (path: string) => void;
  readonly onEnd: () => void;
}

class ProgramService implements Service {
  readonly #parts: ServiceParts;
  readonly #notifications: Notifications;
  readonly #deeds: DeedParts;
  readonly #covered: Set<string> | null;
  readonly #refused = new Map<string, Refused>();
  readonly #watch: Watch;
  #closed = false;
  /** Whose call is being done, and whether it is git's: null as long as nobody asked. */
  #asking: { readonly call: HandedOver | null; isGit: boolean | null } = {
    call: null,
    isGit: null,
  };

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    const { libc, memory, listener, rules, judge, masks, mark, replaced } = parts;
    this.#notifications = new Notifications(libc, memory, listener);
    this.#covered = rules.covered === null ? null : new Set(rules.covered);
    this.#deeds = {
      libc,
      notifications: this.#notifications,
      judge,
      refused: (access, path, kind) => {
        const refused = judge.refused(access, path, kind);
        const { git } = rules;
        return refused === "write" && git !== null && isRecord(git, path) && this.#asksGit(git)
          ? null
          : refused;
      },
      rules: { ...rules, covered: this.#covered },
      masks,
      mark,
      replaced,
      refuse: (refused) => {
        if (this.#refused.size >= MOST_REFUSALS) return;
        this.#refused.set(`${refused.access} ${refused.path}`, refused);
      },
      setMode(folder, name, mode) {
        const { numbers } = libc;
        const flags = OPEN.RDONLY | OPEN.NONBLOCK | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
        const opened = libc.call(numbers.openat, folder, libc.path(name), flags);
        if (opened < 0) return;
        libc.call(numbers.fchmod, opened, mode);
        close(libc, opened);
      },
    };
    this.#watch = parts.poller.watchEnd(listener, () => this.#answerAll());
  }

  get refusals(): readonly Refusal[] {
    const { judge } = this.#parts;
    return [...this.#refused.values()].map(({ path, access, kind }) => ({
      path,
      access,
      verdict: judge.verdict(access, path, kind),
    }));
  }

  /** What lies there is no longer what the kernel's rules were drawn for. */
  uncover(path: string): void {
    this.#covered?.delete(path);
  }

  #answerAll(): void {
    const until = performance.now() + STRETCH_MS;
    for (let wait = 0n; !this.#closed; wait = NEXT_NS) {
      const seen = this.#look(wait);
      if ((seen & READABLE) !== 0) this.#answerOne();
      else {
        // Nobody is left who could hand something over.
        if ((seen & POLLHUP) !== 0) this.close();
        break;
      }
      if (performance.now() > until) break;
    }
    this.#parts.poller.expectSoon();
  }

  /** What poll(2) says of the listener within so many nanoseconds. */
  #look(wait: bigint): number {
    const { libc: { struct, structAddress, call, numbers }, listener } = this.#parts;
    struct.setInt32(0, listener, true);
    struct.setInt32(4, READABLE, true);
    struct.setBigInt64(TIME_OFFSET, 0n, true);
    struct.setBigInt64(TIME_OFFSET + 8, wait, true);
    const ready = call(numbers.ppoll, structAddress, 1, structAddress + TIME_OFFSET, 0, 0);
    return ready <= 0 ? 0 : struct.getInt16(6, true);
  }

  #answerOne(): void {
    const notifications = this.#notifications;
    const call = notifications.receive();
    if (call === null) return;
    const deed = this.#do(call);
    if (deed === LEAVE) notifications.leave(call);
    else if (typeof deed === "number") notifications.answer(call, deed);
    else {
      notifications.give(call, deed.descriptor, deed.closesOnExec);
      close(this.#parts.libc, deed.descriptor);
    }
  }

  #asksGit(git: GitFolder): boolean {
    const { call } = this.#asking;
    if (call === null) return false;
    const { libc } = this.#parts;
    // Whose number it was may be somebody else's by now, if it was killed.
    return this.#asking.isGit ??= isGit(libc, git, call.thread) &&
      this.#notifications.isWaiting(call);
  }

  #do(call: HandedOver): Deed {
    const { calls, attributes } = this.#parts;
    const name = calls.get(call.number);
    this.#asking = { call, isGit: null };
    try {
      if (name !== undefined) return doCall(this.#deeds, name, call);
      const change = attributes.get(call.number);
      return change === undefined ? LEAVE : changeAttributes(this.#deeds, change, call);
    } catch (error) {
      // A name that no call takes, once links were followed.
      if (error instanceof TypeError) return -ERRNO.ENAMETOOLONG;
      throw error;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#watch.close();
    close(this.#parts.libc, this.#parts.listener);
    this.#parts.onEnd();
  }
}
