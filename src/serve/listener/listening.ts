/** The thread that hears a pipe while it only looks, seen from the main thread. */

import { ToolError } from "../../core/errors.ts";
import type { StayingEngine } from "../../engine/create_engine.ts";
import { Bell } from "../../engine/pool/channel.ts";
import { close, openPipe, setNonBlocking } from "../../host/kernel/pipes.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { PipeAgent } from "../_operations.ts";
import { type BegunListener, startListener } from "./begun_listener.ts";
import type { ListenerSetup } from "./listener_worker.ts";
import { createTurnMemory, type Given, MainTurn, OutputLock, type TurnMemory } from "./turn.ts";

/** Whom the main thread hears in turns with. */
export class Listening {
  /** Rung when the turn is given back, or is to be looked after. */
  readonly bell: Bell;
  /** Of standard output, which both write. */
  readonly lock: OutputLock;
  readonly #turn: MainTurn;
  readonly #worker: Worker;
  readonly #wake: () => void;
  readonly #release: () => void;
  /** It is of no use any more. */
  #gone = false;

  private constructor(
    memory: TurnMemory,
    worker: Worker,
    { wake, release }: { readonly wake: () => void; readonly release: () => void },
  ) {
    this.bell = new Bell(memory.bell);
    this.lock = new OutputLock(memory);
    this.#turn = new MainTurn(memory);
    this.#worker = worker;
    this.#wake = wake;
    this.#release = release;
    worker.onerror = (event) => {
      event.preventDefault();
      this.#gone = true;
      this.bell.ring();
    };
  }

  /**
   * Starts the thread, or takes the one that was `begun` with the very permissions that it is to have; null where none can be
   * had. The main thread hears until it gives its turn.
   */
  static async start(
    engine: Pick<StayingEngine, "looking">,
    agent: PipeAgent,
    libc: Libc,
    begun: BegunListener | null = null,
  ): Promise<Listening | null> {
    const { setup: looking, permissions } = await engine.looking();
    const pipe = attempt(() => openPipe(libc));
    if (pipe === null) return null;
    const release = () => {
      close(libc, pipe.write);
      close(libc, pipe.read);
    };
    setNonBlocking(libc, pipe.read);
    const worker = begun?.take(permissions) ??
      attempt(() => startListener(permissions));
    if (worker === null) {
      release();
      return null;
    }
    const memory = createTurnMemory();
    const setup: ListenerSetup = { looking, agent, memory, wake: pipe.read };
    worker.postMessage(setup);
    const one = new Uint8Array(1);
    const wake = () => void libc.transfer(libc.numbers.write, pipe.write, one, 1);
    return new Listening(memory, worker, { wake, release });
  }

  /** Whether the main thread hears. */
  get isMain(): boolean {
    return this.#turn.isMain;
  }

  /** Gives the turn away, with what is to be done first; false where that cannot be. */
  give(pieces: readonly Uint8Array[]): boolean {
    return !this.#gone && this.#turn.give(pieces);
  }

  /** What came with the turn, where it is the main thread's again since this was asked for last. */
  take(): Given | null {
    this.bell.hear();
    if (this.isMain) return null;
    const given = this.#gone ? this.#turn.seize() : this.#turn.take();
    if (given === null) {
      this.#turn.watch(() => {
        // It may never come back from where it is: what it had is done by others.
        this.#gone = true;
        this.#worker.terminate();
        this.bell.ring();
      });
    } else if (given.sign === "gone") this.#gone = true;
    return given;
  }

  /** Asks for the turn: it comes once the call that runs has ended. */
  recall(): void {
    if (!this.isMain) this.#wake();
  }

  close(): void {
    this.#gone = true;
    this.#worker.terminate();
    this.#release();
  }
}

/** Null where it is refused: whoever needs a thread is told why there is none. */
function attempt<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
}
