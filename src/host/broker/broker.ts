/**
 * Doing for programs what the kernel's rules cannot let them do by themselves: their calls that name something come here,
 * are judged by the same policy, and are done by this thread, so that nothing is checked and then used by somebody else.
 * What is not done here the kernel does or refuses by the rules that hold the program.
 */

import type { Access } from "../../policy/model.ts";
import type { DeniedLoopback, Verdict } from "../../policy/rulebook.ts";
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
import { WATCHING_CALLS } from "../../sandbox/denied_calls.ts";
import { type HandedCall, handedCallsOf } from "../../sandbox/handed_calls.ts";
import type { OwnCalls } from "../../sandbox/launcher/own_calls.ts";
import { STAND_IN_CALL } from "../../sandbox/launcher/stand_in.ts";
import type { Architecture } from "../../sandbox/seccomp.ts";
import { type SocketCall, socketCallsOf } from "../../sandbox/socket_calls.ts";
import { close } from "../kernel/pipes.ts";
import { ALL_DONE, type Poller, READABLE, type Tell, type Watch } from "../kernel/poller.ts";
import { ownMask } from "../kernel/process_status.ts";
import { changeAttributes } from "./_attributes.ts";
import { Connecting } from "./_connecting.ts";
import { CallSockets, MOST_CONNECTING_OF_ALL } from "./call_sockets.ts";
import { CoveredFolders } from "./_covered_folders.ts";
import { Concurrency } from "./_concurrency.ts";
import type { CallParts, CallResult, Refused } from "./_call_result.ts";
import { doCall } from "./_do_call.ts";
import { FileMasks } from "./_file_masks.ts";
import { type GitFolder, isGit, isRecord, isSettled } from "./git_folder.ts";
import { startHook } from "./_hook_starting.ts";
import type { Handed, HandedRules, HookStarts, NameJudge, ProgramReach } from "./handed_rules.ts";
import { Listeners } from "./_listeners.ts";
import { lookAt, lookingCallsOf } from "./_looking.ts";
import { LEAVE } from "./_names.ts";
import { listsBeside } from "./_process_files.ts";
import type { RefusedPlace } from "./_refused_place.ts";
import { SocketDeeds } from "./_sockets.ts";
import { socketsMissing } from "./sockets_missing.ts";
import { watchFor } from "./_watching.ts";

/** What a program was refused, and by which rule. */
export interface Refusal {
  /** Or where a socket leads to, as people write it. */
  readonly path: string;
  readonly access: Access | RefusedPlace["access"];
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
const NEXT_NS = 60_000;
/** POLLIN, POLLHUP (include/uapi/asm-generic/poll.h) */
const POLLHUP = 0x10;
/** struct pollfd and struct timespec, side by side. */
const TIME_OFFSET = 8;

/** Calls of one program that are waited for where we stand, if others wait for this thread. */
const MOST_AWAITED = 8;

/** What it takes. */
export interface BrokerParts {
  /** Others wait for this thread too: a program that goes on asking has to do with the moments that its event loop has. */
  readonly shared: boolean;
  readonly libc: Libc;
  readonly memory: MemoryReader;
  readonly poller: Poller;
  /** For calls that may have to wait; null where there is none, and programs have no sockets. */
  readonly waiting: OwnCalls["waiting"] | null;
}

/** Answers the programs of one thread. */
export class Broker {
  readonly #parts: BrokerParts;
  readonly #calls: ReadonlyMap<number, HandedCall | "execve">;
  readonly #attributes: ReadonlyMap<number, AttributeCall>;
  readonly #watching: number | null;
  readonly #looking: ReadonlyMap<number, 0 | 1>;
  readonly #mask: number;
  readonly #socketCalls: ReadonlyMap<number, SocketCall>;
  readonly #services = new Set<ProgramService>();
  /** By the numbers of their runs. */
  readonly #sockets = new Map<number, CallSockets>();
  readonly #listeners: Listeners;
  readonly #concurrency = new Concurrency(MOST_CONNECTING_OF_ALL);
  #socketsMissing: string | null | undefined;
  /** Why programs cannot hand calls over; null where they can, as far as is known. */
  #missing: string | null;

  constructor(parts: BrokerParts) {
    this.#parts = parts;
    const { libc } = parts;
    const architecture = Deno.build.arch as Architecture;
    this.#calls = handedCallsOf(architecture);
    this.#attributes = attributeCallsOf(architecture);
    this.#watching = WATCHING_CALLS.inotify_add_watch[architecture];
    this.#looking = lookingCallsOf(architecture);
    this.#socketCalls = socketCallsOf(architecture);
    const mask = ownMask(libc);
    this.#mask = mask ?? 0;
    this.#missing = mask === null ? "/proc cannot be read" : handingMissing(libc);
    this.#listeners = new Listeners(libc);
  }

  get missing(): string | null {
    return this.#missing;
  }

  /** Why programs cannot have sockets; null where they can. */
  get socketsMissing(): string | null {
    // That nothing is missing is known by null, which is found out once too.
    if (this.#socketsMissing === undefined) {
      this.#socketsMissing = this.#parts.waiting === null
        ? "no memory of Toolgate's own may be executed here"
        : socketsMissing(this.#parts.libc);
    }
    return this.#socketsMissing;
  }

  /** Programs could not be started so: from now on none is. */
  giveUp(why: string): void {
    this.#missing = why;
  }

  /** Answers what comes by a listener, which belongs to the service from now on. */
  serve(
    listener: number,
    { rules, judge, reach, deniedLoopback, hooks, masked }: Handed,
    mark: number | null,
  ): Service {
    const sockets = this.#socketsOf(mark);
    const service = new ProgramService({
      ...this.#parts,
      sockets,
      concurrencyOfAll: this.#concurrency,
      socketCalls: this.#socketCalls,
      listener,
      rules,
      judge,
      reach: reach ?? null,
      deniedLoopback: deniedLoopback ?? null,
      hooks: hooks ?? null,
      mark,
      calls: this.#calls,
      attributes: this.#attributes,
      watching: this.#watching,
      looking: this.#looking,
      masks: new FileMasks(this.#parts.libc, this.#mask, masked === true),
      replaced: (path) => this.#services.forEach((one) => one.uncover(path)),
      onEnd: () => {
        this.#services.delete(service);
        if ([...this.#services].some((one) => one.sockets === sockets)) return;
        sockets.close();
        if (mark !== null) this.#sockets.delete(mark);
      },
    });
    this.#services.add(service);
    return service;
  }

  /** One set for all programs of a run. */
  #socketsOf(mark: number | null): CallSockets {
    const known = mark === null ? undefined : this.#sockets.get(mark);
    const sockets = known ?? new CallSockets(this.#parts.libc, this.#listeners);
    if (mark !== null) this.#sockets.set(mark, sockets);
    return sockets;
  }
}

interface ServiceParts extends BrokerParts {
  readonly sockets: CallSockets;
  readonly concurrencyOfAll: Concurrency;
  readonly socketCalls: ReadonlyMap<number, SocketCall>;
  readonly listener: number;
  readonly rules: HandedRules;
  readonly judge: NameJudge;
  readonly reach: ProgramReach | null;
  readonly deniedLoopback: DeniedLoopback | null;
  readonly hooks: HookStarts | null;
  /** The number that the run's processes are known by; null for none. */
  readonly mark: number | null;
  readonly calls: ReadonlyMap<number, HandedCall | "execve">;
  readonly attributes: ReadonlyMap<number, AttributeCall>;
  readonly watching: number | null;
  readonly looking: ReadonlyMap<number, 0 | 1>;
  readonly masks: FileMasks;
  readonly replaced: (path: string) => void;
  readonly onEnd: () => void;
}

class ProgramService implements Service {
  readonly #parts: ServiceParts;
  readonly #notifications: Notifications;
  readonly #callParts: CallParts;
  readonly #socketDeeds: SocketDeeds | null;
  readonly #refused = new Map<string, Refused>();
  readonly #refusedPlaces = new Map<string, RefusedPlace>();
  readonly #watch: Watch;
  #closed = false;
  /** Calls whose answer is not known yet. */
  #pending = 0;
  #answered = 0;
  /** Whose call is being done, and whether it is git's: null as long as nobody asked. */
  #asking: { readonly call: HandedOver | null; isGit: boolean | null } = {
    call: null,
    isGit: null,
  };

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    const { libc, memory, listener, rules, judge, masks, mark, replaced, sockets, waiting, reach } =
      parts;
    this.#notifications = new Notifications(libc, memory, listener);
    rules.spares?.hold();
    this.#callParts = {
      libc,
      notifications: this.#notifications,
      judge,
      refused: (access, path, kind, change) => {
        const refused = judge.refused(access, path, kind);
        const { git } = rules;
        if (refused !== "write" || git === null) return refused;
        const isGits = isRecord(git, path) || isSettled(libc, git, path, change ?? null);
        return isGits && this.#asksGit(git) ? null : refused;
      },
      rules,
      covered: rules.covered === null ? null : new CoveredFolders(rules.covered),
      lists: listsBeside(rules.shared),
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
    this.#socketDeeds = waiting === null ? null : new SocketDeeds({
      ...this.#callParts,
      sockets,
      reach,
      deniedLoopback: parts.deniedLoopback,
      connecting: new Connecting({ ...parts, waiting, concurrency: sockets.concurrency }),
      refusePlace: (refused) => {
        if (this.#refusedPlaces.size >= MOST_REFUSALS) return;
        this.#refusedPlaces.set(`${refused.access} ${refused.place}`, refused);
      },
    });
    this.#watch = parts.poller.watchEnd(listener, () => this.#answerAll());
  }

  get refusals(): readonly Refusal[] {
    const { judge } = this.#parts;
    return [
      ...[...this.#refused.values()].map(({ path, access, kind }) => ({
        path,
        access,
        verdict: judge.verdict(access, path, kind),
      })),
      ...[...this.#refusedPlaces.values()].map(({ place: path, access, verdict }) => ({
        path,
        access,
        verdict,
      })),
    ].slice(0, MOST_REFUSALS);
  }

  get sockets(): CallSockets {
    return this.#parts.sockets;
  }

  /** What lies there is no longer what the kernel's rules were drawn for. */
  uncover(path: string): void {
    this.#callParts.covered?.remove(path);
  }

  #answerAll(): ReturnType<Tell> {
    const until = performance.now() + STRETCH_MS;
    for (let wait = 0; !this.#closed; wait = this.#isAwaited ? NEXT_NS : 0) {
      const seen = this.#look(wait);
      if ((seen & READABLE) !== 0) this.#answerOne();
      else {
        // Nobody is left who could hand something over.
        if ((seen & POLLHUP) !== 0) this.close();
        break;
      }
      if (performance.now() > until) break;
    }
    if (this.#pending > 0 || !this.#isAwaited) {
      this.#parts.poller.expectLater();
      return;
    }
    this.#parts.poller.expectSoon();
    if (!this.#closed) return ALL_DONE;
  }

  get #isAwaited(): boolean {
    return !this.#parts.shared || this.#answered < MOST_AWAITED;
  }

  /** What poll(2) says of the listener within so many nanoseconds. */
  #look(wait: number): number {
    const { libc: { struct, structAddress, call, numbers }, listener } = this.#parts;
    struct.setInt32(0, listener, true);
    struct.setInt32(4, READABLE, true);
    struct.setUint32(TIME_OFFSET, 0, true);
    struct.setUint32(TIME_OFFSET + 4, 0, true);
    struct.setUint32(TIME_OFFSET + 8, wait, true);
    struct.setUint32(TIME_OFFSET + 12, 0, true);
    const ready = call(numbers.ppoll, structAddress, 1, structAddress + TIME_OFFSET, 0, 0);
    return ready <= 0 ? 0 : struct.getInt16(6, true);
  }

  #answerOne(): void {
    const notifications = this.#notifications;
    const call = notifications.receive();
    if (call === null) return;
    this.#answered++;
    const result = this.#do(call);
    if (result === LEAVE) notifications.leave(call);
    else if (typeof result === "number") notifications.answer(call, result);
    else if ("later" in result) {
      this.#pending++;
      void result.later.then((became) => {
        this.#pending--;
        if (!this.#closed) notifications.answer(call, became);
      });
    } else {
      notifications.give(call, result.descriptor, result.closesOnExec);
      close(this.#parts.libc, result.descriptor);
    }
  }

  #asksGit(git: GitFolder): boolean {
    const { call } = this.#asking;
    if (call === null) return false;
    // Whose number it was may be somebody else's by now, if it was killed.
    return this.#asking.isGit ??= isGit(this.#parts.libc, git, call.thread) &&
      this.#notifications.isWaiting(call);
  }

  #do(call: HandedOver): CallResult {
    const { calls, attributes, socketCalls, hooks, watching, looking } = this.#parts;
    const name = calls.get(call.number);
    this.#asking = { call, isGit: null };
    try {
      const started = hooks === null || name !== STAND_IN_CALL
        ? null
        : startHook(this.#callParts, call, hooks);
      if (started !== null) return started;
      if (name !== undefined) return doCall(this.#callParts, name, call);
      const socket = socketCalls.get(call.number);
      if (socket !== undefined) return this.#socketDeeds?.do(socket, call) ?? -ERRNO.EACCES;
      if (call.number === watching) return watchFor(this.#callParts, call);
      const asked = looking.get(call.number);
      if (asked !== undefined) return lookAt(this.#callParts, call, asked);
      const change = attributes.get(call.number);
      return change === undefined ? LEAVE : changeAttributes(this.#callParts, change, call);
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
    this.#socketDeeds?.close();
    close(this.#parts.libc, this.#parts.listener);
    this.#parts.rules.spares?.release();
    this.#parts.onEnd();
  }
}
