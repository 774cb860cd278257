/**
 * A gate: many callers before one engine, each on a connection of its own. What comes is read from those that have
 * something, answers go out as far as each takes them, and it sleeps until somebody has something again. Nobody waits for
 * a caller that does not read, does not finish a line, or is gone.
 */

import type { ResultError } from "../../core/errors.ts";
import { resultError } from "../../core/result.ts";
import type { StayingRunner } from "../../engine/runner.ts";
import { close, readSome } from "../../host/kernel/pipes.ts";
import { ReadinessSet } from "../../host/sockets/readiness_set.ts";
import { acceptFrom, peerOf } from "../../host/sockets/unix_socket.ts";
import type { Caller } from "./caller.ts";
import { Connection, type Opening, type Speech } from "./_connection.ts";
import { type Adopted, adopted } from "./_adopted.ts";
import type { ConnectionReport, GateOptions } from "./_gate_options.ts";
import { LineBuffer } from "../line_buffer.ts";
import { Outbox } from "./_outbox.ts";
import { Shares } from "./_shares.ts";
import { Unheard } from "./_unheard.ts";

/** Bytes asked of a connection at once. */
const INPUT_BYTES = 1 << 16;
/** How long the loop blocks where it stands, for the next request or for an answer, in ms: see `LineLoop`. */
const TURN_MS = 1;
const ANSWER_MS = 2;
/** Continuations of answers that have arrived, until they are written: a few turns of the microtask queue. */
const SETTLE_TURNS = 8;
/** Times that it reads before answers go out: many then share a write. */
const MOST_LOOKS = 4;
/** Connections taken in one turn. */
const MOST_ACCEPTED = 64;
/** How long one who is not heard may take to say something and be told so. */
const UNHEARD_MS = 2_000;
/** After this nobody new is heard for a moment: this process, or the machine, has no descriptors left. */
const ACCEPT_PAUSE_MS = 50;
/** What all connections may have held for them, as so many of the longest requests that the policy takes. */
const MOST_LONGEST = 8;
/** How long a line that has not ended, or answers that are not read, may be more than a share of that once it is used up. */
const STALE_MS = 5_000;
/** How often that is looked at while it is used up. */
const LOOK_MS = 1_000;

/** Makes the server of a connection, by its first line. */
type OpenSpeech = (outbox: Outbox, opening: Opening) => Promise<Speech>;

/** Hears many callers until it is stopped. */
export class Gate {
  readonly #options: GateOptions;
  readonly #ready: ReadinessSet;
  readonly #connections = new Map<number, Connection>();
  readonly #unheard = new Unheard();
  /** Those with requests, with answers to send, or whose state has changed. */
  readonly #active = new Set<Connection>();
  readonly #changed = new Set<Connection>();
  /** Where their answers become bytes, one connection's after the other. */
  readonly #encoded = new LineBuffer();
  readonly #input = new Uint8Array(INPUT_BYTES);
  readonly #shares: Shares;
  #number = 0;
  #hears = true;
  #open = true;
  #abandoned = false;
  #wake = Promise.withResolvers<void>();
  #timer: number | null = null;
  readonly #listening = new Set<StayingRunner>();

  /** Throws RESOURCE_LIMIT where there are no descriptors left. */
  constructor(options: GateOptions) {
    this.#options = options;
    this.#shares = new Shares(MOST_LONGEST * options.requestBytes);
    this.#ready = new ReadinessSet(options.libc, options.spawner);
    if (options.listener !== null) {
      this.#ready.add(options.listener, { read: true, write: false });
    }
  }

  /** Who is connected. */
  report(): readonly ConnectionReport[] {
    return [...this.#connections.values()].map((connection) => ({
      connection: connection.options.number,
      uid: connection.options.caller.uid,
      agent: connection.agent,
      since: new Date(connection.since).toISOString(),
      running: connection.pending,
      held_bytes: connection.held,
    }));
  }

  /** Hears nobody new and begins nothing; what runs has `graceMs` to end, then it is cancelled. */
  stop(graceMs: number): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#options.listener !== null) this.#ready.remove(this.#options.listener);
    for (const connection of this.#connections.values()) {
      connection.stop();
      this.#changed.add(connection);
    }
    this.#wake.resolve();
    setTimeout(() => {
      for (const connection of this.#connections.values()) connection.cancelAll();
    }, graceMs);
    // What does not end when it is cancelled is ended with the process; so is a reader that never reads.
    setTimeout(() => {
      this.#abandoned = true;
      this.#wake.resolve();
    }, 2 * graceMs + 1_000);
  }

  /**
   * Something has changed that no connection tells: there is a runner that was not there before, whose answers are heard from
   * now on, or what kept it from ending is gone.
   */
  lookAgain(): void {
    this.#wake.resolve();
  }

  /** Until it was stopped and all is answered, or given up. */
  async run(): Promise<void> {
    for (let looks = 0; !this.#abandoned;) {
      for (const runner of this.#options.runners()) runner.drain();
      await this.#settle();
      if (this.#look(0) && ++looks < MOST_LOOKS) continue;
      looks = 0;
      this.#tend();
      if (!this.#open && this.#connections.size === 0 && this.#isIdle) {
        if (!this.#options.busy()) break;
      }
      const runner = this.#busyRunner();
      if (runner === null && this.#active.size === 0 && !this.#ready.asleep) {
        if (this.#look(TURN_MS)) continue;
      } else if (runner !== null && !this.#ready.asleep) {
        const soon = runner.answersSoon(ANSWER_MS);
        if (soon instanceof Promise ? await soon : soon) continue;
      }
      await this.#waitForAnything();
    }
    for (const connection of [...this.#connections.values()]) this.#drop(connection);
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#ready.close();
  }

  /** Lets answers that have arrived reach those they are for, so that they go out together. */
  async #settle(): Promise<void> {
    if (this.#active.size === 0) return;
    for (let turn = 0; turn < SETTLE_TURNS; turn++) await null;
  }

  get #isIdle(): boolean {
    return [...this.#options.runners()].every(({ running }) => running === 0);
  }

  /** The one whose threads are at work; null where there is none, or more than one to wait for. */
  #busyRunner(): StayingRunner | null {
    const busy = [...this.#options.runners()].filter(({ running }) => running > 0);
    return busy.length === 1 ? busy[0] as StayingRunner : null;
  }

  /** Takes what has come; whether something had. */
  #look(ms: number): boolean {
    let took = false;
    for (const { descriptor, readable, gone } of this.#ready.look(ms)) {
      if (descriptor === this.#options.listener) {
        this.#accept(descriptor);
        took = true;
        continue;
      }
      const connection = this.#connections.get(descriptor);
      if (connection === undefined) continue;
      if (gone) {
        this.#drop(connection);
        took = true;
        continue;
      }
      this.#changed.add(connection);
      if (readable && connection.wanted.read && !connection.full && !this.#isOver(connection)) {
        this.#read(connection);
        took = true;
      }
    }
    return took;
  }

  #read(connection: Connection): void {
    const count = readSome(this.#options.libc, connection.options.descriptor, this.#input);
    if (count === null) return;
    if (count === 0) connection.endInput();
    else connection.take(this.#input.subarray(0, count));
    this.#count(connection, connection.held);
  }

  #accept(listener: number): void {
    const { libc } = this.#options;
    for (let taken = 0; taken < MOST_ACCEPTED; taken++) {
      const descriptor = acceptFrom(libc, listener);
      if (descriptor >= 0) {
        this.#welcome(descriptor);
        continue;
      }
      // Nobody else is there, where the first was; else something is wrong, and asking at once would not mend it.
      if (taken === 0) this.#pauseHearing(listener);
      return;
    }
  }

  #pauseHearing(listener: number): void {
    if (!this.#hears) return;
    this.#hears = false;
    this.#ready.change(listener, { read: false, write: false });
    setTimeout(() => {
      this.#hears = true;
      if (this.#open) this.#ready.change(listener, { read: true, write: false });
      this.#wake.resolve();
    }, ACCEPT_PAUSE_MS);
  }

  #welcome(descriptor: number): void {
    const { libc, open } = this.#options;
    const peer = peerOf(libc, descriptor);
    const found = peer === null
      ? { refused: "the kernel does not say who connected" }
      : this.#options.admit(peer);
    if (peer !== null && peer.pidfd !== null) close(libc, peer.pidfd);
    const refusal = this.#refusalOf(found);
    // Strangers who find no place go untold.
    if (refusal !== null && this.#unheard.full) return close(libc, descriptor);
    const caller = "refused" in found
      ? { uid: peer?.uid ?? -1, agent: null, operator: false, onlyWithToken: null }
      : found;
    const connection = this.#connect(
      descriptor,
      caller,
      (outbox, opening) => open(caller, outbox, opening),
    );
    if (refusal !== null) connection.refuse(refusal);
    if (refusal !== null || caller.onlyWithToken !== null) this.#keepUnheard(connection);
    this.#changed.add(connection);
    if (!this.#ready.add(descriptor, connection.wanted)) this.#drop(connection);
  }

  /** Why somebody new is not heard; null where he is. */
  #refusalOf(found: Caller | { readonly refused: string }): ResultError | null {
    if ("refused" in found) return resultError("PERMISSION_DENIED", found.refused);
    const { most } = this.#options;
    const users = this.#shares.connections(found.uid);
    if (users < most.user && this.#connections.size < most.all) return null;
    return resultError(
      "RESOURCE_LIMIT",
      "as many connections as are kept are open; close some",
    );
  }

  #keepUnheard(connection: Connection): void {
    const oldest = this.#unheard.add(connection);
    if (oldest !== null) this.#drop(oldest);
    setTimeout(() => connection.agent === null && this.#dropNow(connection), UNHEARD_MS);
  }

  /** Takes in what is connected already: a program of the gate's own. The descriptor is closed by the gate. */
  adopt(descriptor: number, caller: Caller, open: OpenSpeech): Adopted {
    const connection = this.#connect(descriptor, caller, open);
    if (!this.#ready.add(descriptor, connection.wanted)) this.#drop(connection);
    return adopted(connection, {
      wake: () => this.#wake.resolve(),
      drop: () => this.#dropNow(connection),
    });
  }

  #connect(descriptor: number, caller: Caller, open: OpenSpeech): Connection {
    const { libc, requestBytes } = this.#options;
    const outbox: Outbox = new Outbox(
      libc,
      descriptor,
      this.#encoded,
      () => this.#changed.add(connection),
    );
    const connection: Connection = new Connection({
      descriptor,
      number: ++this.#number,
      caller,
      outbox,
      requestBytes,
      open: (opening) => open(outbox, opening),
    });
    connection.onChange = () => {
      this.#changed.add(connection);
      this.#wake.resolve();
    };
    connection.onEnd = () => setTimeout(() => this.#dropNow(connection), UNHEARD_MS);
    this.#connections.set(descriptor, connection);
    this.#shares.enter(caller.uid);
    return connection;
  }

  #dropNow(connection: Connection): void {
    this.#drop(connection);
    this.#wake.resolve();
  }

  /** Sends what goes, and says of each that something happened to what is wanted of it from now on. */
  #tend(): void {
    // What is ended or begun on the way may change others, which are then seen to as well.
    for (const connection of this.#changed) {
      this.#changed.delete(connection);
      if (this.#isConnected(connection)) this.#see(connection);
    }
    if (this.#shares.usedUp) this.#timer ??= setInterval(() => this.#endStale(), LOOK_MS);
    else if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
      // Who was over his share meanwhile is read on.
      for (const connection of this.#connections.values()) this.#want(connection);
    }
  }

  #see(connection: Connection): void {
    const waits = connection.full;
    connection.options.outbox.flush();
    if (waits && !connection.options.outbox.full) connection.resume();
    if (connection.done) return this.#drop(connection);
    this.#count(connection, connection.held);
    if (connection.pending > 0) this.#active.add(connection);
    else this.#active.delete(connection);
    this.#want(connection);
  }

  #count(connection: Connection, held: number): void {
    this.#shares.count(connection.options.caller.uid, held - connection.counted);
    connection.counted = held;
  }

  #isOver({ counted, options }: Connection): boolean {
    return this.#shares.isOver({ uid: options.caller.uid, counted });
  }

  #want(connection: Connection): void {
    const { options, inputEnded, full, wanted } = connection;
    const read = !inputEnded && !full && !this.#isOver(connection);
    const write = options.outbox.held > 0;
    if (read === wanted.read && write === wanted.write) return;
    connection.wanted = { read, write };
    this.#ready.change(options.descriptor, connection.wanted);
  }

  /**
   * Who keeps more than his share for longer than anybody needs who sends a line or reads an answer goes, the one that
   * has kept it longest first, until there is room again for others.
   */
  #endStale(): void {
    const now = performance.now();
    const share = this.#shares.each;
    const stale: Connection[] = [];
    for (const connection of this.#connections.values()) {
      if (connection.unfinished <= share) connection.overSince = null;
      else if (now - (connection.overSince ??= now) > STALE_MS) stale.push(connection);
    }
    // Who came last may be waiting for those before him.
    for (const oldest of stale.toSorted((a, b) => (a.overSince ?? 0) - (b.overSince ?? 0))) {
      if (this.#shares.usedUp) this.#drop(oldest);
    }
    // Shares change with who comes and goes.
    for (const connection of this.#connections.values()) this.#want(connection);
    this.#wake.resolve();
  }

  /** Descriptors are given anew: the number of one that is gone may be another's. */
  #isConnected(connection: Connection): boolean {
    return this.#connections.get(connection.options.descriptor) === connection;
  }

  #drop(connection: Connection): void {
    const { descriptor, caller } = connection.options;
    if (!this.#isConnected(connection)) return;
    this.#connections.delete(descriptor);
    this.#unheard.delete(connection);
    connection.close();
    this.#active.delete(connection);
    this.#count(connection, 0);
    this.#shares.leave(caller.uid);
    this.#ready.remove(descriptor);
    // What it sent and nobody has read would reach it as a broken connection, in place of the last answer's end.
    readSome(this.#options.libc, descriptor, this.#input);
    close(this.#options.libc, descriptor);
  }

  async #waitForAnything(): Promise<void> {
    for (const runner of this.#options.runners()) {
      if (this.#listening.has(runner)) continue;
      this.#listening.add(runner);
      void runner.bell.wait().then(() => {
        this.#listening.delete(runner);
        this.#wake.resolve();
      });
    }
    void this.#ready.wait().then(() => this.#wake.resolve());
    await this.#wake.promise;
    this.#wake = Promise.withResolvers<void>();
  }
}
