/**
 * Short calls of many callers before the threads that all share, which take them one after the other: nobody has more of
 * them there than give some hundred kilobytes of answers, and who does not read his answers has none.
 */

import { JSON_NULL, resultError } from "../../core/result.ts";
import type { Job, Outcome, Running } from "../../engine/runner.ts";
import type { Output } from "../server.ts";

/** Calls of all callers, and of one. */
const MOST = 128;
const MOST_OF_ONE = 64;
/** One is worked on while the answer of another goes out. */
const LEAST_OF_ONE = 2;
/** Bytes of answers that one caller may have under way, by what his last ones had. */
const ANSWER_BYTES = 1 << 19;

/** Where the answers of one caller go. */
export type Room = Pick<Output, "full" | "room">;

/** A caller, as far as his short calls go. */
export interface ShortParty {
  /** Null: he always reads. */
  readonly room: Room | null;
  running: number;
  /** Bytes of an answer: grows at once, and is forgotten slowly. */
  size: number;
  readonly waiting: (() => void)[];
  /** Whether he stands in the line, or is seen to when there is room. */
  listed: boolean;
}

/** Who has asked for nothing yet. */
export function newShortParty(room: Room | null): ShortParty {
  // Each of his answers may be as long as the policy lets it, until some were seen.
  return { room, running: 0, size: ANSWER_BYTES, waiting: [], listed: false };
}

/** Begins them in turn. */
export class ShortCalls {
  #running = 0;
  /** Who waits for others, the next one first. */
  readonly #line: ShortParty[] = [];

  run(party: ShortParty, job: Job, start: () => Running): Running {
    if (party.waiting.length === 0 && this.#mayBegin(party)) return this.#begin(party, start);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    let running: Running | null = null;
    const begin = () => {
      running = this.#begin(party, start);
      void running.outcome.then(resolve);
    };
    party.waiting.push(begin);
    this.#wait(party);
    return {
      outcome: promise,
      cancel: () => {
        if (running !== null) return running.cancel();
        const at = party.waiting.indexOf(begin);
        if (at === -1) return;
        party.waiting.splice(at, 1);
        const error = resultError("CANCELLED", `${job.tool.name}: cancelled before it began`);
        resolve({ output: JSON_NULL, error, usage: {} });
      },
    };
  }

  #mayBegin({ room, running, size }: ShortParty): boolean {
    const most = Math.min(MOST_OF_ONE, Math.max(LEAST_OF_ONE, Math.floor(ANSWER_BYTES / size)));
    return this.#running < MOST && running < most && room?.full !== true;
  }

  #begin(party: ShortParty, start: () => Running): Running {
    this.#running++;
    party.running++;
    const running = start();
    void running.outcome.then(({ output }) => {
      this.#running--;
      party.running--;
      const { length } = output;
      party.size = length > party.size ? length : party.size - (party.size - length) / 8;
      if (party.waiting.length > 0) this.#wait(party);
      if (this.#line.length > 0) this.#next();
    });
    return running;
  }

  /** Those who have some under way come again with their answers. */
  #wait(party: ShortParty): void {
    if (party.listed) return;
    const room = party.room?.full === true ? party.room.room() : null;
    if (room !== null) {
      party.listed = true;
      void room.then(() => {
        party.listed = false;
        if (party.waiting.length > 0) this.#wait(party);
        this.#next();
      });
      return;
    }
    party.listed = true;
    this.#line.push(party);
  }

  #next(): void {
    for (let looked = this.#line.length; looked > 0 && this.#running < MOST; looked--) {
      const party = this.#line.shift() as ShortParty;
      party.listed = false;
      if (!this.#mayBegin(party)) {
        // With calls under way he comes again when one of them ends; else when there is room.
        if (party.running === 0) this.#wait(party);
        continue;
      }
      party.waiting.shift()?.();
      if (party.waiting.length > 0) {
        this.#wait(party);
        looked++;
      }
    }
  }
}
