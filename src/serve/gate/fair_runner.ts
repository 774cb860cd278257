/**
 * Many callers before one runner: calls that may take long have few places, which are given out in turn, and nobody
 * has all of them. Short ones take turns by themselves, as far as each caller has few of them there: see `ShortCalls`.
 */

import { JSON_NULL, resultError } from "../../core/result.ts";
import { type Lane, laneOf, LANES, mostThreads } from "../../engine/pool/lanes.ts";
import {
  type Job,
  type Outcome,
  runnerOver,
  type Running,
  type StayingRunner,
} from "../../engine/runner.ts";
import { newShortParty, type Room, ShortCalls, type ShortParty } from "./short_calls.ts";

/** A call that waits for a place. */
interface Waiting {
  readonly begin: () => void;
}

/** The places of one kind of call. */
interface Places {
  readonly most: number;
  taken: number;
  /** Who waits, the next one first. */
  readonly line: Party[];
}

/** One caller: what it has under way and what waits, by the kind of call. */
interface Party {
  readonly taken: Map<Lane, number>;
  readonly waiting: Map<Lane, Waiting[]>;
  readonly short: ShortParty;
}

/** Gives out the places of a runner. */
export class FairPlaces {
  readonly #concurrency: number;
  readonly #places = new Map<Lane, Places>();
  readonly #short = new ShortCalls();

  /** `concurrency`: the policy's limit. */
  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** The runner as one caller has it. `close`: what becomes of it with him. `room`: where his answers go; null: he always reads. */
  share(
    runner: StayingRunner,
    close: () => Promise<void>,
    room: Room | null = null,
  ): StayingRunner {
    const party: Party = { taken: new Map(), waiting: new Map(), short: newShortParty(room) };
    return runnerOver(runner, {
      close,
      run: (job, onEvent) => {
        const lane = laneOf(job);
        const start = () => runner.run(job, onEvent);
        return isLong(lane)
          ? this.#run(party, lane, job, start)
          : this.#short.run(party.short, job, start);
      },
    });
  }

  #run(party: Party, lane: Lane, job: Job, start: () => Running): Running {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    let running: Running | null = null;
    const queue = party.waiting.get(lane) ?? [];
    const waiting: Waiting = {
      begin: () => {
        running = start();
        void running.outcome.then((outcome) => {
          this.#leave(party, lane);
          resolve(outcome);
        });
      },
    };
    queue.push(waiting);
    party.waiting.set(lane, queue);
    const places = this.#of(lane);
    if (!places.line.includes(party)) places.line.push(party);
    this.#next(lane, places);
    return {
      outcome: promise,
      cancel: () => {
        if (running !== null) return running.cancel();
        const at = queue.indexOf(waiting);
        if (at === -1) return;
        queue.splice(at, 1);
        const error = resultError("CANCELLED", `${job.tool.name}: cancelled before it began`);
        resolve({ output: JSON_NULL, error, usage: {} });
      },
    };
  }

  #of(lane: Lane): Places {
    let places = this.#places.get(lane);
    if (places === undefined) {
      const most = LANES[lane].exclusive ? mostThreads(lane, this.#concurrency) : this.#concurrency;
      places = { most, taken: 0, line: [] };
      this.#places.set(lane, places);
    }
    return places;
  }

  /** Who has had a place goes to the end of the line. */
  #next(lane: Lane, places: Places): void {
    // One place is kept for whoever comes next, where there is more than one.
    const own = Math.max(1, places.most - 1);
    for (let looked = 0; looked < places.line.length && places.taken < places.most;) {
      const party = places.line.shift() as Party;
      const queue = party.waiting.get(lane) ?? [];
      const taken = party.taken.get(lane) ?? 0;
      if (queue.length === 0) continue;
      if (taken >= own) {
        places.line.push(party);
        looked++;
        continue;
      }
      looked = 0;
      places.taken++;
      party.taken.set(lane, taken + 1);
      const next = queue.shift() as Waiting;
      if (queue.length > 0) places.line.push(party);
      next.begin();
    }
  }

  #leave(party: Party, lane: Lane): void {
    const places = this.#of(lane);
    places.taken--;
    party.taken.set(lane, (party.taken.get(lane) ?? 1) - 1);
    this.#next(lane, places);
  }
}

/** Whether a call of the lane may take as long as the policy lets it. */
function isLong(lane: Lane): boolean {
  return lane !== "read" && lane !== "write" && lane !== "read-help";
}
