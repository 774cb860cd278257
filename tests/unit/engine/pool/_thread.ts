/** A real thread of the pool, spoken to as the pool does. */

import { assert } from "@std/assert";
import { type JsonText, jsonText } from "../../../../src/core/result.ts";
import {
  Bell,
  createBell,
  createRingMemory,
  RingReader,
  RingWriter,
} from "../../../../src/engine/pool/channel.ts";
import {
  decodeMessage,
  encodeMessage,
  type FromWorker,
  type ToWorker,
  type WorkerSetup,
} from "../../../../src/engine/pool/_protocol.ts";
import { NO_PROGRAM_ENVIRONMENT } from "../../../../src/engine/programs/no_program_environment.ts";
import { DEFAULTS } from "../../../../src/policy/model.ts";

/** What a thread said, with the output behind it. */
export interface Said {
  readonly message: FromWorker;
  readonly output: JsonText;
}

export class RealThread implements Disposable {
  readonly #worker: Worker;
  readonly #inbox: RingWriter;
  readonly #outbox: RingReader;
  readonly #bell: Bell;

  constructor(parts: Pick<WorkerSetup, "boundary" | "policies"> & Partial<WorkerSetup>) {
    const bell = createBell();
    const toWorker = createRingMemory(1 << 16, createBell());
    const toMain = createRingMemory(1 << 16, bell);
    this.#inbox = new RingWriter(toWorker);
    this.#outbox = new RingReader(toMain);
    this.#bell = new Bell(bell);
    this.#worker = new Worker(import.meta.resolve("../../../../src/engine/pool/worker.ts"), {
      type: "module",
      // A set of its own: what a thread gives up of one that it shares is gone for all.
      deno: {
        permissions: { read: true, write: true, run: true, env: true, ffi: true, sys: true },
      },
    });
    const setup: WorkerSetup = {
      toWorker,
      toMain,
      sandbox: DEFAULTS.sandbox,
      programEnvironment: NO_PROGRAM_ENVIRONMENT,
      plugins: [],
      sequential: true,
      ahead: false,
      scans: false,
      scanMemory: null,
      web: null,
      ...parts,
    };
    this.#worker.postMessage(setup);
  }

  say(...messages: readonly ToWorker[]): void {
    for (const message of messages) this.#inbox.send(encodeMessage(message));
  }

  /** The next thing that it says. */
  async next(): Promise<Said> {
    for (;;) {
      this.#bell.hear();
      const bytes = this.#outbox.next();
      if (bytes !== null) {
        const { message, output } = decodeMessage<FromWorker>(bytes);
        return { message, output: jsonText(output) };
      }
      await this.#bell.wait();
    }
  }

  /** The end of a job; what else is said before it is given to `hear`. */
  async done(
    hear: (message: FromWorker) => void = () => {},
  ): Promise<Extract<FromWorker, { kind: "done" }> & { readonly output: JsonText }> {
    for (;;) {
      const { message, output } = await this.next();
      if (message.kind === "done") return { ...message, output };
      assert(message.kind !== "refused", JSON.stringify(message));
      hear(message);
    }
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}
